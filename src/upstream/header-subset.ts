import type { Lookup } from '../model/lookup.ts'

/** Picks the named values that match the pattern. */
export const pickNamed = (
  values: Lookup,
  names: readonly string[],
  looks: RegExp,
): [name: string, value: string][] =>
  names.flatMap((name): [string, string][] => {
    const value = values.get(name)
    return value !== null && looks.test(value) ? [[name, value]] : []
  })

const HEADER_VALUE = /^[\x20-\x7e]{1,1024}$/

/** The value of a header where it can be sent on. */
export const sendable = (value: string | null): string | null =>
  value !== null && HEADER_VALUE.test(value) ? value : null

/** Headers that can be sent on. */
export const pickHeaders = (headers: Lookup, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(pickNamed(headers, names, HEADER_VALUE))
