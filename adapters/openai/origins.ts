import type { JsonObject } from '../../src/json/json.ts'
import type { NotedPlace } from '../../src/model/loss.ts'
import type { LostPart } from '../../src/model/loss-names.ts'

/** Where something on the wire comes from in the request that it was written from. */
interface Origin {
  /** The canonical place of it, and those of the thoughts that it tells as plain text. */
  readonly place: NotedPlace
  readonly thoughts?: readonly NotedPlace[]
  /** What it does without, which is worth telling only where it is sent at all. */
  readonly without?: readonly LostPart[]
}

const origins = new WeakMap<JsonObject, Origin>()

/** Notes it. What is lost of a part later is told at its caller's place, not at the place where the wire has it. */
export function noteOrigin<T extends JsonObject>(value: T, origin: Origin): T {
  origins.set(value, origin)
  return value
}

/** What was noted; undefined for what a caller of the upstream's own dialect wrote. */
export const originOf = (value: JsonObject): Origin | undefined => origins.get(value)

/** What a closed schema was before. */
const callersSchemas = new WeakMap<object, string>()

/** Notes the caller's schema behind one that was closed to be kept to. */
export function noteSchema<T extends object>(closed: T, schema: string): T {
  callersSchemas.set(closed, schema)
  return closed
}

export const callersSchema = (schema: object): string | undefined => callersSchemas.get(schema)
