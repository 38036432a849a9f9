import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createSend } from '../../src/node/upstream/send.ts'
import { SharedReads, SHORT_BYTES, TURN_BYTES } from '../../src/node/store/shared-reads.ts'
import { UpstreamBody } from '../../src/node/upstream/upstream-body.ts'
import { toSource } from '../../src/stream/source.ts'

const PIECE_BYTES = 64 * 1024
const piece = () => PIECE_BYTES

/** Readers whose turns come when they are told to. */
function turns() {
  let next: (() => void) | undefined
  let used = 0
  const reads = new SharedReads((run) => (next = run))
  return {
    reads,
    /** Reads pieces of so many bytes. */
    async readOn(bytes: number, name = 'flood', order: string[] = []): Promise<void> {
      for (let index = 0; index < 100; index += 1) {
        await reads.turn(() => bytes)
        used += bytes
        order.push(name)
      }
    },
    /** How many bytes are worked on until nothing happens any more in this turn. */
    async turn(): Promise<number> {
      used = 0
      const run = next
      next = undefined
      run?.()
      await new Promise((resolve) => setImmediate(resolve))
      return used
    },
  }
}

it('works on so many bytes in each turn, however many readers there are', async () => {
  const { reads, readOn, turn } = turns()
  const order: string[] = []
  for (let index = 0; index < 240; index += 1) void readOn(PIECE_BYTES, String(index), order)
  await Promise.resolve()
  const used: number[] = []
  for (let index = 0; index < 240; index += 1) used.push(await turn())
  expect(Math.max(...used)).toBe(TURN_BYTES)
  // One after the other, so that nobody waits for longer than all others take for a piece.
  expect(order.slice(2, 242)).toEqual([
    ...Array.from({ length: 238 }, (_, index) => String(index + 2)),
    '0',
    '1',
  ])
  expect(reads.waiting).toBe(240)
})

it('lets short pieces pass by all that wait', async () => {
  const { reads, readOn, turn } = turns()
  for (let index = 0; index < 240; index += 1) void readOn(PIECE_BYTES)
  await turn()
  expect(reads.turn(() => SHORT_BYTES)).toBeUndefined()
  expect(reads.turn(() => SHORT_BYTES + 1)).toBeInstanceOf(Promise)
})

it('a reader alone does not wait for long', async () => {
  const { reads, turn } = turns()
  expect(reads.turn(piece)).toBeUndefined()
  expect(reads.turn(piece)).toBeUndefined()
  const third = reads.turn(piece)
  expect(third).toBeInstanceOf(Promise)
  await turn()
  await third
  await turn()
  expect(reads.turn(piece)).toBeUndefined()
})

it('a body that is given up while its reader waits for a turn ends, and so does one that fails', async () => {
  const { reads, turn } = turns()
  while (!reads.turn(piece));
  const flow = { pause: () => undefined, resume: () => undefined, abort: () => undefined }
  const [given, failed, whole] = [1, 2, 3].map(() => {
    const body = new UpstreamBody(flow, reads)
    body.push(Buffer.alloc(PIECE_BYTES))
    return { body, bytes: body.read() }
  })
  given?.body.cancel()
  failed?.bytes.catch(() => undefined)
  failed?.body.fail(new Error('gone'), { at: 'once' })
  whole?.body.end()
  for (let index = 0; index < 3; index += 1) await turn()
  expect(await given?.bytes).toBeUndefined()
  await expect(failed?.bytes).rejects.toThrow('gone')
  expect((await whole?.bytes)?.length).toBe(PIECE_BYTES)
  expect(reads.waiting).toBe(0)
})

const FLOODS = 40

it('of many upstreams that send without end, each turn of the loop takes a bounded part', async () => {
  const much = Buffer.alloc(1024 * 1024)
  const server = createServer((_, response) => {
    const more = () => {
      while (response.write(much));
    }
    response.on('drain', more)
    more()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = createSend()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const over = new AbortController()
  const { signal } = over
  let bytes = 0
  const read = async () => {
    const call = await client.send({ method: 'GET', url, headers: {}, signal, connectMs: 1000 })
    const source = toSource(call.body as NonNullable<typeof call.body>)
    while (!signal.aborted) bytes += (await source.read())?.length ?? 0
  }
  const all = Array.from({ length: FLOODS }, () => read().catch(() => undefined))
  const turn: number[] = []
  for (let index = 0; index < 300; index += 1) {
    const before = bytes
    await new Promise((resolve) => setImmediate(resolve))
    turn.push(bytes - before)
  }
  over.abort()
  client.destroy()
  server.close().closeAllConnections()
  await Promise.all(all)
  expect(bytes).toBeGreaterThan(4 * TURN_BYTES)
  // Pieces that are short because they came in part pass by.
  expect(Math.max(...turn)).toBeLessThanOrEqual(4 * TURN_BYTES + FLOODS * SHORT_BYTES)
})

it('a body in very many pieces is held as little as one in few, and waits for its turn', async () => {
  const { reads, turn } = turns()
  const paused: string[] = []
  const flow = {
    pause: () => paused.push('paused'),
    resume: () => undefined,
    abort: () => undefined,
  }
  const body = new UpstreamBody(flow, reads)
  let pieces = 0
  for (; paused.length === 0; pieces += 1) body.push(Buffer.from('x'))
  expect(pieces).toBeLessThanOrEqual(1024)
  while (!reads.turn(piece));
  const waiting = reads.waiting
  const read = body.read()
  expect(reads.waiting).toBe(waiting + 1)
  for (let index = 0; index < 2; index += 1) await turn()
  expect((await read)?.length).toBe(pieces)
})
