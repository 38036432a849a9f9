import { describe, expect, it } from 'vitest'
import type { CacheOptions } from '../../adapters/contract.ts'
import { DIALECTS } from '../../adapters/dialect.ts'
import {
  isObject,
  listOf,
  objectIn,
  parse,
  stringify,
  type JsonObject,
} from '../../src/json/json.ts'
import { lossList } from '../../src/model/loss.ts'
import type { Turn } from '../../src/model/request.ts'
import { sessionOf } from '../cache/session.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { kits, PAIRS } from '../dialects/index.ts'
import { brokenAt, promptOf, type Prompt } from '../replay/chains.ts'
import { readRequest, writeRequest } from './exchange.ts'
import { wildBodies } from './sessions.ts'

const TURNS = 24
const cache: CacheOptions = { mode: 'derive', session: () => 'session-1' }

/** What stands where the one before does not go on in the next one; nothing where all do. */
const breaks = (prompts: readonly Prompt[]): string[] =>
  prompts.slice(1).flatMap((later, index) => {
    const earlier = prompts[index]
    return (earlier && brokenAt(earlier, later)) ?? []
  })

const prompt = (head: string, ...turns: string[]): Prompt => ({ head, turns })

const spoken = (answer: string, question: string): Turn[] => [
  { role: 'assistant', blocks: [{ kind: 'text', text: answer }] },
  { role: 'user', blocks: [{ kind: 'text', text: question }] },
]

/** Without the message of the user that a conversation begins with. */
function withoutTask(body: JsonObject, history: string): JsonObject {
  const turns = listOf(body[history])
  const task = turns.findIndex((turn) => isObject(turn) && turn['role'] === 'user')
  return { ...body, [history]: turns.toSpliced(task, 1) }
}

/**
 * Caches of prompts and proofs of reasoning are bound to what stands before them, so what a session sends is never
 * changed by what comes after it: neither by more turns, nor by another choice of tools.
 */
describe('what a session sends upstream begins with what it has sent before', () => {
  it.each(PAIRS)('%s from %s', (from, to) => {
    const [caller, upstream] = [adapterOf(from), adapterOf(to)]
    const spoken = sessionOf('law', TURNS).map(
      // A client of the dialect says other choices, and never takes tools away.
      (request) => stringify(writeRequest(caller, request).body),
    )
    const prompts = spoken.map((body) =>
      promptOf(writeRequest(upstream, readRequest(caller, body), cache).body),
    )
    expect(prompts.at(-1)?.turns.length).toBeGreaterThan(TURNS)
    expect(breaks(prompts)).toEqual([])
  })

  it.each(PAIRS)('%s from %s, where the user begins without a word', (from, to) => {
    const [caller, upstream] = [adapterOf(from), adapterOf(to)]
    const prompts = sessionOf('mute', TURNS).map((request) => {
      const turns: Turn[] = [{ role: 'user', blocks: [{ kind: 'text', text: '' }] }]
      const said = writeRequest(caller, {
        ...request,
        turns: [...turns, ...request.turns.slice(1)],
      })
      return promptOf(writeRequest(upstream, readRequest(caller, stringify(said.body)), cache).body)
    })
    expect(breaks(prompts)).toEqual([])
  })

  it.each(PAIRS)('%s from %s, where instructions alone are answered', (from, to) => {
    const [caller, upstream] = [adapterOf(from), adapterOf(to)]
    for (const next of [[], spoken('Hello!', 'Hi.')]) {
      const prompts = sessionOf('alone', TURNS).map((request, turn) => {
        const turns = turn === 0 ? request.turns : request.turns.toSpliced(1, 0, ...next)
        const { body } = writeRequest(caller, { ...request, turns })
        const said = stringify(withoutTask(body, kits[from].ask.history))
        return promptOf(writeRequest(upstream, readRequest(caller, said), cache).body)
      })
      expect(breaks(prompts)).toEqual([])
    }
  })

  it.each(PAIRS)('%s from %s, where marks of what to cache come and go', (from, to) => {
    const [caller, upstream] = [adapterOf(from), adapterOf(to)]
    const prompts = sessionOf('marks', TURNS).map((request, turn) => {
      const isMarked = turn % 3 === 1
      const system = request.system.map((block) => ({ ...block, ...(isMarked && { cache: {} }) }))
      const said = writeRequest(caller, { ...request, system }, undefined, 'gpt-5.6')
      return promptOf(
        writeRequest(upstream, readRequest(caller, stringify(said.body)), cache, 'gpt-5.6').body,
      )
    })
    expect(breaks(prompts)).toEqual([])
  })

  it.each(Object.keys(kits) as (keyof typeof kits)[])('%s, edited', (dialect) => {
    const adapter = adapterOf(dialect)
    const prompts = sessionOf('law', TURNS).map((request) => {
      const body = parse(stringify(writeRequest(adapter, request).body), adapter.caller.verbatim)
      const edits = { model: 'other', foreign: true, facts: { maxOutputTokens: 500 } }
      return promptOf(adapter.same.edit(body as never, edits, lossList().lose))
    })
    expect(breaks(prompts)).toEqual([])
  })

  it.each(PAIRS)('%s from %s, with whatever its clients do in a session', (from, to) => {
    const [caller, upstream] = [adapterOf(from), adapterOf(to)]
    const prompts = wildBodies(from).map((body) => {
      const said = stringify(kits[from].http.body('model-1', false, body))
      return promptOf(writeRequest(upstream, readRequest(caller, said), cache).body)
    })
    expect(breaks(prompts)).toEqual([])
  })

  it.each(
    DIALECTS.flatMap((dialect) =>
      (adapterOf(dialect).upstream.profiles ?? []).map(
        ({ name, facts }) => [dialect, name, facts] as const,
      ),
    ),
  )('%s to a server with the profile %s', (dialect, _, server) => {
    const adapter = adapterOf(dialect)
    const edits = { model: 'other', foreign: true, facts: { server } }
    // Where a choice cannot name a tool, only that tool is offered: to keep to the choice is worth another prompt.
    const bodies = wildBodies(dialect).filter(
      (body) => server.namedChoice !== false || !isObject(body['tool_choice']),
    )
    const prompts = bodies.map((body) => {
      const said = kits[dialect].http.body('model-1', false, body)
      const read = parse(stringify(said), adapter.caller.verbatim)
      return promptOf(adapter.same.edit(objectIn(read), edits, lossList().lose))
    })
    expect(breaks(prompts)).toEqual([])
  })

  it('is told where it is not so', () => {
    const one = prompt('h', '{"role":"user","content":"a"}')
    expect(brokenAt(one, prompt('g', ...one.turns))).toContain('head')
    expect(brokenAt(one, prompt('h', '{"role":"user","content":"b"}'))).toContain('turn 0')
    expect(brokenAt(one, prompt('h', ...one.turns, '{}'))).toBeUndefined()
  })
})
