import { afterEach, describe, expect, it, vi } from 'vitest'
import { emptyFolder } from '../node/command.ts'
import { undisturbed } from '../node/undisturbed.ts'
import { sleep } from '../exchange/proxy.ts'
import { WebSocket } from 'ws'
import { frame, serve } from './server.ts'
import { textOf } from './proxy.ts'

/** The traps that need real sockets, by their numbers. */

afterEach(() => void vi.useRealTimers())

const until = async (isThere: () => boolean): Promise<void> => {
  while (!isThere()) await sleep(2)
}

const model = 'messages'

describe('a socket of Node', () => {
  it('12: is lost, and within a tenth of a second nothing more is asked for it', async () => {
    await undisturbed(async () => {
      let signal: AbortSignal | undefined
      const served = await serve({
        before(request) {
          signal = request.signal
          return new Promise(() => {})
        },
      })
      const caller = await served.raw()
      await caller.upgrade()
      caller.write(frame(JSON.stringify({ type: 'response.create', model, input: 'x' })))
      await until(() => signal !== undefined)
      const before = performance.now()
      caller.socket.resetAndDestroy()
      await until(() => signal?.aborted === true)
      const took = performance.now() - before
      await served.server.stop(0)
      expect(took).toBeLessThan(1000)
    })
  })

  it('14: answers a binary message with an error', async () => {
    const served = await serve()
    const caller = await served.raw()
    await caller.upgrade()
    caller.write(frame('{}', { head: 0x82 }))
    await caller.until(() => caller.text.includes('"type":"error"'))
    expect(caller.isClosed).toBe(false)
    caller.socket.destroy()
    await served.server.stop(0)
  })

  it('17: ends with the process after SIGTERM, by 1012 and without a failure', async () => {
    const folder = emptyFolder()
    try {
      const command = folder.run(['serve'], { PORT: '0' })
      const address = await command.listening()
      const socket = new WebSocket(`${address.replace('http', 'ws')}/v1/responses`)
      await new Promise((resolve) => socket.on('open', resolve))
      const closed = new Promise<number>((resolve) => socket.on('close', resolve))
      command.child.kill('SIGTERM')
      expect(await closed).toBe(1012)
      expect((await command.finished).code).toBe(0)
    } finally {
      folder.remove()
    }
  })

  it('17: is cut off where it does not end within the time for that', async () => {
    const served = await serve({ before: () => new Promise(() => {}) })
    const caller = await served.raw()
    await caller.upgrade()
    caller.write(frame(JSON.stringify({ type: 'response.create', model, input: 'x' })))
    await until(() => served.sent.length === 1)
    expect(served.server.open()).toBe(1)
    await served.server.stop(20)
    await caller.closed()
    expect(served.handler.sockets.open).toBe(0)
  })

  it('18: is given up where nothing answers its pings', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const served = await serve()
    const dead = await served.raw()
    await dead.upgrade()
    const alive = await served.connect()
    for (let count = 0; count < 4; count += 1) {
      vi.advanceTimersByTime(30_000)
      // The one that is alive answers meanwhile.
      await sleep(50)
    }
    expect(await dead.closingCode()).toBe(1001)
    expect(textOf(await alive.turn({ model, input: 'here' }))).toBe('You said: here')
    alive.close()
    vi.useRealTimers()
    await served.server.stop(0)
  })

  it('20: is not read ahead of, where its reader is slow', async () => {
    const PIECE = 'p'.repeat(16_384)
    let pieces = 0
    const served = await serve({
      before: async () => ({
        status: 200,
        headers: new Headers({ 'content-type': 'text/event-stream' }),
        body: {
          async read() {
            pieces += 1
            if (pieces === 1) return new TextEncoder().encode(OPENING)
            await sleep(0)
            const delta = { type: 'text_delta', text: PIECE }
            const data = JSON.stringify({ type: 'content_block_delta', index: 0, delta })
            return new TextEncoder().encode(`event: content_block_delta\ndata: ${data}\n\n`)
          },
          cancel() {},
        },
      }),
    })
    const caller = await served.raw()
    await caller.upgrade()
    caller.socket.pause()
    caller.write(frame(JSON.stringify({ type: 'response.create', model, input: 'x' })))
    let before = -1
    // What the kernel takes for both ends is some megabytes.
    while (before !== pieces) {
      before = pieces
      await sleep(300)
    }
    expect(pieces * PIECE.length).toBeLessThan(32 * 1024 * 1024)
    caller.socket.destroy()
    await served.server.stop(0)
  })
})

const OPENING = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('')
