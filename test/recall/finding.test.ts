import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/json/json.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import { createRecall } from '../../src/extras/recall/recall.ts'
import { NATIVE } from './twins.ts'

const RULES = {
  limits: { depth: 8, nodes: 1000 },
  verbatim: verbatimPaths(),
  turns: 'turns',
}
const SESSIONS = 60

interface Asked {
  session: number
  turns: number
  isLate?: boolean
  /** So many turns stand in front of what is said, the same in all sessions. */
  shared?: number
}

/** A session has its instructions in front of its turns, as all of its client, or behind them. */
function bodyOf({ session, turns, isLate = false, shared = 0 }: Asked): Uint8Array {
  // Too much of its own for another session to be taken for this one after edits.
  const said = Array.from({ length: 4 + turns }, (_, index) => `${session} ${index} é `.repeat(50))
  const before = Array.from({ length: shared }, (_, index) => `The folder é ${index}. `.repeat(9))
  const list: [string, Json] = ['turns', [...before, `é ${session}`, ...said]]
  const instructions: [string, Json] = ['instructions', 'You are careful. '.repeat(20)]
  const members = isLate ? [list, instructions] : [instructions, list]
  const model = 'a-model-with-the-long-name-that-its-service-gave-to-it'
  return new TextEncoder().encode(JSON.stringify({ model, ...Object.fromEntries(members) }))
}

function recalling() {
  const recall = createRecall({ bytes: 10_000_000, leastBytes: 64, native: NATIVE })
  return (asked: Asked): boolean => {
    const bytes = bodyOf(asked)
    const request = recall.request('one', 'messages', RULES, bytes.length)
    if (request?.scanned(bytes)) return true
    request?.fresh(bytes)
    return false
  }
}

describe.each([false, true])('a session whose instructions come late: %s', (isLate) => {
  it('is found among many that begin alike, from its third request on', () => {
    const isKnown = recalling()
    for (let turns = 0; turns < 4; turns += 1)
      for (let session = 0; session < SESSIONS; session += 1)
        expect(isKnown({ session, turns, isLate })).toBe(turns > 1)
  })
})

describe('a body that need not be understood', () => {
  it('is not read before one comes that opens as it does, which is kept for the third', () => {
    const recall = createRecall({ bytes: 10_000_000, leastBytes: 64, native: NATIVE })
    const read = (turns: number) => {
      const bytes = bodyOf({ session: 1, turns })
      const request = recall.request('one', 'messages', RULES, bytes.length)
      if (request?.scanned(bytes)) return 'known'
      if (request?.first(bytes)) return 'first'
      return request?.fresh(bytes) ? 'read' : 'unread'
    }
    expect(read(0)).toBe('first')
    expect(recall.held).toBe(0)
    expect(read(1)).toBe('read')
    expect(recall.held).toBeGreaterThan(0)
    expect(read(2)).toBe('known')
  })

  it('is not read either where the first turns of all sessions are the same', () => {
    const recall = createRecall({ bytes: 10_000_000, leastBytes: 64, native: NATIVE })
    const read = (session: number, turns: number) => {
      const bytes = bodyOf({ session, turns, shared: 2 })
      const request = recall.request('one', 'messages', RULES, bytes.length)
      if (request?.scanned(bytes)) return 'known'
      return request?.first(bytes) ? 'first' : request?.fresh(bytes) && 'read'
    }
    const sessions = Array.from({ length: SESSIONS }, (_, session) => session)
    for (const [turns, expected] of ['first', 'read', 'known', 'known'].entries())
      expect(sessions.map((session) => read(session, turns))).toEqual(sessions.map(() => expected))
  })

  it('is read as a text where it is none, and where it begins with a byte order mark', () => {
    const recall = createRecall({ bytes: 10_000_000, leastBytes: 64, native: NATIVE })
    const first = (bytes: Uint8Array) =>
      recall.request('one', 'messages', RULES, bytes.length)?.first(bytes)
    const said = new TextEncoder().encode(`\ufeff{"turns":["${'é'.repeat(100)}"],"n":1}`)
    expect(first(said)?.parsed()).toMatchObject({ n: 1 })
    expect(first(Uint8Array.from([...said, 0xff]))).toBeUndefined()
  })
})

describe('a session that is pushed out while its request is written', () => {
  it('is not counted again', () => {
    const recall = createRecall({ bytes: 100_000, leastBytes: 64, native: NATIVE })
    const ask = (session: number, turns: number) => {
      const bytes = bodyOf({ session, turns })
      const request = recall.request('one', 'messages', RULES, bytes.length)
      const isKnown = request?.scanned(bytes) !== undefined
      if (!isKnown) request?.fresh(bytes)
      return { isKnown, request }
    }
    ask(0, 0)
    ask(0, 1)
    const { isKnown, request } = ask(0, 2)
    expect(isKnown).toBe(true)
    for (let turns = 0; turns < 2; turns += 1)
      for (let session = 1; session < SESSIONS; session += 1) ask(session, turns)
    const { held } = recall
    request?.written({ said: 'too late' })
    expect(recall.held).toBe(held)
    expect(ask(SESSIONS - 1, 2).isKnown).toBe(true)
    expect(ask(0, 3).isKnown).toBe(false)
  })
})
