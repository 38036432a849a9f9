import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** Of the 128 MB of an isolate: what is left is for bytes, which Node counts beside the heap. */
const HEAP_MB = 100

it('is borne by an isolate, all that its limits admit, and the rest is refused for now', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MB}`,
      '--max-semi-space-size=8',
      fileURLToPath(new URL('isolate.ts', import.meta.url)),
    ],
    { encoding: 'utf8', env: { PATH: process.env['PATH'] }, maxBuffer: 64 * 1024 * 1024 },
  )
  const last = stdout.trim().split('\n').at(-1) ?? ''
  expect(last, stderr.slice(-2000)).toMatch(/^\{"statuses"/)
  const { statuses } = JSON.parse(last)
  expect(Object.keys(statuses).toSorted()).toEqual([
    'messages 200',
    'messages 503',
    'responses 200',
    'responses 503',
  ])
})
