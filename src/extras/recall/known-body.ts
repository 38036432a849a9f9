import { byteOffsets, utf8Text } from '../../json/bytes.ts'
import type { JsonObject } from '../../json/json.ts'
import type { TextTest } from '../../json/scanned-body.ts'
import { scanStructure, StructureError, type Structure } from '../../json/structure.ts'
import type { Slice } from '../../json/tokens.ts'
import type { BodyRules } from '../../ports.ts'

/** Undefined for a text that is no JSON object within the limits. */
export function findStructure(
  text: string,
  { limits, verbatim, turns }: BodyRules,
): Structure | undefined {
  try {
    return scanStructure(text, limits, verbatim, turns)
  } catch (error) {
    if (error instanceof StructureError) return undefined
    throw error
  }
}

/** A member of the top level, and where its value stands in the bytes. */
export interface MemberPlace extends Slice {
  readonly name: string
}

/** Where the parts of a body stand in its bytes. */
export interface Layout {
  readonly places: readonly MemberPlace[]
  /** The number of the member whose list grows, and where its elements end. */
  readonly turns: { readonly index: number; readonly ends: readonly number[] } | undefined
}

/** Where the parts of a body stand in its text. */
interface TextLayout {
  readonly structure: Structure
  readonly turnsName: string
}

/** A body that may come again, with something new in it. */
export class KnownBody {
  readonly bytes: Uint8Array
  /** At least as many values as the body holds. */
  readonly nodes: number
  /** What it spells, once that is known. */
  value: JsonObject | undefined
  /** Tests that found nothing in it, and so would find nothing in a part of it. */
  readonly absent = new Set<TextTest>()
  #layout: Layout | TextLayout

  constructor(bytes: Uint8Array, nodes: number, layout: Layout | TextLayout) {
    this.bytes = bytes
    this.nodes = nodes
    this.#layout = layout
  }

  /** Made when first asked: counting the bytes of a text takes long, and a body may never come again. */
  get layout(): Layout {
    if ('structure' in this.#layout)
      this.#layout = laidOut(this.#layout, utf8Text(this.bytes), this.bytes.length)
    return this.#layout
  }

  /** How many turns it has. */
  get turns(): number {
    const ends =
      'structure' in this.#layout ? this.#layout.structure.ends : this.#layout.turns?.ends
    return ends?.length ?? 0
  }

  get isLaidOut(): boolean {
    return !('structure' in this.#layout)
  }
}

function laidOut({ structure, turnsName }: TextLayout, text: string, length: number): Layout {
  const { ends, members } = structure
  const at = byteOffsets(text, length === text.length)
  const places: MemberPlace[] = []
  let turns: Layout['turns']
  for (const [name, { start, end }] of members) {
    const from = at(start)
    if (name === turnsName) turns = { index: places.length, ends: ends.map(at) }
    places.push({ name, start: from, end: at(end) })
  }
  return { places, turns }
}

const BYTE_ORDER_MARK = 0xef

/** Undefined for a body that is too unusual to be worth it. */
export function learnBody(
  bytes: Uint8Array,
  text: string,
  structure: Structure,
  turnsName: string,
): KnownBody | undefined {
  const { members, nodes, repeats } = structure
  // A byte order mark is no part of the text.
  if (repeats || members.has('__proto__') || bytes[0] === BYTE_ORDER_MARK) return undefined
  const known = { structure, turnsName }
  const isPlain = bytes.length === text.length
  return new KnownBody(bytes, nodes, isPlain ? laidOut(known, text, bytes.length) : known)
}

/** Where a body is new: between what it has in common with a known one at its beginning and at its end. */
export interface Gap {
  /** How many members in front of it are known. */
  readonly members: number
  /** How many turns in front of it are known, where it begins among the turns. */
  readonly elements: number | undefined
  /** Where it begins, in both bodies. */
  readonly from: number
  /** Where it ends in the known body. */
  readonly to: number
  /** Whether the turns end right behind it. */
  readonly isWithin: boolean
  /** The number of the member behind it. */
  readonly next: number
}

/**
 * Where a body is new, in whole elements and members. `before` and `behind`: how many bytes both have in common at
 * their beginning and at their end; `growth`: by how many bytes the new one is longer. Undefined where they have too
 * little in common.
 */
export function gapIn(
  { bytes, layout: { places, turns } }: KnownBody,
  { before, behind, growth }: { before: number; behind: number; growth: number },
): Gap | undefined {
  // What ends where the bytes begin to differ may be a number that goes on.
  const changed = places.findIndex(({ end }) => end >= before)
  const members = changed < 0 ? places.length : changed
  const open = turns?.index === members ? places[members] : undefined
  const ends = open && isListBefore(bytes, open, before) ? turns?.ends : undefined
  const elements = ends && countBelow(ends, before)
  const inner = open && (ends?.[(elements ?? 0) - 1] ?? open.start + 1)
  const from = elements === undefined ? places[members - 1]?.end : inner
  if (from === undefined) return undefined
  const least = Math.max(bytes.length - behind, from, from - growth)
  if (open && elements !== undefined && open.end - 1 >= least)
    return { members, elements, from, to: open.end - 1, isWithin: true, next: members + 1 }
  const first = elements === undefined ? members - 1 : members
  const last = places.findIndex(({ end }, index) => index >= first && end >= least)
  const to = places[last]?.end
  return to === undefined
    ? undefined
    : { members, elements, from, to, isWithin: false, next: last + 1 }
}

const OPEN_BRACKET = 91

const isListBefore = (bytes: Uint8Array, { start }: MemberPlace, place: number): boolean =>
  bytes[start] === OPEN_BRACKET && start < place

/** How many of the numbers, which grow, are below another. */
function countBelow(numbers: readonly number[], bound: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? Infinity) < bound) low = middle + 1
    else high = middle
  }
  return low
}
