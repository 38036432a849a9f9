import { afterAll, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { createHandler } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { createSend } from '../../src/node/send.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { lineServer, type Line, type Script } from '../faults/line.ts'
import { voices, type Voice } from '../faults/voices.ts'

const KEYS = ['k-one-0123456789abcdef', 'k-two-0123456789abcdef']
const cleanups: (() => void)[] = []
afterAll(() => {
  for (const clean of cleanups) clean()
})

const keyIn = (request: string): string => /k-(?:one|two)/.exec(request)?.[0] ?? ''

interface Stage {
  ask(caller: Voice, stream: boolean): Promise<{ status: number; text: string; headers: Headers }>
  lines: Map<string, Line[]>
  log: LogEntry[]
}

/** The proxy with real sockets: one upstream with so many keys, each of which follows a script. */
async function openStage(
  dialect: string,
  scripts: readonly Script[],
  failover: object = {},
): Promise<Stage> {
  const named = new Map(scripts.map((script, index) => [`k-${['one', 'two'][index]}`, script]))
  const server = await lineServer(keyIn, (key) => named.get(key))
  const upstreams = createSend()
  const log: LogEntry[] = []
  const key = scripts.length > 1 ? KEYS : KEYS[0]
  const url = `http://127.0.0.1:${server.port}`
  const settings = readSettings(
    { upstreams: { up: { dialect, url, key, account: 'team' } }, failover },
    {},
  )
  const answer = createHandler(settings, {
    send: upstreams.send,
    now: Date.now,
    randomId: () => crypto.randomUUID().replaceAll('-', ''),
    log: (entry) => log.push(entry),
  })
  cleanups.push(() => {
    upstreams.destroy()
    server.close()
  })
  return {
    lines: server.lines,
    log,
    async ask(caller, stream) {
      const request = new Request(`http://127.0.0.1${caller.path('m', stream)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(caller.request('m', stream)),
      })
      const response = toResponse(await answer(request))
      return { status: response.status, text: await response.text(), headers: response.headers }
    },
  }
}

const isStream = ({ request }: Line): boolean => /streamGenerateContent|"stream":true/.test(request)

const well =
  (voice: Voice): Script =>
  (line) => {
    if (isStream(line))
      line
        .open()
        .chunk(voice.opening + voice.closing)
        .close()
    else line.answer(voice.whole)
  }

const [messages] = voices
if (!messages) throw new Error('there are voices')

describe('a connection that had served before', () => {
  it('is replaced by a fresh one where it was closed, and each body is carried out once (trap 3)', async () => {
    const served = new WeakSet<object>()
    let carriedOut = 0
    const stage = await openStage('messages', [
      (line) => {
        if (served.has(line.socket)) return line.reset()
        served.add(line.socket)
        carriedOut += 1
        return well(messages)(line)
      },
    ])
    for (let count = 0; count < 1000; count += 1) {
      const { status, text } = await stage.ask(messages, false)
      if (status !== 200) throw new Error(`call ${count}: ${status} ${text}`)
    }
    expect(carriedOut).toBe(1000)
  }, 30_000)

  it.each(['reset', 'fin'] as const)('is not a fresh one that ends by %s (trap 4)', async (way) => {
    const stage = await openStage('messages', [(line) => line[way]()])
    const { status, headers } = await stage.ask(messages, false)
    expect(status).toBe(502)
    expect(headers.get('x-should-retry')).toBe('false')
    expect(stage.lines.get('k-one')).toHaveLength(1)
  })

  it('is not repeated where anything of an answer had come', async () => {
    const served = new WeakSet<object>()
    const stage = await openStage('messages', [
      (line) => {
        if (served.has(line.socket))
          return void setTimeout(() => line.raw('HTTP/1.1 20').reset(), 5)
        served.add(line.socket)
        return well(messages)(line)
      },
    ])
    expect((await stage.ask(messages, false)).status).toBe(200)
    const broken = await stage.ask(messages, false)
    // A reset may overtake what was sent before it, and then nothing had come.
    expect([200, 502]).toContain(broken.status)
    expect(stage.lines.get('k-one')?.length).toBeLessThanOrEqual(3)
  })
})

/** Long enough for a busy machine. */
const ATTEMPT_MS = 1500

/** What a member does to its requests, and what the caller is to hear of it. */
interface Fault {
  name: string
  act(line: Line, voice: Voice): void
  /** What allows a hop, where the defaults do not. */
  failover?: { unknown?: boolean; attemptMs?: number }
  /** The reply has begun, so that nothing leads to the other member. */
  isShown?: boolean
  /** Only streams have it. */
  streams?: boolean
}

const status = (code: number, headers: Record<string, string> = {}): Fault => ({
  name: String(code),
  act: (line, voice) => void line.answer(voice.refusal, { status: code, ...headers }),
})

const FAULTS: readonly Fault[] = [
  ...[408, 409, 429, 500, 502, 503, 504, 529, 401].map((code) => status(code)),
  { ...status(429, { 'retry-after': '7' }), name: '429 with a wait' },
  { name: 'reset', act: (line) => line.reset(), failover: { unknown: true } },
  { name: 'end', act: (line) => line.fin(), failover: { unknown: true } },
  { name: 'silence', act: () => undefined, failover: { attemptMs: ATTEMPT_MS } },
  {
    name: 'cut before the first event',
    act: (line) => void line.open().raw('\r\n').reset(),
    failover: { unknown: true },
    streams: true,
  },
  {
    name: 'cut after the first event',
    act: (line, voice) => {
      line.open().chunk(voice.opening)
      setTimeout(() => line.reset(), 20)
    },
    isShown: true,
    failover: { unknown: true },
    streams: true,
  },
]

/** How many calls of each cell: with POOL_CALLS=40 there are more than 10,000. */
const CALLS = Number(process.env['POOL_CALLS'] ?? 2)

describe.each(FAULTS.map((fault) => [fault.name, fault] as const))(
  'while one of two members fails by %s',
  (_, fault) => {
    const pairs = voices.flatMap((caller) => voices.map((voice) => ({ caller, voice })))
    const play = async ({ caller, voice }: (typeof pairs)[number], stream: boolean) => {
      const stage = await openStage(
        voice.dialect,
        [(line) => fault.act(line, voice), well(voice)],
        fault.failover,
      )
      for (let call = 0; call < CALLS; call += 1) {
        const { status: said, text } = await stage.ask(caller, stream)
        if (said !== 200)
          throw new Error(`${caller.dialect} over ${voice.dialect}: ${said} ${text}`)
        const hopped = (stage.log.at(-1)?.attempts?.length ?? 0) > 1
        if (fault.isShown && hopped) throw new Error('switched after a shown event')
      }
      const asked = stage.lines.get('k-two')?.length ?? 0
      return { asked, faulty: stage.lines.get('k-one')?.length ?? 0 }
    }
    it.concurrent.each([true, false])('serves all, stream %s', async (stream) => {
      if (fault.streams && !stream) return
      const results = await Promise.all(pairs.map((pair) => play(pair, stream)))
      for (const { asked, faulty } of results) {
        // Each call is carried out once: by the other one, or by the one that began to answer.
        expect(fault.isShown ? asked + faulty : asked).toBe(CALLS)
        expect(faulty).toBeGreaterThan(0)
      }
    })
  },
)
