import type { Frame } from '../contract.ts'
import { defined, isObject, parseObject, type Json, type JsonObject } from '../../src/json/json.ts'
import {
  isVague,
  kindOfStatus,
  readOverflow,
  refusesProof,
  spentOr,
  statusOf,
  type Problem,
  type ProblemKind,
} from '../../src/model/problem.ts'
import { readWait } from '../../src/problems/wait.ts'
import { codeFor, nameIn, openAiWords, statusIn, wordsIn } from '../../src/problems/error-words.ts'
import { PROBLEM_KINDS } from '../openai/problem-kinds.ts'
import { memberText, objectIn } from './dialect.ts'

const readKind = (status: number): ProblemKind =>
  kindOfStatus(status) ?? (status >= 400 && status < 500 ? 'invalid-request' : 'bad-upstream')

interface Said {
  message: string
  code?: string
  type?: string
  /** A status in the body. */
  status?: number
  details?: Json
}

/** Finds the error in the shapes of this dialect and of gateways around it. */
function whatIsSaid(body: Json | undefined): Said | undefined {
  if (typeof body === 'string') return worded(body)
  if (Array.isArray(body)) return isObject(body[0]) ? whatIsSaid(body[0]) : undefined
  if (!isObject(body)) return undefined
  const { error, detail, message } = body
  if (isObject(error)) return fromObject(error, statusIn(body)) ?? worded(error)
  if (typeof error === 'string') return withCode(worded(memberText(body, 'message') ?? error), body)
  if (typeof message === 'string') return fromObject(body)
  if (typeof detail === 'string') return worded(detail)
  return isObject(detail) ? (fromObject(detail) ?? worded(detail)) : worded(detail ?? null)
}

const worded = (words: Json): Said | undefined => {
  const message = wordsIn(words)
  return message === undefined ? undefined : { message }
}
const withCode = (said: Said | undefined, body: JsonObject): Said | undefined =>
  said && defined({ ...said, code: nameIn(body['code']), status: statusIn(body) })

/** `beside`: a status beside the error. */
function fromObject(error: JsonObject, beside?: number): Said | undefined {
  const message = memberText(error, 'message')
  const code = nameIn(error['code'])
  const type = nameIn(error['type'])
  const status = statusIn(error) ?? beside
  const words = message || code || type || (status === undefined ? message : wordless(status))
  return words === undefined
    ? undefined
    : defined({ message: words, code, type, status, details: error })
}

const wordless = (status: number): string => `The upstream answered with status ${status}.`

const bare = (body: Json | undefined, outer: JsonObject): Said =>
  defined({ message: wordsIn(body) ?? '', status: statusIn(outer) })

/** Reads an upstream's error. Its `param` names a place in a request that the caller never saw. */
export function readProblem(status: number, body: Json | undefined): Problem {
  // An event that ends a stream has the error in its response.
  const outer = objectIn(body)
  const said = whatIsSaid(body) ?? whatIsSaid(outer['response'] ?? null) ?? bare(body, outer)
  const inner = status < 400 ? (said.status ?? status) : status
  return toProblem({ ...said, message: said.message || wordless(status) }, readKind(inner), inner)
}

/** The failure that should be a reply, or an event that tells of one. */
export const failureIn = (body: Json, wordlessly: Problem): Problem =>
  problemIn(body) ?? (wordsIn(body) === undefined ? wordlessly : readProblem(200, body))

/** Reads the error in a stream or in a body that should be a reply; undefined when there is none. */
export function problemIn(body: Json | undefined): Problem | undefined {
  const said = whatIsSaid(body)
  if (!said) return undefined
  const { status } = said
  return toProblem(said, status === undefined ? 'internal' : readKind(status), status)
}

function toProblem(said: Said, byStatus: ProblemKind, status: number | undefined): Problem {
  const { message, code, type, details } = said
  const overflow = readOverflow(message, code)
  const byCode = PROBLEM_KINDS.get(code ?? '') ?? PROBLEM_KINDS.get(type ?? '')
  const isLess = byCode === undefined || (status !== undefined && isVague(byCode))
  const retryAfterMs = readWait(message)
  const named = isLess ? byStatus : byCode
  const kind = spentOr(named, { message, codes: [code, type], waitMs: retryAfterMs })
  const isClientError = status !== undefined && status >= 400 && status < 500
  return defined({
    kind,
    message,
    ...overflow,
    isProof: refusesProof(message, code) ? true : undefined,
    status: isClientError ? status : undefined,
    code,
    retryAfterMs,
    sentParam: isObject(details) ? memberText(details, 'param') : undefined,
    details,
  })
}

export function writeProblem(problem: Problem): { status: number; body: JsonObject } {
  const { type, code: general } = codeFor(problem)
  const code = problem.isProof ? 'invalid_encrypted_content' : general
  const error = { message: openAiWords(problem), type, param: problem.param ?? null, code }
  return { status: statusOf(problem), body: { error } }
}

/**
 * The codes that clients know in a stream and turn into a status. An overload has no code there that is safe: Codex
 * gives up at `server_is_overloaded`, and connects again at `server_error`.
 */
const STREAM_CODES: Partial<Record<ProblemKind, string>> = {
  'rate-limit': 'rate_limit_exceeded',
  billing: 'insufficient_quota',
  'invalid-request': 'invalid_prompt',
  'context-overflow': 'context_length_exceeded',
}

/** The error of a response that failed after it began. */
export const writeError = (problem: Problem): { code: string; message: string } => ({
  code: STREAM_CODES[problem.kind] ?? 'server_error',
  message: openAiWords(problem),
})

/**
 * The same beside its response, with the members that it has in a body: openai-java 4.101 throws anew where an error is
 * asked for its type and has none. Made of nothing else, because it is made again of what is kept of the response.
 */
export const writeErrorBeside = (error: JsonObject): JsonObject => ({
  type: STREAM_TYPES.get(error['code']) ?? codeFor({ kind: 'internal', message: '' }).type,
  param: null,
  ...error,
})

const STREAM_TYPES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(STREAM_CODES).map(([kind, code]) => {
    const { type } = codeFor({ kind: kind as ProblemKind, message: '' })
    return [code, type]
  }),
)

const GOOD_ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])
/** With one of these, or an error, such an end reports a failure. */
const FAILED: ReadonlySet<unknown> = new Set(['failed', 'cancelled'])

/** With one of these an end is none: it would be taken for a success. */
const UNDER_WAY: ReadonlySet<unknown> = new Set(['queued', 'in_progress'])

/** The library (openai 7.55) throws for this event name or this member, and hands on any other event. */
export function tellsFailure({ event, data }: Frame): boolean {
  const { type, response, error } = parseObject(data) ?? {}
  const { status, error: failure } = objectIn(response)
  if (type === 'response.failed') return isObject(response) && !UNDER_WAY.has(status)
  if (GOOD_ENDS.has(type)) return FAILED.has(status) || isObject(failure)
  return type === 'error' && (event === 'error' || isObject(error))
}

export const tellsError = (body: JsonObject): boolean =>
  (memberText(objectIn(body['error']), 'message') ?? '') !== ''
