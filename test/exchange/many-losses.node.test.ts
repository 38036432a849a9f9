import { describe, expect, it, vi } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { kits } from '../dialects/index.ts'
import { cpuMs } from '../growth/cpu.ts'
import { plainReply } from '../growth/fixtures.ts'
import { answerWith, exchange } from '../growth/proxy.ts'

/** What looks for secrets in every app of a test reads each body as a text, and would be measured. */
vi.unmock('../../src/http/router.ts')

const MEMBERS = 240_000
/** The longest turn, to what it takes to parse the body once: it was 8 to 30 times as much. */
const MOST_PARSES = 7
const ATTEMPTS = 4

function bodyOf(caller: Dialect, model: string): string {
  const { ask, http } = kits[caller]
  const plain = { ...ask.needed, ...ask.text('Hello') }
  const unknown = Array.from({ length: MEMBERS }, (_, index) => [`member${index}`, 1])
  const body = { ...plain, ...http.body(model, false, {}), ...Object.fromEntries(unknown) }
  return JSON.stringify(body)
}

/** The processor time of the longest turn of the loop while something is done. */
async function longestTurn<T>(work: () => Promise<T>): Promise<[T, number]> {
  let longest = 0
  let before = cpuMs()
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - before)
    before = now
  }
  let next = setImmediate(function turn() {
    look()
    next = setImmediate(turn)
  })
  const result = await work()
  clearImmediate(next)
  look()
  return [result, longest]
}

/** The least of several: a collection of garbage may fall into any of them. */
async function turnInParses(caller: Dialect, upstream: Dialect): Promise<number> {
  const body = bodyOf(caller, `${upstream}-x`)
  answerWith(plainReply(upstream))
  let [turn, parse] = [Infinity, Infinity]
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const [heard, took] = await longestTurn(exchange(caller, `${upstream}-x`, body))
    expect(heard.status).toBe(200)
    const began = cpuMs()
    JSON.parse(body)
    turn = Math.min(turn, took)
    parse = Math.min(parse, cpuMs() - began)
    if (turn < MOST_PARSES * parse) break
  }
  return turn / parse
}

/** Each dialect once on either side. */
const PAIRS = DIALECTS.map((caller, index) => [caller, DIALECTS.at(index - 1) ?? caller] as const)

describe('a request with hundreds of thousands of members that nobody knows', () => {
  it.each(PAIRS)('of %s for %s lets others have their turn', async (caller, upstream) => {
    expect(await turnInParses(caller, upstream)).toBeLessThan(MOST_PARSES)
  })
})
