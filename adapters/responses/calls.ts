import { listOf, stringify, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Role } from '../../src/model/request.ts'
import { follow, type Trail } from '../../src/model/trail/trail.ts'
import { UndoMap } from '../../src/model/trail/undo-map.ts'
import { memberText } from './dialect.ts'
import { UniqueIds } from './names.ts'
import type { WireItem } from './wire.ts'

/** An item, with the canonical place of its source. */
export interface Placed {
  item: WireItem
  /** The side that the item belongs to. */
  side: 'input' | 'output'
  turn: number
  path: string
}

/**
 * Repairs what an upstream refuses in a history: reasoning with nothing behind it, repeated ids of calls, calls
 * without an output, outputs without a call.
 */
export function repair(
  placed: readonly Placed[],
  trail: Trail | undefined,
  lose: Lose,
): readonly Placed[] {
  const repaired = follow<Placed, Repaired>(
    trail,
    'responses: repair',
    placed,
    [],
    lose,
    (heard) => ({
      begin: () => new Repaired(),
      copy: (state) => state.copy(),
      step: (state, place) => state.add(place, heard),
    }),
  )
  return repaired.end(lose)
}

/** The calls of one turn that had the same id, and the new id of the first of them. */
interface SameId {
  readonly turn: number
  readonly first: string
  readonly count: number
  /** The number of them that have an output. */
  readonly answered: number
}

class Repaired {
  #kept: Placed[] = []
  /** Reasoning at the end, behind which nothing stands so far. */
  #thoughts: Placed[] = []
  #ids = new UniqueIds()
  #latest = new UndoMap<string, SameId>()
  /** The new ids of all but the first of them, by `placeIn`. */
  #others = new UndoMap<string, string>()
  /** Calls without an output. */
  #open = new UndoMap<string, true>()
  /** The outputs of all others. */
  #given = new UndoMap<string, JsonObject>()

  copy(): Repaired {
    const other = new Repaired()
    other.#kept = [...this.#kept]
    other.#thoughts = [...this.#thoughts]
    other.#ids = this.#ids.copy()
    other.#latest = this.#latest.copy()
    other.#others = this.#others.copy()
    other.#open = this.#open.copy()
    other.#given = this.#given.copy()
    return other
  }

  add(place: Placed, lose: Lose): void {
    if (itemType(place) === 'reasoning') {
      this.#thoughts.push(place)
      return
    }
    this.#settle(place, lose)
    this.#kept.push(...this.#adopted(this.#apart(place), lose))
  }

  end(lose: Lose): readonly Placed[] {
    this.#settle(undefined, lose)
    return this.#open.size === 0 ? this.#kept : answered(this.#kept, this.#open, lose)
  }

  /** The service refuses reasoning unless an item of the model follows directly. */
  #settle(next: Placed | undefined, lose: Lose): void {
    if (this.#thoughts.length === 0) return
    const followed: Placed[] = []
    let behind = next
    for (const thought of this.#thoughts.toReversed()) {
      if (behind?.side === 'output') {
        followed.unshift(thought)
        behind = thought
      } else lose('dropped', thought.path)
    }
    this.#kept.push(...followed)
    this.#thoughts = []
  }

  /**
   * Servers of other dialects may number their calls anew in each reply (`call_0`); here an id names one call. A
   * repeated id gets a number that depends only on what stands before it. Outputs go, in order, to the calls of the
   * last turn with their id.
   */
  #apart(place: Placed): Placed {
    const isAsked = isCall(place)
    if (!isAsked && !isOutput(place)) return place
    const id = callIdIn(place)
    const others = this.#latest.get(id)
    if (isAsked) {
      const fresh = this.#ids.made(id)
      this.#open.set(fresh, true)
      if (others?.turn === place.turn) {
        this.#others.set(placeIn(id, others.count), fresh)
        this.#latest.set(id, { ...others, count: others.count + 1 })
      } else this.#latest.set(id, { turn: place.turn, first: fresh, count: 1, answered: 0 })
      return named(place, fresh)
    }
    if (!others) return place
    const at = Math.min(others.answered, others.count - 1)
    const own = at === 0 ? others.first : this.#others.get(placeIn(id, at))
    this.#latest.set(id, { ...others, answered: others.answered + 1 })
    return named(place, own ?? id)
  }

  /**
   * A call has one output ("Duplicate function_call_output", hermes-agent#102629). The same once more says nothing:
   * Gemini CLI (0.61.0) gives every result twice in a session that it has resumed.
   */
  #adopted(place: Placed, lose: Lose): readonly Placed[] {
    if (!isOutput(place)) return [place]
    const id = callIdIn(place)
    if (this.#open.has(id)) {
      this.#open.delete(id)
      this.#given.set(id, place.item)
      return [place]
    }
    const given = this.#given.get(id)
    if (given && stringify(given) === stringify(place.item))
      return lose('dropped', place.path) ?? []
    lose('approximated', place.path)
    return [{ ...place, item: asMessage(place) }]
  }
}

const placeIn = (id: string, index: number): string => `${index} ${id}`

const named = (place: Placed, id: string): Placed =>
  callIdIn(place) === id ? place : { ...place, item: { ...place.item, call_id: id } }

const itemType = ({ item }: Placed): string => memberText(item, 'type') ?? ''
const isCall = (place: Placed): boolean => /^(?:function|custom_tool)_call$/.test(itemType(place))
const isOutput = (place: Placed): boolean =>
  /^(?:function|custom_tool)_call_output$/.test(itemType(place))
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
function answered(
  placed: readonly Placed[],
  open: Pick<ReadonlySet<string>, 'has'>,
  lose: Lose,
): Placed[] {
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
    lose('defaulted', `turns.${place.turn}.results`)
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
