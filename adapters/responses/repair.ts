import type { JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Placed } from './input.ts'
import { textIn } from './members.ts'
import { uniqueIds } from './names.ts'

/**
 * What an upstream refuses in a history, set right: reasoning that nothing follows, ids of calls that come
 * again, calls without an output, outputs without a call.
 */
export function repair(placed: readonly Placed[], lose: Lose): Placed[] {
  return answered(adopted(apart(followed(placed, lose)), lose), lose)
}

/** The calls of one turn that had the same id, by the ids that they were given instead. */
interface Alike {
  turn: number
  ids: string[]
  /** How many of them have an output. */
  answered: number
}

/**
 * There are servers that count their calls anew in every reply (`call_0`), where here an id is that of one
 * call. What comes again gets a number, by nothing but what stands before it; outputs go to the calls of the
 * last turn that had their id, in their order.
 */
function apart(placed: readonly Placed[]): Placed[] {
  const unique = uniqueIds()
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

/** Reasoning is refused unless an item of the model directly follows. */
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

/** A call that was never answered is answered where its outputs stand. */
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
