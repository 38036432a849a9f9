import type { JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { uniqueIds } from '../../src/model/names.ts'
import { textIn } from './dialect.ts'
import { CALL_ID } from './names.ts'
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
export function repair(placed: readonly Placed[], lose: Lose): Placed[] {
  return answered(adopted(apart(followed(placed, lose)), lose), lose)
}

/** The calls of one turn that had the same id, with their new ids. */
interface Alike {
  turn: number
  ids: string[]
  /** The number of them that have an output. */
  answered: number
}

/**
 * Servers of other dialects may number their calls anew in each reply (`call_0`); here an id names one call. A
 * repeated id gets a number that depends only on what stands before it. Outputs go, in order, to the calls of the
 * last turn with their id.
 */
function apart(placed: readonly Placed[]): Placed[] {
  const unique = uniqueIds(CALL_ID)
  const latest = new Map<string, Alike>()
  return placed.map((place) => {
    if (!isCall(place) && !isOutput(place)) return place
    const id = callIdIn(place)
    const alike = latest.get(id)
    if (isCall(place)) {
      const fresh = unique(id)
      if (alike?.turn === place.turn) alike.ids.push(fresh)
      else latest.set(id, { turn: place.turn, ids: [fresh], answered: 0 })
      return named(place, fresh)
    }
    if (!alike) return place
    const own = alike.ids[alike.answered] ?? alike.ids.at(-1)
    alike.answered += 1
    return named(place, own ?? id)
  })
}

const named = (place: Placed, id: string): Placed =>
  callIdIn(place) === id ? place : { ...place, item: { ...place.item, call_id: id } }

const itemType = ({ item }: Placed): string => textIn(item, 'type') ?? ''
const isCall = (place: Placed): boolean => /^(?:function|custom_tool)_call$/.test(itemType(place))
const isOutput = (place: Placed): boolean =>
  /^(?:function|custom_tool)_call_output$/.test(itemType(place))
const callIdIn = ({ item }: Placed): string => textIn(item, 'call_id') ?? ''

/** The service refuses reasoning unless an item of the model follows directly. */
function followed(placed: readonly Placed[], lose: Lose): Placed[] {
  const kept: Placed[] = []
  for (const place of placed.toReversed()) {
    const next = kept.at(-1)
    if (itemType(place) === 'reasoning' && next?.side !== 'output') lose('dropped', place.path)
    else kept.push(place)
  }
  return kept.toReversed()
}

function adopted(placed: readonly Placed[], lose: Lose): Placed[] {
  const calls = new Set<string>()
  return placed.map((place) => {
    if (isCall(place)) calls.add(callIdIn(place))
    if (!isOutput(place) || calls.has(callIdIn(place))) return place
    lose('approximated', place.path)
    return { ...place, item: asMessage(place.item) }
  })
}

function asMessage({ output = '' }: JsonObject): JsonObject {
  const content = typeof output === 'string' ? [{ type: 'input_text', text: output }] : output
  return { type: 'message', role: 'user', content }
}

const INTERRUPTED = '[no result: interrupted]'

/** A call without an output gets one where the outputs of its neighbours stand. */
function answered(placed: readonly Placed[], lose: Lose): Placed[] {
  const outputs = new Set(placed.filter(isOutput).map(callIdIn))
  const kept: Placed[] = []
  let missing: Placed[] = []
  const settle = () => {
    kept.push(...missing)
    missing = []
  }
  for (const place of placed) {
    if (place.side === 'input' && !isOutput(place)) settle()
    kept.push(place)
    if (!isCall(place) || outputs.has(callIdIn(place))) continue
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
