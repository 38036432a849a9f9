import { once } from 'node:events'
import { get } from 'node:http'
import { expect, it } from 'vitest'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import { createSend } from '../../src/node/upstream/send.ts'
import { startServer } from '../../src/node/server/server.ts'
import { SharedWrites } from '../../src/node/store/shared-writes.ts'

const aTurn = () => new Promise((resolve) => setImmediate(resolve))

it('writes of exchanges that are open together follow each other at the end of the turn', async () => {
  const writes = new SharedWrites()
  const told: string[] = []
  writes.begin()
  writes.begin()
  writes.write(() => told.push('first'))
  told.push('work')
  await Promise.resolve()
  writes.write(() => told.push('second'))
  told.push('more work')
  await aTurn()
  expect(told).toEqual(['work', 'more work', 'first', 'second'])
})

it('a single exchange waits for nobody', async () => {
  const writes = new SharedWrites()
  const told: string[] = []
  writes.begin()
  writes.begin()
  writes.over()
  writes.write(() => told.push('first'))
  expect(told).toEqual(['first'])
  writes.begin()
  writes.write(() => told.push('third'))
  // What begins while others are written has a turn of its own.
  writes.write(() => writes.write(() => told.push('fourth')))
  await aTurn()
  expect(told).toEqual(['first', 'third'])
  await aTurn()
  expect(told).toEqual(['first', 'third', 'fourth'])
})

it('answers of a server wait for each other, and its count of open exchanges is theirs', async () => {
  const writes = new SharedWrites()
  const answers = new Set<() => void>()
  let asked: (() => void) | undefined
  const server = await startServer({
    answer: () =>
      new Promise((resolve) => {
        answers.add(() => resolve({ status: 200, headers: {}, body: 'well' }))
        asked?.()
      }),
    host: '127.0.0.1',
    port: 0,
    limits: PROCESS_LIMITS,
    breakOff: () => undefined,
    writes,
  })
  const both = new Promise<void>((resolve) => {
    asked = () => answers.size === 2 && resolve()
  })
  const requests = [1, 2].map(() => get({ host: '127.0.0.1', port: server.port, agent: false }))
  const statuses = requests.map(async (request) => {
    const [response] = await once(request, 'response')
    await once(response.resume(), 'end')
    return response.statusCode
  })
  await both
  expect([writes.open, server.open()]).toEqual([2, 2])
  for (const answer of answers) answer()
  expect(await Promise.all(statuses)).toEqual([200, 200])
  await server.stop(0)
  expect(writes.open).toBe(0)
})

it('a request whose caller leaves in the meantime is not sent, and one that cannot be sent rejects', async () => {
  const waiting: (() => void)[] = []
  const { send, destroy } = createSend(undefined, (run) => void waiting.push(run))
  const leaving = new AbortController()
  let sought = 0
  const request = {
    method: 'POST',
    url: 'http://127.0.0.1:9/',
    headers: {},
    connectMs: 1000,
    connection: () => void (sought += 1),
  }
  const left = send({ ...request, signal: leaving.signal })
  const faulty = send({ ...request, url: 'no address', signal: new AbortController().signal })
  leaving.abort(new Error('gone'))
  for (const run of waiting) run()
  await expect(left).rejects.toThrow('gone')
  await expect(faulty).rejects.toThrow('Invalid URL')
  expect(sought).toBe(0)
  destroy()
})
