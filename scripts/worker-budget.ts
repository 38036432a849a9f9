import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { startCpuMs } from './worker-start.ts'

const OUT = 'dist/worker'
/** Trips when an import brings what no Worker needs: three dialects took 150 kB, pools and limits 10, the fourth 24, profiles 9, tools that come later 5, computers 7, sessions that go on 3, refusals in their own words and what clients delete 4, listings of tools, pages and diagnoses 2, errors in foreign forms and addresses of any version 1, patterns of pieces 1, failures in any words, choices at the root of a schema, what agents say to each other 1, pictures in documents and what Cursor mixes 1, what models take by their names 2, proofs of other services and of thoughts in their places 1, replies that are underway or in the background 1, members said twice, keys between other pieces and tools found by their names less than 1, the table of models 3 and what asks it 5, the settlement of what was sent 3, who is who behind one key and whose failures those are 3, failures within choices and in other words 2, searches that cannot be made and summaries in words 2, tables of places 2, what is stored and what a refusal says of a model 2, fits of every body 6, summaries 6, sockets 6, clouds with their keys and betas 13, tokens of callers and hints for words of others 3, the memory of sessions 6, walks that go on and losses that are placed where a list is walked 1, what came in the place of an event less than 1, what the middle of a conversation needs at a cloud, and contents in parts and in other shapes 1. */
const MAX_GZIP_BYTES = 314_000
/**
 * What an isolate may take before its first answer; the platform's own bound is 1 s, and what it takes then is no
 * request's (docs/decisions/README.md). A third is the compiler's, in proportion to the size, a half the exchanges of
 * `src/workers/warm.ts`; a core that two threads share takes up to a half more.
 */
const MAX_START_MS = 200

rmSync(OUT, { recursive: true, force: true })
const bundle = spawnSync('wrangler', ['deploy', '--dry-run', '--outdir', OUT], {
  encoding: 'utf8',
  env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
})
if (bundle.status !== 0) {
  console.error(bundle.stdout + bundle.stderr)
  process.exit(1)
}
const code = readFileSync(`${OUT}/worker.js`)
const gzipped = gzipSync(code).length
console.log(`${OUT}/worker.js  ${code.length} bytes, ${gzipped} gzip, at most ${MAX_GZIP_BYTES}`)
if (gzipped > MAX_GZIP_BYTES) {
  console.error('The Worker has grown too large: see which import brought what.')
  process.exit(1)
}
const startMs = await startCpuMs(code.toString())
if (startMs === undefined) console.log('SKIPPED: the CPU time of a start is measured on Linux only')
else
  console.log(
    `starts in ${startMs.toFixed(1)} ms of CPU beyond an empty Worker, at most ${MAX_START_MS}`,
  )
if ((startMs ?? 0) > MAX_START_MS) {
  console.error('The Worker has become slow to start: see what runs when its modules are loaded.')
  process.exit(1)
}
