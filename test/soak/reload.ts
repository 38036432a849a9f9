import { Agent } from 'node:http'
import { join } from 'node:path'
import { emptyFolder } from '../node/command.ts'
import { call, sleep } from './caller.ts'
import { expect, voiceAt } from './soak.ts'
import { modelOf, type Upstream } from './upstream.ts'
import { allKits } from '../dialects/index.ts'

const REQUESTS = 20_000
const CALLERS = 32
const EVERY_MS = 100
const FAULTY = 5

/** Each key is used for one configuration. */
const keyNumber = (count: number): string => `key-of-the-upstream-number-${count}`

/** A configuration that differs from the one before in its keys, its limits and its rules. */
function configFor({ port }: Upstream, keyFile: string, count: number): string {
  const upstreams = allKits.map(({ voice: { dialect } }) => [
    dialect,
    { dialect, url: `http://127.0.0.1:${port}/${dialect}/upstream`, key: `file:${keyFile}` },
  ])
  return JSON.stringify({
    upstreams: Object.fromEntries(upstreams),
    routes: allKits.map(({ voice: { dialect } }) => ({
      model: `${dialect}--*`,
      upstream: count % 2 ? dialect : [dialect],
    })),
    limits: { inFlightBytes: 268_435_456 + count },
  })
}

/** The command under load, told to read its configuration again ten times a second; some are faulty. */
export async function reload(upstream: Upstream): Promise<void> {
  const folder = emptyFolder()
  const keyFile = join(folder.path, 'key')
  folder.write('key', keyNumber(0))
  folder.write('dragoman.json', configFor(upstream, keyFile, 0))
  const command = folder.run(['--port', '0'])
  const port = Number(new URL(await command.listening()).port)
  const failed: string[] = []
  let [asked, reloads] = [0, 0]
  const goesOn = () => asked < REQUESTS
  const started = performance.now()
  const agent = new Agent({ keepAlive: true })
  const caller = async () => {
    while (goesOn()) {
      asked += 1
      const round = asked
      const model = modelOf(voiceAt(Math.floor(round / 4)), 'whole', round)
      const stream = round % 2 === 0
      const heard = await call({ port, agent, caller: voiceAt(round), model, stream })
      const isRight =
        heard.status === 200 && heard.complete && heard.text.includes(`canary-${round}-`)
      if (!isRight) failed.push(`${model}: ${heard.status} ${heard.text.slice(-200)}`)
    }
  }
  const reloader = async () => {
    while (goesOn()) {
      reloads += 1
      const isFaulty = reloads % FAULTY === 0
      folder.write('key', keyNumber(reloads))
      folder.write('dragoman.json', isFaulty ? '{' : configFor(upstream, keyFile, reloads))
      command.child.kill('SIGHUP')
      await sleep(EVERY_MS)
    }
  }
  await Promise.all([reloader(), ...Array.from({ length: CALLERS }, caller)])
  agent.destroy()
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  command.child.kill('SIGTERM')
  const { out } = await command.finished
  folder.remove()
  expect(
    failed.length === 0,
    `${failed.length} of ${asked} failed ${failed.slice(0, 5).join('\n     ')}`,
  )
  expectReloads(out, reloads, seconds)
}

function expectReloads(out: string, reloads: number, seconds: string): void {
  const results = { ok: 0, error: 0 }
  for (const [, result] of out.matchAll(/"event":"reload","result":"(ok|error)"/g))
    results[result === 'ok' ? 'ok' : 'error'] += 1
  const read = `${results.ok} read, ${results.error} refused`
  expect(results.ok > 10 && results.error > 2, `${reloads} reloads in ${seconds} s: ${read}`)
  expect(!/key-of-the-upstream-number-/.test(out), 'no key in the log, old or new')
}
