import { describe, expect, it } from 'vitest'
import { steppedSource, type Step, type StreamOptions } from '../../src/stream/stream-out.ts'

/** Steps that are made when the test says so. */
function stage(options: Partial<StreamOptions> = {}) {
  const pending: { resolve(step: Step): void; reject(error: unknown): void }[] = []
  const stops: number[] = []
  const source = steppedSource(
    () => new Promise<Step>((resolve, reject) => pending.push({ resolve, reject })),
    { heartbeatMs: 10, stop: () => stops.push(1), ...options },
  )
  const read = async () => {
    const bytes = await source.read()
    return bytes && new TextDecoder().decode(bytes)
  }
  return { source, read, pending, stops }
}

const said = (text: string, last = false): Step => ({ bytes: new TextEncoder().encode(text), last })
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const heartbeat = () => new TextEncoder().encode('beat')

describe('a body that is made step by step', () => {
  it('loses no step whose place a heartbeat took, also while nobody reads', async () => {
    const { read, pending } = stage({ heartbeat })
    expect(await read()).toBe('beat')
    pending[0]?.resolve(said('one'))
    await pause(5)
    expect(await read()).toBe('one')
    const next = read()
    expect(pending).toHaveLength(2)
    pending[1]?.resolve(said('two', true))
    expect(await next).toBe('two')
    expect(await read()).toBeUndefined()
  })

  it('waits with a heartbeat while nothing can be said', async () => {
    let asked = 0
    const { read, pending } = stage({
      heartbeat: () => ((asked += 1) < 3 ? undefined : heartbeat()),
    })
    expect(await read()).toBe('beat')
    expect(asked).toBe(3)
    expect(pending).toHaveLength(1)
  })

  it('has for a reader that took nothing what had come, and then its farewell', async () => {
    const { read, pending, stops } = stage({
      heartbeat,
      stallMs: 30,
      stalled: () => said('farewell', true),
    })
    expect(await read()).toBe('beat')
    pending[0]?.resolve(said('one'))
    await pause(80)
    expect(await read()).toBe('one')
    expect(await read()).toBe('farewell')
    expect(await read()).toBeUndefined()
    expect(stops).toEqual([])
  })

  it('fails with what a step throws, whenever somebody reads on', async () => {
    const { read, pending } = stage({ heartbeat })
    expect(await read()).toBe('beat')
    pending[0]?.reject(new Error('broken'))
    await pause(5)
    await expect(read()).rejects.toThrow('broken')
    expect(await read()).toBeUndefined()
  })

  it('ends for who reads when it is cancelled, and stops once', async () => {
    const controller = new AbortController()
    const { source, read, stops } = stage({ signal: controller.signal })
    const waiting = read()
    controller.abort()
    expect(await waiting).toBeUndefined()
    source.cancel()
    expect(stops).toEqual([1])
  })
})
