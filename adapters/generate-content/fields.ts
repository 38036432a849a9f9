import {
  listOf,
  pickMembers,
  type Json,
  type JsonObject,
  parseObject,
  stringify,
  toText,
} from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Request, Format } from '../../src/model/request.ts'
import { Members, membersBeside } from '../../src/model/ext.ts'
import {
  ELSEWHERE,
  readBy,
  row,
  UNSAYABLE,
  writeBy,
  type PlaceTable,
} from '../../src/model/places.ts'
import type { WriteRequestContext, Target } from '../contract.ts'
import type { KnownFacts } from '../../src/models/facts.ts'
import { heededBy } from './abilities.ts'
import { amount, readReasoning, writeReasoning } from './reasoning.ts'
import type { WireGenerationConfig } from './wire.ts'
import { narrow, widen } from '../../src/schema/narrow.ts'
import { inWords } from '../../src/rules/text-tools.ts'
import { keep, factsOf, isOrigin, GENERATION_PATH, prefixed } from './dialect.ts'

type Options = Pick<Request, 'limits' | 'sampling' | 'reasoning' | 'format'> & {
  rest: JsonObject
}

/** Reads `generationConfig`. Members of this dialect alone come back as `rest`, under their whole paths. */
export function readOptions(config: WireGenerationConfig = {}): Options {
  const { thinkingConfig, responseModalities } = config
  const { format, rest } = readFormat(config)
  const reasoning = readReasoning(thinkingConfig)
  const isText = responseModalities?.every(
    (one) => one === 'TEXT' || one === 1 || isUnspecified(one),
  )
  return {
    ...readPlaces(new Members(config)),
    ...(reasoning && { reasoning }),
    ...(format && { format }),
    rest: {
      ...prefixed(GENERATION_PATH, unreadIn(config, rest)),
      ...(responseModalities && !isText && prefixed(GENERATION_PATH, { responseModalities })),
    },
  }
}

interface Saying {
  readonly lose: Lose
}

/** How this dialect says each value that stands in `generationConfig`. */
const SETTINGS = {
  'sampling.verbosity': UNSAYABLE,
  'sampling.temperature': row('temperature', amount),
  'sampling.topP': row('topP', amount),
  'sampling.topK': row('topK', amount),
  'sampling.seed': row('seed', amount, writeSeed),
  'sampling.presencePenalty': row('presencePenalty', amount),
  'sampling.frequencyPenalty': row('frequencyPenalty', amount),
  'sampling.candidateCount': row('candidateCount', readCount),
  'sampling.logprobs': { read: readLogprobs, write: askForLogprobs },
  'limits.maxOutputTokens': row('maxOutputTokens', amount),
  'limits.stop': row('stopSequences', readStop, writeStop),
} as const satisfies Partial<PlaceTable<Saying>>

/** What stands beside it. */
const ACCOUNT = {
  user: UNSAYABLE,
  cacheKey: UNSAYABLE,
  previous: UNSAYABLE,
} as const satisfies Partial<PlaceTable<Saying>>

/** How this dialect says each value. */
export const PLACES = {
  ...SETTINGS,
  ...ACCOUNT,
  format: ELSEWHERE, // `writeFormat`: not every model takes it beside tools
  reasoning: ELSEWHERE, // reasoning.ts
  toolChoice: ELSEWHERE, // tools.ts
  parallelToolCalls: ELSEWHERE, // tools.ts
  forgetful: ELSEWHERE, // said by what is sent: `withToolsBefore`
  compact: ELSEWHERE, // a summary is a turn of its own (`src/compaction`)
  caching: ELSEWHERE, // `reportUnkept`
  labels: ELSEWHERE, // `writeLabels`, which asks how they came
  tier: ELSEWHERE, // `writeTier`, which asks how it came
  store: ELSEWHERE, // nothing to say
} as const satisfies PlaceTable<Saying>

const readPlaces = readBy(PLACES)
const writeSettings = writeBy<Saying>(SETTINGS)
export const writeAccount = writeBy<Saying>(ACCOUNT)

/** One candidate is what there is without asking. */
function readCount(value: Json | undefined): number | undefined {
  const count = amount(value)
  return count === 1 ? undefined : count
}

function readLogprobs(members: Members): number | undefined {
  return members.peek('responseLogprobs') === true
    ? (amount(members.peek('logprobs')) ?? 0)
    : undefined
}

function askForLogprobs(logprobs: number): JsonObject {
  return { responseLogprobs: true, ...(logprobs > 0 && { logprobs }) }
}

/** The service knows seeds of 32 bits and refuses others; of a larger one the last bits are as good. */
function writeSeed(seed: number, { lose }: Saying): number {
  if (seed !== (seed | 0)) lose('approximated', 'sampling.seed')
  return seed | 0
}

function readStop(raw: Json | undefined): string[] | undefined {
  const stop = listOf(raw).filter((sequence) => typeof sequence === 'string')
  return stop.length > 0 ? stop : undefined
}

const MAX_STOP_SEQUENCES = 5

function writeStop(stop: string[], { lose }: Saying): string[] | undefined {
  if (stop.length > MAX_STOP_SEQUENCES) lose('approximated', 'limits.stop')
  return stop.length > 0 ? stop.slice(0, MAX_STOP_SEQUENCES) : undefined
}

const READ = new Set([
  'temperature',
  'topP',
  'topK',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'candidateCount',
  'responseLogprobs',
  'logprobs',
  'maxOutputTokens',
  'stopSequences',
  'thinkingConfig',
  'responseModalities',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
])

/** `ofFormat`: what the format leaves over. */
function unreadIn(config: WireGenerationConfig, ofFormat: object): JsonObject {
  const { responseLogprobs, logprobs } = config
  const unread = {
    ...membersBeside({ ...config }, READ),
    ...ofFormat,
    ...(responseLogprobs !== true && logprobs !== undefined && { logprobs }),
  }
  return pickMembers(unread, (_, value) => !isUnspecified(value))
}

/** The enumeration's zero value, which means that nothing was set. */
const isUnspecified = (value: Json): boolean =>
  typeof value === 'string' && value.endsWith('_UNSPECIFIED')

/** Inverse of `readOptions`. */
export function writeOptions(
  request: Request,
  rest: JsonObject,
  context: WriteRequestContext,
): JsonObject | undefined {
  const { lose } = context
  const facts = heededBy(context.target, isOrigin(request))
  const thinkingConfig = writeReasoning(request.reasoning, facts, lose)
  const { mediaResolution } = factsOf(request)
  const config = {
    ...rest,
    ...(mediaResolution !== undefined && { mediaResolution }),
    ...writeSettings(request, { lose }),
    ...writeFormat(request, facts, lose),
    ...(thinkingConfig && { thinkingConfig }),
  }
  return Object.keys(config).length > 0 ? config : undefined
}

const JSON_TYPE = 'application/json'
const CHOICE_TYPE = 'text/x.enum'

/** The format of the answer, and members that say more than the common formats can. */
export function readFormat(config: WireGenerationConfig): { format?: Format; rest: object } {
  const { responseMimeType, responseSchema, responseJsonSchema } = config
  const schema = responseJsonSchema ?? responseSchema
  const facts = {
    ...(responseSchema !== undefined && { responseSchema }),
    ...(responseJsonSchema !== undefined && { responseJsonSchema }),
  }
  const choice =
    responseMimeType === CHOICE_TYPE && schema !== undefined && choiceIn(toText(schema))
  if (choice) return { format: { ...choice, ...keep({}, { facts }) }, rest: {} }
  if (responseMimeType !== undefined && responseMimeType !== JSON_TYPE)
    return {
      rest: {
        ...(responseMimeType !== 'text/plain' && { responseMimeType }),
        responseSchema,
        responseJsonSchema,
      },
    }
  if (schema === undefined)
    return responseMimeType === undefined ? { rest: {} } : { format: { type: 'json' }, rest: {} }
  const format = { type: 'json-schema' as const, schema: widen(toText(schema)) }
  return { format: { ...format, ...keep({}, { facts }) }, rest: {} }
}

/** The words among which a schema lets choose. */
function choiceIn(schema: string): Format | undefined {
  const { enum: words, description } = parseObject(schema) ?? {}
  const among = listOf(words).filter((word) => typeof word === 'string')
  if (among.length === 0) return undefined
  return { type: 'choice', among, ...(typeof description === 'string' && { description }) }
}

/** Inverse of `readFormat`, for `generationConfig`. */
export function writeFormat(request: Request, facts: KnownFacts, lose: Lose): JsonObject {
  const { format } = request
  if (!format || format.type === 'text') return {}
  if (isRefused(request, facts)) return lose('approximated', 'format', 'as an instruction') ?? {}
  if (format.type === 'json') return { responseMimeType: JSON_TYPE }
  const { responseSchema: raw, responseJsonSchema: rawJsonSchema } = factsOf(format)
  const isChoice = format.type === 'choice'
  if (raw !== undefined || rawJsonSchema !== undefined)
    return {
      responseMimeType: isChoice ? CHOICE_TYPE : JSON_TYPE,
      ...(raw !== undefined && { responseSchema: raw }),
      ...(rawJsonSchema !== undefined && { responseJsonSchema: rawJsonSchema }),
    }
  if (isChoice)
    return {
      responseMimeType: CHOICE_TYPE,
      responseSchema: { type: 'STRING', enum: format.among },
    }
  const { schema, lost } = narrow(named(format, lose))
  if (lost.length > 0) lose('approximated', 'format.schema', lost.join(', '))
  return { responseMimeType: JSON_TYPE, responseSchema: schema }
}

type SchemaFormat = Extract<Format, { type: 'json-schema' }>

/** The format's name and description tell the model something too, so they are put into the schema. */
function named(format: SchemaFormat, lose: Lose): string {
  const { name, description, schema } = format
  const root = parseObject(schema)
  if (!root || (name === undefined && description === undefined)) return schema
  if (name !== undefined && root['title'] !== undefined) lose('dropped', 'format.name')
  const words = [description, root['description']].filter((text) => typeof text === 'string')
  const text = [...new Set(words)].join(' ')
  return stringify({
    ...(name !== undefined && { title: name }),
    ...root,
    ...(text !== '' && { description: text }),
  })
}

/** Older models refuse tools beside a JSON answer. */
function isRefused(request: Request, facts: KnownFacts): boolean {
  const { format, tools } = request
  const { thinking, structuredWithTools: isBeside = thinking === 'level' } = facts
  const isOwn = format !== undefined && format.type !== 'json' && isOrigin(format)
  return tools.length > 0 && !isBeside && !isOwn
}

/** Asks for the format in the system instruction, where the service would refuse the format itself. */
export function formatInstruction(request: Request, target: Target): string | undefined {
  const { format } = request
  const facts = heededBy(target, isOrigin(request))
  if (!format || format.type === 'text' || !isRefused(request, facts)) return undefined
  return inWords(format)
}
