import { byteOffsets } from '../../json/bytes.ts'
import { isObject, listOf, parse, restored, type JsonObject } from '../../json/json.ts'
import { holdsLiterals } from '../../json/large-literals.ts'
import type { Structure } from '../../json/structure.ts'
import type { BodyRules } from '../../ports.ts'
import { readFresh, type NativeBytes } from './fresh-body.ts'
import { findStructure, type Gap, KnownBody, type Layout, type MemberPlace } from './known-body.ts'
import { RecalledBody, type BodyParts } from './recalled-body.ts'

/** Inside of a body a byte order mark is a fault. */
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What is new of a body as a body of its own, in which a digit stands for each part that is known. */
interface NewPart extends Structure {
  readonly text: string
  /** What is new stands between them. */
  readonly from: number
  readonly to: number
  readonly gap: Gap
  /** By how many bytes the body is longer than the known one. */
  readonly growth: number
}

/** How a body is read. */
interface Reading {
  readonly rules: BodyRules
  readonly native: NativeBytes | undefined
}

/**
 * A body that is a known one with something new in its gap. Undefined where it is anything else, or where that is not
 * certain: then it is read as if nothing was known.
 */
export function growBody(
  known: KnownBody,
  gap: Gap,
  bytes: Uint8Array,
  { native, rules }: Reading,
): RecalledBody | undefined {
  const growth = bytes.length - known.bytes.length
  const fresh = decoded(bytes.subarray(gap.from, gap.to + growth))
  if (fresh === undefined) return undefined
  const newPart = newPartOf(known.layout, gap, fresh)
  const found = findStructure(newPart.text, rules)
  if (!found || found.repeats || found.members.has('__proto__')) return undefined
  const nodes = known.nodes + found.nodes
  if (nodes > rules.limits.nodes) return undefined
  const whole = { ...newPart, ...found, gap, growth }
  const layout = layoutOf(known.layout, whole, fresh, rules.turns)
  const grown = new KnownBody(bytes, nodes, layout)
  return new RecalledBody(grown, rules, grownParts(known, whole, grown, { native, rules }))
}

/** Undefined for bytes that are no text, and where long data is to be left out of it. */
function decoded(fresh: Uint8Array): string | undefined {
  try {
    return holdsLiterals(fresh) ? undefined : STRICT.decode(fresh)
  } catch {
    return undefined
  }
}

function newPartOf({ places }: Layout, gap: Gap, fresh: string) {
  const { elements, isWithin, members, next } = gap
  const head = places.slice(0, members).map(blank)
  const open = elements === undefined ? undefined : places[members]
  if (open) head.push(`${JSON.stringify(open.name)}:[${elements === 0 ? '' : '0'}`)
  const before = `{${head.join(',')}`
  const tail = places.slice(next).map((place) => `,${blank(place)}`)
  const text = `${before}${fresh}${isWithin ? ']' : ''}${tail.join('')}}`
  return { text, from: before.length, to: before.length + fresh.length }
}

const blank = ({ name }: MemberPlace): string => `${JSON.stringify(name)}:0`

/** Where the parts of the whole body stand in its bytes. */
function layoutOf(
  known: Layout,
  { gap, growth, from, to, members, ends }: NewPart,
  fresh: string,
  turnsName: string,
): Layout {
  const isPlain = fresh.length === gap.to + growth - gap.from
  const offset = byteOffsets(fresh, isPlain, gap.from)
  const at = (place: number) => offset(place - from)
  const places = known.places.slice(0, gap.members)
  let turns = known.turns
  for (const [name, { start, end }] of members) {
    if (end <= from || start >= to) continue
    const open = start < from ? known.places[gap.members] : undefined
    const begin = open?.start ?? at(start)
    if (name === turnsName) {
      const before = open ? (known.turns?.ends.slice(0, gap.elements) ?? []) : []
      const added = ends.filter((place) => place > from).map(at)
      turns = { index: places.length, ends: [...before, ...added] }
    }
    places.push({ name, start: begin, end: end > to ? gap.to + growth + 1 : at(end) })
  }
  const moved = places.length - gap.next
  if (known.turns && known.turns.index >= gap.next)
    turns = {
      index: known.turns.index + moved,
      ends: known.turns.ends.map((place) => place + growth),
    }
  const behind = known.places.slice(gap.next)
  return { places: [...places, ...behind.map((place) => shifted(place, growth))], turns }
}

const shifted = ({ name, start, end }: MemberPlace, by: number): MemberPlace => ({
  name,
  start: start + by,
  end: end + by,
})

/** Of a body of which most is known only what is new is read. */
function grownParts(
  { value, absent }: KnownBody,
  newPart: NewPart,
  known: KnownBody,
  reading: Reading,
): BodyParts {
  /** What the known body spells; undefined where it was never parsed. */
  let before = value
  return {
    parsed() {
      known.value ??= before ? filled(newPart, before) : parsedWhole(known, reading)
      before = undefined
      return known.value
    },
    holds: (test, text) => !(absent.has(test) && !test(newPart.text)) && test(text()),
  }
}

function parsedWhole({ bytes }: KnownBody, { native, rules }: Reading): JsonObject {
  const fresh = native && readFresh(bytes, rules, native)
  const value = fresh?.parsed() ?? parse(STRICT.decode(bytes), rules.verbatim)
  if (isObject(value)) return value
  throw new SyntaxError('no object')
}

/** What is new, with what is known in its places. */
function filled({ text, kept, members, from, to, gap }: NewPart, before: JsonObject): JsonObject {
  const body = restored(JSON.parse(text), kept, text)
  if (!isObject(body)) throw new SyntaxError('no object')
  for (const [name, { start, end }] of members) {
    if (end <= from || start >= to) body[name] = before[name] ?? null
    else if (start < from && gap.elements !== undefined) {
      const old = listOf(before[name]).slice(0, gap.elements)
      body[name] = [...old, ...listOf(body[name]).slice(gap.elements > 0 ? 1 : 0)]
    }
  }
  return body
}
