import type { Frame } from '../contract.ts'
import {
  objectIn,
  parseObject,
  objectsOf,
  isObject,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import {
  isVague,
  kindOfStatus,
  kindsByWord,
  readOverflow,
  refusesProof,
  spentOr,
  STATUS,
  type Problem,
  type ProblemKind,
} from '../../src/model/problem.ts'
import { readWait } from '../../src/problems/wait.ts'
import { statusIn, wordsIn } from '../../src/problems/error-words.ts'

const NAMES: Record<ProblemKind, string> = {
  'invalid-request': 'INVALID_ARGUMENT',
  'context-overflow': 'INVALID_ARGUMENT',
  authentication: 'UNAUTHENTICATED',
  billing: 'PERMISSION_DENIED',
  permission: 'PERMISSION_DENIED',
  'not-found': 'NOT_FOUND',
  'method-not-allowed': 'INVALID_ARGUMENT',
  conflict: 'ABORTED',
  'too-large': 'PAYLOAD_TOO_LARGE',
  'unsupported-media-type': 'INVALID_ARGUMENT',
  'upgrade-required': 'FAILED_PRECONDITION',
  'rate-limit': 'RESOURCE_EXHAUSTED',
  cancelled: 'CANCELLED',
  internal: 'INTERNAL',
  'bad-upstream': 'UNAVAILABLE',
  unavailable: 'UNAVAILABLE',
  overloaded: 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
}

/** The kinds of problems by status: the specification's, and others of the same family that were seen. */
const KINDS: ReadonlyMap<string, ProblemKind> = new Map<string, ProblemKind>([
  ...kindsByWord(NAMES),
  ['FAILED_PRECONDITION', 'invalid-request'],
  ['OUT_OF_RANGE', 'invalid-request'],
  ['PERMISSION_DENIED', 'permission'],
  ['ALREADY_EXISTS', 'conflict'],
  ['UNKNOWN', 'internal'],
  ['DATA_LOSS', 'internal'],
  ['UNAVAILABLE', 'unavailable'],
])

/** The kinds that have another HTTP status here than in the common table. */
const STATUSES: Partial<Record<ProblemKind, number>> = { billing: 403 }

/** Reads an error in this dialect's shape, in a list around it, or in the words of a server in between. */
export function readProblem(status: number, body: Json | undefined): Problem {
  const outer = Array.isArray(body) ? body[0] : body
  const error = isObject(outer) ? (outer['error'] ?? outer) : outer
  const fields = objectIn(error)
  const { status: name, details } = fields
  const message = wordsIn(body) ?? GENERIC
  const isKey = isBadKey(fields)
  const retryAfterMs = readWait(message, details)
  const reasons = reasonsIn(fields)
  const codes = reasons.has('BILLING_DISABLED') ? ['insufficient_quota'] : []
  const named = isKey ? 'authentication' : readKind(status, fields, objectIn(outer))
  const known = spentOr(named, { message, codes, waitMs: retryAfterMs })
  const overflow = known === 'invalid-request' ? readOverflow(message) : undefined
  const kind = overflow ? overflow.kind : overloaded(known, message)
  const field = violated(details)
  return {
    kind,
    message,
    ...(kind === 'invalid-request' && refusesProof(message) && { isProof: true }),
    ...(status >= 400 && status < 500 && status !== STATUS[kind] && !isKey && { status }),
    ...(typeof name === 'string' && !isKey && { code: name }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(kind === 'rate-limit' && isUsedForToday(details) && { retry: false }),
    ...(Array.isArray(details) && details.length > 0 && { details }),
    ...(overflow?.tokens && { tokens: overflow.tokens }),
    ...(field !== '' && { sentParam: field }),
  }
}

/** The member of the request that the error names; empty without one. */
function violated(details: Json | undefined): string {
  const [first] = objectsOf(details).flatMap((detail) => objectsOf(detail['fieldViolations']))
  const field = first?.['field']
  return typeof field === 'string' ? field : ''
}

const GENERIC = 'The upstream answered with an error.'

function readKind(status: number, fields: JsonObject, outer: JsonObject): ProblemKind {
  const { code, status: name } = fields
  const named = typeof name === 'string' ? KINDS.get(name) : undefined
  // An error inside a successful reply has its real status in the body.
  const inner = statusIn(fields) ?? statusIn(outer) ?? (typeof code === 'number' ? code : 500)
  const meant = status >= 400 ? status : inner
  if (named && !isVague(named)) return named
  return kindOfStatus(meant) ?? named ?? (meant >= 500 ? 'internal' : 'invalid-request')
}

/** The service answers a wrong key with INVALID_ARGUMENT. */
function isBadKey(fields: JsonObject): boolean {
  const { message } = fields
  return (
    reasonsIn(fields).has('API_KEY_INVALID') ||
    (typeof message === 'string' && /^API key (?:not valid|expired)/.test(message))
  )
}

const reasonsIn = ({ details }: JsonObject): Set<Json | undefined> =>
  new Set(objectsOf(details).map(({ reason }) => reason))

/**
 * Whether the quota of a day is used up. The service gives a wait of seconds all the same (Gemini CLI 0.61 gives up).
 */
const isUsedForToday = (details: Json | undefined): boolean =>
  objectsOf(details)
    .flatMap((detail) => objectsOf(detail['violations']))
    .some(({ quotaId }) => typeof quotaId === 'string' && /PerDay|Daily/.test(quotaId))

const overloaded = (kind: ProblemKind, message: string): ProblemKind =>
  kind === 'unavailable' && /overloaded|high demand/i.test(message) ? 'overloaded' : kind

/** Inverse of `readProblem`. */
export function writeProblem(problem: Problem): { status: number; body: JsonObject } {
  // With the 429 of another service, clients of this dialect would try again.
  const status = STATUSES[problem.kind] ?? problem.status ?? STATUS[problem.kind]
  const details = writeDetails(problem)
  return {
    status,
    body: {
      error: {
        code: status,
        message: writeMessage(problem),
        status: writeName(problem),
        ...(details.length > 0 && { details }),
      },
    },
  }
}

const writeName = (problem: Problem): string =>
  problem.code !== undefined && KINDS.get(problem.code) === problem.kind
    ? problem.code
    : NAMES[problem.kind]

function writeMessage({ kind, message, tokens }: Problem): string {
  if (kind !== 'context-overflow' || tokens?.used === undefined || tokens.limit === undefined)
    return message
  const { used, limit } = tokens
  return `The input token count (${used}) exceeds the maximum number of tokens allowed (${limit}).`
}

const TYPE = 'type.googleapis.com/google.rpc.'

/** The details of an error. Those of this dialect have a type each; those of others have none and are left out. */
function writeDetails({ details, param, message, retryAfterMs }: Problem): JsonObject[] {
  const typed = Array.isArray(details) ? details.filter(isTyped) : []
  const has = (name: string) => typed.some((detail) => detail['@type'] === TYPE + name)
  const violations = [{ field: param ?? '', description: message }]
  return [
    ...typed,
    ...(param !== undefined && !has('BadRequest')
      ? [{ '@type': `${TYPE}BadRequest`, fieldViolations: violations }]
      : []),
    ...(retryAfterMs !== undefined && !has('RetryInfo')
      ? [{ '@type': `${TYPE}RetryInfo`, retryDelay: `${retryAfterMs / 1000}s` }]
      : []),
  ]
}

const isTyped = (detail: unknown): detail is JsonObject =>
  isObject(detail) && typeof detail['@type'] === 'string'

/**
 * Whether a client takes the frame for a failure. @google/genai 3.1 throws at an HTTP status of an error, and reads any
 * other chunk as a reply.
 */
export const tellsFailure = ({ data }: Frame): boolean => tellsError(parseObject(data) ?? {})

/** Whether a body is an error of this dialect. Gemini CLI (0.61, `googleErrors.ts`) looks for the same two members. */
export function tellsError(body: JsonObject): boolean {
  const { code, message } = objectIn(body['error'])
  return typeof code === 'number' && code >= 400 && code < 600 && typeof message === 'string'
}
