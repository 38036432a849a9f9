import { describe, expect, it } from 'vitest'
import worker from '../../src/worker.ts'
import { SocketCaller, type Line } from './caller.ts'
import { CALLER_KEY, codeOf, idOf, openingHeaders, replyOf, textOf, UPSTREAMS } from './proxy.ts'
import { standardSuite } from './standard.ts'

/** The client's end of a socket of workerd. */
interface ClientSocket {
  accept(): void
  send(text: string | ArrayBuffer): void
  close(code?: number): void
  addEventListener(type: 'message', heard: (event: { data: string }) => void): void
  addEventListener(type: 'close', heard: (event: { code: number }) => void): void
}

const environment = {
  DRAGOMAN_CONFIG: {
    upstreams: Object.fromEntries(
      UPSTREAMS.map((dialect) => [
        dialect,
        { dialect, url: `http://demo.invalid/${dialect}`, key: 'upstream-key-0123456789' },
      ]),
    ),
    routes: UPSTREAMS.map((dialect) => ({ model: dialect, upstream: dialect })),
    callers: { keys: [CALLER_KEY] },
    state: { store: 'off' },
  },
}

const ask = (path: string, init: RequestInit) =>
  Promise.resolve(worker.fetch(new Request(`https://proxy.example${path}`, init), environment))

async function socketOf(headers: Record<string, string> = {}): Promise<ClientSocket> {
  const answer = await ask('/v1/responses', { headers: openingHeaders(headers) })
  const { webSocket } = answer as Response & { webSocket?: ClientSocket }
  if (answer.status !== 101 || !webSocket) throw new Error(`refused with ${answer.status}`)
  return webSocket
}

function lineOf(socket: ClientSocket): Line {
  return {
    send: (text) => socket.send(text),
    close: (code) => socket.close(code),
    listen(heard, closed) {
      socket.addEventListener('message', ({ data }) => heard(data))
      socket.addEventListener('close', ({ code }) => closed(code))
      socket.accept()
    },
  }
}

const connect = async () => new SocketCaller(lineOf(await socketOf()))

describe('a socket of a Worker', () => {
  it('1: is refused without a key, as JSON', async () => {
    const answer = await ask('/v1/responses', {
      headers: openingHeaders({ authorization: 'Bearer nobody-0123456789' }),
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      401,
      { error: { code: 'invalid_api_key' } },
    ])
  })

  it.each(UPSTREAMS)('continues what is not stored, over %s', async (model) => {
    const caller = await connect()
    const one = await caller.turn({ model, generate: false, input: 'the word is copper' })
    const two = await caller.turn({ model, previous_response_id: idOf(one), input: 'go on' })
    expect(replyOf(two)['previous_response_id']).toBe(idOf(one))
    expect(textOf(two)).toContain('go on')
    expect(codeOf(await caller.turn({ model, previous_response_id: 'resp_x', input: 'x' }))).toBe(
      'previous_response_not_found',
    )
    caller.close(1000)
  })

  it('14: answers a binary message with an error', async () => {
    const socket = await socketOf()
    const caller = new SocketCaller(lineOf(socket))
    socket.send(new TextEncoder().encode('{}').buffer)
    expect(await caller.turn()).toMatchObject([{ type: 'error', status: 400 }])
    caller.close(1000)
  })

  it('15: takes messages far above a megabyte, and closes above the limit of a body', async () => {
    const caller = await connect()
    const large = await caller.turn({ model: 'messages', input: 'a'.repeat(8 * 1024 * 1024) })
    expect(replyOf(large)['status']).toBe('completed')
    caller.create({ model: 'messages', input: 'a'.repeat(17 * 1024 * 1024) })
    expect(await caller.turn()).toMatchObject([{ type: 'error', status: 413 }])
    expect(await caller.closed()).toBe(1009)
  })

  it('lives for two thousand turns of one conversation', async () => {
    const caller = await connect()
    let previous: string | undefined
    for (let turn = 0; turn < 2000; turn += 1) {
      // The conversation begins anew now and then, as it does at every compaction.
      const id = turn % 100 === 0 ? undefined : previous
      const events = await caller.turn({
        model: 'messages',
        ...(id !== undefined && { previous_response_id: id }),
        input: `turn ${turn}`,
      })
      expect(textOf(events)).toBe(`You said: turn ${turn}`)
      previous = idOf(events)
      caller.events.length = 0
      caller.texts.length = 0
    }
    caller.close(1000)
  })
})

standardSuite('a Worker', () => ({
  connect,
  post: (path, body) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${CALLER_KEY}` },
      body: JSON.stringify(body),
    }),
}))
