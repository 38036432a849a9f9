import type { Adapter, CacheOptions } from '../../adapters/contract.ts'
import { ProblemError } from '../../src/model/problem.ts'
import type { Request } from '../../src/model/request.ts'
import { readRequest, writeRequest } from '../laws/exchange.ts'
import type { Recorded } from './records.ts'
import type { Tally } from './tally.ts'
import {
  isObject,
  listOf,
  parse,
  stringify,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import { fingerprint } from '../../src/model/proof.ts'

/** What of a request stands before its conversation, in any dialect. */
const HEAD = ['system', 'instructions', 'systemInstruction', 'tools', 'functions', 'mcp_servers']
const MARKS = new Set(['cache_control', 'prompt_cache_breakpoint'])

/** What a service reads of a request, in its order: what stands before the conversation, and the conversation. */
export interface Prompt {
  head: string
  turns: string[]
}

/** Marks of what to cache move on with the conversation, and are no words of it. */
function unmarked(value: Json): Json {
  if (Array.isArray(value)) return value.map(unmarked)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key]) => !MARKS.has(key))
  return Object.fromEntries(entries.map(([key, each]) => [key, unmarked(each)]))
}

/** Tools that are found later are no part of the prompt until then. */
const shown = (value: Json | undefined): Json =>
  Array.isArray(value)
    ? value.filter((entry) => !isObject(entry) || entry['defer_loading'] !== true)
    : (value ?? null)

export function promptOf(body: JsonObject): Prompt {
  const plain = unmarked(parse(stringify(body)))
  const members = isObject(plain) ? plain : {}
  const turns = members['messages'] ?? members['input'] ?? members['contents'] ?? []
  return {
    head: JSON.stringify(HEAD.map((name) => shown(members[name]))),
    turns: (Array.isArray(turns) ? turns : [turns]).map((turn) => JSON.stringify(turn)),
  }
}

/** Where the later prompt does not begin with the earlier one; undefined where it does. */
export function brokenAt(earlier: Prompt, later: Prompt): string | undefined {
  if (earlier.head !== later.head) return differ('head', earlier.head, later.head)
  for (const [index, turn] of earlier.turns.entries()) {
    const next = later.turns[index]
    if (turn === next) continue
    // The last message may go on, as neighbours of one role are one message.
    const isLast = index === earlier.turns.length - 1
    if (isLast && next !== undefined && goesOn(turn, next)) continue
    return differ(`turn ${index} of ${earlier.turns.length}`, turn, next ?? '')
  }
  return undefined
}

function goesOn(turn: string, next: string): boolean {
  const [one, other] = [JSON.parse(turn) as Json, JSON.parse(next) as Json]
  if (!isObject(one) || !isObject(other) || one['role'] !== other['role']) return false
  const [pieces, more] = [one, other].map((message) => {
    const content = message['content'] ?? message['parts'] ?? []
    const list = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    return list.map((piece) => JSON.stringify(piece))
  })
  return (pieces ?? []).every((piece, index) => piece === more?.[index])
}

const SHOWN = 160

function differ(place: string, one: string, other: string): string {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const from = Math.max(0, at - 60)
  return `${place}: …${one.slice(from, at + SHOWN)} | …${other.slice(from, at + SHOWN)}`
}

export interface Link<T> {
  earlier: T
  later: T
}

/** Requests of one session, found by what they begin with: each with the longest one that it goes on from. */
export function linksIn<T extends { request: JsonObject | undefined; dialect: string }>(
  records: readonly T[],
): Link<T>[] {
  const known = new Map<string, T>()
  const hashed = records.flatMap((record) => {
    if (!record.request) return []
    const { head, turns } = promptOf(record.request)
    let sum = fingerprint(`${record.dialect}\0${head}`)
    const sums = turns.map((turn) => (sum = fingerprint(`${sum}\0${turn}`)))
    return [{ record, sums }]
  })
  for (const { record, sums } of hashed) known.set(sums.at(-1) ?? '', record)
  return hashed.flatMap(({ record, sums }) => {
    const before = sums.slice(0, -1).findLast((sum) => known.has(sum))
    const earlier = before === undefined ? undefined : known.get(before)
    return earlier ? [{ earlier, later: record }] : []
  })
}

const told = ({ format, tools }: Request) =>
  JSON.stringify([
    format ?? null,
    tools.map((tool) => ('name' in tool ? tool.name : tool.capability)),
  ])

/** Whether the caller asks for the same in both, so that nothing but the conversation has grown. */
function isSteady(earlier: Request, later: Request): boolean {
  // Words that the model was to go on with become one text with its own.
  if ((earlier.turns.at(-1)?.role ?? 'assistant') === 'assistant') return false
  return told(earlier) === told(later)
}

type Chained = Pick<Recorded, 'id' | 'dialect' | 'model' | 'request'>

/** Holds every recorded session to the law that what is sent begins with what was sent before. */
export function replayChains(
  tally: Tally,
  adapters: readonly Adapter[],
  records: readonly Chained[],
): void {
  for (const { earlier, later } of linksIn(records)) {
    const caller = adapters.find(({ dialect }) => dialect === later.dialect)
    if (!caller) continue
    const [one, next] = [earlier, later].map(({ request = {}, model }) =>
      attempt(() => readRequest(caller, stringify(request), { model })),
    )
    if (!one || !next) continue
    if (!isSteady(one, next)) tally.add('steps with other tools or another format')
    else
      for (const upstream of adapters) {
        if (upstream === caller) continue
        const [before, after] = [one, next].map((request) =>
          attempt(() => promptOf(writeRequest(upstream, request, DERIVED).body)),
        )
        if (!before || !after) continue
        const pair = `${caller.dialect} <- ${upstream.dialect}`
        tally.count(pair, 'prefixes', later.id, brokenAt(before, after))
      }
  }
}

const DERIVED: CacheOptions = { mode: 'derive', session: () => 'session-1' }

/** Undefined for what the caller is told that it cannot be done. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}
