import { Verbatim } from './json.ts'

/** A shorter text is always copied by the engine. */
const LEAST_CHARACTERS = 13

/**
 * The same value, in which no text is a slice of a longer one, since it would keep that one in memory. Schemas and
 * verbatim JSON are such slices; what is parsed is a copy already.
 */
export const withoutSlices: <T>(value: T) => T = copied

function copied<T>(value: T): T
function copied(value: unknown): unknown {
  if (value instanceof Verbatim) return new Verbatim(copyOf(value.text))
  if (Array.isArray(value)) return value.map((each: unknown) => copied(each))
  if (!isPlain(value)) return value
  let copy: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    const each = value[name]
    const isCut = name === 'schema' && typeof each === 'string'
    const own = isCut ? copyOf(each) : copied(each)
    if (own === each && !isCut) continue
    // A member that is there is set, even one with the name of a prototype.
    copy ??= { ...value }
    copy[name] = own
  }
  return copy ?? value
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** `join` makes a new text; most other ways to put texts together leave V8 with references to the old ones. */
const copyOf = (text: string): string =>
  text.length < LEAST_CHARACTERS ? text : [text.slice(0, 1), text.slice(1)].join('')
