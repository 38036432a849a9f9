import { listOf, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossesInTurns, type Lose } from '../../src/model/loss.ts'
import { Members } from '../../src/model/ext.ts'
import type { Block, Role } from '../../src/model/request.ts'
import { rememberedMaking, type Making } from '../../src/model/remembered.ts'
import { chooseSide, readPart } from './blocks.ts'
import { keepRest, memberText } from './dialect.ts'
import { UniqueIds } from './names.ts'
import type { WireItem } from './wire.ts'

/** An item, with the number of the turn that it comes from, and that of the block where it is one. */
export interface Placed {
  item: WireItem
  /** The side that the item belongs to. */
  side: 'input' | 'output'
  turn: number
  block?: number
}

/**
 * Repairs what an upstream refuses in a history: reasoning with nothing behind it, repeated ids of calls, calls
 * without an output, outputs without a call.
 */
export function repair(placed: readonly Placed[], lose: Lose): readonly Placed[] {
  const repaired = new Repaired(renaming(placed))
  const at = lossesInTurns(lose)
  for (const [index, place] of placed.entries()) repaired.add(place, index, at)
  return repaired.end(at)
}

type At = ReturnType<typeof lossesInTurns>

/** The calls of one turn that had the same id, and the new id of the first of them. */
interface SameId {
  readonly turn: number
  readonly first: string
  readonly count: number
  /** The number of them that have an output. */
  readonly answered: number
}

const renaming = rememberedMaking()

class Repaired {
  readonly #making: Making
  readonly #kept: Placed[] = []
  /** Reasoning at the end, behind which nothing stands so far. */
  #thoughts: Placed[] = []
  readonly #ids = new UniqueIds()
  readonly #latest = new Map<string, SameId>()
  /** The new ids of all but the first of them, by `placeIn`. */
  readonly #others = new Map<string, string>()
  /** Calls without an output. */
  readonly #open = new Set<string>()
  /** The outputs of all others. */
  readonly #given = new Map<string, JsonObject>()

  constructor(making: Making) {
    this.#making = making
  }

  add(place: Placed, index: number, at: At): void {
    if (itemType(place) === 'reasoning') {
      this.#thoughts.push(place)
      return
    }
    this.#settle(place, at)
    const kept = this.#adopted(this.#apart(place, index), at)
    if (kept) this.#kept.push(kept)
  }

  end(at: At): readonly Placed[] {
    this.#settle(undefined, at)
    return this.#open.size === 0 ? this.#kept : answered(this.#kept, this.#open, at)
  }

  /** The service refuses reasoning unless an item of the model follows directly. */
  #settle(next: Placed | undefined, at: At): void {
    if (this.#thoughts.length === 0) return
    const followed: Placed[] = []
    let behind = next
    for (const thought of this.#thoughts.toReversed()) {
      if (behind?.side === 'output') {
        followed.unshift(thought)
        behind = thought
      } else at(thought.turn, thought.block)('dropped', '')
    }
    this.#kept.push(...followed)
    this.#thoughts = []
  }

  /**
   * Servers of other dialects may number their calls anew in each reply (`call_0`); here an id names one call. A
   * repeated id gets a number that depends only on what stands before it. Outputs go, in order, to the calls of the
   * last turn with their id.
   */
  #apart(place: Placed, index: number): Placed {
    const isAsked = isCall(place)
    if (!isAsked && !isOutput(place)) return place
    const id = callIdIn(place)
    const others = this.#latest.get(id)
    if (isAsked) {
      const fresh = this.#ids.made(id)
      this.#open.add(fresh)
      if (others?.turn === place.turn) {
        this.#others.set(placeIn(id, others.count), fresh)
        this.#latest.set(id, { ...others, count: others.count + 1 })
      } else this.#latest.set(id, { turn: place.turn, first: fresh, count: 1, answered: 0 })
      return this.#named(place, index, fresh)
    }
    if (!others) return place
    const at = Math.min(others.answered, others.count - 1)
    const own = at === 0 ? others.first : this.#others.get(placeIn(id, at))
    this.#latest.set(id, { ...others, answered: others.answered + 1 })
    return this.#named(place, index, own ?? id)
  }

  #named(place: Placed, index: number, id: string): Placed {
    return callIdIn(place) === id ? place : this.#making(index, renamed, place, id)
  }

  /**
   * A call has one output ("Duplicate function_call_output", hermes-agent#102629). The same once more says nothing:
   * Gemini CLI (0.61.0) gives every result twice in a session that it has resumed.
   */
  #adopted(place: Placed, at: At): Placed | undefined {
    if (!isOutput(place)) return place
    const id = callIdIn(place)
    if (this.#open.has(id)) {
      this.#open.delete(id)
      this.#given.set(id, place.item)
      return place
    }
    const given = this.#given.get(id)
    const told = at(place.turn, place.block)
    if (given && stringify(given) === stringify(place.item)) return told('dropped', '')
    told('approximated', '')
    return { ...place, item: asMessage(place) }
  }
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

/** What a tool has said is marked: otherwise the model takes it for words of the user. */
function asMessage(place: Placed): JsonObject {
  const heading = `[result of an earlier tool call, ${callIdIn(place)}]`
  const { output } = place.item
  const text = typeof output === 'string' ? `${heading}\n${output}` : heading
  const content = [{ type: 'input_text', text }, ...listOf(output)]
  return { type: 'message', role: 'user', content }
}

const INTERRUPTED = '[no result: interrupted]'

/** A call without an output gets one where the outputs of its neighbours stand. */
function answered(placed: readonly Placed[], open: ReadonlySet<string>, at: At): Placed[] {
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
  return { role, blocks: readContent(content, role), kept }
}

export function readContent(content: Json, role: Role): Block[] {
  if (Array.isArray(content)) return content.map((part) => readPart(part, chooseSide(role)))
  return typeof content !== 'string' || content === '' ? [] : [{ kind: 'text', text: content }]
}
