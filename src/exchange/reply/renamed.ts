import { slicesAt, spliceStrings } from '../../json/slices.ts'
import type { Context } from '../exchange.ts'
import type { PassPlan } from '../request/plan.ts'

/** The model's name for the caller, and its path in an event. */
interface Renaming {
  path: readonly string[]
  model: string
}

/** Tells frames that pass by the caller's name of the model, where that is another. */
export function renamerOf(
  { caller }: Context,
  { requested: model, destination, route }: PassPlan,
): ((text: string) => string) | undefined {
  if (!destination.aliased) return undefined
  const { event, reply } = caller.same.modelMember
  if (route.framing === 'json-array')
    return (text) => renameInElement(text, { path: [reply], model })
  return (text) => renameInLines(text, { path: event ?? [reply], model })
}

/** An element of a list, with what stands before it. */
function renameInElement(text: string, renaming: Renaming): string {
  const start = text.indexOf('{')
  return start < 0 ? text : text.slice(0, start) + renameIn(text.slice(start), renaming)
}

/** The lines that make up the data of one event. */
const DATA = /(?:^\u{feff}?data:[^\r\n]*(?:\r\n|[\n\r]|$))+/gmu
const DATA_LINE = /(\u{feff}?data:)([^\r\n]*)(\r\n|[\n\r]|$)/gu

/** Server-sent events with the model renamed. */
function renameInLines(text: string, renaming: Renaming): string {
  const member = `"${renaming.path.at(-1)}"`
  if (!text.includes(member)) return text
  return text.replace(DATA, (lines) =>
    lines.includes(member) ? renameInData(lines, renaming) : lines,
  )
}

/** JSON may span several lines; the renamed data keeps their number. */
function renameInData(lines: string, renaming: Renaming): string {
  const found = [...lines.matchAll(DATA_LINE)]
  const json = found.map(([, , data = '']) => data).join('\n')
  const renamed = renameIn(json, renaming).split('\n')
  return found
    .map(([, field = '', , end = ''], index) => field + (renamed[index] ?? '') + end)
    .join('')
}

const renameIn = (json: string, { path, model }: Renaming): string =>
  spliceStrings(json, slicesAt(json, path), model)
