import type { Wire } from './script.ts'

/** What a real upstream would refuse with 400; a test fails with its text. */
export class RefusedError extends Error {}

export function refuse(path: string, what: string): never {
  throw new RefusedError(`${path}: ${what}`)
}

/** The object at `path`, which may have these members and no others. */
export function object(value: unknown, path: string, members: readonly string[]): Wire {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(path, 'is no object')
  for (const [key, member] of Object.entries(value)) {
    if (!members.includes(key)) refuse(`${path}.${key}`, 'extra inputs are not permitted')
    if (member === null && !NULLABLE.has(key)) refuse(`${path}.${key}`, 'must not be null')
  }
  return value as Wire
}
const NULLABLE = new Set(['parameters', 'strict', 'citations', 'encrypted_content'])

export function array(value: unknown, path: string): unknown[] {
  return Array.isArray(value) ? value : refuse(path, 'is no array')
}

export function string(value: unknown, path: string): string {
  return typeof value === 'string' ? value : refuse(path, 'is no string')
}

export function filled(value: unknown, path: string): string {
  const text = string(value, path)
  return text.trim() === '' ? refuse(path, 'must not be empty') : text
}

/** White space will do. */
export function present(value: unknown, path: string): string {
  const text = string(value, path)
  return text === '' ? refuse(path, 'must not be empty') : text
}

export function matching(value: unknown, path: string, pattern: RegExp): string {
  const text = string(value, path)
  return pattern.test(text) ? text : refuse(path, `does not match ${String(pattern)}`)
}

export function oneOf<T extends string>(value: unknown, path: string, known: readonly T[]): T {
  return known.find((name) => name === value) ?? refuse(path, `is none of ${known.join(', ')}`)
}

export function number(value: unknown, path: string, least: number, most: number): number {
  if (typeof value !== 'number' || value < least || value > most)
    refuse(path, `is no number from ${least} to ${most}`)
  return value
}

export const optional = <T>(
  value: unknown,
  read: (value: unknown, path: string) => T,
  path: string,
): T | undefined => (value === undefined ? undefined : read(value, path))

export const schema = (value: unknown, path: string): Wire =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Wire)
    : refuse(path, 'is no schema')

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
export const base64 = (value: unknown, path: string): string => {
  const text = matching(value, path, BASE64)
  return text.length % 4 === 0 ? text : refuse(path, 'is no base64')
}

/** Every call has exactly one result later on, and every result one call before. */
export class Pairing {
  #open = new Map<string, string>()
  #names = new Map<string, string>()
  call(id: string, name: string, path: string): void {
    if (this.#names.has(id)) refuse(path, `the id ${id} is used twice`)
    this.#names.set(id, name)
    this.#open.set(id, name)
  }
  result(id: string, path: string): string {
    const name = this.#open.get(id)
    if (name === undefined) refuse(path, `no open call has the id ${id}`)
    this.#open.delete(id)
    return name
  }
  settled(path: string): void {
    const [id] = this.#open.keys()
    if (id !== undefined) refuse(path, `the call ${id} has no result`)
  }
}
