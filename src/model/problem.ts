/** What can go wrong, independent of how a dialect says it. */
export type ProblemKind =
  | 'invalid-request'
  | 'context-overflow'
  | 'authentication'
  | 'billing'
  | 'permission'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'too-large'
  | 'unsupported-media-type'
  | 'upgrade-required'
  | 'rate-limit'
  | 'cancelled'
  | 'internal'
  | 'bad-upstream'
  | 'unavailable'
  | 'overloaded'
  | 'timeout'

export interface Problem {
  kind: ProblemKind
  message: string
  /** The HTTP status when it says more than the kind does (an upstream's own 4xx). */
  status?: number
  /** Machine-readable code, in the words of the dialect that the caller speaks or the upstream used. */
  code?: string
  /** The field at fault, as a path in the caller's own request. */
  param?: string
  /** The same in the request that the upstream was sent. */
  sentParam?: string
  retryAfterMs?: number
  /** False where the outcome is unknown and a repetition may cost twice. */
  retry?: boolean
  /** The upstream refuses a proof of reasoning: without the reasoning it would take the conversation. */
  isProof?: true
  /** What would be lost, where losing it is the reason. */
  lost?: readonly string[]
  /** The first words of an upstream's answer that is none of its dialect, without secrets: for the log. */
  said?: string
  /** Details of the upstream in its own form, for a caller of the same dialect. */
  details?: unknown
  /** Context overflow: tokens used and allowed, where known. `asked`: those of them that the reply was to have. */
  tokens?: { used?: number; limit?: number; asked?: number }
}

export const STATUS: Record<ProblemKind, number> = {
  'invalid-request': 400,
  'context-overflow': 400,
  authentication: 401,
  billing: 402,
  permission: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  'upgrade-required': 426,
  'rate-limit': 429,
  cancelled: 499,
  internal: 500,
  'bad-upstream': 502,
  unavailable: 503,
  overloaded: 503,
  timeout: 504,
}

/** What a status says by itself: those of the kinds, and what services use besides. */
const KINDS: ReadonlyMap<number, ProblemKind> = new Map<number, ProblemKind>([
  [400, 'invalid-request'],
  [401, 'authentication'],
  [402, 'billing'],
  [403, 'permission'],
  [404, 'not-found'],
  [405, 'method-not-allowed'],
  [408, 'timeout'],
  [409, 'conflict'],
  [413, 'too-large'],
  [415, 'unsupported-media-type'],
  [422, 'invalid-request'],
  [426, 'upgrade-required'],
  [429, 'rate-limit'],
  [499, 'cancelled'],
  [500, 'internal'],
  [502, 'bad-upstream'],
  [503, 'unavailable'],
  [504, 'timeout'],
  [529, 'overloaded'],
])

/** A failure of a server stays one, whatever a gateway (520 to 526 are Cloudflare's) calls it in its body. */
export const kindOfStatus = (status: number): ProblemKind | undefined =>
  KINDS.get(status) ?? (status >= 500 && status < 600 ? 'bad-upstream' : undefined)

/** Inverse of a dialect's words for problems: of kinds with the same word the first one is meant. */
export const kindsByWord = (
  words: Readonly<Record<ProblemKind, string>>,
): [string, ProblemKind][] =>
  Object.entries(words)
    .toReversed()
    .map(([kind, word]) => [word, kind as ProblemKind])

/** That money is used up, services say with 400, 402, 403 or 429, and in a stream without any: it is told as one. */
export const statusOf = ({ kind, status }: Problem): number =>
  kind === 'billing' ? STATUS.billing : (status ?? STATUS[kind])

/** A problem before the first byte of a reply; afterwards a problem is an `error` event. */
export class ProblemError extends Error {
  readonly problem: Problem
  /** What its answer says besides. */
  readonly headers: Readonly<Record<string, string>>
  constructor(problem: Problem, headers = {}) {
    super(problem.message)
    this.name = 'ProblemError'
    this.problem = problem
    this.headers = headers
  }
}

export const invalid = (message: string, param?: string, code?: string): ProblemError =>
  new ProblemError(invalidBy(message, param, code))

/** The same without an error, whose stack takes the time of a long script where it is made while that is loaded. */
export const invalidBy = (message: string, param?: string, code?: string): Problem => ({
  kind: 'invalid-request',
  message,
  ...(param !== undefined && { param }),
  ...(code !== undefined && { code }),
})

/** Nothing is left of a conversation, or it was somewhere else from the beginning: upstreams demand one. */
export const nothingToSend = (): ProblemError =>
  invalid('The request holds nothing of a conversation that this upstream could be sent.')

/** Whether the kind is a general one: a more exact status then says more. */
export const isVague = (kind: ProblemKind): boolean =>
  kind === 'invalid-request' || kind === 'internal'

const USED_UP_CODES: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_error',
  'billing_hard_limit_reached',
  'billing_not_active',
  'exceeded_current_quota_error',
  'insufficient_balance',
  'insufficient_credits',
  'credit_balance_too_low',
  'budget_exceeded',
])

/** The words of Anthropic, OpenAI, Google, xAI, DeepSeek, Kimi, OpenRouter and LiteLLM. */
const USED_UP =
  /credit balance is too low|(?:prepay\w*|prepaid)? ?credits? (?:are|is|have been) depleted|insufficient[ _](?:balance|credits?|funds|quota)|(?:out|run out) of (?:available )?credits|exceeded your current quota|spend(?:ing)? (?:limit|cap)|budget has been exceeded|requires more credits|account is not active, please check your billing/i

/** What is said in a refusal that is about money in any case. */
const NO_CREDIT = /credit balance is too low/i

interface SaidOfRefusal {
  message: string
  codes: readonly (string | undefined)[]
  waitMs: number | undefined
}

/**
 * `billing` where an upstream refuses because money or a quota is used up, which services also say as a rate limit;
 * else the kind itself. Google says the same words of a rate limit, but then how long to wait.
 */
export function spentOr(kind: ProblemKind, { message, codes, waitMs }: SaidOfRefusal): ProblemKind {
  const isNamed = codes.some(
    (code = '') => USED_UP_CODES.has(code) || code.endsWith('_spend_limit_reached'),
  )
  const mayBeSaid = (kind === 'rate-limit' || kind === 'permission') && waitMs === undefined
  const isSaid = mayBeSaid && USED_UP.test(message)
  return isNamed || isSaid || (kind === 'invalid-request' && NO_CREDIT.test(message))
    ? 'billing'
    : kind
}

const PROOF =
  /`(?:redacted_)?thinking` block|bound to a different conversation|encrypted content .*could not be verified|thought.?signature (?:is )?(?:not valid|invalid|corrupted)|(?:invalid|corrupted) thought.?signature/i

/** Recognises a refusal of a proof in an upstream's words. */
export const refusesProof = (message: string, code?: string): boolean =>
  code === 'invalid_encrypted_content' || PROOF.test(message)

const OVERFLOW =
  /prompt is too long|input length and `?max_tokens`? exceed|context[ _-]?length[ _-]?exceeded|maximum context length|exceeds? the (?:maximum|context|model)|context window|input token count|too many (?:input )?tokens/i

/**
 * The words of servers that many run themselves, and of gateways: llama.cpp, Ollama, xAI, Groq, LM Studio, Kimi, and
 * all others that Claude Code (2.1.330) knows.
 */
const OVERFLOW_ELSEWHERE =
  /exceeds the available context size|context size has been exceeded|exceeded max context length|total length of all messages is too long|reduce the length of the messages|greater than the context length|token count of \d+ exceeds the limit|exceeded model token limit|range of input length should be|contextwindowexceeded|longer than the (?:maximum model|model's context) length|input token length too long|input tokens exceed the configured limit|maximum context limit|maximum prompt length|prompt exceeds max length|tokens in request more than max tokens allowed|but model only supports up to|`inputs` tokens \+ `max_new_tokens` must be|context exceeds your deployment/i

/** Refusals for other reasons that use such words: of gateways that look into a prompt, and of names that are too long. */
const OTHER_REASONS =
  /policy_blocked|dlp_request_denied|string too long\. expected a string with maximum length|expected maxlength/i

/** `(100000 in the messages, 30000 in the completion)`, as OpenAI, vLLM and DeepSeek say it. */
function askedFor(message: string): number | undefined {
  const digits = /(\d+) in the completion/.exec(message)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Recognises a context overflow in an upstream's words, with the counts it gives. */
export function readOverflow(message: string, code?: string): Problem | undefined {
  if (OTHER_REASONS.test(message)) return undefined
  const isSaid = OVERFLOW.test(message) || OVERFLOW_ELSEWHERE.test(message)
  if (code !== 'context_length_exceeded' && !isSaid) return undefined
  const numbers = (message.match(/\d[\d,]{2,}/g) ?? []).map((digits) =>
    Number(digits.replaceAll(',', '')),
  )
  const [first, second, third] = numbers
  const problem: Problem = { kind: 'context-overflow', message }
  const asked = askedFor(message)
  // Where the message adds the requested output to the input: `190000 + 20000 > 200000`.
  if (third !== undefined && second !== undefined && /\d \+ \d/.test(message))
    return { ...problem, tokens: { used: (first ?? 0) + second, limit: third, asked: second } }
  if (first === undefined || second === undefined) return problem
  // Whatever the order in the message, the used tokens exceed the allowed ones.
  const tokens = { used: Math.max(first, second), limit: Math.min(first, second) }
  return { ...problem, tokens: { ...tokens, ...(asked !== undefined && { asked }) } }
}
