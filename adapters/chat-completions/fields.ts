import {
  type Json,
  type JsonObject,
  Verbatim,
  isNull,
  isObject,
  toText,
} from '../../src/json/json.ts'
import { shortenName } from '../../src/rules/names.ts'
import type { Format, Request } from '../../src/model/request.ts'
import type { Members } from '../../src/model/ext.ts'
import {
  ELSEWHERE,
  readBy,
  readStop,
  row,
  UNSAYABLE,
  writeBy,
  type PlaceTable,
} from '../../src/model/places.ts'
import { inWords } from '../../src/rules/text-tools.ts'
import { NOT_STRICT, objectSchema, strictSchema } from '../../src/schema/strict.ts'
import type { CacheOptions } from '../contract.ts'
import { noteSchema } from '../openai/origins.ts'
import {
  TOOL_NAME,
  keep,
  restOf,
  factsOf,
  textIn,
  objectIn,
  numberIn,
  formatType,
  withoutNulls,
  type WriteContext,
  type Facts,
} from './dialect.ts'

type Wire<Key extends string> = Partial<Record<Key, Json | undefined>>

interface Saying extends WriteContext {
  readonly request: Request
}

/** How this dialect says what is asked of the answer. */
const SETTINGS = {
  'limits.maxOutputTokens': { read: readBound, write: writeBound },
  'limits.stop': row('stop', readStop, writeStop),
  'sampling.temperature': row('temperature', numberIn),
  'sampling.topP': row('top_p', numberIn),
  'sampling.topK': row('top_k', boundIn),
  'sampling.seed': { read: readSeed, write: (seed) => ({ seed }) },
  'sampling.presencePenalty': row('presence_penalty', numberIn),
  'sampling.frequencyPenalty': row('frequency_penalty', numberIn),
  'sampling.candidateCount': row('n', numberIn),
  // Asked for by callers of this dialect alone: many servers refuse the question (gpt-5.6: `unsupported_parameter`;
  // Groq).
  'sampling.logprobs': UNSAYABLE,
  'sampling.verbosity': row('verbosity', readVerbosity),
  // The dialect continues no stored reply.
  previous: UNSAYABLE,
} as const satisfies Partial<PlaceTable<Saying>>

/** How this dialect says each value. */
export const PLACES = {
  ...SETTINGS,
  format: ELSEWHERE, // `writeFormat`, and `formatWords` among the instructions
  reasoning: ELSEWHERE, // reasoning.ts
  toolChoice: ELSEWHERE, // tools.ts
  parallelToolCalls: ELSEWHERE, // tools.ts
  forgetful: ELSEWHERE, // said by what is sent: `withToolsBefore`
  compact: ELSEWHERE, // a summary is a turn of its own (`src/compaction`)
  caching: ELSEWHERE, // `reportUnkept`
  user: ELSEWHERE, // `writeAccount`: under the name that it came by
  labels: ELSEWHERE, // `writeAccount`: only for callers of this dialect
  tier: ELSEWHERE, // `writeAccount`
  cacheKey: ELSEWHERE, // `writeAccount`; `withUnsaid` may make one of the session
  store: ELSEWHERE, // `writeAccount`
} as const satisfies PlaceTable<Saying>

export const readPlaces = readBy(PLACES)
export const writeSettings = writeBy<Saying>(SETTINGS)

/**
 * `max_tokens` and `max_completion_tokens` are the same bound; where both are given, the newer one counts. -1 means
 * none, and so does 0, which programs send for what their user has not set.
 */
function readBound(members: Members): number | undefined {
  return boundIn(members.peek('max_completion_tokens')) ?? boundIn(members.peek('max_tokens'))
}

function boundIn(value: Json | undefined): number | undefined {
  const bound = numberIn(value)
  return bound !== undefined && bound > 0 ? bound : undefined
}

/** A caller of this dialect keeps the name that it gave the bound. */
function writeBound(asked: number, { request, own }: Saying): JsonObject {
  const native = own ? factsOf(request).limit : undefined
  return { [native ?? 'max_tokens']: asked }
}

const MOST_STOPS = 4

function writeStop(stop: string[], { request, own, lose }: Saying): Json | undefined {
  if (stop.length === 0) return undefined
  if (own) return factsOf(request).stop ?? stop
  if (stop.length > MOST_STOPS) lose('approximated', 'limits.stop', `${MOST_STOPS} at most`)
  return stop.slice(0, MOST_STOPS)
}

/** How the bound and the stop sequences were spelled. */
export function limitFacts({
  max_completion_tokens,
  max_tokens,
  stop,
}: Wire<'max_completion_tokens' | 'max_tokens' | 'stop'>): Facts {
  const isNewer = boundIn(max_completion_tokens) !== undefined
  return {
    ...(!isNewer && typeof max_tokens === 'number' && { limit: 'max_tokens' }),
    ...(isNewer && { limit: 'max_completion_tokens' }),
    ...(typeof stop === 'string' && { stop }),
  }
}

/** Mistral calls it `random_seed`. */
function readSeed(members: Members): number | undefined {
  return numberIn(members.peek('seed')) ?? numberIn(members.peek('random_seed'))
}

/** `medium` is the default, so it says nothing. */
function readVerbosity(value: Json | undefined): string | undefined {
  return value === 'medium' ? undefined : textIn(value) || undefined
}

const isSet = (schema: Json | undefined): schema is Json => !isNull(schema ?? null)

export function readFormat(raw: Json | undefined): { format?: Format; left: JsonObject } {
  if (!isObject(raw)) return { left: {} }
  const { type: _, json_schema, ...rest } = raw
  const type = formatType(raw)
  if (type === 'text') return { format: { type, ...keep(rest) }, left: {} }
  // llama.cpp takes a schema beside the older type.
  if (type === 'json_object' && !isSet(rest['schema']))
    return { format: { type: 'json', ...keep(rest) }, left: {} }
  const { schema: besideType, ...beside } = rest
  const { schema = besideType, name, description, strict, ...left } = objectIn(json_schema)
  if ((type !== 'json_schema' && type !== 'json_object') || !isSet(schema))
    return { left: { response_format: raw } }
  return {
    format: {
      type: 'json-schema',
      schema: toText(schema),
      ...(typeof name === 'string' && { name }),
      ...(typeof description === 'string' && { description }),
      ...(typeof strict === 'boolean' && { strict }),
      ...keep(withoutNulls({ ...beside, ...left }), { facts: type === 'json_object' && { type } }),
    },
    left: {},
  }
}

/** The format in words where the dialect has no member for it: servers enforce schemas only for objects. */
export function formatWords({ format }: Request, { own: isOwn }: WriteContext): string | undefined {
  if (!format || format.type === 'text' || format.type === 'json' || isOwn) return undefined
  return format.type === 'json-schema' && objectSchema(format.schema) ? undefined : inWords(format)
}

/**
 * Inverse of `readFormat`. A schema from another dialect is written as strict, because it is meant to be enforced.
 */
export function writeFormat({ format }: Request, { own: isOwn, lose }: WriteContext): JsonObject {
  if (!format) return {}
  if (format.type === 'text')
    return isOwn ? { response_format: { type: 'text', ...restOf(format) } } : {}
  if (format.type === 'json')
    return { response_format: { type: 'json_object', ...(isOwn && restOf(format)) } }
  if (format.type === 'choice') return lose('approximated', 'format', 'in words') ?? {}
  if (isOwn) return { response_format: writeOwnFormat(format) }
  const whole = objectSchema(format.schema)
  if (whole === undefined) return lose('approximated', 'format', 'in words') ?? {}
  const strict = format.strict === false ? undefined : strictSchema(whole)
  if (strict === undefined && format.strict !== false) lose('dropped', 'format.strict', NOT_STRICT)
  const json_schema = {
    name: shortenName(format.name || 'response', TOOL_NAME),
    ...(format.description !== undefined && { description: format.description }),
    schema:
      strict === undefined ? new Verbatim(whole) : noteSchema(new Verbatim(strict), format.schema),
    ...(strict !== undefined && { strict: true }),
  }
  return { response_format: { type: 'json_schema', json_schema } }
}

function writeOwnFormat(format: Extract<Format, { type: 'json-schema' }>): JsonObject {
  const { name, description, strict } = format
  const schema = new Verbatim(format.schema)
  if (factsOf(format).type === 'json_object') return { type: 'json_object', schema }
  const json_schema = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    schema,
    ...(strict !== undefined && { strict }),
    ...restOf(format),
  }
  return { type: 'json_schema', json_schema }
}

export function readLabels(metadata: Json | undefined): {
  labels?: Record<string, string>
  left: JsonObject
} {
  if (!isObject(metadata)) return { left: {} }
  const entries = Object.entries(metadata)
  const labels = entries.flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[key, value]] : [],
  )
  if (labels.length < entries.length) return { left: { metadata } }
  return labels.length > 0 ? { labels: Object.fromEntries(labels), left: {} } : { left: {} }
}

const USER_ID = { forbidden: /(?!)/, maxLength: 64 }

const TIERS = new Map([
  ['auto', 'auto'],
  ['default', 'default'],
  ['standard', 'default'],
  ['standard_only', 'default'],
  ['flex', 'flex'],
  ['scale', 'scale'],
  ['priority', 'priority'],
  ['fast', 'fast'],
])

/** The service tier, the key of the prompt cache, and whether the reply is stored. */
export const readAccount = ({
  service_tier,
  prompt_cache_key,
  store,
}: Wire<'service_tier' | 'prompt_cache_key' | 'store'>): Pick<
  Request,
  'tier' | 'cacheKey' | 'store'
> => ({
  ...(typeof service_tier === 'string' && { tier: service_tier }),
  ...(typeof prompt_cache_key === 'string' && { cacheKey: prompt_cache_key }),
  ...(typeof store === 'boolean' && { store }),
})

/** Writes the user, the labels, the service tier, the key of the prompt cache, and whether the reply is stored. */
export function writeAccount(
  request: Request,
  { own: isOwn, lose }: WriteContext,
  cache: CacheOptions | undefined,
): JsonObject {
  const { user, labels, tier, store } = request
  const isKeyed = request.cacheKey !== undefined && cache?.mode !== 'off'
  if (request.cacheKey !== undefined && !isKeyed) lose('dropped', 'cacheKey')
  const hasLabels = Object.keys(labels ?? {}).length > 0
  // OpenAI accepts labels only for replies that it stores.
  if (hasLabels && !isOwn) lose('dropped', 'labels')
  const id = user === undefined || isOwn ? user : shortenName(user, USER_ID)
  if (id !== user) lose('approximated', 'user')
  const known = tier === undefined || isOwn ? tier : (TIERS.get(tier) ?? lose('dropped', 'tier'))
  const userMember = factsOf(request).user ?? 'user'
  return {
    ...(id !== undefined && id !== '' && { [userMember]: id }),
    ...(labels && isOwn && { metadata: labels }),
    ...(known !== undefined && { service_tier: known }),
    ...(isKeyed && { prompt_cache_key: request.cacheKey }),
    ...(store !== undefined && { store }),
  }
}

/** Two members name the end user; the newer one wins, the other is left over. */
export const readUserMember = ({
  user,
  safety_identifier,
}: Wire<'user' | 'safety_identifier'>): {
  user?: string
  facts: Facts
  left: JsonObject
} => {
  const newer = textIn(safety_identifier)
  const older = textIn(user)
  if (newer === '') return { ...(older !== '' && { user: older }), facts: {}, left: {} }
  return {
    user: newer,
    facts: { user: 'safety_identifier' },
    left: older === '' ? {} : { user: older },
  }
}
