import type { Settings } from '../../config/settings.ts'
import { isObject, parseObject, type JsonObject } from '../../json/json.ts'
import { type Problem, ProblemError } from '../../model/problem.ts'
import type { LogEntry } from '../../observe/entry.ts'
import { CALLER_LEFT } from '../../problems/failures.ts'
import type { AppContext } from '../app-context.ts'
import type { Arrival } from '../request-head.ts'
import { type SmallAnswer, smallAnswer } from './small-answer.ts'

/** What is sent of a request, beside its id and path: nothing of its body, its headers or its query. */
type Known = Pick<LogEntry, 'caller' | 'dialect' | 'model' | 'route'> & { bytes: number }

/**
 * Asks the webhook whether a request may be served, and notes the labels that it gives. Rejects with ProblemError where
 * it may not.
 */
export async function askBefore(
  { url, timeoutMs: ms, onError }: NonNullable<Settings['before']>,
  { ports }: Pick<AppContext, 'ports'>,
  { id, path, request, journal }: Arrival,
  known: Known,
): Promise<void> {
  const body = new TextEncoder().encode(JSON.stringify({ id, path, ...known }))
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const bounds = { ms, bytes: MOST_BYTES, signal: request.signal }
  let verdict: Verdict
  try {
    verdict = verdictIn(await smallAnswer(ports, { method: 'POST', url, headers, body }, bounds))
  } catch (error) {
    if (request.signal.aborted) throw new ProblemError(CALLER_LEFT)
    journal.note({ before: error instanceof Error ? error.message : 'it failed' })
    if (onError === 'allow') return
    throw new ProblemError(NO_VERDICT)
  }
  const { refuse, labels } = verdict
  if (labels) journal.note({ labels })
  if (refuse !== undefined) throw new ProblemError({ ...REFUSED, message: refuse })
}

const MOST_BYTES = 16_384

interface Verdict {
  /** Why the request is not served, for the caller. */
  refuse?: string
  labels?: Record<string, string>
}

/** Nothing at all lets the request go on. Throws for what is no verdict: who misspells one must not let all go on. */
function verdictIn({ status, text }: SmallAnswer): Verdict {
  if (status < 200 || status > 299) throw new Error(`it answered ${status}`)
  const answer = text === '' ? {} : parseObject(text)
  if (!answer || !isVerdict(answer)) throw new Error('it answered something else than a verdict')
  return answer
}

const isVerdict = ({ refuse, labels = {}, ...others }: JsonObject): boolean =>
  (refuse === undefined || isText(refuse, MOST_WORDS)) &&
  isObject(labels) &&
  Object.keys(labels).length <= MOST_LABELS &&
  Object.entries(labels).every(([name, value]) => LABEL.test(name) && isText(value, MOST_VALUE)) &&
  Object.keys(others).length === 0

const isText = (value: unknown, most: number): boolean =>
  typeof value === 'string' && value !== '' && value.length <= most

const MOST_WORDS = 1000
const MOST_LABELS = 16
const MOST_VALUE = 128
const LABEL = /^[\w.-]{1,64}$/

const REFUSED = { kind: 'permission', code: 'refused', retry: false } satisfies Partial<Problem>

const NO_VERDICT: Problem = {
  kind: 'unavailable',
  message: 'Whether this request may be served cannot be found out at the moment.',
  code: 'before_unavailable',
  retryAfterMs: 1000,
}
