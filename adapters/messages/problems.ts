import type { Frame } from '../contract.ts'
import { isObject, parseObject, type Json, type JsonObject } from '../../src/json/json.ts'
import {
  isVague,
  kindOfStatus,
  kindsByWord,
  readOverflow,
  refusesProof,
  spentOr,
  STATUS,
  statusOf,
} from '../../src/model/problem.ts'
import type { Problem, ProblemKind } from '../../src/model/problem.ts'
import { readWait } from '../../src/problems/wait.ts'
import { nameIn, statusIn, wordsIn } from '../../src/problems/error-words.ts'
import { objectIn, textIn } from './dialect.ts'

/** The error type for each kind of problem. */
const TYPES: Record<ProblemKind, string> = {
  'invalid-request': 'invalid_request_error',
  'context-overflow': 'invalid_request_error',
  authentication: 'authentication_error',
  billing: 'billing_error',
  permission: 'permission_error',
  'not-found': 'not_found_error',
  'method-not-allowed': 'invalid_request_error',
  conflict: 'conflict_error',
  'too-large': 'request_too_large',
  'unsupported-media-type': 'invalid_request_error',
  'upgrade-required': 'invalid_request_error',
  'rate-limit': 'rate_limit_error',
  cancelled: 'api_error',
  internal: 'api_error',
  'bad-upstream': 'api_error',
  unavailable: 'api_error',
  overloaded: 'overloaded_error',
  timeout: 'timeout_error',
}

const KINDS = new Map<string, ProblemKind>([
  ...kindsByWord(TYPES),
  ['api_error', 'internal'],
  ['server_error', 'internal'],
  ['too_many_requests', 'rate-limit'],
])

/** The dialect's own status for an overload, at which clients wait and try again. */
const OVERLOADED_STATUS = 529

export function writeProblem(
  problem: Problem,
  requestId: string,
): { status: number; body: JsonObject } {
  const status = problem.kind === 'overloaded' ? OVERLOADED_STATUS : statusOf(problem)
  return { status, body: { type: 'error', error: writeError(problem), request_id: requestId } }
}

/** Writes the `error` member of a reply or of an event. */
export function writeError(problem: Problem): JsonObject {
  const { kind, code, details } = problem
  return {
    type: TYPES[kind],
    message: wordProblem(problem),
    ...(code !== undefined && { code }),
    ...(isObject(details) && 'error_code' in details && { details }),
  }
}

function wordProblem(problem: Problem): string {
  if (problem.kind === 'context-overflow') return overflowWords(problem)
  if (problem.lost) return capabilityWords(problem.message, problem.lost)
  if (problem.isProof) return proofWords(problem.message)
  return REFUSALS.has(problem.kind) ? refusalWords(problem.message) : problem.message
}

/**
 * The class of what an upstream lacks, by its place among the losses, in the order in which Claude Code (2.1.330) looks
 * for them.
 */
const CAPABILITIES = [
  [/^turns\.\d+\.role(?: |$)/, 'mid_conv_system'],
  [/^cache\b|\.cache\b/, 'cache_control_field'],
  [/\.seal(?: |$)/, 'thinking_signature'],
  [/^reasoning\.budget/, 'thinking_type:enabled'],
  [/^reasoning\.mode/, 'thinking_type:adaptive'],
  [/^format/, 'structured_outputs_unsupported'],
  [/^reasoning\.effort/, 'effort_unsupported'],
  [/ image\//, 'image_block'],
  [/ (?:application|text)\//, 'document_block'],
] as const

/** Claude Code asks again without the feature that these words name. */
function capabilityWords(message: string, lost: readonly string[]): string {
  const found = CAPABILITIES.find(([path]) => lost.some((place) => path.test(place)))
  return rejectedAs(found?.[1], message)
}

const rejectedAs = (name: string | undefined, message: string): string =>
  name === undefined ? message : `capability_rejected: ${name} (${message})`

/** The kinds of problems with which a service says that a model lacks something. OpenRouter does so with a 404. */
const REFUSALS: ReadonlySet<ProblemKind> = new Set(['invalid-request', 'not-found'])

/**
 * What OpenAI, OpenRouter, vLLM, llama.cpp, DeepSeek and Groq say of a model that lacks something, in the same order.
 * `[^.\n]` stays within one sentence.
 */
const REFUSED = [
  [
    /\b(?:json_schema|structured outputs?|response_format)\b[^.\n]{0,80}\bnot (?:currently )?supported|(?:does not|doesn't) support\b[^.\n]{0,40}\b(?:json_schema|structured outputs?|response_format)\b/i,
    'structured_outputs_unsupported',
  ],
  [/\breasoning[._]effort\b[^.\n]{0,60}\bnot (?:currently )?supported/i, 'effort_unsupported'],
  [
    /\bat most \d+ (?:images?|videos?|documents?|files?)\b|\btoo many (?:images|documents|pdf pages)\b/i,
    'media_budget',
  ],
  [
    /\bimage(?:_url|s| inputs?| urls)?\b[^.\n]{0,60}\b(?:not|only) (?:currently )?supported|\bsupport(?:s|ed)? (?:for )?images?\b|not a multimodal model|unknown variant `image_url`/i,
    'image_block',
  ],
  [
    /\b(?:pdfs?|documents?|input_file|file inputs?)\b[^.\n]{0,60}\bnot (?:currently )?supported|(?:does not|doesn't) support (?:pdf|document|file)s?\b/i,
    'document_block',
  ],
] as const

const refusalWords = (message: string): string =>
  rejectedAs(REFUSED.find(([words]) => words.test(message))?.[1], message)

const BAD_PROOF = 'Invalid `signature` in `thinking` block'

/** At these words Claude Code (2.1.330) leaves its thoughts out and asks again. */
const proofWords = (message: string): string =>
  message.includes('`thinking`') ? message : `${BAD_PROOF}: ${message}`

const TOO_LONG = 'prompt is too long'

/** Clients that shorten a conversation by themselves look for exactly these words. */
function overflowWords({ message, tokens }: Problem): string {
  const { used, limit, asked = 0 } = tokens ?? {}
  // Claude Code (2.1.330) reads the three numbers and asks again for a shorter reply.
  if (used !== undefined && limit !== undefined && asked > 0 && used - asked < limit)
    return `input length and \`max_tokens\` exceed context limit: ${used - asked} + ${asked} > ${limit}, decrease input length or \`max_tokens\` and try again`
  if (used !== undefined && limit !== undefined)
    return `${TOO_LONG}: ${used} tokens > ${limit} maximum`
  return message.toLowerCase().includes(TOO_LONG) ? message : `${TOO_LONG}: ${message}`
}

/** Reads the failure of an upstream. `status` is 200 for an error inside a reply. */
export function readProblem(status: number, body: Json | undefined): Problem {
  const said = readWords(body)
  const inner = status < 400 ? (said.status ?? status) : status
  const message = wordsIn(body) ?? `The upstream answered with status ${inner} and no explanation.`
  const waitMs = readWait(message, said.details)
  const named = readKind(inner, said.type)
  const kind = spentOr(named, { message, codes: [said.code, said.type], waitMs })
  const refused = kind === 'invalid-request' || kind === 'too-large'
  const overflow = refused ? readOverflow(message, said.code) : undefined
  return {
    ...(overflow ?? { kind, message }),
    ...(refused && refusesProof(message) && { isProof: true }),
    ...(inner >= 400 && inner < 500 && !overflow && inner !== STATUS[kind] && { status: inner }),
    ...(said.code !== '' && { code: said.code }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    ...(said.details !== undefined && { details: said.details }),
  }
}

function readKind(status: number, type: string): ProblemKind {
  const named = KINDS.get(type)
  if (named && !isVague(named)) return named
  const fallback = status >= 400 && status < 500 ? 'invalid-request' : 'bad-upstream'
  return kindOfStatus(status) ?? named ?? fallback
}

interface Words {
  type: string
  code: string
  /** The status that the body gives. */
  status?: number | undefined
  details?: Json
}

/** Finds type, code and details of an error, in the shapes of this dialect's services and of servers in between. */
function readWords(body: Json | undefined): Words {
  if (Array.isArray(body)) return readWords(body[0])
  if (!isObject(body)) return { type: '', code: '' }
  const { error } = body
  const status = statusIn(objectIn(error)) ?? statusIn(body)
  if (!isObject(error))
    return { type: textIn(body['type']), code: nameIn(body['code']) ?? '', status }
  const { type, code, details } = error
  return {
    type: nameIn(type) ?? textIn(error['status']),
    code: nameIn(code) ?? (isObject(details) ? textIn(details['error_code']) : ''),
    status,
    ...(details !== undefined && details !== null && { details }),
  }
}

export const BAD_REPLY = {
  kind: 'bad-upstream',
  message: 'The upstream sent a reply that is no message.',
  retry: false,
} as const

/**
 * Whether a client takes the frame for a failure. @anthropic-ai/sdk 1.11 does so by the event name alone; other clients
 * read the data too.
 */
export function tellsFailure({ event, data }: Frame): boolean {
  const body = event === 'error' ? parseObject(data) : undefined
  return body !== undefined && tellsError(body)
}

/** Whether a body is an error of this dialect. @anthropic-ai/sdk 1.11 gives its type to programs beside the status. */
export function tellsError(body: JsonObject): boolean {
  const { type, message } = objectIn(body['error'])
  return body['type'] === 'error' && textIn(type) !== '' && textIn(message) !== ''
}
