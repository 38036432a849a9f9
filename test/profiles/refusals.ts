import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'

/**
 * One thing that a server refuses. `at` leads to what is looked at: `tools.*.type`, where `*` is each of a list and a number is one of them, and
 * `[role=tool]` or `[id]` behind a name keeps those alone that have the member so, or have it at all.
 */
export interface Refusal {
  at: string
  /** It is refused if it is there and all of this is so. */
  is?: readonly Json[]
  not?: readonly Json[]
  matches?: RegExp
  misses?: RegExp
  /** If it is a list, if it is none, or if it is missing. */
  list?: boolean
  absent?: true
  /** If it stands behind so many others of its list, or right behind one with this role. */
  beyond?: number
  behind?: string
  status: number
  /** The body, in which `{place}` is `tools.8.type`, `{index}` is `tools[8].type` and `{value}` what stands there. */
  says: Json
}

interface Found {
  value: Json | undefined
  place: string
  /** Its place in the last list on the way, and who stands before it there. */
  at: number
  before: Json | undefined
}

/** What a server answers to a body that it refuses; undefined where it takes it. */
export function refuses(
  refusals: readonly Refusal[],
  body: JsonObject,
): { status: number; body: Json } | undefined {
  for (const refusal of refusals) {
    const found = find(body, refusal.at).find((one) => isRefused(one, refusal))
    if (found) return { status: refusal.status, body: filled(refusal.says, found) }
  }
  return undefined
}

function isRefused({ value, at, before }: Found, refusal: Refusal): boolean {
  const { is, not, matches, misses, list, absent, beyond, behind } = refusal
  if (absent) return value === undefined || value === null
  if (value === undefined) return false
  const text = typeof value === 'string' ? value : ''
  return (
    (is === undefined || is.includes(value)) &&
    (not === undefined || !not.includes(value)) &&
    (matches === undefined || matches.test(text)) &&
    (misses === undefined || !misses.test(text)) &&
    (list === undefined || Array.isArray(value) === list) &&
    (beyond === undefined || at > beyond) &&
    (behind === undefined || (isObject(before) && before['role'] === behind))
  )
}

const STEP = /^([^[]*)((?:\[[^\]]*\])*)$/

function find(body: JsonObject, path: string): Found[] {
  let found: Found[] = [{ value: body, place: '', at: 0, before: undefined }]
  for (const step of path.split('.')) {
    const [, name = '', tests = ''] = STEP.exec(step) ?? []
    found = found.flatMap((one) => stepInto(one, name)).filter(({ value }) => has(value, tests))
  }
  return found
}

function stepInto(one: Found, name: string): Found[] {
  const { value, place } = one
  if (name === '') return [one]
  if (name === '*')
    return Array.isArray(value)
      ? value.map((inner, at) => ({
          value: inner,
          place: `${place}.${at}`,
          at,
          before: value[at - 1],
        }))
      : []
  if (Array.isArray(value)) return stepInto(one, '*').filter(({ at }) => String(at) === name)
  return isObject(value)
    ? [{ ...one, value: value[name], place: place === '' ? name : `${place}.${name}` }]
    : []
}

/** `[type=reasoning][id]`: what a value has to be to be looked at. */
function has(value: Json | undefined, tests: string): boolean {
  return [...tests.matchAll(/\[([^\]=]*)(?:=([^\]]*))?\]/g)].every(([, name = '', wanted]) => {
    let inner: Json | undefined = value
    for (const part of name.split('/')) inner = isObject(inner) ? inner[part] : undefined
    return wanted === undefined ? inner !== undefined && inner !== null : inner === wanted
  })
}

const filled = (says: Json, { value, place }: Found): Json =>
  JSON.parse(
    JSON.stringify(says)
      .replaceAll('{place}', place)
      .replaceAll('{index}', place.replaceAll(/\.(\d+)/g, '[$1]'))
      .replaceAll('{value}', typeof value === 'string' ? value : ''),
  )
