import { slicesAt, spliceStrings } from '../../json/slices.ts'
import { framingOf, type Change } from '../../stream/framings.ts'
import type { PassingExchange } from '../exchange.ts'
import type { PassPlan } from '../request/plan.ts'

/** Tells frames that pass by the caller's name of the model, where that is another. */
export function renamerOf(
  exchange: PassingExchange,
  { requested: model, destination }: PassPlan,
): Change | undefined {
  if (!destination.aliased) return undefined
  const { event, reply } = exchange.caller.same.modelMember
  const path = event ?? [reply]
  const member = `"${path.at(-1)}"`
  const framing = framingOf(exchange.route.framing)
  const rename: Change = (json) =>
    json.includes(member) ? spliceStrings(json, slicesAt(json, path), model) : json
  return (text) => (text.includes(member) ? framing.withData(text, rename) : text)
}
