import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { mutate, pathsOf, valueAt, type Path } from '../laws/mutate.ts'

/** A document with one of its places filled with as much as is asked for. */
export interface Place {
  name: string
  fill(size: number): Json
}

/** So that no text comes twice in one process: what is remembered by its text costs nothing again. */
let rounds = 0

/** Words of the protocols; another one in their place would change what an element is. */
const FIXED =
  /^(?:type|role|status|kind|mode|format|mime_?type|media_?type|language|outcome|category|threshold|object|phase|behavior|model|detail|effort|syntax|action|environment|ttl|version|event|finish_?reason|stop_?reason|method)$/i
const BINARY = /^(?:data|signature|encrypted_content|thoughtsignature|result|image_url|file_data)$/i
const NUMBERED = /^(?:index|output_index|content_index|summary_index)$/

/** The same element, and another one. */
export function variant(value: Json, mark: string, number: number, key = ''): Json {
  if (typeof value === 'string') {
    if (FIXED.test(key) || value === '') return value
    return BINARY.test(key) ? value : `${value}${mark}`
  }
  if (typeof value === 'number') return NUMBERED.test(key) ? number : value
  if (Array.isArray(value)) return value.map((item) => variant(item, mark, number, key))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      NAMED.test(key) ? `${name}${mark}` : name,
      variant(item, mark, number, NAMED.test(key) ? '' : name),
    ]),
  )
}

/** Objects whose members are named by their author. */
const NAMED = /^(?:properties|\$defs|definitions|patternProperties|metadata|labels|variables)$/

const range = (size: number) => Array.from({ length: size }, (_, index) => index)

function filledList(list: Json[], size: number, key: string): Json[] {
  const round = (rounds += 1)
  const elements = list.length > 0 ? list : ['x']
  return range(Math.ceil(size / elements.length)).flatMap((index) =>
    elements.map((element) => variant(element, `_${round}_${index}`, index, key)),
  )
}

/** A list with one of its elements many times, each another one. */
function filledRun(list: Json[], at: number, element: Json, size: number): Json[] {
  const round = (rounds += 1)
  const run = range(size).map((index) => variant(element, `_${round}_${index}`, index))
  return list.toSpliced(at, 1, ...run)
}

/** What else is to be there for an element to be what it is. */
const KEPT = /(?:^|_)(?:id|name)$|Id$/

/** The same element, which says nothing: a thought without words, a call without arguments. */
function bare(value: Json, key = ''): Json {
  if (Array.isArray(value)) return []
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, bare(item, name)]))
  const isWord = typeof value === 'string' && ![FIXED, BINARY, KEPT].some((one) => one.test(key))
  return isWord ? '' : value
}

function filledObject(members: JsonObject, size: number): JsonObject {
  const round = (rounds += 1)
  const [first = 1] = Object.values(members)
  const added = range(size).map((index) => [
    `member_${round}_${index}`,
    variant(first, `_${round}_${index}`, index),
  ])
  return { ...members, ...Object.fromEntries(added) }
}

/** What patterns and scanners stumble over, each as long as the others. */
const RUNS = [
  ' ',
  '"',
  '\\',
  '\n',
  'a',
  '7',
  '/',
  '{',
  '[',
  '<',
  '.',
  '_',
  'é',
  '\ud83d\ude00',
  '&',
  '%',
]
const CHARACTERS_PER_ELEMENT = 60

function filledText(text: string, size: number, key: string): string {
  const round = (rounds += 1)
  if (BINARY.test(key)) return `${text.replaceAll('=', '')}${'AQID'.repeat(size * 15)}`
  const length = Math.ceil((size * CHARACTERS_PER_ELEMENT) / RUNS.length)
  return `${text}${round}${RUNS.map((run) => run.repeat(length)).join('')}`
}

/** Every array, object and string of a document. Places of the same kind come once. */
export function findPlaces(body: Json): Place[] {
  const places = new Map<string, Place>()
  for (const path of pathsOf(body)) {
    const value = valueAt(body, path)
    const key = String(path.findLast((one) => typeof one === 'string') ?? '')
    const name = nameOf(body, path)
    const add = (kind: string, fill: (size: number) => Json) => {
      const full = `${name} (${kind})`
      if (!places.has(full))
        places.set(full, { name: full, fill: (size) => mutate(body, path, fill(size)) })
    }
    if (Array.isArray(value)) {
      add('list', (size) => filledList(value, size, key))
      for (const [at, element] of value.entries()) {
        if (!isObject(element)) continue
        add(`run of ${kindOf(element)}`, (size) => filledRun(value, at, element, size))
        add(`run of bare ${kindOf(element)}`, (size) => filledRun(value, at, bare(element), size))
      }
    } else if (isObject(value)) add('members', (size) => filledObject(value, size))
    else if (typeof value === 'string') add('text', (size) => filledText(value, size, key))
  }
  return [...places.values(), ...findTwins(body)]
}

/** `messages.*user.content.*tool_result.content`: a place in a list goes by what stands there. */
function nameOf(body: Json, path: Path): string {
  const parts = path.map((key, index) => {
    if (typeof key === 'string') return key
    const element = valueAt(body, path.slice(0, index + 1))
    return `*${isObject(element) ? kindOf(element) : ''}`
  })
  return parts.join('.') || 'all'
}

function kindOf(element: JsonObject): string {
  const kind = element['type'] ?? element['role'] ?? Object.keys(element)[0] ?? ''
  return typeof kind === 'string' ? kind : ''
}

/** Two lists that speak of the same: calls and their results, properties and which of them are required. */
function findTwins(body: Json): Place[] {
  const lists = pathsOf(body).flatMap((path) => {
    const value = valueAt(body, path)
    const key = String(path.findLast((one) => typeof one === 'string') ?? '')
    if (!Array.isArray(value) && !(isObject(value) && NAMED.test(key))) return []
    return [{ path, key, value, texts: new Set(textsIn(value)) }]
  })
  return lists.flatMap((one, index) =>
    lists.slice(index + 1).flatMap((other): Place[] => {
      if (
        distance(one.path, other.path) > MOST_STEPS ||
        isInside(one.path, other.path) ||
        ![...one.texts].some((text) => other.texts.has(text))
      )
        return []
      const name = `${nameOf(body, one.path)} and ${nameOf(body, other.path)} (lists)`
      const fill = (size: number) => {
        const round = (rounds += 1)
        const grown = (list: Json[] | JsonObject, key: string): Json =>
          Array.isArray(list) ? numbered(list, size, key, round) : named(list, size, round)
        return mutate(
          mutate(body, one.path, grown(one.value, one.key)),
          other.path,
          grown(other.value, other.key),
        )
      }
      return [{ name, fill }]
    }),
  )
}

const numbered = (list: Json[], size: number, key: string, round: number): Json[] =>
  range(Math.ceil(size / Math.max(list.length, 1))).flatMap((index) =>
    list.map((element) => variant(element, `_${round}_${index}`, index, key)),
  )

const named = (members: JsonObject, size: number, round: number): JsonObject =>
  Object.fromEntries(
    range(Math.ceil(size / Math.max(Object.keys(members).length, 1))).flatMap((index) =>
      Object.entries(members).map(([name, value]) => [
        `${name}_${round}_${index}`,
        variant(value, `_${round}_${index}`, index),
      ]),
    ),
  )

/** How far two lists may stand apart that speak of the same. */
const MOST_STEPS = 5

function distance(one: Path, other: Path): number {
  const at = one.findIndex((key, index) => other[index] !== key)
  return one.length + other.length - 2 * (at < 0 ? one.length : at)
}

const isInside = (outer: Path, inner: Path): boolean => outer.every((key, at) => inner[at] === key)

function textsIn(value: Json, key = ''): string[] {
  if (typeof value === 'string') return FIXED.test(key) || value.length < 2 ? [] : [value]
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, key))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) => [
    ...(NAMED.test(key) ? [name] : []),
    ...textsIn(item, NAMED.test(key) ? '' : name),
  ])
}
