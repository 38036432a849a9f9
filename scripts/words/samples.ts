import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { resolveName, type Declarations, type DeclaredMember, type Type } from './declarations.ts'

/** One word of a wire, with a body that says it and bodies that say less and less of what stands around it. */
export interface Sample {
  /** The member, or the literal. */
  readonly word: string
  readonly kind: 'member' | 'literal'
  /** The type that has it, and the member that may be this literal. */
  readonly where: string
  readonly path: string
  readonly body: Json
  /** Without it; without what holds it; and so on. */
  readonly without: readonly Json[]
}

/** What the types alone do not say. */
export interface Hints {
  /** Members of the SDK itself that go on no wire, and its names of models. */
  readonly omit: ReadonlySet<string>
  /** Members of the root that are not looked into. */
  readonly echo: ReadonlySet<string>
  /** What a member is where its value is checked, or has a meaning. */
  readonly values: ReadonlyMap<string, Json>
  /** What a type cannot do without, where its members are all optional. */
  readonly least: ReadonlyMap<string, JsonObject>
}

/** Where a value stands: how to make the whole body around it, and the bodies that lack it. */
interface Spot {
  readonly place: (value: Json) => Json
  readonly without: readonly Json[]
  readonly where: string
  readonly path: string
}

const MODEL = /^(?:claude|gpt|o\d|chatgpt|codex|gemini|computer-use-preview)/

/** Walks all types that can be reached from a root, each once, by the shortest way. */
export class Samples {
  readonly #found: Declarations
  readonly #hints: Hints
  readonly #seen = new Set<string>()
  readonly #said = new Set<string>()
  readonly #queue: { type: Type; spot: Spot }[] = []
  readonly #samples: Sample[] = []

  constructor(found: Declarations, hints: Hints) {
    this.#found = found
    this.#hints = hints
  }

  of(root: Type, frame: (body: JsonObject) => Json): Sample[] {
    const place = (value: Json): Json => frame(isObject(value) ? value : {})
    this.#queue.push({ type: root, spot: { place, without: [place({})], where: '', path: '' } })
    for (let next = this.#queue.shift(); next; next = this.#queue.shift())
      this.#visit(next.type, next.spot)
    return this.#samples
  }

  #visit(type: Type, spot: Spot): void {
    switch (type.kind) {
      case 'word':
        return this.#literal(type.value, spot)
      case 'list':
        return this.#visit(type.of, {
          ...spot,
          place: (value) => spot.place([value]),
          without: [spot.place([]), ...spot.without],
          path: `${spot.path}.*`,
        })
      case 'either':
        for (const one of type.of) this.#visit(one, spot)
        return undefined
      case 'named':
        return this.#named(type, spot)
      case 'object':
      case 'both':
        return this.#members(this.membersOf(type), spot)
      default:
        return undefined
    }
  }

  #named(type: Extract<Type, { kind: 'named' }>, spot: Spot): void {
    const name = resolveName(this.#found, type.name, type.scope)
    const target = name === undefined ? undefined : this.#found.get(name)
    if (!target || name === undefined || this.#hints.omit.has(name)) return
    const isData = target.kind === 'object' || target.kind === 'both'
    if (isData && this.#seen.has(name)) return
    if (isData) this.#seen.add(name)
    this.#queue.push({ type: target, spot: isData ? { ...spot, where: plain(name) } : spot })
  }

  #literal(value: string, spot: Spot): void {
    if (value === '' || MODEL.test(value)) return
    this.#add('literal', value, spot, value)
  }

  #members(members: readonly DeclaredMember[], spot: Spot): void {
    const least = { ...this.#least(members), ...this.#hints.least.get(spot.where) }
    for (const member of members) {
      const { name, type } = member
      if (this.#hints.omit.has(name) || name.startsWith('_')) continue
      if (spot.path === '' && this.#hints.echo.has(name)) continue
      const path = spot.path === '' ? name : `${spot.path}.${name}`
      const inner: Spot = {
        place: (value) => spot.place({ ...least, [name]: value }),
        without: [...lacking(spot, least, member), ...spot.without],
        where: `${spot.where}.${name}`,
        path,
      }
      const value = least[name] ?? this.valueOf(type, name)
      const outside: Spot = { ...inner, where: spot.where }
      // What tells types apart is said by its literal.
      const isMark = type.kind === 'word' && !member.optional
      if (!isMark) this.#add('member', name, this.#varied(member, value, outside), value)
      this.#visit(type, inner)
    }
  }

  /** What cannot be left out is another one instead. */
  #varied({ optional, type }: DeclaredMember, value: Json, spot: Spot): Spot {
    if (optional || mayBeNull(type) || typeof value === 'object') return spot
    const other = typeof value === 'number' ? value + 1 : 'other'
    return { ...spot, without: [spot.place(other), ...spot.without] }
  }

  #add(kind: Sample['kind'], word: string, spot: Spot, value: Json): void {
    const { where, path, without } = spot
    const key = `${kind} ${where} ${word}`
    if (this.#said.has(key)) return
    this.#said.add(key)
    this.#samples.push({ kind, word, where, path, body: spot.place(value), without })
  }

  membersOf(type: Type): readonly DeclaredMember[] {
    if (type.kind === 'object') return type.members
    if (type.kind === 'both') {
      const all = type.of.flatMap((one) => this.membersOf(one))
      return [...new Map(all.map((member) => [member.name, member])).values()]
    }
    if (type.kind !== 'named') return []
    const name = resolveName(this.#found, type.name, type.scope)
    const target = name === undefined ? undefined : this.#found.get(name)
    return target ? this.membersOf(target) : []
  }

  #least(members: readonly DeclaredMember[], depth = 0): JsonObject {
    const needed = members.filter(({ optional, name }) => !optional && !this.#hints.omit.has(name))
    return Object.fromEntries(
      needed.map(({ name, type }) => [
        name,
        mayBeNull(type) ? null : this.valueOf(type, name, depth + 1),
      ]),
    )
  }

  /** The least that a type may be. */
  valueOf(type: Type, name: string, depth = 0): Json {
    const known = this.#hints.values.get(name)
    if (known !== undefined && this.#fits(type, known)) return known
    switch (type.kind) {
      case 'word':
        return type.value
      case 'value':
        return name === 'null' ? null : (VALUES.get(type.name) ?? 'x')
      case 'list':
        return depth > 3 ? [] : [this.valueOf(type.of, name, depth + 1)]
      case 'either':
        return this.valueOf(type.of.find((one) => !isNull(one)) ?? NULL, name, depth)
      case 'named': {
        const target = resolveName(this.#found, type.name, type.scope)
        const found = target === undefined ? undefined : this.#found.get(target)
        if (!found || target === undefined || depth > 7) return 'x'
        const value = this.valueOf(found, name, depth + 1)
        return isObject(value) ? { ...value, ...this.#hints.least.get(plain(target)) } : value
      }
      case 'both':
        // `string & {}` is how a type says that any other string may come too.
        if (type.of.some(({ kind }) => kind === 'value')) return 'x'
        return this.#least(this.membersOf(type), depth)
      default:
        return this.#least(this.membersOf(type), depth)
    }
  }

  /** A hint is for members of one kind alone: `content` is a text here and a list of blocks there. */
  #fits(type: Type, value: Json): boolean {
    if (type.kind === 'value') return type.name === typeof value || type.name === 'unknown'
    if (type.kind === 'either') return type.of.some((one) => this.#fits(one, value))
    if (type.kind === 'list') return Array.isArray(value)
    if (type.kind === 'word') return false
    if (type.kind !== 'named') return isObject(value)
    const target = resolveName(this.#found, type.name, type.scope)
    const found = target === undefined ? undefined : this.#found.get(target)
    return found !== undefined && this.#fits(found, value)
  }
}

const VALUES = new Map<string, Json>([
  ['string', 'x'],
  ['number', 1],
  ['boolean', true],
  ['unknown', { x: 1 }],
  ['object', { x: 1 }],
  ['true', true],
  ['false', false],
])
const NULL: Type = { kind: 'value', name: 'null' }

const isNull = (type: Type): boolean =>
  type.kind === 'value' && ['null', 'undefined', 'any', 'unknown'].includes(type.name)

const mayBeNull = (type: Type): boolean =>
  type.kind === 'either' && type.of.some((one) => one.kind === 'value' && one.name === 'null')

/** What stands around a member without it, or with nothing in its place. */
function lacking(spot: Spot, least: JsonObject, { name, optional, type }: DeclaredMember): Json[] {
  if (optional) return [spot.place(without(least, name))]
  return mayBeNull(type) ? [spot.place({ ...least, [name]: null })] : []
}

const without = (members: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([key]) => key !== name))

/** The types of the beta members are those of the stable ones, and more. */
const plain = (name: string): string => name.replace(/\bBeta(?=[A-Z])/g, '')
