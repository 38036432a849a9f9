import type { Adapter } from '../../../adapters/contract.ts'
import { keysIn, readPath } from '../../model/paths.ts'
import { ProblemError } from '../../model/problem.ts'
import type { PlaceFinder } from '../../ports.ts'

/** A place in the conversation as it is kept here, which means nothing to a caller. */
const CANONICAL = /^(?:turns|system|tools)\.\S+$/

/**
 * A refusal of what was read and cannot be sent, with its place as the caller wrote it. `places` is asked only for
 * such a refusal: it reads the body again.
 */
export function withCallerPath(
  error: unknown,
  { members }: Pick<Adapter, 'members'>,
  places: () => Pick<PlaceFinder, 'find'> | undefined,
): unknown {
  const { param = '' } = error instanceof ProblemError ? error.problem : {}
  if (!(error instanceof ProblemError) || !CANONICAL.test(param)) return error
  const { field } = places()?.find(param) ?? {}
  if (field === undefined) return error
  const place = members.spell(keysIn(field))
  return movedTo(error, place, namedPlace(param, place))
}

/** Reads a request. A refusal of what it says spells its place as the errors of the caller's service do. */
export function withCallerSpelling<Read>(
  { members }: Pick<Adapter, 'members'>,
  read: () => Read,
): Read {
  try {
    return read()
  } catch (error) {
    const { param } = error instanceof ProblemError ? error.problem : {}
    if (!(error instanceof ProblemError) || param === undefined) throw error
    throw movedTo(error, members.spell(readPath(param)))
  }
}

function movedTo(error: ProblemError, place: string, name = place): ProblemError {
  const { message, param = '' } = error.problem
  if (place === param) return error
  const moved = { message: message.replaceAll(param, () => name), param: place }
  return new ProblemError({ ...error.problem, ...moved }, error.headers)
}

/** The place, with the name of what stands there where the canonical place has one. */
function namedPlace(param: string, place: string): string {
  const name = param.slice(param.lastIndexOf('.') + 1)
  return /^\d+$/.test(name) || place.endsWith(name) ? place : `${place} (${name})`
}
