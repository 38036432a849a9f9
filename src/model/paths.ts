/** A place in a JSON value: names of members, and indexes of elements. */
export type Key = string | number

/** Places in the lists of a request, as the services write them: `messages.3.content.0`, `input[3].content`. */
const PATHS = /\b(?:messages|contents|input|system|tools)(?:\.\d+|\.?\[\d+\])(?:\.\w+|\.?\[\d+\])*/g

/** The places that a text names, each once. */
export const pathsIn = (text: string): string[] => [...new Set(text.match(PATHS))]

/** The text with other words for its places. */
export const withPaths = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(PATHS, (path) => names.get(path) ?? path)

export const readPath = (text: string): Key[] =>
  text
    .split(/[.[\]]+/)
    .filter((word) => word !== '')
    .map((word) => (/^\d+$/.test(word) ? Number(word) : word))

/** The place that a JSON pointer names (RFC 6901). */
export const keysIn = (pointer: string): Key[] =>
  pointer
    .split('/')
    .slice(1)
    .map((word) => word.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((word) => (/^\d+$/.test(word) ? Number(word) : word))

export const dotted = (path: readonly Key[]): string => path.join('.')

export const bracketed = (path: readonly Key[]): string =>
  path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at > 0 ? `.${key}` : key)).join('')
