import {
  defined,
  isObject,
  toText,
  Verbatim,
  type Json,
  type JsonObject,
  parseObject,
  stringify,
} from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Format, Limits, Request, Sampling } from '../../src/model/request.ts'
import { inWords } from '../../src/model/text-tools.ts'
import { listOf, lookup, keep, restOf, formOf, factsOf } from './dialect.ts'
import { Members } from '../../src/model/ext.ts'
import { writeFormatName, writeUserId } from './names.ts'
import { list, mapSchemas, words } from '../../src/schema/source.ts'

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
  return defined({
    temperature: members.number('temperature'),
    topP: members.number('top_p'),
    logprobs: members.number('top_logprobs'),
  })
}

const UNSAYABLE = ['topK', 'seed', 'presencePenalty', 'frequencyPenalty'] as const

/** Probabilities would not find their way back to a caller of another dialect. */
export function writeSampling(sampling: Sampling, own: boolean, lose: Lose): JsonObject {
  const { temperature, topP, logprobs, candidateCount = 1 } = sampling
  for (const key of UNSAYABLE) if (sampling[key] !== undefined) lose('dropped', `sampling.${key}`)
  if (candidateCount > 1) lose('dropped', 'sampling.candidateCount')
  if (logprobs !== undefined && !own) lose('dropped', 'sampling.logprobs')
  return defined({
    temperature,
    top_p: topP,
    top_logprobs: own ? logprobs : undefined,
  }) as JsonObject
}

/** The settings of the text: its format, and others that only this dialect has. */
export function readFormat(members: Members): Format | undefined {
  const text = members.object('text')
  if (!text) return undefined
  const format = isObject(text['format']) ? readKnownFormat(text['format']) : undefined
  const { format: raw, ...others } = text
  const rest = format || raw === undefined ? others : text
  const saysNothing = Object.entries(rest).every(
    ([key, value]) => value === null || (key === 'verbosity' && value === 'medium'),
  )
  if (saysNothing) members.keepForm('text', rest)
  else members.leave('text', rest)
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

/** What has to be said in words: the service takes no other schemas, and wants to hear of JSON to write it. */
export function formatWords({ format }: Request): string | undefined {
  if (!format || format.type === 'text') return undefined
  return format.type === 'json' || isOfOthers(format.schema) ? inWords(format) : undefined
}

export function writeText(request: Request, own: boolean, lose: Lose): JsonObject | undefined {
  const spelling = formOf(request)['text']
  const rest = restOf(request)['text']
  const format = request.format && writeFormat(request.format, own, lose)
  if (!format && spelling === undefined && rest === undefined) return undefined
  return {
    ...(isObject(spelling) && spelling),
    ...(isObject(rest) && rest),
    ...(format && { format }),
  }
}

/** Elsewhere a schema is always kept to: here it is where it can be said strictly, as far as it can. */
function writeFormat(format: Format, own: boolean, lose: Lose): JsonObject | undefined {
  switch (format.type) {
    case 'text':
      return { type: 'text' }
    case 'json':
      if (!own) lose('defaulted', 'format', 'asked for in words as well')
      return { type: 'json_object' }
    case 'json-schema': {
      if (!own && isOfOthers(format.schema)) return lose('approximated', 'format', 'in words')
      const strict = own ? undefined : strictSchema(format.schema)
      if (!own && strict === undefined) lose('dropped', 'format.strict', NOT_STRICT)
      return defined({
        type: 'json_schema',
        name: writeFormatName(format.name),
        description: format.description,
        schema: new Verbatim(strict ?? format.schema),
        strict: strict === undefined ? format.strict : true,
        ...restOf(format),
      }) as JsonObject
    }
    default:
      return format satisfies never
  }
}

/** Asks for what a reply of this proxy contains anyway. */
const GIVEN = new Set<Json>([
  'reasoning.encrypted_content',
  'web_search_call.action.sources',
  'code_interpreter_call.outputs',
])

export function readInclude(members: Members): void {
  const include = members.list('include')
  if (!include) return
  members.keepForm('include', include)
  const others = include.filter((entry) => !GIVEN.has(entry))
  if (others.length > 0) members.leave('include', others)
}

/** Proofs have to be asked for, and only of a model that reasons. */
export function writeInclude(request: Request, own: boolean, hasProofs: boolean): Json | undefined {
  if (own) return formOf(request)['include'] ?? restOf(request)['include']
  const reasons = request.reasoning !== undefined && request.reasoning.mode !== 'off'
  return reasons || hasProofs ? ['reasoning.encrypted_content'] : undefined
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

/** Two members name the end user; the newer one wins, the other is left over. */
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
}

export function writeTier(tier: string | undefined, own: boolean, lose: Lose): string | undefined {
  if (tier === undefined || own) return tier
  return lookup(TIERS, tier) ?? lose('dropped', 'tier')
}

export const strings = (value: Json | undefined): string[] =>
  listOf(value).filter((entry) => typeof entry === 'string')

/** Deeper ones are refused too. */
const MAX_DEPTH = 32

/** The service refuses the whole request for any other keyword, and for a format that it does not know. */
const TAKEN = words(
  'type description title $schema properties required additionalProperties items anyOf enum const',
  '$ref $defs definitions pattern format minimum maximum exclusiveMinimum exclusiveMaximum',
  'multipleOf minItems maxItems minLength maxLength',
)
const FORMATS = words(
  'date-time time date duration email hostname ipv4 ipv6 uuid int32 int64 float double',
)

/**
 * A schema as the service takes it as a strict one, or undefined: every object names all of its members as
 * required and admits no others. Where it says nothing of others it is closed; all else would say something
 * new to the model.
 */
export function strictSchema(schema: string): string | undefined {
  const root = parseObject(schema)
  if (root?.['type'] !== 'object' || root['anyOf'] !== undefined || !complies(root, 0)) return
  const text = stringify(closed(root))
  return text === stringify(root) ? schema : text
}

/** Why a schema is not kept to. */
export const NOT_STRICT = 'the schema does not comply'

/** Whether a schema is about something else than an object: then there is no format for it. */
export function isOfOthers(schema: string): boolean {
  const root = parseObject(schema)
  const types = list(root?.['type'])
  return !root || (types.length > 0 && !types.includes('object'))
}

function complies(schema: Json | undefined, depth: number): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return false
  const { type, $ref, anyOf, items, properties, $defs, definitions, format } = schema
  const keywords = Object.keys(schema)
  if (!keywords.every((keyword) => TAKEN.has(keyword))) return false
  if ($ref !== undefined) return keywords.length === 1
  if (format !== undefined && !(typeof format === 'string' && FORMATS.has(format))) return false
  if (isOfObjects(schema) && !isDemanding(schema)) return false
  if (anyOf === undefined && list(type).length === 0) return false
  const tables = [properties, $defs, definitions].filter(isObject).flatMap(Object.values<Json>)
  const arrays = list(type).includes('array') || items !== undefined ? [items] : []
  return [...tables, ...arrays, ...list(anyOf)].every((part) => complies(part, depth + 1))
}

const isOfObjects = ({ type, properties }: JsonObject): boolean =>
  properties !== undefined || list(type).includes('object')

function isDemanding({ additionalProperties = false, properties, required }: JsonObject): boolean {
  const names = isObject(properties) ? Object.keys(properties) : []
  const demanded = new Set(list(required))
  return additionalProperties === false && names.every((name) => demanded.has(name))
}

function closed(schema: Json): Json {
  if (!isObject(schema)) return schema
  const inner = mapSchemas(schema, closed)
  return isOfObjects(schema) ? { ...inner, additionalProperties: false } : inner
}
