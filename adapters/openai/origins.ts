import type { JsonObject } from '../../src/json/json.ts'
import type { NotedPlace } from '../../src/model/loss.ts'
import type { LostPart } from '../../src/model/loss-names.ts'

/** What an element of a written body was made from. */
interface Origin {
  /** Its place in the caller's request, and the places of the thoughts that it tells as plain text. */
  readonly place: NotedPlace
  readonly thoughts?: readonly NotedPlace[]
  /** The parts that this dialect cannot say. They are reported only where the element is sent at all. */
  readonly without?: readonly LostPart[]
}

const origins = new WeakMap<JsonObject, Origin>()

/**
 * Notes the origin of a value, so that what is lost of it later is reported at the caller's place and not at its place
 * on the wire.
 */
export function noteOrigin<T extends JsonObject>(value: T, origin: Origin): T {
  origins.set(value, origin)
  return value
}

/** The noted origin; undefined for what a caller of the upstream's own dialect wrote. */
export const originOf = (value: JsonObject): Origin | undefined => origins.get(value)

/** The caller's schema for each schema that was closed here. */
const callersSchemas = new WeakMap<object, string>()

/** Notes the caller's schema of one that was closed so that a service enforces it. */
export function noteSchema<T extends object>(closed: T, schema: string): T {
  callersSchemas.set(closed, schema)
  return closed
}

export const callersSchema = (schema: object): string | undefined => callersSchemas.get(schema)
