/** What is said of a member: for editors by the JSON Schema, for readers by docs/configuration.md. */
export interface Word {
  means: string
  /** What it is where it is left out. */
  usual?: string
  example?: unknown
}

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
