import OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { emptyFolder } from '../node/command.ts'
import { CALLER_KEY, UPSTREAMS } from './proxy.ts'
import { serve, type Served } from './server.ts'

/** `openai` for Node (7.59) on a socket, and a socket of one process among several. */

let served: Served
beforeAll(async () => {
  served = await serve()
})
afterAll(() => served.server.stop(0))

/** The text and the id of the next reply. */
async function nextReply(socket: ResponsesWS): Promise<{ text: string; id: string }> {
  let text = ''
  for await (const event of socket) {
    if (event.type === 'error') throw event.error
    if (event.type !== 'message') continue
    const { message } = event
    if (message.type === 'response.output_text.delta') text += message.delta
    if (message.type === 'response.completed') return { text, id: message.response.id }
  }
  throw new Error('the socket has ended')
}

const opened = (port: number, apiKey: string) =>
  new ResponsesWS(new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${port}/v1` }))

it.each(UPSTREAMS)(
  'the official client continues a reply on its socket, over %s',
  async (model) => {
    const socket = opened(served.port, CALLER_KEY)
    socket.send({ type: 'response.create', model, store: false, input: 'the word is copper' })
    const one = await nextReply(socket)
    expect(one.text).toBe('You said: the word is copper')
    socket.send({
      type: 'response.create',
      model,
      store: false,
      previous_response_id: one.id,
      input: 'go on',
    })
    expect((await nextReply(socket)).text).toBe('You said: go on')
    expect(served.lastSent()).toContain('copper')
    socket.send({ type: 'response.create', model, previous_response_id: 'resp_x', input: 'x' })
    await expect(nextReply(socket)).rejects.toThrow("Previous response with id 'resp_x' not found.")
    socket.close()
  },
)

it('the processes behind one port each keep the sockets that they were given', async () => {
  const folder = emptyFolder()
  try {
    folder.write(
      'dragoman.json',
      JSON.stringify({
        upstreams: { demo: { dialect: 'messages', url: 'http://demo.invalid/messages' } },
        state: { store: 'sqlite:kept.db' },
      }),
    )
    const command = folder.run(['--port', '0', '--workers', '2'])
    const port = Number(new URL(await command.listening()).port)
    const sockets = Array.from({ length: 4 }, () => opened(port, 'any-key-0123456789'))
    for (const [at, socket] of sockets.entries()) {
      socket.send({ type: 'response.create', model: 'm', store: false, input: `word ${at}` })
      const { id } = await nextReply(socket)
      const next = { model: 'm', store: false, previous_response_id: id, input: `again ${at}` }
      socket.send({ type: 'response.create', ...next })
      expect((await nextReply(socket)).text).toBe(`You said: again ${at}`)
    }
    const closed = sockets.map((socket) => new Promise((resolve) => socket.on('close', resolve)))
    command.child.kill('SIGTERM')
    await Promise.all(closed)
    expect((await command.finished).code).toBe(0)
  } finally {
    folder.remove()
  }
})
