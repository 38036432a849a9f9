import { Agent, createServer, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { voices, type Voice } from '../faults/voices.ts'
import { type Command, emptyFolder, type Folder } from './command.ts'

/** One process takes over from another while callers go on calling. */

const [messages, , responses] = voices as readonly [Voice, Voice, Voice]
const STREAM_MS = 400
/** Much sooner than at the end of a long drain, on any machine. */
const SOON_MS = 8000
const LONG_DRAIN_MS = 10_000
const PER_SECOND = 50

let folder: Folder
let upstream: Server
/** How often the upstream was asked for each model. */
let asked: Map<string, number>
/** Answers that never end by themselves. */
let open: Set<ServerResponse>

beforeEach(async () => {
  folder = emptyFolder()
  asked = new Map()
  open = new Set()
  upstream = createServer((incoming, outgoing) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (text) => (body += text))
    incoming.on('end', () => {
      const model = /"model":"([^"]+)"/.exec(body)?.[1] ?? ''
      asked.set(model, (asked.get(model) ?? 0) + 1)
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      outgoing.write(messages.opening.replace('Hel', `${model}. Hel`))
      open.add(outgoing)
      outgoing.on('close', () => open.delete(outgoing))
      if (!model.startsWith('hangs')) setTimeout(() => outgoing.end(messages.closing), STREAM_MS)
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  folder.remove()
  upstream.close().closeAllConnections()
})

function started(drainMs: number): Command {
  const { port } = upstream.address() as AddressInfo
  const config = {
    upstreams: { slow: { dialect: 'messages', url: `http://127.0.0.1:${port}` } },
    limits: { drainMs },
  }
  return folder.run(['--port', '0'], { DRAGOMAN_CONFIG: JSON.stringify(config) })
}

interface Heard {
  model: string
  status: number
  text: string
  /** The answer ended as HTTP says, or there was none because the connection could not be used. */
  end: 'whole' | 'cut' | 'unanswered'
}

/** One stream through the translation. Never rejects. */
function call(url: string, model: string, agent: Agent): Promise<Heard> {
  return new Promise((resolve) => {
    const heard: Heard = { model, status: 0, text: '', end: 'unanswered' }
    const body = JSON.stringify(responses.request(model, true))
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const outgoing = request(url + responses.path(model, true), { method: 'POST', agent, headers })
    outgoing.on('response', (incoming) => {
      heard.status = incoming.statusCode ?? 0
      heard.end = 'cut'
      incoming.setEncoding('utf8').on('data', (text) => (heard.text += text))
      incoming.on('error', () => undefined)
      incoming.on('close', () => {
        if (incoming.complete) heard.end = 'whole'
        resolve(heard)
      })
    })
    outgoing.on('error', () => resolve(heard))
    outgoing.end(body)
  })
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const isSuccess = ({ status, end, text, model }: Heard) =>
  status === 200 &&
  end === 'whole' &&
  text.includes(`${model}. Hel`) &&
  text.includes('event: response.completed')

describe.each([false, true])('a restart under load, connections kept: %s', (keepAlive) => {
  it('loses no request, asks for none twice and cuts no stream', async () => {
    const agent = new Agent({ keepAlive })
    const old = started(LONG_DRAIN_MS)
    let url = await old.listening()
    const calls: Promise<Heard[]>[] = []
    /** As any client: where no answer began, it asks again. */
    const insist = async (model: string): Promise<Heard[]> => {
      const first = await call(url, model, agent)
      if (first.end !== 'unanswered') return [first]
      await pause(100)
      return [first, await call(url, model, agent)]
    }
    let next = 0
    const load = setInterval(() => calls.push(insist(`load-${(next += 1)}`)), 1000 / PER_SECOND)
    await pause(600)

    const young = started(LONG_DRAIN_MS)
    const address = await young.listening()
    old.child.kill('SIGTERM')
    await pause(40)
    url = address
    const { code } = await old.finished
    await pause(600)
    clearInterval(load)
    const heard = await Promise.all(calls)
    agent.destroy()

    expect(code).toBe(0)
    expect(heard.length).toBeGreaterThan(PER_SECOND)
    // Whoever was not answered was not heard by the upstream either.
    expect(heard.filter((tries) => !tries.at(-1) || !isSuccess(tries.at(-1) as Heard))).toEqual([])
    expect(heard.flat().filter(({ end }) => end === 'cut')).toEqual([])
    expect([...asked.values()].filter((times) => times !== 1)).toEqual([])
    expect(asked.size).toBe(heard.length)
  })
})

describe('a signal under load', () => {
  it('ends what hangs in the words of the dialect, and lets the others end', async () => {
    const agent = new Agent()
    const command = started(1000)
    const url = await command.listening()
    const names = Array.from(
      { length: 100 },
      (_, index) => `${index % 10 ? 'ends' : 'hangs'}-${index}`,
    )
    const calls = names.map((name) => call(url, name, agent))
    await expect.poll(() => asked.size).toBe(names.length)
    command.child.kill('SIGTERM')
    const start = performance.now()
    const heard = await Promise.all(calls)
    expect((await command.finished).code).toBe(0)
    expect(performance.now() - start).toBeLessThan(SOON_MS)
    for (const one of heard) {
      const hangs = one.model.startsWith('hangs')
      expect(one.end).toBe('whole')
      expect(isSuccess(one)).toBe(!hangs)
      expect(one.text.includes('event: response.failed')).toBe(hangs)
    }
    await expect.poll(() => open.size).toBe(0)
  })

  it('ends all at once when it comes twice, and every stream looks cut', async () => {
    const agent = new Agent()
    const command = started(LONG_DRAIN_MS)
    const url = await command.listening()
    const names = Array.from({ length: 20 }, (_, index) => `hangs-${index}`)
    const calls = names.map((name) => call(url, name, agent))
    await expect.poll(() => asked.size).toBe(names.length)
    command.child.kill('SIGTERM')
    // Two that come at once are one.
    await expect.poll(() => command.printed().error).toContain('a second signal ends it')
    const start = performance.now()
    command.child.kill('SIGTERM')
    expect((await command.finished).code).toBe(130)
    expect(performance.now() - start).toBeLessThan(SOON_MS)
    for (const one of await Promise.all(calls)) expect(one.end).toBe('cut')
    await expect.poll(() => open.size).toBe(0)
  })
})
