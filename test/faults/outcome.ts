import { isObject, parse } from '../../src/json/json.ts'
import { sseParser } from '../../src/stream/sse.ts'
import { grammarOf } from '../grammar/index.ts'
import type { Heard } from './stage.ts'
import { eventIn, type Voice } from './voices.ts'

/** What the caller has to see of a fault. */
export type Outcome =
  /** A real status and the caller's error body. */
  | { kind: 'status'; status: readonly number[]; retry?: 'never' | 'later' }
  /** The beginning of a reply, one failure, the end; and nothing that looks like a success. */
  | { kind: 'broken' }
  | { kind: 'whole' }
  /** One of the three, told without a fault of its own. */
  | { kind: 'told' }
  /** Whatever the upstream sent. */
  | { kind: 'bytes' }
  /** Nobody is there to see anything. */
  | { kind: 'left' }

export const WHOLE: Outcome = { kind: 'whole' }
export const BROKEN: Outcome = { kind: 'broken' }
export const TOLD: Outcome = { kind: 'told' }
export const BYTES: Outcome = { kind: 'bytes' }
export const LEFT: Outcome = { kind: 'left' }
export const status = (...list: number[]): Outcome => ({ kind: 'status', status: list })
/** One dialect has no 502 in its own table. */
export const BAD: Outcome = { kind: 'status', status: [502, 503], retry: 'never' }
export const LATE: Outcome = { kind: 'status', status: [504], retry: 'never' }
export const ABSENT: Outcome = { kind: 'status', status: [503], retry: 'later' }

/** What is wrong with what was heard, if anything. */
export function wrongIn(
  outcome: Outcome,
  heard: Heard,
  caller: Voice,
  { stream, passed }: { stream: boolean; passed: boolean },
): string | undefined {
  if (outcome.kind === 'left') return undefined
  if (!heard.complete) return `cut off: ${heard.status} ${heard.text.slice(-200)}`
  const judge = stream ? wrongStream : wrongBody
  switch (outcome.kind) {
    case 'status':
      return wrongStatus(outcome, heard, caller, passed)
    case 'broken':
    case 'whole':
      return heard.status === 200
        ? judge(outcome.kind, heard, caller, passed)
        : `${heard.status} ${heard.text.slice(0, 300)}`
    case 'told':
      return heard.status === 200
        ? passed
          ? undefined
          : judge('any', heard, caller, passed)
        : wrongProblem(heard, caller)
    case 'bytes':
      return undefined
    default:
      return outcome satisfies never
  }
}

function wrongStatus(
  { status: expected, retry }: Outcome & { kind: 'status' },
  heard: Heard,
  caller: Voice,
  passed: boolean,
): string | undefined {
  const { headers } = heard
  if (!expected.includes(heard.status)) return `${heard.status} ${heard.text.slice(0, 300)}`
  if (retry === 'never' && headers['x-should-retry'] !== 'false') return 'may be repeated'
  if (retry === 'later' && (!headers['retry-after'] || headers['x-should-retry'] === 'false'))
    return 'does not say that it may be repeated'
  // The upstream's own words, with a code of its own choice.
  if (passed && heard.text.includes('the words of it')) return undefined
  return wrongProblem(heard, caller)
}

function wrongProblem({ status: code, text, headers }: Heard, caller: Voice): string | undefined {
  if (code < 400 || code > 599) return `status ${code}`
  if (!String(headers['content-type']).startsWith('application/json')) return 'not JSON'
  const body = parse(text)
  return isObject(body) && caller.isProblem(body, code) ? undefined : `no error body: ${text}`
}

type Kind = 'broken' | 'whole' | 'any'

function wrongBody(
  kind: Kind,
  { text }: Heard,
  caller: Voice,
  passed: boolean,
): string | undefined {
  if (kind === 'broken') return 'a body cannot be half'
  if (kind === 'whole' && !text.includes('Hel')) return `empty: ${text}`
  const body = parse(text)
  return passed ? undefined : grammarOf(caller.dialect).checkBody(body)
}

function wrongStream(
  kind: Kind,
  { text }: Heard,
  caller: Voice,
  passed: boolean,
): string | undefined {
  const parser = sseParser(1_000_000)
  const frames = [...parser.push(text), ...parser.end()]
  const events = frames.map(eventIn)
  const errors = events.filter((event) => event && caller.isError(event)).length
  const ends = events.filter((event) => event && caller.isTerminal(event)).length
  const tail = text.slice(-300)
  const last = events.at(-1)
  if (kind === 'broken') {
    if (ends > 0) return `a success after a fault: ${tail}`
    if (!text.includes('Hel')) return `lost what had come: ${tail}`
    if (!last || !caller.isError(last)) return `no error at the end: ${tail}`
    if (errors !== 1) return `${errors} errors`
  }
  if (kind === 'whole' && (errors !== 0 || ends === 0)) return `no success: ${tail}`
  if (kind === 'whole' && !passed && ends !== 1) return `${ends} ends: ${tail}`
  // Of a passing stream the upstream wrote the grammar.
  return passed ? undefined : grammarOf(caller.dialect).check(frames)
}
