import type { Lookup } from '../../adapters/adapter.ts'

const VALUE = /^[\x20-\x7e]{1,1024}$/

/** Of many headers those that are named, where their value is one that can be sent. */
export function picked(headers: Lookup, names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name): [string, string][] => {
    const value = headers.get(name)
    return value !== null && VALUE.test(value) ? [[name, value]] : []
  })
  return Object.fromEntries(entries)
}
