import {
  defined,
  isObject,
  numberIn,
  objectIn,
  toText,
  Verbatim,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Compaction, Format, Request } from '../../src/model/request.ts'
import {
  ELSEWHERE,
  readBy,
  row,
  UNSAYABLE,
  writeBy,
  type PlaceTable,
} from '../../src/model/places.ts'
import { inWords } from '../../src/rules/text-tools.ts'
import { withMembers } from '../../src/json/edit.ts'
import type { ServerFacts } from '../contract.ts'
import { listOf, lookup, keep, restOf, factsOf } from './dialect.ts'
import { Members } from '../../src/model/ext.ts'
import { PROOFS } from './reasoning.ts'
import { writeFormatName, writeUserId } from './names.ts'
import { METADATA } from './wire.ts'
import { NOT_STRICT, objectSchema, strictSchema } from '../../src/schema/strict.ts'

/** The service refuses a lower bound. */
export const LEAST_OUTPUT_TOKENS = 16

interface Saying {
  readonly request: Request
  /** The request came in this dialect. */
  readonly own: boolean
  readonly lose: Lose
}

const text = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/** How this dialect says what is asked of the answer. */
const SETTINGS = {
  'limits.stop': UNSAYABLE,
  'limits.maxOutputTokens': row('max_output_tokens', numberIn, writeBound),
  'sampling.temperature': row('temperature', numberIn),
  'sampling.topP': row('top_p', numberIn),
  'sampling.topK': UNSAYABLE,
  'sampling.seed': UNSAYABLE,
  'sampling.presencePenalty': UNSAYABLE,
  'sampling.frequencyPenalty': UNSAYABLE,
  'sampling.candidateCount': UNSAYABLE,
  'sampling.logprobs': { read: readLogprobs, write: writeLogprobs },
} as const satisfies Partial<PlaceTable<Saying>>

/** How this dialect says whose request it is, and what it belongs to. */
const ACCOUNT = {
  previous: row('previous_response_id', text),
  user: { read: readUser, write: writeUser },
  labels: { read: readLabels, write: writeLabels },
  tier: row('service_tier', text, (tier, { own, lose }: Saying) => writeTier(tier, own, lose)),
} as const satisfies Partial<PlaceTable<Saying>>

/** How this dialect says each value. */
export const PLACES = {
  ...SETTINGS,
  ...ACCOUNT,
  'sampling.verbosity': ELSEWHERE, // `writeText`: one member with the format
  format: ELSEWHERE, // `writeText`
  reasoning: ELSEWHERE, // reasoning.ts
  toolChoice: ELSEWHERE, // tools.ts
  parallelToolCalls: ELSEWHERE, // beside the tools: request.ts
  forgetful: ELSEWHERE, // a fact of its own callers: `readContext`
  compact: ELSEWHERE, // `writeCompaction`, or an item of the input
  caching: ELSEWHERE, // caching.ts
  cacheKey: ELSEWHERE, // caching.ts: it may be made of the session
  store: ELSEWHERE, // request.ts
} as const satisfies PlaceTable<Saying>

export const readPlaces = readBy(PLACES)
export const writeSettings = writeBy<Saying>(SETTINGS)
export const writeAccount = writeBy<Saying>(ACCOUNT)

function writeBound(asked: number, { lose }: Saying): number {
  const bound = Math.max(LEAST_OUTPUT_TOKENS, asked)
  if (bound !== asked) lose('approximated', 'limits.maxOutputTokens')
  return bound
}

/** Reads for how many other tokens log probabilities are wanted. `include` says that they are wanted at all. */
function readLogprobs(members: Members): number | undefined {
  members.passDefault('top_logprobs', 0)
  const isAsked = listOf(members.peek('include')).includes(LOGPROBS)
  const most = members.number('top_logprobs')
  return isAsked ? (most ?? 0) : most || undefined
}

function writeLogprobs(most: number): JsonObject {
  return most > 0 ? { top_logprobs: most } : {}
}

/** `medium` is the default, so it says nothing. */
export function readVerbosity(members: Members): string | undefined {
  const { verbosity } = objectIn(members.peek('text'))
  return typeof verbosity === 'string' && verbosity !== 'medium' ? verbosity : undefined
}

/** Reads the format of the answer. The verbosity is read elsewhere, and other members of `text` are left over. */
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

/** The format in words where the service has no member for it: it takes only schemas of objects. */
export function formatWords({ format }: Request): string | undefined {
  if (!format || format.type === 'text' || format.type === 'json') return undefined
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
 * Other dialects always enforce a schema; this one does in strict mode alone. So a foreign schema becomes strict where
 * strict mode can express it, unless its caller said that it need not be.
 */
function writeFormat(format: Format, own: boolean, lose: Lose): JsonObject | undefined {
  switch (format.type) {
    case 'text':
      return { type: 'text' }
    case 'json':
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

/**
 * Takes out what is refused of `text`. A canonical request has two places for `text`, the format and the verbosity of
 * the answer, and the list of refused members may name either.
 */
export function withoutText(
  body: JsonObject,
  { drop = [], members }: Pick<ServerFacts, 'drop' | 'members'>,
  lose: Lose,
): JsonObject {
  const { text } = body
  if (!isObject(text)) return body
  const isGone =
    drop.includes('text') || drop.includes('format') || members?.includes('text') === false
  if (!isGone && !drop.includes('verbosity')) return body
  const { verbosity, ...others } = text
  if ((verbosity ?? 'medium') !== 'medium') lose('dropped', 'sampling.verbosity')
  if (isGone && Object.values(others).some((value) => value !== null)) lose('dropped', 'format')
  const left = isGone || Object.keys(others).length === 0 ? undefined : others
  return verbosity === undefined && !isGone ? body : withMembers(body, { text: left })
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

/** The value of `include` that asks for log probabilities; `top_logprobs` says for how many other tokens. */
export const LOGPROBS = 'message.output_text.logprobs'

export function readInclude(members: Members): void {
  const include = members.list('include')
  if (!include) return
  const others = include.filter((entry) => !GIVEN.has(entry) && entry !== LOGPROBS)
  if (others.length > 0) members.leave('include', others)
}

/** Proofs must be requested, and only from a model that reasons. Log probabilities must be requested, too. */
export function writeInclude(request: Request, own: boolean, hasProofs: boolean): Json | undefined {
  const reasons = request.reasoning !== undefined && request.reasoning.mode !== 'off'
  const kept = own ? restOf(request)['include'] : undefined
  const asks = own ? factsOf(request).proofs === true : reasons || hasProofs
  const proofs = asks ? [PROOFS] : []
  const tokens = request.sampling.logprobs === undefined ? [] : [LOGPROBS]
  const include = [...listOf(kept), ...proofs, ...tokens]
  return include.length > 0 ? include : kept
}

function readLabels(members: Members): Record<string, string> | undefined {
  const metadata = members.object('metadata')
  if (!metadata || Object.keys(metadata).length === 0) return undefined
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  )
}

function writeLabels(labels: Record<string, string>, { lose }: Saying): JsonObject {
  const entries = Object.entries(labels)
  const kept = entries
    .filter(([name, value]) => name.length <= METADATA.name && value.length <= METADATA.value)
    .slice(0, METADATA.pairs)
  if (kept.length < entries.length) lose('dropped', 'labels')
  return kept.length > 0 ? { metadata: Object.fromEntries(kept) } : {}
}

/** Two members name the end user; the newer one wins, the other is a leftover. */
function readUser(members: Members): string | undefined {
  const identifier = members.text('safety_identifier')
  return identifier || members.text('user') || undefined
}

function writeUser(user: string, { request, own, lose }: Saying): JsonObject {
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
