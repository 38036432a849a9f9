import { expect, it } from 'vitest'
import { memoize } from '../../src/json/memoize.ts'
import { usedBytes } from '../used-bytes.ts'

const REQUESTS = 30
const REQUEST_CHARACTERS = 1_000_000

it('keeps the parts that it knows, and not the requests that they came in', () => {
  const sizeOf = memoize((text) => text.length)
  const before = usedBytes()
  for (let index = 0; index < REQUESTS; index += 1) {
    const request = `${index}`.padEnd(REQUEST_CHARACTERS, 'the rest of a request ')
    expect(sizeOf(request.slice(0, 100))).toBe(100)
  }
  expect(usedBytes() - before).toBeLessThan((REQUESTS * REQUEST_CHARACTERS) / 4)
})
