import {
  defined,
  isObject,
  toText,
  Verbatim,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Compaction, Format, Limits, Request, Sampling } from '../../src/model/request.ts'
import { inWords } from '../../src/model/text-tools.ts'
import { listOf, lookup, keep, restOf, factsOf } from './dialect.ts'
import { Members } from '../../src/model/ext.ts'
import { PROOFS } from './proofs.ts'
import { writeFormatName, writeUserId } from './names.ts'
import { NOT_STRICT, objectSchema, strictSchema } from '../../src/schema/strict.ts'

export function readLimits(members: Members): Limits {
  return defined({ maxOutputTokens: members.number('max_output_tokens') })
}

/** The service refuses a lower bound. */
export const LEAST_OUTPUT_TOKENS = 16

export function writeLimits(
  { maxOutputTokens, stop }: Limits,
  most: number = Number.MAX_SAFE_INTEGER,
  lose: Lose,
): JsonObject {
  if (stop && stop.length > 0) lose('dropped', 'limits.stop')
  if (maxOutputTokens === undefined) return {}
  const bound = Math.max(LEAST_OUTPUT_TOKENS, Math.min(maxOutputTokens, most))
  if (bound !== maxOutputTokens) lose('approximated', 'limits.maxOutputTokens')
  return { max_output_tokens: bound }
}

export function readSampling(members: Members): Sampling {
  members.passDefault('top_logprobs', 0)
  const isAsked = listOf(members.peek('include')).includes(LOGPROBS)
  const most = members.number('top_logprobs')
  return defined({
    temperature: members.number('temperature'),
    topP: members.number('top_p'),
    logprobs: isAsked ? (most ?? 0) : most || undefined,
    verbosity: readVerbosity(members.peek('text')),
  })
}

const UNSAYABLE = ['topK', 'seed', 'presencePenalty', 'frequencyPenalty'] as const

export function writeSampling(sampling: Sampling, lose: Lose): JsonObject {
  const { temperature, topP, logprobs, candidateCount = 1 } = sampling
  for (const key of UNSAYABLE) if (sampling[key] !== undefined) lose('dropped', `sampling.${key}`)
  if (candidateCount > 1) lose('dropped', 'sampling.candidateCount')
  return defined({
    temperature,
    top_p: topP,
    top_logprobs: logprobs || undefined,
  }) as JsonObject
}

/** `medium` is the default, so it says nothing. */
function readVerbosity(text: Json | undefined): string | undefined {
  const verbosity = isObject(text) ? text['verbosity'] : undefined
  return typeof verbosity === 'string' && verbosity !== 'medium' ? verbosity : undefined
}

/** Reads the settings of the text: its format, and others of this dialect alone. */
export function readFormat(members: Members): Format | undefined {
  const text = members.object('text')
  if (!text) return undefined
  const format = isObject(text['format']) ? readKnownFormat(text['format']) : undefined
  const { format: raw, verbosity, ...others } = text
  const rest = {
    ...others,
    ...(!format && raw !== undefined && { format: raw }),
    ...(typeof verbosity !== 'string' && verbosity !== undefined && { verbosity }),
  }
  if (Object.values(rest).some((value) => value !== null)) members.leave('text', rest)
  return format
}

function readKnownFormat(format: JsonObject): Format | undefined {
  const members = new Members(format)
  const type = members.text('type')
  if (type === 'text') return { type: 'text' }
  if (type === 'json_object') return { type: 'json' }
  if (type !== 'json_schema') return undefined
  return defined({
    type: 'json-schema' as const,
    schema: toText(members.any('schema') ?? {}),
    name: members.text('name'),
    description: members.text('description'),
    strict: members.flag('strict'),
    ...keep(members.rest()),
  })
}

/**
 * The format said in words: the service takes only schemas of objects, and plain JSON mode wants the word JSON in
 * the prompt.
 */
export function formatWords({ format }: Request): string | undefined {
  if (!format || format.type === 'text') return undefined
  return format.type === 'json-schema' && objectSchema(format.schema) ? undefined : inWords(format)
}

export function writeText(request: Request, own: boolean, lose: Lose): JsonObject | undefined {
  const rest = restOf(request)['text']
  const { verbosity } = request.sampling
  const format = request.format && writeFormat(request.format, own, lose)
  if (!format && rest === undefined && verbosity === undefined) return undefined
  return {
    ...(isObject(rest) && rest),
    ...(verbosity !== undefined && { verbosity }),
    ...(format && { format }),
  }
}

/**
 * Other dialects always enforce a schema. Here it is enforced where strict mode can express it, unless the caller
 * does not ask for it.
 */
function writeFormat(format: Format, own: boolean, lose: Lose): JsonObject | undefined {
  switch (format.type) {
    case 'text':
      return { type: 'text' }
    case 'json':
      if (!own) lose('defaulted', 'format', 'asked for in words as well')
      return { type: 'json_object' }
    case 'choice':
      return lose('approximated', 'format', 'in words')
    case 'json-schema': {
      const whole = own ? format.schema : objectSchema(format.schema)
      if (whole === undefined) return lose('approximated', 'format', 'in words')
      const isLoose = own || format.strict === false
      const strict = isLoose ? undefined : strictSchema(whole)
      if (!isLoose && strict === undefined) lose('dropped', 'format.strict', NOT_STRICT)
      return defined({
        type: 'json_schema',
        name: writeFormatName(format.name),
        description: format.description,
        schema: new Verbatim(strict ?? whole),
        strict: isLoose ? format.strict : strict && true,
        ...restOf(format),
      }) as JsonObject
    }
    default:
      return format satisfies never
  }
}

/** Reads from how many tokens the service is to write a summary; other edits are leftovers. */
export function readCompaction(members: Members): Compaction | undefined {
  const [only, ...others] = listOf(members.peek('context_management'))
  if (!isObject(only) || others.length > 0 || only['type'] !== 'compaction') return undefined
  members.any('context_management')
  const { type: _, compact_threshold, ...rest } = only
  return {
    ...(typeof compact_threshold === 'number' && { above: compact_threshold }),
    ...keep(rest),
  }
}

/** Inverse of `readCompaction`; a summary that is requested now is an item at the end of the input. */
export function writeCompaction(compact: Compaction | undefined): JsonObject[] | undefined {
  if (!compact || compact.now) return undefined
  const { above } = compact
  const threshold = above === undefined ? {} : { compact_threshold: above }
  return [{ type: 'compaction', ...threshold, ...restOf(compact) }]
}

/** Values of `include` for content that every reply of this proxy has. */
const GIVEN = new Set<Json>([
  PROOFS,
  'web_search_call.action.sources',
  'code_interpreter_call.outputs',
])

/** Said beside the number of other tokens. */
const LOGPROBS = 'message.output_text.logprobs'

export function readInclude(members: Members): void {
  const include = members.list('include')
  if (!include) return
  const others = include.filter((entry) => !GIVEN.has(entry) && entry !== LOGPROBS)
  if (others.length > 0) members.leave('include', others)
}

/** Proofs must be requested, and only from a model that reasons; so must log probabilities. */
export function writeInclude(request: Request, own: boolean, hasProofs: boolean): Json | undefined {
  const reasons = request.reasoning !== undefined && request.reasoning.mode !== 'off'
  const kept = own ? restOf(request)['include'] : undefined
  const asks = own ? factsOf(request).proofs === true : reasons || hasProofs
  const proofs = asks ? [PROOFS] : []
  const tokens = request.sampling.logprobs === undefined ? [] : [LOGPROBS]
  const include = [...listOf(kept), ...proofs, ...tokens]
  return include.length > 0 ? include : kept
}

export function readLabels(members: Members): Record<string, string> | undefined {
  const metadata = members.object('metadata')
  if (!metadata || Object.keys(metadata).length === 0) return undefined
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  )
}

const PAIRS = 16
const KEY_CHARACTERS = 64
const VALUE_CHARACTERS = 512

export function writeLabels(labels: Request['labels'], lose: Lose): JsonObject | undefined {
  if (!labels) return undefined
  const entries = Object.entries(labels)
  const fitting = entries
    .filter(([key, value]) => key.length <= KEY_CHARACTERS && value.length <= VALUE_CHARACTERS)
    .slice(0, PAIRS)
  if (fitting.length < entries.length) lose('dropped', 'labels')
  return fitting.length > 0 ? Object.fromEntries(fitting) : undefined
}

/** Two members name the end user; the newer one wins, the other is a leftover. */
export function readUser(members: Members): string | undefined {
  const identifier = members.text('safety_identifier')
  return identifier ?? members.text('user')
}

export function writeUser(request: Request, own: boolean, lose: Lose): JsonObject {
  const { user } = request
  if (user === undefined) return {}
  const key = factsOf(request).user ?? 'user'
  const id = own ? user : writeUserId(user)
  if (id !== user) lose('approximated', 'user')
  return { [key]: id }
}

const TIERS: Record<string, string> = {
  auto: 'auto',
  default: 'default',
  standard: 'default',
  standard_only: 'default',
  flex: 'flex',
  scale: 'scale',
  priority: 'priority',
  fast: 'fast',
  ultrafast: 'ultrafast',
}

export function writeTier(tier: string | undefined, own: boolean, lose: Lose): string | undefined {
  if (tier === undefined || own) return tier
  return lookup(TIERS, tier) ?? lose('dropped', 'tier')
}

export const strings = (value: Json | undefined): string[] =>
  listOf(value).filter((entry) => typeof entry === 'string')
