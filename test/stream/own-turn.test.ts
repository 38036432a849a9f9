import { afterEach, expect, it, vi } from 'vitest'
import { ownTurn } from '../../src/stream/time.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('gives each work a turn of its own', async () => {
  const order: string[] = []
  const work = async (name: string) => {
    await ownTurn()
    order.push(name)
  }
  setTimeout(() => order.push('another'), 0)
  await Promise.all([work('first'), work('second')])
  expect(order).toContain('another')
  expect(order.filter((name) => name !== 'another')).toEqual(['first', 'second'])
})

it('waits for no turn that never ends', async () => {
  // As a Worker does with the timer of a request that was cancelled.
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const lost = ownTurn()
  timers.mockImplementation((() => 0) as never)
  await Promise.resolve()
  await Promise.resolve()
  await Promise.resolve()
  timers.mockRestore()
  let isOver = false
  void lost.then(() => (isOver = true))
  await ownTurn()
  expect(isOver).toBe(false)
})
