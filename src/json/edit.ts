import { isObject, stringify, type Json, type JsonObject } from './json.ts'
import { endOfSpace, endOfValue, readString, visitParts } from './tokens.ts'

/**
 * Edits of JSON whose text stays byte for byte as it was, but for the edits. An edit copies the objects on the way to
 * it; every other object stays the same object, and by that the writer finds its text again.
 */

/** For a copy in a list: the object that it was copied from. */
const originals = new WeakMap<JsonObject, JsonObject>()

/** Sets members, and removes those that are undefined. Returns the same object where nothing changes. */
export function withMembers(
  value: JsonObject,
  changes: Readonly<Record<string, Json | undefined>>,
): JsonObject {
  const changed = Object.entries(changes).filter(
    ([key, member]) => ownMember(value, key) !== member,
  )
  if (changed.length === 0) return value
  const copy = { ...value }
  for (const [key, member] of changed) {
    if (member === undefined) delete copy[key]
    else copy[key] = member
  }
  originals.set(copy, originals.get(value) ?? value)
  return copy
}

/** Replaces each element by none, one or several. Returns the same list where nothing changes. */
export function withElements<T extends Json>(
  list: T[],
  edit: (element: T, index: number) => T | readonly T[],
): T[] {
  const edited = list.flatMap(edit)
  return isSame(list, edited) ? list : edited
}

const isSame = (one: readonly Json[], other: readonly Json[]): boolean =>
  one.length === other.length && one.every((element, index) => element === other[index])

const ownMember = (value: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined

/** The text of `after`, which was made by edits of `before`, the value of `text`. */
export function editedText(text: string, before: Json, after: Json): string {
  return after === before ? text : spellValue(text, endOfSpace(text, 0), before, after)
}

/** A value in a list or an object, with the white space around it. `name`: the member's name. */
interface Piece {
  from: number
  start: number
  end: number
  to: number
  name: string
}

/** The text of the value that begins at `start`, after its edits. */
function spellValue(text: string, start: number, before: Json, after: Json): string {
  if (after === before) return text.slice(start, endOfValue(text, start))
  if (Array.isArray(before) && Array.isArray(after)) return spellList(text, start, before, after)
  if (isObject(before) && isObject(after)) return spellObject(text, start, before, after)
  return stringify(after)
}

function spellObject(text: string, start: number, before: JsonObject, after: JsonObject): string {
  const pieces = piecesAt(text, start)
  // JSON.parse takes the last of repeated members, so only that one is written.
  const last = new Map(pieces.map((piece) => [piece.name, piece]))
  const kept = pieces.flatMap((piece) => {
    const value = ownMember(after, piece.name)
    if (value === undefined || last.get(piece.name) !== piece) return []
    return spellPiece(text, piece, ownMember(before, piece.name) ?? null, value)
  })
  const added = Object.entries(after)
    .filter(([name]) => !last.has(name))
    .map(([name, value]) => `${JSON.stringify(name)}:${stringify(value)}`)
  return `{${[...kept, ...added].join(',')}}`
}

function spellList(text: string, start: number, before: Json[], after: Json[]): string {
  const pieces = piecesAt(text, start)
  const places = new Map(before.map((element, index) => [element, index]))
  const spelled = after.map((element, index) => {
    const original = isObject(element) ? (originals.get(element) ?? element) : element
    const at = before[index] === original ? index : places.get(original)
    const piece = at === undefined ? undefined : pieces[at]
    return piece ? spellPiece(text, piece, original, element) : stringify(element)
  })
  return `[${spelled.join(',')}]`
}

const spellPiece = (text: string, piece: Piece, before: Json, after: Json): string =>
  text.slice(piece.from, piece.start) +
  spellValue(text, piece.start, before, after) +
  text.slice(piece.end, piece.to)

/** The members or elements of the object or list that begins at `start`. */
function piecesAt(text: string, start: number): Piece[] {
  const pieces: Piece[] = []
  let from = start + 1
  visitParts(text, start, (at, endOfName, value) => {
    const end = endOfValue(text, value)
    const to = endOfSpace(text, end)
    const name = endOfName === at ? '' : readString(text, at, endOfName)
    pieces.push({ from, start: value, end, to, name })
    from = to + 1
    return end
  })
  return pieces
}
