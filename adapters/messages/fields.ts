import {
  objectIn,
  isObject,
  parseObject,
  toText,
  Verbatim,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Compaction, Format, Request, Sampling } from '../../src/model/request.ts'
import { shortenName } from '../../src/rules/names.ts'
import {
  ELSEWHERE,
  readBy,
  readStop,
  row,
  UNSAYABLE,
  writeBy,
  type PlaceTable,
} from '../../src/model/places.ts'
import { close } from '../../src/schema/close.ts'
import type { Known, Target } from '../contract.ts'
import { keep, factsOf, listIn, numberIn, restOf, withoutNulls } from './dialect.ts'
import type { Room } from './schema-budget.ts'
import { UNSET } from './wire.ts'

/** Which settings of sampling are taken: all of the dialect, or the few that a model takes while it thinks. */
export type SamplingRange = 'wide' | 'narrow'

interface Saying {
  readonly sampling: Sampling
  readonly range: SamplingRange
  readonly lose: Lose
}

const setNumber = (value: Json | undefined): number | undefined =>
  value === UNSET ? undefined : numberIn(value)

/** Where each value of a request goes in this dialect. Other dialects have wider ranges and more parameters. */
export const PLACES = {
  previous: UNSAYABLE,
  labels: UNSAYABLE,
  'limits.maxOutputTokens': ELSEWHERE, // `writeMaxTokens`, on which the reasoning depends
  'limits.stop': row('stop_sequences', readStop, writeStop),
  'sampling.seed': UNSAYABLE,
  'sampling.presencePenalty': UNSAYABLE,
  'sampling.frequencyPenalty': UNSAYABLE,
  'sampling.logprobs': UNSAYABLE,
  'sampling.verbosity': UNSAYABLE,
  'sampling.candidateCount': UNSAYABLE,
  'sampling.topP': row('top_p', setNumber, writeTopP),
  'sampling.temperature': row('temperature', numberIn, writeTemperature),
  'sampling.topK': row('top_k', setNumber, writeTopK),
  format: ELSEWHERE, // `writeFormat`: schemas share their room with those of the tools
  reasoning: ELSEWHERE, // reasoning.ts
  toolChoice: ELSEWHERE, // tools.ts
  parallelToolCalls: ELSEWHERE, // tools.ts
  compact: ELSEWHERE, // `writeCompaction`, which needs a beta
  forgetful: ELSEWHERE, // said by what is sent: `withoutForgotten`
  caching: ELSEWHERE, // caching.ts
  cacheKey: ELSEWHERE, // nothing to say: each account caches for itself, without a key
  user: ELSEWHERE, // `writeUser`, beside what its own callers say of themselves
  tier: ELSEWHERE, // `writeTier`, which has two members and needs betas
  store: ELSEWHERE, // `storeFor`: there is no member for it
} as const satisfies PlaceTable<Saying>

export const readPlaces = readBy(PLACES)
export const writePlaces = writeBy<Saying>(PLACES)

/** A model that thinks refuses a lower `top_p`. */
const MIN_TOP_P_THINKING = 0.95

/** Only one of `top_p` and `temperature` may be set. `top_p` is written where the temperature is its default. */
function writeTopP(topP: number, { sampling, range, lose }: Saying): number | undefined {
  const { temperature } = sampling
  if (topP === 1 && temperature !== undefined) return undefined
  return isTopPTaken(topP, temperature, range) ? topP : lose('dropped', 'sampling.topP')
}

const isTopPTaken = (topP: number, temperature = 1, range: SamplingRange): boolean =>
  range === 'wide' ? temperature >= 1 : topP >= MIN_TOP_P_THINKING

/** Newer models refuse `temperature` beside `top_p`, even where one of them is its default. */
function writeTemperature(value: number, { sampling, range, lose }: Saying): number | undefined {
  if (range !== 'wide') return value === 1 ? undefined : lose('dropped', 'sampling.temperature')
  if (value > 1) lose('approximated', 'sampling.temperature')
  const { topP = 1 } = sampling
  return topP !== 1 && isTopPTaken(topP, value, range) ? undefined : Math.min(value, 1)
}

function writeTopK(topK: number, { range, lose }: Saying): number | undefined {
  return range === 'wide' ? topK : lose('dropped', 'sampling.topK')
}

/** The service refuses a stop sequence of white space alone. */
function writeStop(stop: string[], { lose }: Saying): string[] | undefined {
  const possible = stop.filter((sequence) => sequence.trim() !== '')
  if (possible.length < stop.length) lose('dropped', 'limits.stop', 'white space only')
  return possible.length > 0 ? possible : undefined
}

/**
 * The required bound: the caller's, or else the default, up to the model's own. Thoughts count in it, so a model that
 * always thinks gets its own bound, unless the configuration gives one.
 */
export function writeMaxTokens(
  request: Request,
  { defaultMaxOutputTokens: usual, isDefaultSaid, facts: said }: Target,
  { thinkingOff, maxOutputTokens: most }: Pick<Known, 'thinkingOff' | 'maxOutputTokens'>,
  lose: Lose,
): number {
  const asked = request.limits.maxOutputTokens
  if (asked !== undefined) return asked
  lose('defaulted', 'limits.maxOutputTokens')
  const isRoomy = thinkingOff === false && !isDefaultSaid && said.maxOutputTokens === undefined
  return isRoomy ? (most ?? usual) : Math.min(usual, most ?? usual)
}

/** Reads `output_config.format`. A format of another type is a leftover. */
export function readFormat(raw: Json | undefined): {
  format?: Exclude<Format, { type: 'text' }>
  left: JsonObject
} {
  if (!isObject(raw)) return { left: {} }
  const { type, schema, ...rest } = raw
  if (type !== 'json_schema' || schema === undefined) return { left: { format: raw } }
  const kept = keep(rest, { facts: { native: true } })
  return { format: { type: 'json-schema', schema: toText(schema), ...kept }, left: {} }
}

/** Inverse of `readFormat`. The dialect's only format is a schema. */
export function writeFormat(
  format: Format | undefined,
  { room, structured }: { room: Room; structured: boolean | undefined },
  lose: Lose,
): JsonObject {
  if (!format || format.type === 'text') return {}
  if (format.type === 'json') return lose('approximated', 'format', 'JSON without a schema') ?? {}
  if (structured === false || format.type === 'choice' || !parseObject(format.schema))
    return lose('approximated', 'format', 'in words') ?? {}
  // The service refuses open objects, which other dialects allow, so foreign schemas are closed.
  const closed = factsOf(format).native
    ? { schema: format.schema, changed: [] }
    : close(format.schema)
  if ('unions' in closed && !room(closed, 0))
    return lose('approximated', 'format', 'too much to be kept to') ?? {}
  for (const key of ['name', 'description'] as const)
    if (format[key] !== undefined) lose('dropped', `format.${key}`)
  // The service always enforces the schema.
  if (format.strict === false) lose('approximated', 'format.strict')
  const { schema, changed } = closed
  if (changed.length > 0) lose('approximated', 'format.schema', changed.join(', '))
  return { format: { type: 'json_schema', schema: new Verbatim(schema), ...restOf(format) } }
}

const TIERS = new Map([
  ['auto', 'auto'],
  ['standard_only', 'default'],
])

/** Reads the tier. A tier of this dialect alone keeps its name. Fast mode is another member here, `speed`. */
export function readTier(
  raw: Json | undefined,
  speed: Json | undefined,
): { tier?: string; left: JsonObject } {
  const tier = typeof raw === 'string' ? (TIERS.get(raw) ?? raw) : undefined
  if (speed === FAST)
    return { tier: FAST, left: tier === undefined ? {} : { service_tier: raw ?? null } }
  const left = speed === undefined || speed === 'standard' ? {} : { speed }
  return { ...(tier !== undefined && { tier }), left }
}

const FAST = 'fast'

/** The fastest tier of another dialect. Fast mode is the nearest that there is here. */
const FASTEST = 'ultrafast'

/** Inverse of `readTier`. `isFast`: the model has a fast mode where it is served. */
export function writeTier(tier: string | undefined, isFast: boolean, lose: Lose): JsonObject {
  if (tier === undefined) return {}
  if (isFast && tier === FASTEST) lose('approximated', 'tier')
  if (isFast && (tier === FAST || tier === FASTEST)) return { speed: FAST }
  const known = [...TIERS].find(([, canonical]) => canonical === tier)
  return known ? { service_tier: known[0] } : (lose('dropped', 'tier') ?? {})
}

/** A mail address or a telephone number. The service asks for an opaque id, so these are not sent. */
const PERSONAL = /^[^\s@]+@[^\s@]+\.[^\s@.]+$|^\+?[\d\s().-]{7,20}$/
const USER_ID = { forbidden: /[^\s\S]/, maxLength: 256 }

/**
 * Clients put account, device and session into `metadata` (Claude Code 2.1 writes all three), so only services of this
 * dialect get it. Other services get a hash of the session (`CacheOptions`).
 */
export const readUser = (metadata: Json | undefined): JsonObject =>
  isObject(metadata) && Object.keys(withoutNulls(metadata)).length > 0 ? { metadata } : {}

/** Writes the id of a user. A long id is shortened in the same way each time. */
export function writeUser(
  user: string | undefined,
  left: Json | undefined,
  lose: Lose,
): JsonObject {
  const rest = objectIn(left)
  const personal = user !== undefined && PERSONAL.test(user)
  if (personal) lose('dropped', 'user', 'a mail address or telephone number')
  const id = user === undefined || user === '' || personal ? undefined : shortenName(user, USER_ID)
  if (id !== undefined && id !== user) lose('approximated', 'user')
  const metadata = { ...rest, ...(id !== undefined && { user_id: id }) }
  return Object.keys(metadata).length > 0 ? { metadata } : {}
}

const COMPACT = 'compact_20260112'

/** The betas for edits of the context, for a summary among them, and for a summary that is asked for now. */
export const CONTEXT_BETA = 'context-management-2025-06-27'
export const COMPACT_BETA = 'compact-2026-01-12'
export const SUMMARY_BETA = 'compact-2026-09-04'

type WireCompaction = Partial<Record<'compaction' | 'context_management', Json | undefined>>

/** Reads a wish for a summary: now, or above a number of tokens. Other edits of the context are leftovers. */
export function readCompaction({ compaction, context_management: managed }: WireCompaction): {
  compact?: Compaction
  left: JsonObject
} {
  const { type, instructions, ...asked } = objectIn(compaction)
  const now = type === 'summarize'
  const { edits, ...others } = objectIn(managed)
  const {
    type: edit,
    trigger,
    instructions: words = instructions,
    pause_after_compaction: pauses,
    ...about
  } = listIn(edits)
    .filter(isObject)
    .find((one) => one['type'] === COMPACT) ?? {}
  const above = numberIn(objectIn(trigger)['value'])
  const rest = listIn(edits).filter((one) => objectIn(one)['type'] !== COMPACT)
  const said = { ...others, ...(rest.length > 0 && { edits: rest }) }
  return {
    ...((now || edit !== undefined) && {
      compact: {
        ...(now && { now }),
        ...(above !== undefined && { above }),
        ...(typeof words === 'string' && words !== '' && { instructions: words }),
        ...(pauses === true && { pause: true as const }),
        ...keep(withoutNulls({ ...asked, ...about })),
      },
    }),
    left: {
      ...(compaction !== undefined && !now && { compaction }),
      ...(edit === undefined
        ? managed !== undefined && { context_management: managed }
        : Object.keys(said).length > 0 && { context_management: said }),
    },
  }
}

/** Inverse of `readCompaction`, for callers of this dialect. `left`: the other edits of the context. */
export function writeCompaction(
  compact: Compaction | undefined,
  left: Json | undefined,
  betas: Set<string>,
): JsonObject {
  if (!compact) return left === undefined ? {} : { context_management: left }
  const { now, above: value, instructions, pause } = compact
  const words = instructions === undefined ? {} : { instructions }
  if (now) {
    betas.add(SUMMARY_BETA)
    const managed = left === undefined ? {} : { context_management: left }
    return { compaction: { type: 'summarize', ...words, ...restOf(compact) }, ...managed }
  }
  betas.add(CONTEXT_BETA).add(COMPACT_BETA)
  const trigger = value === undefined ? {} : { trigger: { type: 'input_tokens', value } }
  const about = { ...words, ...(pause && { pause_after_compaction: true }), ...restOf(compact) }
  const edits = [...listIn(objectIn(left)['edits']), { type: COMPACT, ...trigger, ...about }]
  return { context_management: { ...objectIn(left), edits } }
}
