import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { memoize } from '../../src/json/memoize.ts'

const REQUESTS = 30
const REQUEST_CHARACTERS = 1_000_000

/** The heap after all is gone that can go. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

it('keeps the parts that it knows, and not the requests that they came in', () => {
  const sizeOf = memoize((text) => text.length)
  const before = heapBytes()
  for (let index = 0; index < REQUESTS; index += 1) {
    const request = `${index}`.padEnd(REQUEST_CHARACTERS, 'the rest of a request ')
    expect(sizeOf(request.slice(0, 100))).toBe(100)
  }
  expect(heapBytes() - before).toBeLessThan((REQUESTS * REQUEST_CHARACTERS) / 4)
})
