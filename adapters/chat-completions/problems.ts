import type { Frame } from '../contract.ts'
import { isObject, parseObject, type Json, type JsonObject } from '../../src/json/json.ts'
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
import { textIn, objectIn } from './dialect.ts'

/** The `error` member, which answers and streams have in common. */
export function writeError(problem: Problem): JsonObject {
  const { param, details } = problem
  const { type, code } = codeFor(problem)
  const failed = objectIn(details as Json | undefined)['failed_generation']
  return {
    message: openAiWords(problem),
    type,
    param: param ?? null,
    code,
    // Groq reports the model's text here when it was no valid call.
    ...(typeof failed === 'string' && { failed_generation: failed }),
  }
}

export const writeProblem = (problem: Problem): { status: number; body: JsonObject } => ({
  status: statusOf(problem),
  body: { error: writeError(problem) },
})

/** DeepSeek, Mistral and OpenRouter answer 400 where others answer 404. */
const NO_MODEL = /model not exist|^invalid model\b|not a valid model id|invalid model id/i

interface Said {
  message: string
  /** Codes and types that may name the kind, the most exact first. */
  names: string[]
  /** A status in the body. */
  status: number | undefined
  details?: JsonObject
}

/** Reads the failure of an upstream; `status` is 200 for an error inside a reply. */
export function readProblem(status: number, body: Json | undefined): Problem {
  const said = readSaid(body)
  const inner = status < 400 ? (said?.status ?? status) : status
  const message =
    said?.message ||
    wordsIn(body) ||
    `The upstream answered with status ${inner} and no explanation.`
  const codes = said?.names ?? []
  const wait = readWait(message)
  const kind = spentOr(kindFor(inner, codes, message), { message, codes, waitMs: wait })
  const overflow = overflowIn(kind, message, said)
  const [code] = codes
  return {
    ...(overflow ?? { kind, message }),
    ...(kind === 'invalid-request' && refusesProof(message, code) && { isProof: true }),
    ...(inner >= 400 && inner < 500 && !overflow && kind !== 'not-found' && { status: inner }),
    ...(code !== undefined && { code }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(textIn(said?.details?.['param']) !== '' && { sentParam: textIn(said?.details?.['param']) }),
    ...(said?.details && { details: said.details }),
  }
}

const OVERFLOWS = new Set<ProblemKind>([
  'invalid-request',
  'too-large',
  'context-overflow',
  'internal',
  'bad-upstream',
])

function overflowIn(
  kind: ProblemKind,
  message: string,
  said: Said | undefined,
): Problem | undefined {
  if (!OVERFLOWS.has(kind)) return undefined
  const named = kind === 'context-overflow' ? 'context_length_exceeded' : undefined
  const found = readOverflow(message, named)
  if (!found) return undefined
  // llama.cpp reports both counts.
  const { n_prompt_tokens: used, n_ctx: limit } = said?.details ?? {}
  if (typeof used !== 'number' || typeof limit !== 'number') return found
  return { ...found, tokens: { used, limit } }
}

function kindFor(status: number, names: readonly string[], message: string): ProblemKind {
  const named = names.map((name) => PROBLEM_KINDS.get(name)).find((kind) => kind !== undefined)
  if (named && !isVague(named)) return named
  // Statuses from 600 are not HTTP: a proxy between here and the upstream made them.
  if (status >= 600) return 'bad-upstream'
  const isRefused = status >= 400 && status < 500
  if (isRefused && NO_MODEL.test(message)) return 'not-found'
  const byStatus = status >= 400 ? kindOfStatus(status) : undefined
  return byStatus ?? named ?? (isRefused ? 'invalid-request' : 'bad-upstream')
}

/** Finds the error in the shapes of this dialect and of the servers that speak it. */
function readSaid(body: Json | undefined): Said | undefined {
  if (Array.isArray(body)) return readSaid(body[0])
  if (!isObject(body)) return undefined
  const { error } = body
  if (isObject(error)) return fromObject(error, statusIn(body))
  if (typeof error === 'string')
    return {
      message: wordsIn(body['message']) ?? wordsIn(error) ?? '',
      names: namesIn(body['code']),
      status: statusIn(body),
    }
  return fromObject(body)
}

/** `beside`: a status beside the error. */
function fromObject(error: JsonObject, beside?: number): Said | undefined {
  const { message, type, code, status, param, metadata } = error
  const words = wordsIn(message)
  const names = namesIn(code, type, status)
  const number = statusIn(error) ?? beside
  if (words === undefined && names.length === 0 && number === undefined) return undefined
  const cause = causeIn(metadata)
  return {
    message: [words, cause].filter(Boolean).join(': '),
    names,
    status: number,
    details: { ...error, ...(param !== undefined && { param }) },
  }
}

const namesIn = (...codes: (Json | undefined)[]): string[] =>
  codes.flatMap((code) => nameIn(code) ?? [])

/** OpenRouter says only `Provider returned error`; the provider's own message is in the metadata. */
function causeIn(metadata: Json | undefined): string | undefined {
  const { raw } = objectIn(metadata)
  if (typeof raw !== 'string') return undefined
  return wordsIn(parseObject(raw) ?? raw)
}

export const BAD_REPLY = {
  kind: 'bad-upstream',
  message: 'The upstream sent a reply that is no completion.',
  retry: false,
} as const

/** The libraries (openai 7.55, @ai-sdk/openai-compatible, LangChain) throw at an event with this member. */
export const tellsFailure = ({ data, bare }: Frame): boolean =>
  !bare && tellsError(parseObject(data) ?? {})

export const tellsError = (body: JsonObject): boolean =>
  textIn(objectIn(body['error'])['message']) !== ''
