import { isObject, type Json } from '../../json/json.ts'
import type { Key } from '../../model/paths.ts'
import { changedAt, nodeAt, pointer, shortest } from './node-places.ts'
import { lossKey, type Loss } from '../../model/loss.ts'

/** The losses of a translation or an edit, as `lossKey` spells them; undefined where the body cannot be read. */
export type LossesOf = (body: Json) => ReadonlySet<string> | undefined

/**
 * Finds by trial what part of a body a loss is about: the deepest part without which it is not reported. So
 * readers, writers and edits of bodies need not know places.
 */
export function lossPlaceFinder(
  body: Json,
  lossesOf: LossesOf,
): (loss: Loss) => string | undefined {
  return (loss) => {
    const key = lossKey(loss)
    if (lossesOf(body)?.has(key) !== true) return undefined
    const path = narrowed({ body, key, lossesOf }, [])
    return path.length > 0 ? pointer(path) : undefined
  }
}

type Path = readonly Key[]

interface Trial {
  body: Json
  key: string
  lossesOf: LossesOf
}

function narrowed(trial: Trial, path: Path): Path {
  const here = nodeAt(trial.body, path)
  if (Array.isArray(here)) {
    const index = firstElement(trial, path, here)
    if (index === undefined) return path
    // Without those behind it, which may be lost alike.
    const body = changedAt(trial.body, path, here.slice(0, index + 1))
    return narrowed({ ...trial, body }, [...path, index])
  }
  const next = isObject(here) ? telling(trial, path, Object.keys(here)) : undefined
  return next === undefined ? path : narrowed(trial, [...path, next])
}

/** The element that ends the shortest list with the loss: several elements may be lost alike. */
function firstElement(
  { body, key, lossesOf }: Trial,
  path: Path,
  list: readonly Json[],
): number | undefined {
  const has = (length: number) =>
    lossesOf(changedAt(body, path, list.slice(0, length)))?.has(key) === true
  return has(list.length) && !has(0) ? shortest(list.length, has) - 1 : undefined
}

/** The member without which there is no loss. One that no body can be without counts only where there is no other. */
function telling({ body, key, lossesOf }: Trial, path: Path, names: readonly string[]) {
  const outcomes = names.map((name) => {
    const losses = lossesOf(changedAt(body, [...path, name], undefined))
    return { name, isUnread: losses === undefined, isGone: losses?.has(key) !== true }
  })
  const gone = outcomes.filter(({ isGone, isUnread }) => isGone && !isUnread)
  if (gone.length > 0) return gone.length === 1 || path.length === 0 ? gone[0]?.name : undefined
  return outcomes.find(
    ({ name, isUnread }) => isUnread && typeof nodeAt(body, [...path, name]) === 'object',
  )?.name
}
