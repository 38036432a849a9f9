import { isObject, listOf, stringify, type Json, type JsonObject } from '../../json/json.ts'
import type { Key } from '../../model/paths.ts'
import { ownTurn } from '../../stream/time.ts'
import { nodeAt } from './node-places.ts'

interface Search {
  /** The body of the caller. */
  body: JsonObject
  /** The member with the conversation, where the dialect has one name for it. */
  turns: string | undefined
  /** What is sent for a body of the caller; undefined where nothing can be sent for it. */
  send(body: JsonObject): Promise<JsonObject | undefined>
}

/** Other exchanges share the thread, and the caller waits for its answer. */
const MOST_MS = 500

/**
 * Finds the element of the caller's body from which an element of the upstream's came, by trial: it is the first
 * element of the shortest end of the conversation for which the same is sent. So the dialects need not record places
 * while they translate.
 */
export async function findCallerElement(
  search: Search,
  path: readonly Key[],
): Promise<Key[] | undefined> {
  const { body, send } = search
  const end = performance.now() + MOST_MS
  const isLate = () => performance.now() > end
  const sent = await send(body)
  const [member = ''] = path
  const at = elementAt(sent, path)
  const wanted = at && nodeAt(sent, at)
  if (!at || !isObject(wanted)) return undefined
  const elements = elementsOf(sent?.[member])
  const countSame = (some: readonly JsonObject[]) =>
    some.filter((each) => isSame(each, wanted)).length
  const place = elements.indexOf(wanted)
  const before = countSame(elements.slice(0, place))
  const rank = countSame(elements.slice(place))
  const name = member === TOOLS ? TOOLS : conversationIn(search)
  const list = listOf(body[name])
  const count = async (others: readonly Json[]): Promise<number> => {
    if (isLate()) return 0
    await ownTurn()
    const written = await send(withMember(body, name, [...others]))
    return countSame(elementsOf(written?.[member]))
  }
  const index = await indexIn(list, { before, rank }, count)
  if (index === undefined) return undefined
  const above = index > 0 ? await count(list.slice(0, index)) : 0
  const isSent = async (others: readonly Json[]) => (await count(others)) >= above + rank
  // A whole message that was named is a whole message here too.
  const part = at.length <= path.length ? await partOf(list, index, isSent) : []
  return isLate() ? undefined : [name, index, ...part]
}

/** The index of the element. `before`, `rank`: how many that say the same stand in front of it, and from it on. */
async function indexIn(
  list: readonly Json[],
  { before, rank }: { before: number; rank: number },
  count: (others: readonly Json[]) => Promise<number>,
): Promise<number | undefined> {
  const ofFirst = list.length > 1 ? await count(list.slice(0, 1)) : 0
  if (before < ofFirst) return 0
  return lastEnd(list, async (others) => (await count(others)) >= ofFirst + rank)
}

const TOOLS = 'tools'

/** The longest list, where it has no one name. */
function conversationIn({ body, turns }: Search): string {
  if (turns !== undefined) return turns
  const lists = Object.entries(body).filter(([name, value]) => name !== TOOLS && listOf(value)[0])
  const longest = lists.toSorted(([, one], [, other]) => listOf(other).length - listOf(one).length)
  return longest[0]?.[0] ?? ''
}

/** The largest index from which on the list, behind its first element, still brings what is sought. */
async function lastEnd(
  list: readonly Json[],
  isSent: (others: readonly Json[]) => Promise<boolean>,
): Promise<number | undefined> {
  if (list.length === 0) return undefined
  const first = list.slice(0, 1)
  let low = 0
  let high = list.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (await isSent([...first, ...list.slice(middle)])) low = middle
    else high = middle
  }
  return low
}

/** The part of a message, where the element is one. */
async function partOf(
  list: readonly Json[],
  index: number,
  isSent: (others: readonly Json[]) => Promise<boolean>,
): Promise<Key[]> {
  const element = list[index]
  if (!isObject(element) || element['role'] === undefined) return []
  for (const [name, value] of Object.entries(element)) {
    const parts = listOf(value)
    if (!parts.some(isObject)) continue
    const using = (others: readonly Json[]) =>
      isSent(list.with(index, withMember(element, name, [...others])))
    if (await using([])) continue
    let part = parts.length - 1
    while (part > 0 && !(await using(parts.slice(part)))) part -= 1
    return [name, part]
  }
  return []
}

const withMember = (body: JsonObject, name: string, value: Json): JsonObject =>
  Object.fromEntries(Object.entries(body).map(([key, own]) => [key, key === name ? value : own]))

/** The elements of a list, and the parts of its messages. */
const elementsOf = (list: Json | undefined): JsonObject[] =>
  listOf(list)
    .filter(isObject)
    .flatMap((element) => [
      element,
      ...Object.values(element).flatMap((value) => listOf(value).filter(isObject)),
    ])

/** The path as far as it leads to an element; that of a whole message is continued to its first part. */
function elementAt(sent: Json | undefined, path: readonly Key[]): Key[] | undefined {
  const isThere = (length: number) =>
    typeof path[length - 1] === 'number' && isObject(nodeAt(sent, path.slice(0, length)))
  // A list of a body, and a list in an element of it.
  const length = [4, 2].find(isThere)
  if (length === undefined) return undefined
  const at = path.slice(0, length)
  const message = nodeAt(sent, at)
  if (length > 2 || !isObject(message) || message['role'] === undefined) return at
  const name = Object.keys(message).find((key) => isObject(listOf(message[key])[0]))
  return name === undefined ? at : [...at, name, 0]
}

/** Whether two elements say the same; marks of a cache, which move on with each turn, may stand on one alone. */
function isSame(value: JsonObject, wanted: JsonObject): boolean {
  if (value['type'] !== wanted['type']) return false
  const shared = Object.keys(wanted).filter((key) => Object.hasOwn(value, key))
  return (
    shared.length > (wanted['type'] === undefined ? 0 : 1) &&
    shared.every((key) => stringify(value[key] ?? null) === stringify(wanted[key] ?? null))
  )
}
