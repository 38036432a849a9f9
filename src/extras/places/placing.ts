import { isLonger } from '../../json/bytes.ts'
import { isObject, listOf, parse, Verbatim, type Json, type JsonObject } from '../../json/json.ts'
import { lossKey, lossList } from '../../model/loss.ts'
import type { Withheld } from '../../model/events.ts'
import { dotted, keysIn, pathsIn, readPath, withPaths, type Key } from '../../model/paths.ts'
import type { EditedBody, Places, Placing, PlaceSearch } from '../../ports.ts'
import { findCallerElement } from './caller-element.ts'
import { lossPlaceFinder } from './loss-places.ts'
import { nodeAt, placeFinder } from './node-places.ts'

/** A longer conversation is not searched for places. */
const MOST_CHARACTERS = 1_048_576
const MOST_PLACES = 3
/** How long a reply waits for the places of what was withheld. */
const MOST_MS = 1500

/** Null where the body is not at hand any more. */
function bodyOf({ body, caller }: PlaceSearch): Json {
  try {
    return isLonger(body.text, MOST_CHARACTERS) ? null : parse(body.text, caller.caller.verbatim)
  } catch {
    return null
  }
}

function callerElements(search: PlaceSearch) {
  const body = bodyOf(search)
  const { send } = search
  const turns = search.caller.same.beginning?.turns
  const find = async (path: readonly Key[]): Promise<Key[] | undefined> =>
    isObject(body) ? findCallerElement({ body, turns, send }, path) : undefined
  const sent = async (): Promise<JsonObject> =>
    (isObject(body) ? await send(body) : undefined) ?? {}
  return { body, find, sent }
}

/** An edit leaves everything else where it was, so what is still sent stands in the same place. */
function editedPlaces({ verbatim, edit, came, went, losses }: EditedBody): Places[] {
  if (came.length > MOST_CHARACTERS) return []
  const find = lossPlaceFinder(parse(came, verbatim), (changed) => {
    const again = lossList()
    if (isObject(changed)) edit(changed, again.lose)
    return new Set(again.losses.map(lossKey))
  })
  const sent = went instanceof Verbatim ? parse(went.text) : went
  return losses.map((loss) => {
    const field = find(loss)
    if (field === undefined) return {}
    return { field, ...(isAt(sent, field) && { sentAt: field }) }
  })
}

/**
 * The places of elements that an upstream names by their ids. Most are sent without one, which services need only for
 * what they have stored; but where as many are named as were sent, these are all of them.
 */
function placesByIds(sent: JsonObject, list: readonly Withheld[]): Withheld[] {
  const elements = Object.entries(sent).flatMap(([member, value]) =>
    listOf(value).flatMap((element, index) =>
      isObject(element) ? [{ element, at: [member, index] }] : [],
    ),
  )
  const same = elements.filter(({ element }) => list.some(({ type }) => type === element['type']))
  const areAll = same.length === list.length
  return list.map((withheld, index) => {
    const { id } = withheld
    const named =
      id === undefined ? undefined : elements.find(({ element }) => element['id'] === id)
    const at = withheld.at ?? (named ?? (areAll ? same[index] : undefined))?.at
    return { ...withheld, ...(at && { at }) }
  })
}

/** Whether there is anything at a JSON pointer. */
const isAt = (body: Json, pointer: string): boolean => nodeAt(body, keysIn(pointer)) !== undefined

export const placing: Placing = {
  finder: placeFinder,
  edited: editedPlaces,

  async refusal(search, refused) {
    const { problem, text } = refused
    const paths = pathsIn(`${problem.sentParam} ${problem.message}`).slice(0, MOST_PLACES)
    if (problem.kind !== 'invalid-request' || paths.length === 0) return refused
    const { find } = callerElements(search)
    const spelled = new Map<string, string>()
    for (const path of paths) {
      const keys = readPath(path)
      const element = await find(keys)
      const inside = search.edits ? keys.slice(element?.length) : []
      const place = element && [...element, ...inside]
      const isMoved = !search.edits || dotted(place ?? keys) !== dotted(keys)
      if (place && isMoved) spelled.set(path, search.caller.members.spell(place))
    }
    const [param] = spelled.values()
    if (param === undefined) return refused
    return {
      ...refused,
      problem: { ...problem, message: withPaths(problem.message, spelled), param },
      ...(text !== undefined && { text: withPaths(text, spelled) }),
    }
  },

  async withheld(search, list) {
    const { body, find, sent } = callerElements(search)
    const known = list.some(({ at }) => !at) ? placesByIds(await sent(), list) : list
    const end = performance.now() + MOST_MS
    const placed: Withheld[] = []
    for (const { at, reason, shown } of known) {
      const place = at && performance.now() < end ? await find(at) : undefined
      const element = place && nodeAt(body, place)
      const id = isObject(element) ? element['id'] : undefined
      placed.push({
        reason,
        ...(shown && { shown }),
        ...(place && { at: place }),
        ...(typeof id === 'string' && { id }),
      })
    }
    return placed
  },
}
