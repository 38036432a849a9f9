import type { JsonObject } from '../../src/canonical/json.ts'
import type { Lose } from '../../src/canonical/loss.ts'
import type { Placed } from './input.ts'
import { textIn } from './members.ts'

/**
 * What an upstream refuses in a history, set right: reasoning that nothing follows, calls without an
 * output, outputs without a call.
 */
export function repair(placed: readonly Placed[], lose: Lose): Placed[] {
  return answered(adopted(followed(placed, lose), lose), lose)
}

const typeOf = ({ item }: Placed): string => textIn(item, 'type') ?? ''
const isCall = (place: Placed): boolean => /^(?:function|custom_tool)_call$/.test(typeOf(place))
const isOutput = (place: Placed): boolean =>
  /^(?:function|custom_tool)_call_output$/.test(typeOf(place))
const callIdIn = ({ item }: Placed): string => textIn(item, 'call_id') ?? ''

/** Reasoning is refused unless an item of the model directly follows. */
function followed(placed: readonly Placed[], lose: Lose): Placed[] {
  const kept: Placed[] = []
  for (const place of placed.toReversed()) {
    const next = kept.at(-1)
    if (typeOf(place) === 'reasoning' && next?.side !== 'output') lose('dropped', place.path)
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
    const item = { type: `${typeOf(place)}_output`, call_id: callIdIn(place), output: INTERRUPTED }
    missing.push({ ...place, item, side: 'input' })
  }
  settle()
  return kept
}
