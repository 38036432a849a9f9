import type { Examination } from './examination.ts'
import { PROCESS_LIMITS } from '../defaults.ts'
import { entriesAt, type DocumentPath, textAt, valueAt } from './place.ts'

/** An upstream that a route names, and the path to that name. */
export interface NamedUpstream {
  name: string
  path: DocumentPath
}

/** The upstreams of a route in a document: one by its name, or a list of names and of objects that hold one. */
export function upstreamsOfRoute(config: unknown, index: number): NamedUpstream[] {
  const at = ['routes', index, 'upstream']
  const entries = [...entriesAt(config, at).keys()].flatMap((entry) => [
    [...at, entry],
    [...at, entry, 'name'],
  ])
  return [at, ...entries].flatMap((path) => {
    const name = textAt(config, path)
    return name === undefined ? [] : [{ name, path }]
  })
}

/**
 * Warns of several upstreams or keys behind one route that are legal but probably a mistake, or that users should
 * know about.
 */
export function warnOfPools(examination: Examination): void {
  const { config, found } = examination
  warnOfAttempts(examination, ['failover', 'attemptMs'])
  for (const index of entriesAt(config, ['routes']).keys()) {
    const at = ['routes', index]
    warnOfAttempts(examination, [...at, 'failover', 'attemptMs'])
    warnOfClasses(examination, at)
    const names = upstreamsOfRoute(config, index).map(({ name }) => name)
    const members = names.flatMap((name) => membersIn(config, name))
    if (members.length < 2) continue
    const path = [...at, 'upstream']
    const dialects = new Set(members.map(({ dialect }) => dialect))
    if (dialects.size > 1)
      found.warn(path, 'these upstreams speak several dialects: what is lost differs between them')
    if (new Set(members.map(({ account }) => account)).size > 1)
      found.warn(
        path,
        'these keys are of several accounts, which do not take signatures of reasoning of each other; give those that do one "account"',
      )
    if (members.some(({ isCallers }) => isCallers))
      found.warn(path, 'a key of the caller is refused or not, whichever upstream comes next')
    if (textAt(config, [...at, 'pick']) !== 'weighted' && hasWeights(config, index, names))
      found.warn(path, 'weights count only with "pick": "weighted"')
  }
}

interface DocumentedMember {
  dialect: string | undefined
  account: string
  isCallers: boolean
}

/** One member for each key of an upstream. */
function membersIn(config: unknown, name: string): DocumentedMember[] {
  const at = ['upstreams', name]
  // A name that no upstream has is reported as a fault.
  if (valueAt(config, at) === undefined) return []
  const dialect = textAt(config, [...at, 'dialect'])
  const general = textAt(config, [...at, 'account'])
  const isCallers = textAt(config, [...at, 'key']) === 'caller'
  const keys = entriesAt(config, [...at, 'key'])
  return (keys.length > 0 ? keys : [undefined]).map((_, index) => ({
    dialect,
    account: textAt(config, [...at, 'key', index, 'account']) ?? general ?? `${name}#${index + 1}`,
    isCallers,
  }))
}

function hasWeights(config: unknown, index: number, names: readonly string[]): boolean {
  const lists = [['routes', index, 'upstream'], ...names.map((name) => ['upstreams', name, 'key'])]
  return lists.some((list) =>
    [...entriesAt(config, list).keys()].some(
      (entry) => valueAt(config, [...list, entry, 'weight']) !== undefined,
    ),
  )
}

function warnOfAttempts({ config, found }: Examination, path: DocumentPath): void {
  const attempt = valueAt(config, path)
  const heartbeat = valueAt(config, ['limits', 'heartbeatMs']) ?? PROCESS_LIMITS.heartbeatMs
  if (typeof attempt === 'number' && typeof heartbeat === 'number' && attempt >= heartbeat)
    found.warn(path, `not below limits.heartbeatMs (${heartbeat}), which ends the time for a hop`)
}

function warnOfClasses({ config, found }: Examination, at: DocumentPath): void {
  const path = [...at, 'class']
  const words = [textAt(config, path), ...entriesAt(config, path)]
  if (words.includes('long') && valueAt(config, [...at, 'minInputTokens']) === undefined)
    found.warn(path, 'without "minInputTokens" every request is long')
}

/** Whether a route takes every request for its models. */
export const takesAll = (config: unknown, index: number): boolean =>
  valueAt(config, ['routes', index, 'class']) === undefined &&
  valueAt(config, ['routes', index, 'minInputTokens']) === undefined
