import { afterAll, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { createHandler } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { createSend } from '../../src/node/upstream/send.ts'
import { lineServer, type Line, type Script } from '../faults/line.ts'
import { voices, type Voice } from '../faults/voices.ts'
import { cells, FAULTS, play } from './down.ts'

const cleanups: (() => void)[] = []
afterAll(() => {
  for (const clean of cleanups) clean()
})

interface Stage {
  ask(caller: Voice, stream: boolean): Promise<{ status: number; text: string; headers: Headers }>
  lines(): readonly Line[]
}

/** The proxy with real sockets before one upstream, which follows a script. */
async function openStage(dialect: string, script: Script): Promise<Stage> {
  const server = await lineServer(
    () => 'any',
    () => script,
  )
  const upstreams = createSend()
  const url = `http://127.0.0.1:${server.port}`
  const settings = readSettings({ upstreams: { up: { dialect, url } } }, {})
  const answer = createHandler(settings, {
    send: upstreams.send,
    now: Date.now,
    randomId: () => crypto.randomUUID().replaceAll('-', ''),
    log: () => undefined,
  })
  cleanups.push(() => {
    upstreams.destroy()
    server.close()
  })
  return {
    lines: () => server.lines.get('any') ?? [],
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
    const stage = await openStage('messages', (line) => {
      if (served.has(line.socket)) return line.reset()
      served.add(line.socket)
      carriedOut += 1
      return well(messages)(line)
    })
    for (let count = 0; count < 1000; count += 1) {
      const { status, text } = await stage.ask(messages, false)
      if (status !== 200) throw new Error(`call ${count}: ${status} ${text}`)
    }
    expect(carriedOut).toBe(1000)
  }, 30_000)

  it.each(['reset', 'fin'] as const)('is not a fresh one that ends by %s (trap 4)', async (way) => {
    const stage = await openStage('messages', (line) => line[way]())
    const { status, headers } = await stage.ask(messages, false)
    expect(status).toBe(502)
    expect(headers.get('x-should-retry')).toBe('false')
    expect(stage.lines()).toHaveLength(1)
  })

  it('is not repeated where anything of an answer had come', async () => {
    const served = new WeakSet<object>()
    const stage = await openStage('messages', (line) => {
      if (served.has(line.socket)) return void setTimeout(() => line.raw('HTTP/1.1 20').reset(), 5)
      served.add(line.socket)
      return well(messages)(line)
    })
    expect((await stage.ask(messages, false)).status).toBe(200)
    const broken = await stage.ask(messages, false)
    // A reset may overtake what was sent before it, and then nothing had come.
    expect([200, 502]).toContain(broken.status)
    expect(stage.lines().length).toBeLessThanOrEqual(3)
  })
})

describe('a connection that had served before, and ends a while after a request was written', () => {
  it.concurrent.each(['reset', 'fin'] as const)(
    'may end with a server that had begun with it, so that nothing is repeated: %s',
    async (way) => {
      const served = new WeakSet<object>()
      const stage = await openStage('messages', (line) => {
        if (served.has(line.socket)) return void setTimeout(() => line[way](), 1200)
        served.add(line.socket)
        return well(messages)(line)
      })
      expect((await stage.ask(messages, false)).status).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 20))
      const { status, headers } = await stage.ask(messages, false)
      expect([status, headers.get('x-should-retry')]).toEqual([502, 'false'])
      expect(stage.lines()).toHaveLength(2)
    },
  )
})

/** Of each fault and of each pair some; all of them are played by `npm run soak`, thousands of times. */
const sample = cells.filter((_, index) => index % 7 === 0)

describe.each(FAULTS.map((fault) => [fault.name, fault] as const))(
  'while one of two members fails by %s',
  (_, fault) => {
    it.concurrent('serves all, once each, and tells no other account', async () => {
      const own = sample.filter((cell) => cell.fault === fault)
      const tallies = await Promise.all(own.map((cell) => play(cell, 1)))
      expect(tallies.flatMap(({ wrong }) => wrong)).toEqual([])
      expect(tallies.reduce((sum, { foreign }) => sum + foreign, 0)).toBe(0)
      expect(own.length).toBeGreaterThan(1)
    })
  },
)
