/** What is said of a member: for editors by the JSON Schema, for readers by docs/configuration.md. */
export interface Word {
  means: string
  /** What it is where it is left out. */
  usual?: string
  example?: unknown
  /** What is said of its own members, or of those of its entries. */
  within?: Readonly<Record<string, Word>>
}

/** What has to be said of a value: of each of its members, or an example of one that has none. */
type WordOf<T> = Omit<Word, 'example' | 'within'> &
  ([Inside<T>] extends [never] ? { example: T } : { example?: T; within: Words<Inside<T>> })

/** The objects in a value, which may be one of several kinds, and in its entries. */
type Inside<T> = T extends readonly (infer Entry)[]
  ? Inside<Entry>
  : T extends object
    ? string extends keyof T
      ? Inside<T[keyof T]>
      : T
    : never

/** Words for all members of a part of the configuration; without one of them it does not compile. */
export type Words<T> = { readonly [Name in keyof T]-?: WordOf<Exclude<T[Name], undefined>> }

const KIB = 1024
export const SECOND_MS = 1000
const SIZES = ['bytes', 'KiB', 'MiB', 'GiB']

export function size(bytes: number): string {
  const steps = Math.floor(Math.log(bytes) / Math.log(KIB))
  return `${bytes / KIB ** steps} ${SIZES[steps]}`
}

export function time(ms: number): string {
  const seconds = ms / SECOND_MS
  return seconds >= 600 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

export const count = (number: number): string => number.toLocaleString('en')

export type Unit = (value: number) => string

/** A default, and that of Workers where it is another one. */
export const both = (unit: Unit, here: number, there: number): string =>
  here === there ? unit(here) : `${unit(here)}; on Workers ${unit(there)}`
