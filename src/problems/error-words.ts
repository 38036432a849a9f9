import {
  amountIn,
  isObject,
  objectsOf,
  parseObject,
  type Json,
  type JsonObject,
} from '../json/json.ts'
import type { Problem, ProblemKind } from '../model/problem.ts'

const MAX_CHARACTERS = 2000
const MAX_DEPTH = 5

/** The members in which services, and gateways around them, put an error's message. */
const PLACES = [
  'message',
  'detail',
  'error',
  'msg',
  'error_message',
  'error_msg',
  'errors',
  'base_resp',
  'status_msg',
  'title',
] as const

/** The message in an error body of any shape; undefined when there is none. */
export function wordsIn(body: Json | undefined, depth = 0): string | undefined {
  if (typeof body === 'string')
    return body.trim() === '' ? undefined : (saidPage(body) ?? body.trim().slice(0, MAX_CHARACTERS))
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(body)) return firstIn(body, depth)
  if (!isObject(body)) return undefined
  const { error } = body
  const inner = isObject(error) ? [error] : []
  const words = firstIn([...inner, ...PLACES.map((place) => body[place])], depth)
  return typeof body['message'] === 'string' && words !== undefined ? withCause(words, body) : words
}

/** OpenRouter says only `Provider returned error`; the provider's own message is in the metadata. */
export function withCause(words: string, { metadata }: JsonObject): string {
  const raw = isObject(metadata) ? metadata['raw'] : undefined
  const cause = typeof raw === 'string' ? wordsIn(parseObject(raw) ?? raw) : undefined
  return [words, cause].filter(Boolean).join(': ')
}

function firstIn(values: readonly (Json | undefined)[], depth: number): string | undefined {
  for (const value of values) {
    const words = wordsIn(value, depth + 1)
    if (words !== undefined) return words
  }
  return undefined
}

/** A page is looked at so far, and what it is called may be so long. */
const PAGE_CHARACTERS = 4096
const NAME_CHARACTERS = 100

/**
 * What a page is, by its title, its heading or the message of an error in XML; undefined for what is no page. The rest of
 * it tells a program nothing, and may reveal too much. `otherwise`: what is said of one without a name.
 */
function pageName(text: string, otherwise = ''): string | undefined {
  if (!/^\s*<[!?/a-z]/i.test(text)) return undefined
  const beginning = text.slice(0, PAGE_CHARACTERS)
  const kind = /^\s*<\?xml/i.test(beginning) && !/<html/i.test(beginning) ? 'XML' : 'HTML'
  const [, named = ''] = /<(?:title|h1|message)\b[^<>]*>([^<]*)/i.exec(beginning) ?? []
  const name = oneLine(named).slice(0, NAME_CHARACTERS) || otherwise
  return `a page of ${kind}${name && `, ${name}`}`
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The same as a sentence. */
export function saidPage(text: string, otherwise?: string): string | undefined {
  const name = pageName(text, otherwise)
  return name && `The upstream answered with ${name}.`
}

/** So much is told of what is no answer. */
const FOREIGN_CHARACTERS = 200

/** What stands in the place of an answer, in a few words. */
export const foreignName = (text: string): string =>
  pageName(text) ?? (isText(text) ? `"${foreignWords(text)}"` : 'bytes that are no text')

/** The first words of it. */
export const foreignWords = (text: string): string => oneLine(text).slice(0, FOREIGN_CHARACTERS)

/** Whether enough of what is no answer has come to say what it is. */
export const isRecognised = (text: string): boolean =>
  text.length >= PAGE_CHARACTERS ||
  /<\/(?:title|h1|message)>/i.test(text) ||
  (pageName(text) === undefined && oneLine(text).length >= FOREIGN_CHARACTERS)

export const isText = (text: string): boolean => !/[^\P{Cc}\s]|\ufffd/u.test(text)

/**
 * Whether an event that should be a part of a reply tells of a failure instead, in the shape of any service or of a
 * gateway around it. A title or a state alone is none: gateways send those beside a reply.
 */
export function saysError(event: JsonObject): boolean {
  const { type, object, error } = event
  const isRecognised = type === 'error' || object === 'error' || Boolean(error)
  return isRecognised || wordsIn({ ...event, title: null, base_resp: null }) !== undefined
}

/** The same of what should be a whole reply, and is none. */
export const isFailure = (body: Json | undefined): boolean =>
  wordsIn(body) !== undefined || objectsOf([body ?? null].flat()).some(saysError)

/** The HTTP status in an error. It stands in one of three members, as a number or as its digits. */
export const statusIn = ({ code, status_code, status }: JsonObject): number | undefined =>
  [code, status_code, status].map(amountIn).find((one) => one >= 400 && one < 600)

/** The name in a code. A number is a status and no name, also when it is spelled as text. */
export const nameIn = (code: Json | undefined): string | undefined =>
  typeof code === 'string' && code !== '' && !/^\d+$/.test(code) ? code : undefined

interface Coded {
  type: string
  code: string | null
}

const INVALID = 'invalid_request_error'
const FAILED = 'server_error'

/** The type and code for each kind of problem, as clients of `responses` and of `chat-completions` know them. */
const CODED: Record<ProblemKind, Coded> = {
  'invalid-request': { type: INVALID, code: null },
  'context-overflow': { type: INVALID, code: 'context_length_exceeded' },
  authentication: { type: INVALID, code: 'invalid_api_key' },
  billing: { type: 'insufficient_quota', code: 'insufficient_quota' },
  permission: { type: INVALID, code: 'permission_denied' },
  'not-found': { type: INVALID, code: 'not_found' },
  'method-not-allowed': { type: INVALID, code: 'method_not_allowed' },
  conflict: { type: INVALID, code: 'conflict' },
  'too-large': { type: INVALID, code: 'request_too_large' },
  'unsupported-media-type': { type: INVALID, code: 'unsupported_media_type' },
  'upgrade-required': { type: INVALID, code: 'upgrade_required' },
  'rate-limit': { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  cancelled: { type: INVALID, code: 'cancelled' },
  internal: { type: FAILED, code: 'server_error' },
  'bad-upstream': { type: FAILED, code: 'bad_upstream' },
  unavailable: { type: FAILED, code: 'upstream_unavailable' },
  overloaded: { type: FAILED, code: 'server_is_overloaded' },
  timeout: { type: FAILED, code: 'timeout' },
}

/** Codes and types in the same dialects that say more than the status, or stand where there is none. */
const KINDS = new Map<string | undefined, ProblemKind>([
  ['server_error', 'internal'],
  ['internal_error', 'internal'],
  ['internal_server_error', 'internal'],
  ['rate_limit_exceeded', 'rate-limit'],
  ['rate_limit_error', 'rate-limit'],
  ['RateLimitReached', 'rate-limit'],
  ['too_many_requests', 'rate-limit'],
  ['invalid_api_key', 'authentication'],
  ['wrong_api_key', 'authentication'],
  ['authentication_error', 'authentication'],
  ['permission_error', 'permission'],
  ['model_not_found', 'not-found'],
  ['invalid_model', 'not-found'],
  ['not_found_error', 'not-found'],
  ['DeploymentNotFound', 'not-found'],
  ['server_is_overloaded', 'overloaded'],
  ['overloaded_error', 'overloaded'],
  ['engine_overloaded_error', 'overloaded'],
  ['slow_down', 'overloaded'],
  ['timeout', 'timeout'],
  ['cancelled', 'cancelled'],
  ['exceed_context_size_error', 'context-overflow'],
  ['too_many_prompt_tokens', 'context-overflow'],
  ['context_length_exceeded', 'context-overflow'],
  ['invalid_prompt', 'invalid-request'],
  ['invalid_request_error', 'invalid-request'],
  ['previous_response_not_found', 'invalid-request'],
])

/** The kind of the first code or type that is known. */
export const kindNamed = (names: readonly (string | undefined)[]): ProblemKind | undefined =>
  names.map((name) => KINDS.get(name)).find((kind) => kind !== undefined)

/** Clients act on these codes (Codex does), so they replace an upstream's own. */
const FIXED = new Set<ProblemKind>(['context-overflow', 'overloaded', 'rate-limit'])

/** The type and the code of a problem; not every one has a code, and an empty one of an upstream is none. */
export function codeFor({ kind, code }: Problem): Coded {
  const coded = CODED[kind]
  return FIXED.has(kind) ? coded : { type: coded.type, code: (code ?? coded.code) || null }
}

/**
 * The words of a failure, where a conversation is too long those of OpenAI: by them clients find the counts, and
 * shorten it (fantasy 0.48.0, on which Crush stands).
 */
export function openAiWords({ kind, message, tokens = {} }: Problem): string {
  const { used, limit, asked } = tokens
  if (kind !== 'context-overflow' || used === undefined || limit === undefined) return message
  const said =
    asked === undefined
      ? `your messages resulted in ${used} tokens.`
      : `you requested ${used} tokens (${used - asked} in the messages, ${asked} in the completion).`
  return `This model's maximum context length is ${limit} tokens. However, ${said}`
}
