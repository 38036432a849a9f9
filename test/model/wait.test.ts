import { expect, it } from 'vitest'
import { headerWait, WAIT_BOUND_MS, readWait } from '../../src/problems/wait.ts'

it.each<[unknown, number | undefined]>([
  ['34s', 34_000],
  ['373.8ms', 374],
  [{ seconds: 2, nanos: 500_000_000 }, 2500],
  [{ seconds: '2' }, 2000],
  [{ seconds: 0 }, undefined],
  [{ seconds: 1e300 }, undefined],
  ['soon', undefined],
  [{ seconds: { toString: 1 } }, undefined],
])('a delay of %j is %s milliseconds', (retryDelay, ms) => {
  const details = JSON.parse(JSON.stringify([1, { other: 1 }, { retryDelay }]))
  expect(readWait('no', details)).toBe(ms)
})

it.each([
  ['Please try again in 1m20s.', 80_000],
  ['Please retry in 34.5s', 34_500],
  ['Your quota will reset after 373ms.', 373],
  ['try again in 2m', 120_000],
  ['try again later', undefined],
])('what is said in words: %s', (words, ms) => {
  expect(readWait(words)).toBe(ms)
})

it.each([
  { 'retry-after': '999999999999' },
  { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
  { 'retry-after-ms': '999999999999' },
])('no header makes anybody wait longer than a day: %j', (headers) => {
  expect(headerWait(new Headers(headers), 0)).toBe(WAIT_BOUND_MS)
})

it('no words make anybody wait longer than a day', () => {
  expect(readWait('Please try again in 999999m.')).toBe(WAIT_BOUND_MS)
  expect(readWait('no', [{ retryDelay: '99999999999s' }])).toBe(WAIT_BOUND_MS)
})
