import { listOf, stringify, type JsonObject } from '../../src/json/json.ts'
import { lossesInTurns, type Lose } from '../../src/model/loss.ts'
import { Members } from '../../src/model/ext.ts'
import type { Role } from '../../src/model/request.ts'
import { rememberedWalk, WalkMap, type WalkStep } from '../../src/model/remembered.ts'
import { chooseSide, readContent } from './blocks.ts'
import { keepRest, memberText } from './dialect.ts'
import { uniqueId } from '../../src/rules/names.ts'
import { CALL_ID } from './names.ts'
import type { WireItem } from './wire.ts'

/** An item, with the number of its turn, and the number of its block where it comes from a single one. */
export interface Placed {
  item: WireItem
  /** The side that the item belongs to. */
  side: 'input' | 'output'
  turn: number
  block?: number
}

/** The calls of one turn that had the same id. `first`: the new id of the first of them. */
interface SameId {
  readonly turn: number
  readonly first: string
  readonly count: number
  /** How many of these calls have an output. */
  readonly answered: number
}

interface Repaired {
  readonly kept: Placed[]
  /** Reasoning at the end, behind which nothing stands so far. */
  thoughts: Placed[]
  readonly ids: Set<string>
  /** The numbers that the next repetitions of an id begin with. */
  readonly counts: WalkMap<string, number>
  readonly latest: WalkMap<string, SameId>
  /** The new ids of all such calls but the first, by `placeIn`. */
  readonly others: WalkMap<string, string>
  /** Calls without an output. */
  readonly open: Set<string>
  /** The outputs of all other calls, by their ids. */
  readonly given: WalkMap<string, JsonObject>
}

const repairWalk = rememberedWalk<Placed, Repaired>()

const nothingRepaired = (): Repaired => ({
  kept: [],
  thoughts: [],
  ids: new Set(),
  counts: new WalkMap(),
  latest: new WalkMap(),
  others: new WalkMap(),
  open: new Set(),
  given: new WalkMap(),
})

/**
 * Repairs what an upstream refuses in a history: reasoning with nothing behind it, repeated ids of calls, calls
 * without an output, outputs without a call.
 */
export function repair(placed: readonly Placed[], lose: Lose): readonly Placed[] {
  const repaired = repairWalk(placed, [], lose, nothingRepaired, (state, place, at) => {
    if (itemType(place) === 'reasoning') state.thoughts.push(place)
    else {
      settle(state, place, at.lose)
      const kept = withOneOutput(state, withDistinctId(state, place, at), at.lose)
      if (kept) state.kept.push(kept)
    }
  })
  settle(repaired, undefined, lose)
  const { kept, open } = repaired
  return open.size === 0 ? kept : answered(kept, open, lose)
}

/** The service refuses reasoning unless an item of the model follows directly. */
function settle(state: Repaired, next: Placed | undefined, lose: Lose): void {
  if (state.thoughts.length === 0) return
  const followed: Placed[] = []
  let behind = next
  for (const thought of state.thoughts.toReversed()) {
    if (behind?.side === 'output') {
      followed.unshift(thought)
      behind = thought
    } else lossesInTurns(lose)(thought.turn, thought.block)('dropped', '')
  }
  state.kept.push(...followed)
  state.thoughts = []
}

/**
 * Servers of other dialects may number their calls anew in each reply (`call_0`); here an id names one call. A
 * repeated id gets a number that depends only on what stands before it. Outputs go, in order, to the calls of the
 * last turn with their id.
 */
function withDistinctId(
  { ids, counts, latest, open, others }: Repaired,
  place: Placed,
  at: WalkStep,
): Placed {
  const isAsked = isCall(place)
  if (!isAsked && !isOutput(place)) return place
  const id = callIdIn(place)
  const last = latest.get(id)
  if (isAsked) {
    const fresh = uniqueId(id, CALL_ID, ids, counts)
    open.add(fresh)
    if (last?.turn === place.turn) {
      others.set(placeIn(id, last.count), fresh)
      latest.set(id, { ...last, count: last.count + 1 })
    } else latest.set(id, { turn: place.turn, first: fresh, count: 1, answered: 0 })
    return named(place, fresh, at)
  }
  if (!last) return place
  const number = Math.min(last.answered, last.count - 1)
  const own = number === 0 ? last.first : others.get(placeIn(id, number))
  latest.set(id, { ...last, answered: last.answered + 1 })
  return named(place, own ?? id, at)
}

const named = (place: Placed, id: string, at: WalkStep): Placed =>
  callIdIn(place) === id ? place : at.made(renamed, place, id)

/**
 * A call has one output ("Duplicate function_call_output", hermes-agent#102629). The same output once more says
 * nothing: Gemini CLI (0.61.0) gives every result twice in a session that it has resumed.
 */
function withOneOutput({ given, open }: Repaired, place: Placed, lose: Lose): Placed | undefined {
  if (!isOutput(place)) return place
  const id = callIdIn(place)
  if (open.has(id)) {
    open.delete(id)
    given.set(id, place.item)
    return place
  }
  const before = given.get(id)
  const loseHere = lossesInTurns(lose)(place.turn, place.block)
  if (before && stringify(before) === stringify(place.item)) return loseHere('dropped', '')
  loseHere('approximated', '')
  return { ...place, item: asMessage(place) }
}

const placeIn = (id: string, index: number): string => `${index} ${id}`

const renamed = (place: Placed, id: string): Placed => ({
  ...place,
  item: { ...place.item, call_id: id },
})

const itemType = ({ item }: Placed): string => memberText(item, 'type') ?? ''
const isCall = (place: Placed): boolean => CALLS.has(itemType(place))
const isOutput = (place: Placed): boolean => OUTPUTS.has(itemType(place))
const CALLS = new Set(['function_call', 'custom_tool_call'])
const OUTPUTS = new Set(['function_call_output', 'custom_tool_call_output'])
const callIdIn = ({ item }: Placed): string => memberText(item, 'call_id') ?? ''

/** An output as a message. A heading says whose words they are, or the model would take them for the user's. */
function asMessage(place: Placed): JsonObject {
  const heading = `[result of an earlier tool call, ${callIdIn(place)}]`
  const { output } = place.item
  const text = typeof output === 'string' ? `${heading}\n${output}` : heading
  const content = [{ type: 'input_text', text }, ...listOf(output)]
  return { type: 'message', role: 'user', content }
}

const INTERRUPTED = '[no result: interrupted]'

/** A call without an output gets one where the outputs of its neighbours stand. */
function answered(placed: readonly Placed[], open: ReadonlySet<string>, lose: Lose): Placed[] {
  const at = lossesInTurns(lose)
  const kept: Placed[] = []
  let missing: Placed[] = []
  const settle = () => {
    kept.push(...missing)
    missing = []
  }
  for (const place of placed) {
    const before = kept.at(-1)
    if (!isOutput(place) && (place.side === 'input' || (before && isOutput(before)))) settle()
    kept.push(place)
    if (!isCall(place) || !open.has(callIdIn(place))) continue
    at(place.turn)('defaulted', '.results')
    const item = {
      type: `${itemType(place)}_output`,
      call_id: callIdIn(place),
      output: INTERRUPTED,
    }
    missing.push({ ...place, item, side: 'input' })
  }
  settle()
  return kept
}

/** Outputs and answers come from the caller, all other items from the model. */
export const readRole = (type: string): Role =>
  /_(?:output|response|trigger|update)$/.test(type) && type !== 'program_output'
    ? 'user'
    : 'assistant'

const ROLES: readonly Role[] = ['user', 'assistant', 'system', 'developer']

export function readMessage(item: WireItem) {
  const members = new Members(item)
  members.pass('type', 'id', 'status')
  const said = members.any('role')
  const role = ROLES.find((known) => known === said) ?? 'user'
  const content = members.any('content') ?? ''
  const phase = members.text('phase')
  const kept = keepRest(members, {
    content: Array.isArray(content) ? 'parts' : 'string',
    ...(phase !== undefined && { phase }),
  })
  return { role, blocks: readContent(content, chooseSide(role)), kept }
}
