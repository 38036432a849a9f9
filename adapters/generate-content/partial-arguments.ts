import { objectsOf, type Json, type JsonObject } from '../../src/json/json.ts'

/**
 * Arguments that come in pieces, when a caller asked for that: each piece names its place by a JSON path,
 * and a string may go on in the next one.
 */
export interface PartialArguments {
  take(pieces: Json | undefined): void
  value(): JsonObject
}

export function partialArguments(): PartialArguments {
  const root: Container = new Map()
  return {
    take(pieces) {
      for (const piece of objectsOf(pieces)) put(root, piece)
    },
    value: () => toObject(root),
  }
}

/** Objects and lists alike: a list is a container whose keys are all numbers. */
type Container = Map<string | number, Container | Json>

const MAX_DEPTH = 100
const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g

function put(root: Container, piece: JsonObject): void {
  const path = piece['jsonPath']
  if (typeof path !== 'string') return
  const steps = [...path.matchAll(STEP)].map(([, name, index, single, double]) =>
    index === undefined ? (name ?? single ?? double ?? '') : Number(index),
  )
  const last = steps.pop()
  if (last === undefined || steps.length > MAX_DEPTH) return
  let place = root
  for (const step of steps) {
    const next = place.get(step)
    const inner: Container = next instanceof Map ? next : new Map()
    place.set(step, inner)
    place = inner
  }
  const value = readValue(piece)
  const before = place.get(last)
  const goesOn = typeof before === 'string' && typeof value === 'string'
  if (value !== undefined) place.set(last, goesOn ? before + value : value)
}

function readValue(piece: JsonObject): Json | undefined {
  if ('nullValue' in piece) return null
  return piece['stringValue'] ?? piece['numberValue'] ?? piece['boolValue']
}

function toObject(container: Container): JsonObject {
  return Object.fromEntries([...container].map(([key, value]) => [String(key), toJson(value)]))
}

function toJson(value: Container | Json): Json {
  if (!(value instanceof Map)) return value
  const keys = [...value.keys()]
  if (keys.length === 0 || keys.some((key) => typeof key !== 'number')) return toObject(value)
  return [...value].toSorted(([a], [b]) => Number(a) - Number(b)).map(([, item]) => toJson(item))
}
