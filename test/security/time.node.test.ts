import { describe, expect, it } from 'vitest'
import { cpuMs } from '../growth/cpu.ts'
import { sseParser } from '../../src/stream/sse.ts'
import { authenticator, presentedKeys } from '../../src/upstream/credentials.ts'
import { matchesGlob } from '../../src/config/glob.ts'
import { createSecrets } from '../../src/upstream/secrets.ts'
import { shownUrl } from '../../src/extras/inspect/view.ts'
import { writeUser } from '../../adapters/messages/fields.ts'
import { scanStructure } from '../../src/json/structure.ts'

/** How much longer the work takes on twice as much. */
function growth(work: (size: number) => unknown, size: number): number {
  const best = (n: number) =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const start = cpuMs()
        work(n)
        return cpuMs() - start
      }),
    )
  best(size)
  return best(size * 8) / Math.max(best(size), 0.3)
}

const parseInPieces = (size: number) => {
  const parser = sseParser(100_000_000)
  for (let at = 0; at < size; at += 1) parser.push(at === 0 ? 'data: ' : 'x'.repeat(1000))
  return parser.end()
}

describe('T17 time', () => {
  it.each([
    ['an event in many pieces', parseInPieces, 2000],
    ['a deep body', (size: number) => checkOrRefuse('['.repeat(size)), 400_000],
    ['a body of quotes', (size: number) => checkOrRefuse('"\\"'.repeat(size)), 200_000],
    ['a key of spaces', (size: number) => keysOf(`Bearer ${' '.repeat(size)}x`), 100_000],
    ['a user of many mail addresses', (size: number) => userOf(`${'@.'.repeat(size)} `), 500],
    [
      'an address of secrets',
      (size: number) => shownUrl('?'.repeat(size) + 'KEY'.repeat(size)),
      200,
    ],
    ['a row of backslashes', (size: number) => hideIn('\\'.repeat(size)), 10],
    ['a name for a glob', (size: number) => matchesGlob('*a*a*a*b', 'a'.repeat(size)), 500],
  ] as const)('of %s grows as its size does', (_, work, size) => {
    // Eight times as much takes 64 times as long where the work is quadratic.
    expect(growth(work, size)).toBeLessThan(32)
  })
})

function checkOrRefuse(text: string): void {
  try {
    scanStructure(text, { depth: 1_000_000_000, nodes: 1_000_000_000 })
  } catch {
    // Refusing is quick too.
  }
}
const keysOf = (authorization: string) =>
  presentedKeys(
    { get: (key) => (key === 'authorization' ? authorization : null) },
    new URLSearchParams(),
  )
const userOf = (user: string) => writeUser(user, undefined, () => undefined)
/** A key may be anything that a caller sends as one. */
const hideIn = (row: string) => createSecrets(`${'\\'.repeat(6)}key`).hide(row + 'x'.repeat(50))

/** Without the work of making it. */
function admissionAmong(count: number): () => void {
  const keys = Array.from({ length: count }, (_, index) => `sk-${'x'.repeat(40)}-${index}`)
  const admit = authenticator({ kind: 'keys', keys })
  return () => {
    for (let request = 0; request < 5000; request += 1) {
      const key = keys[request % 5] ?? ''
      const headers = { get: (name: string) => (name === 'x-api-key' ? key : null) }
      expect(admit(headers, new URLSearchParams()).admitted).toBe(true)
    }
  }
}

it('a caller is admitted among 2000 at the cost of one among 5', () => {
  const [few, many] = [admissionAmong(5), admissionAmong(2000)]
  expect(growth((size) => (size < 8 ? few() : many()), 1)).toBeLessThan(2)
})
