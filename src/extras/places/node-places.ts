import { isObject, listOf, objectIn, parse, stringify, type Json } from '../../json/json.ts'
import { flatName } from '../../rules/names.ts'
import type { Key } from '../../model/paths.ts'
import { isAmong, keyOf } from '../../rules/late-tools.ts'
import type { Block, Request } from '../../model/request.ts'
import type { PlaceFinder, Places, Translation } from '../../ports.ts'

/**
 * Finds places by trial. A node came from the part of the caller's body without which it is missing or different;
 * it went to the part of the upstream's body that changes with it. So the dialects need not record places while
 * they translate.
 */
export function placeFinder(body: Json, translation: Translation): PlaceFinder {
  const tries = new Tries(body, translation)
  const { request } = tries
  const find = (path: string): Places => {
    if (!request) return {}
    const target = targetOf(request, path)
    const field = target && tries.came(target)
    const sentAt = target && tries.went(target)
    return { ...(field !== undefined && { field }), ...(sentAt !== undefined && { sentAt }) }
  }
  return { request, find }
}

type Path = readonly Key[]

/** A canonical place: its list (`turns`, `system`, `tools`), its index, and the members below it. */
interface Target {
  list?: 'turns' | 'system' | 'tools'
  index: number
  block?: number
  rest: readonly string[]
}

/** What losses call members of nodes by other names. */
const NAMES: Readonly<Record<string, string>> = {
  seal: 'proof',
  compaction: 'compact',
  threshold: 'above',
}
const nameOf = (word: string): string => (Object.hasOwn(NAMES, word) ? NAMES[word] : word) ?? word

function targetOf(request: Request, path: string): Target | undefined {
  const [head = '', second = '', ...others] = path.split('.')
  if (head === 'reply' || head === '') return undefined
  if (head === 'cache') return cachedTarget(request)
  if (head === 'tools' && (second === 'late' || second === 'deferred'))
    return changeTarget(request, second)
  if (head === 'tools') return toolTarget(request, path.slice('tools.'.length))
  const index = /^\d+$/.test(second) ? Number(second) : undefined
  if (head === 'system') return { list: 'system', index: index ?? 0, rest: others }
  if (head !== 'turns') return { index: 0, rest: path.split('.') }
  if (index === undefined || !request.turns[index]) return undefined
  const [word, block, ...rest] = others
  const isBlock = word === 'blocks' && /^\d+$/.test(block ?? '')
  return isBlock
    ? { list: 'turns', index, block: Number(block), rest }
    : { list: 'turns', index, rest: others }
}

/** The first cache mark, as the place for all of them. */
function cachedTarget({ turns, system, tools }: Request): Target | undefined {
  const rest = ['cache']
  const inTools = tools.findIndex((tool) => 'cache' in tool)
  if (inTools >= 0) return { list: 'tools', index: inTools, rest }
  const inSystem = system.findIndex((block) => 'cache' in block)
  if (inSystem >= 0) return { list: 'system', index: inSystem, rest }
  for (const [index, { blocks }] of turns.entries()) {
    const block = blocks.findIndex((each) => 'cache' in each)
    if (block >= 0) return { list: 'turns', index, block, rest }
  }
  return undefined
}

/** The first tool that comes later, where the conversation brings it; else where it is declared. */
function changeTarget({ tools, turns }: Request, word: 'late' | 'deferred'): Target | undefined {
  const declared = tools.findIndex((tool) => tool[word])
  const tool = tools[declared]
  if (!tool) return undefined
  const isBrought = isAmong([tool])
  const brings = (each: Block): boolean =>
    each.kind === 'tool-change'
      ? each.tools.some(isBrought)
      : each.kind === 'tool-result' && each.content.some(brings)
  for (const [index, { blocks }] of turns.entries()) {
    const block = blocks.findIndex(brings)
    if (block >= 0) return { list: 'turns', index, block, rest: [] }
  }
  return { list: 'tools', index: declared, rest: [word] }
}

/** Finds a tool by its name, which may have dots, or by its capability. */
function toolTarget({ tools }: Request, words: string): Target | undefined {
  const named = tools.map((tool, index) => {
    const names = [
      ...('name' in tool ? [tool.name] : []),
      flatName(keyOf(tool)),
      ...('capability' in tool ? [tool.capability] : []),
      String(index),
    ]
    const name = names.find((each) => words === each || words.startsWith(`${each}.`))
    return { index, name }
  })
  const found = named.find(({ name }) => name !== undefined)
  if (found?.name === undefined) return undefined
  const rest = words.slice(found.name.length + 1)
  return { list: 'tools', index: found.index, rest: rest === '' ? [] : rest.split('.') }
}

class Tries {
  readonly request: Request | undefined
  readonly #body: Json
  readonly #translation: Translation
  #sent: Json | undefined

  constructor(body: Json, translation: Translation) {
    this.#body = body
    this.#translation = translation
    this.request = this.#read(body)
  }

  /** The place in the caller's body; undefined where it does not hold the node. */
  came(target: Target): string | undefined {
    if (!isObject(this.#body)) return undefined
    if (!target.list) return this.#option(target.rest)
    const members = this.#listMembers(target)
    const held = members.find((member) => !this.#isThereWithout(member, target)) ?? members[0]
    if (held === undefined) return undefined
    const isList = Array.isArray(this.#body[held])
    const path = isList ? this.#element([held], target) : [held]
    return path && pointer(this.#within(path, target))
  }

  #isThereWithout(member: string, target: Target): boolean {
    const request = this.#read(changedAt(this.#body, [member], []))
    return request !== undefined && isThere(request, target)
  }

  /** The place in the upstream's body; undefined where the node is not sent. */
  went(target: Target): string | undefined {
    const { request } = this
    if (!request) return undefined
    const sent = (this.#sent ??= this.#write(request))
    const changed = without(request, target)
    const other = changed && this.#write(changed)
    if (sent === undefined) return undefined
    // A request without a required member cannot be written, so the place is the whole node.
    if (other === undefined)
      return target.rest.length > 0 ? this.went({ ...target, rest: [] }) : undefined
    const path = firstDifference(sent, other)
    return path && pointer(path)
  }

  /** The members of the body that may hold the list, the likeliest first: without an element of them it differs. */
  #listMembers(target: Target): string[] {
    const known = JSON.stringify(listIn(this.request, target))
    const body = objectIn(this.#body)
    const weigh = (tried: readonly string[]): number => {
      // Instructions begin a list of turns, and what ends it may be no turn.
      const weights = [1, 0].map((from) => {
        const less = exchanged(body, tried, (value) => withoutOne(value, from))
        const request = this.#read(less)
        if (request) return JSON.stringify(listIn(request, target)) === known ? 0 : 2
        return tried.length > 1 || tried.some((name) => listOf(body[name]).length > 0) ? 1 : 0
      })
      return Math.max(...weights)
    }
    return mattering(Object.keys(body), (tried) => weigh(tried) === 0)
      .map((name) => ({ name, weight: weigh([name]) }))
      .toSorted((one, other) => other.weight - one.weight)
      .map(({ name }) => name)
  }

  /**
   * The element, and the part of it, that brings the node into being: found as the shortest beginning of a list that
   * has the node.
   */
  #element(path: Path, target: Target): Path | undefined {
    const list = listOf(nodeAt(this.#body, path))
    const has = (length: number): boolean => {
      const request = this.#read(changedAt(this.#body, path, list.slice(0, length)))
      return request !== undefined && isThere(request, target)
    }
    if (!has(list.length)) return undefined
    const length = shortest(list.length, has)
    const here = [...path, length - 1]
    const cut = changedAt(this.#body, path, list.slice(0, length))
    return this.#part(cut, here, target)
  }

  #part(body: Json, path: Path, target: Target): Path {
    const node = objectIn(nodeAt(body, path))
    const has = (changed: Json): boolean => {
      const request = this.#read(changedAt(body, path, changed))
      return request !== undefined && isThere(request, target)
    }
    const lists = Object.keys(node).filter((name) => listOf(node[name]).some(isObject))
    const [name] = mattering(lists, (tried) => has(exchanged(node, tried, () => [])), 1)
    if (name === undefined) return path
    const list = listOf(node[name])
    const length = shortest(list.length, (most) => has({ ...node, [name]: list.slice(0, most) }))
    return [...path, name, length - 1]
  }

  /** Finds the member without which the canonical value is different. */
  #within(path: Path, target: Target): Path {
    const { rest } = target
    if (rest.length === 0 || !this.request) return path
    const value = valueOf(this.request, target)
    const found = this.#narrowed(
      path,
      (request) => isThere(request, target) && valueOf(request, target) !== value,
    )
    if (value !== undefined && found.length > path.length) return found
    return [...path, ...literal(nodeAt(this.#body, path), rest)]
  }

  #option(rest: readonly string[]): string | undefined {
    if (!this.request) return undefined
    const target = { index: 0, rest }
    const value = valueOf(this.request, target)
    if (value === undefined) {
      const path = literal(this.#body, rest)
      return path.length > 0 ? pointer(path) : undefined
    }
    const path = this.#narrowed([], (request) => valueOf(request, target) !== value)
    return path.length > 0 ? pointer(path) : undefined
  }

  /** The deepest member whose absence makes a difference. */
  #narrowed(path: Path, isChanged: (request: Request) => boolean): Path {
    const here = nodeAt(this.#body, path)
    if (!isObject(here) && !Array.isArray(here)) return path
    const isSame = (tried: readonly string[]): boolean => {
      const request = this.#read(changedAt(this.#body, path, exchanged(here, tried)))
      // What cannot be left out is not what is sought.
      return request ? !isChanged(request) : tried.length === 1
    }
    const names = mattering(Object.keys(here), isSame, 2)
    const [only, ...others] = names
    if (only === undefined || others.length > 0) return only && path.length === 0 ? [only] : path
    return this.#narrowed([...path, only], isChanged)
  }

  #read(body: Json): Request | undefined {
    try {
      return this.#translation.read(body)
    } catch {
      return undefined
    }
  }

  #write(request: Request): Json | undefined {
    try {
      return parse(stringify(this.#translation.write(request)))
    } catch {
      return undefined
    }
  }
}

/** A list without its first element, or without its last one; nothing of an empty list, or of another value. */
const withoutOne = (value: Json, from: number): Json | undefined =>
  listOf(value).length > 0 ? listOf(value).slice(from, from - 1 || undefined) : undefined

/**
 * The names without which something is not the same, at most so many. Many are left out at once, and half of them
 * where that is seen: of thousands of members a few matter.
 */
function mattering(
  names: readonly string[],
  isSame: (names: readonly string[]) => boolean,
  most = Infinity,
): string[] {
  if (names.length === 0 || most <= 0 || isSame(names)) return []
  if (names.length === 1) return [...names]
  const half = names.length >> 1
  const found = mattering(names.slice(0, half), isSame, most)
  return [...found, ...mattering(names.slice(half), isSame, most - found.length)]
}

/** A node without these members or elements, or with something else in place of such members. */
function exchanged(
  node: Json,
  names: readonly string[],
  change: (value: Json) => Json | undefined = () => undefined,
): Json {
  const left = new Set(names)
  if (Array.isArray(node)) return node.filter((_, at) => !left.has(`${at}`))
  const entries = Object.entries(objectIn(node)).flatMap(([name, value]) => {
    const changed = left.has(name) ? change(value) : value
    return changed === undefined ? [] : [[name, changed]]
  })
  return Object.fromEntries(entries)
}

const listIn = (request: Request | undefined, { list = 'turns' }: Target): unknown =>
  request?.[list]

function isThere(request: Request, { list, index, block }: Target): boolean {
  if (!list) return true
  if (list !== 'turns') return request[list].length > index
  const turn = request.turns[index]
  return turn !== undefined && (block === undefined || turn.blocks.length > block)
}

/** The value of a place, as text to compare. */
function valueOf(request: Request, { list, index, block, rest }: Target): string | undefined {
  const node = list ? request[list][index] : request
  const within = block !== undefined && node && 'blocks' in node ? node.blocks[block] : node
  const value = memberIn(within, rest)
  return value === undefined ? undefined : JSON.stringify(value)
}

/** A member of a node, also one that only its own dialect knows: that may go by its whole path. */
function memberIn(node: unknown, words: readonly string[]): unknown {
  const [word, ...rest] = words
  if (word === undefined) return node
  if (typeof node !== 'object' || node === null) return undefined
  const name = nameOf(word)
  if (Object.hasOwn(node, name)) return memberIn(Reflect.get(node, name), rest)
  const whole = words.join('.')
  const left = Object.values(('ext' in node && node.ext) || {}).find(
    (kept) => Object.hasOwn(kept, whole) || Object.hasOwn(kept, word),
  )
  return left && (Object.hasOwn(left, whole) ? left[whole] : memberIn(left, words))
}

/** The request without the target; undefined where it cannot be taken out. */
function without(request: Request, target: Target): Request | undefined {
  const { list, index, block, rest } = target
  if (!list) return withoutMember(request, rest)
  if (list === 'system') return { ...request, system: replaced(request.system, index, rest) }
  if (list === 'tools') return { ...request, tools: replaced(request.tools, index, rest) }
  const turn = request.turns[index]
  if (!turn) return undefined
  const changed =
    block === undefined
      ? rest.length > 0
        ? withoutMember(turn, rest)
        : undefined
      : { ...turn, blocks: replaced(turn.blocks, block, rest) }
  const turns = request.turns.flatMap((each, at) => (at === index ? (changed ?? []) : [each]))
  return { ...request, turns }
}

/** Takes out one element, or a member of it. */
const replaced = <Node extends object>(
  list: readonly Node[],
  index: number,
  rest: readonly string[],
): Node[] =>
  list.flatMap((each, at) => {
    if (at !== index) return [each]
    return rest.length === 0 ? [] : [withoutMember(each, rest)]
  })

function withoutMember<Node extends object>(
  node: Node,
  [word = '', ...rest]: readonly string[],
): Node {
  const name = nameOf(word)
  const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key !== name) return [[key, value]]
    const isDeeper = rest.length > 0 && typeof value === 'object' && value !== null
    return isDeeper && !Array.isArray(value) ? [[key, withoutMember(value, rest)]] : []
  })
  // The node has its members as before, but for an optional one.
  return Object.fromEntries(entries) as Node
}

/** The longest chain of words that are names of nested members. */
function literal(value: Json | undefined, words: readonly string[]): Key[] {
  const [word, ...rest] = words
  if (word === undefined) return []
  if (Array.isArray(value) && /^\d+$/.test(word) && value[Number(word)] !== undefined)
    return [Number(word), ...literal(value[Number(word)], rest)]
  if (!isObject(value) || !Object.hasOwn(value, word)) return []
  return [word, ...literal(value[word], rest)]
}

/** The length of the shortest beginning of a list that has what all of it has. */
export function shortest(length: number, has: (length: number) => boolean): number {
  let [low, high] = [0, length]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (has(middle)) high = middle
    else low = middle
  }
  return high
}

export function nodeAt(value: Json | undefined, path: Path): Json | undefined {
  let here = value
  for (const key of path) {
    if (Array.isArray(here)) here = here[Number(key)]
    else here = isObject(here) && Object.hasOwn(here, key) ? here[String(key)] : undefined
  }
  return here
}

/** A copy with another value at one path; undefined takes the member out. */
export function changedAt(value: Json, [key, ...rest]: Path, to: Json | undefined): Json {
  if (key === undefined) return to ?? null
  if (Array.isArray(value))
    return value.map((each, at) => (at === Number(key) ? changedAt(each, rest, to) : each))
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, each]): [string, Json][] => {
    if (name !== String(key)) return [[name, each]]
    if (rest.length === 0 && to === undefined) return []
    return [[name, changedAt(each, rest, to)]]
  })
  return Object.fromEntries(entries)
}

/** The deepest path at which `other` differs from `one`; undefined where both are equal. */
function firstDifference(one: Json, other: Json | undefined): Path | undefined {
  if (JSON.stringify(one) === JSON.stringify(other)) return undefined
  if (Array.isArray(one) && Array.isArray(other)) {
    const at = one.findIndex((each, index) => JSON.stringify(each) !== JSON.stringify(other[index]))
    if (at < 0) return []
    // For lists of different lengths, the first difference is the element that the other one lacks.
    if (one.length !== other.length) return [at]
    return [at, ...(firstDifference(one[at] ?? null, other[at]) ?? [])]
  }
  if (isObject(one) && isObject(other)) {
    const names = Object.keys(one).filter(
      (name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]),
    )
    const [name] = names
    if (name === undefined || names.length > 3) return []
    return [name, ...(firstDifference(one[name] ?? null, other[name]) ?? [])]
  }
  return []
}

export const pointer = (path: Path): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
