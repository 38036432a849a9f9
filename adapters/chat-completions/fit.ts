import { withMembers } from '../../src/json/edit.ts'
import {
  isObject,
  listOf,
  toText,
  Verbatim,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import { lossesIn, type Lose } from '../../src/model/loss.ts'
import { withoutOthers, withoutRefused } from '../../src/check/fields.ts'
import { fitReasoning } from '../../src/models/thinking.ts'
import { see, wantsProvenCalls } from '../../src/models/see.ts'
import { UNTOLD } from '../../src/rules/storing.ts'
import { inWords } from '../../src/rules/text-tools.ts'
import type { ModelFacts, ServerFacts } from '../contract.ts'
import { callersSchema, originOf } from '../openai/origins.ts'
import { carefulFacts, knownBy, type FitTarget } from './abilities.ts'
import { objectIn, objectsIn, textIn } from './dialect.ts'
import { readFormat } from './fields.ts'
import { fitMessages, instructs, type ServerFit } from './fit-history.ts'
import { BOUNDS, fitModel } from './fit-model.ts'
import { withChoice, withTools } from './fit-tools.ts'
import {
  asksToThink,
  isSaidIn,
  readReasoning,
  sayReasoning,
  takesEfforts,
  THINKING_MEMBERS,
} from './reasoning.ts'
import { placeOf } from './wire.ts'

/**
 * Fits the body of a caller of this dialect to a model and its server: what they lack is said otherwise, or left out
 * and reported. What fits stays the same object.
 */
export const fit = (body: JsonObject, target: FitTarget, lose: Lose): JsonObject => {
  const { server } = target.facts
  return fitTo(body, target, server?.wellKnown ? carefulFacts(target) : server, false, lose)
}

/** Fits a body that was written here, where an absent fact means what is safe. */
export const fitCarefully = (body: JsonObject, target: FitTarget, lose: Lose): JsonObject => {
  const { wellKnown, allowedTools } = target.facts.server ?? {}
  const keepsOffer = wellKnown !== true && allowedTools === undefined
  return fitTo(body, target, carefulFacts(target), keepsOffer, lose)
}

function fitTo(
  body: JsonObject,
  target: FitTarget,
  known: ServerFacts | undefined,
  keepsOffer: boolean,
  lose: Lose,
): JsonObject {
  const { facts } = target
  const asked = saysOfModel(facts) ? fitModel(body, target, lose) : body
  // What the configuration says of the model's service beats what the server's profile says.
  const { fetchesUrls } = facts
  const server = known && fetchesUrls !== undefined ? { ...known, fetchesUrls } : known
  if (!server) return withoutRefused(asked, facts.drop, placeOf, lose)
  const isProven = server.provenCalls === true && wantsProvenCalls(target.model, facts)
  const context: ServerFit = { server, lose, isProven, keepsOffer }
  const inTurns = fitMessages(asked, context)
  const said = withThinking(withOptions(inTurns, facts, context), target, context)
  const refused = facts.drop && server.drop ? [...facts.drop, ...server.drop] : undefined
  const left = withoutRefused(said, refused ?? facts.drop ?? server.drop, placeOf, lose)
  const taken = server.members ? withoutOthers(left, server.members, placeOf, lose) : left
  const hasTools = taken['tools'] !== undefined || taken['tool_choice'] !== undefined
  const tooled = hasTools ? withChoice(withTools(taken, context), context) : taken
  const { response_format: format } = tooled
  return isObject(format) ? withFormatInWords(tooled, format, target, context) : tooled
}

const UNASKED = Object.fromEntries(THINKING_MEMBERS.map((name) => [name, undefined]))

/** Asks for thinking in the member that the server knows. */
function withThinking(
  body: JsonObject,
  target: FitTarget,
  { server, lose }: ServerFit,
): JsonObject {
  const { reasoningStyle } = server
  if (reasoningStyle === undefined || !asksToThink(body)) return body
  const known = knownBy(target)
  // A model may know efforts alone, whatever its server's other models are asked by.
  const isByWord = reasoningStyle === 'thinking' && known.thinkingWord === false
  const style = isByWord ? 'openai' : reasoningStyle
  if (isSaidIn(style, body)) return body
  const { reasoning: asked } = readReasoning(body)
  if (!asked) return body
  const { efforts, ...others } = known
  const facts = takesEfforts(style) && efforts ? { ...others, efforts } : others
  const reasoning = fitReasoning(asked, { facts, model: target.model, lose })
  return withMembers(body, {
    ...UNASKED,
    ...(reasoning && sayReasoning(reasoning, style, facts, lose)),
  })
}

/** Whether the configuration says anything of the model that `fitModel` asks for. */
const saysOfModel = (facts: ModelFacts): boolean =>
  facts.maxOutputTokens !== undefined ||
  facts.efforts !== undefined ||
  facts.thinkingOff !== undefined ||
  facts.sampling !== undefined ||
  facts.forcedChoice !== undefined

type Changes = Record<string, Json | undefined>

const SEEDS = ['seed', 'random_seed']
/** The newer name first: where both stand, it wins. */
const USERS = ['safety_identifier', 'user']

/** Renames members for the server and takes out what it does not accept. */
function withOptions(body: JsonObject, facts: ModelFacts, { server, lose }: ServerFit): JsonObject {
  const { maxTokensMember, seedMember, safetyIdentifier, members } = server
  const changes: Changes = {}
  if (maxTokensMember !== undefined) rename(body, BOUNDS, maxTokensMember, changes)
  if (seedMember !== undefined) rename(body, SEEDS, seedMember, changes)
  if (safetyIdentifier === false) rename(body, USERS, 'user', changes)
  refuse(body, server, changes, lose)
  if (server.store === false && body['store'] !== undefined) {
    changes['store'] = undefined
    reportStore(body['store'], facts.storesByDefault ?? server.storesByDefault === true, lose)
  }
  // Servers without `stream_options` report usage in streams without being asked.
  if (members && !members.includes('stream_options')) changes['stream_options'] = undefined
  return withMembers(body, changes)
}

/** Gives a value the name that the server knows. Of several names that are set, the first counts. */
function rename(body: JsonObject, names: readonly string[], known: string, changes: Changes): void {
  const said = names.find((name) => (body[name] ?? null) !== null)
  if (said === undefined) return
  for (const name of names) changes[name] = undefined
  changes[known] = body[said]
}

/** Reports whether the request is to be kept, which the server cannot be told. */
function reportStore(store: Json | undefined, isKept: boolean, lose: Lose): void {
  if (store === true) lose('dropped', 'store', 'the upstream keeps no replies')
  else if (isKept) lose('dropped', 'store', UNTOLD)
}

interface Option {
  readonly member: string
  /** The one value that is lost without a word, because it says nothing. */
  readonly plain?: Json
  readonly isRefused: (server: ServerFacts) => boolean
  readonly place:
    | 'limits.stop'
    | 'sampling.temperature'
    | 'sampling.topP'
    | 'sampling.topK'
    | 'sampling.verbosity'
    | 'tools.web-search'
}

const hasOneTemperature = ({ temperature }: ServerFacts): boolean => temperature === false

const OPTIONS: readonly Option[] = [
  { member: 'stop', isRefused: ({ stop }) => stop === false, place: 'limits.stop' },
  { member: 'temperature', plain: 1, isRefused: hasOneTemperature, place: 'sampling.temperature' },
  { member: 'top_p', plain: 1, isRefused: hasOneTemperature, place: 'sampling.topP' },
  { member: 'top_k', isRefused: ({ topK }) => topK === false, place: 'sampling.topK' },
  {
    member: 'verbosity',
    plain: 'medium',
    isRefused: ({ verbosity }) => verbosity === false,
    place: 'sampling.verbosity',
  },
  {
    member: 'web_search_options',
    isRefused: ({ webSearch }) => webSearch === false,
    place: 'tools.web-search',
  },
]

function refuse(body: JsonObject, server: ServerFacts, changes: Changes, lose: Lose): void {
  for (const { member, plain, isRefused, place } of OPTIONS) {
    const value = body[member]
    if (value === undefined) continue
    if (isRefused(server)) {
      changes[member] = undefined
      if (value !== null && value !== plain) lose('dropped', place)
    } else if (isObject(value)) {
      const origin = originOf(value)
      if (!origin) continue
      const loseHere = lossesIn(lose)(origin.place)
      for (const unsaid of origin.without ?? []) loseHere('dropped', unsaid)
    }
  }
}

/**
 * Adds words where the member does not do: for a server that enforces no schema the schema, as its caller wrote it, and
 * for one that demands it beside plain JSON mode the word JSON.
 */
function withFormatInWords(
  body: JsonObject,
  raw: JsonObject,
  { model, facts }: FitTarget,
  { server, lose }: ServerFit,
): JsonObject {
  const { format } = readFormat(raw)
  if (format?.type === 'json') {
    if (!server.jsonWord || isJsonNamed(body)) return body
    lose('defaulted', 'format', 'asked for in words as well')
    return withWords(body, inWords(format))
  }
  if (format?.type !== 'json-schema') return body
  if (server.jsonSchema ?? see(facts.is ?? model).facts.chatSchema !== false) return body
  lose('approximated', 'format', 'in words')
  const { schema = raw['schema'] } = objectIn(raw['json_schema'])
  const callers = schema instanceof Verbatim ? callersSchema(schema) : undefined
  const words = inWords({ ...format, schema: callers ?? toText(schema ?? {}) })
  return withWords(withMembers(body, { response_format: { type: 'json_object' } }), words)
}

const JSON_WORD = /json/i

/** Only the first messages are searched, because they stay as they are while the conversation goes on. */
function isJsonNamed({ messages }: JsonObject): boolean {
  const list = objectsIn(messages)
  const begin = list.findIndex((message) => !instructs(message))
  return list
    .slice(0, begin < 0 ? list.length : begin + 1)
    .some(
      ({ content }) =>
        JSON_WORD.test(textIn(content)) ||
        objectsIn(content).some(({ text }) => JSON_WORD.test(textIn(text))),
    )
}

/** Adds words to the instructions at the top, or in their place where there are none. */
function withWords(body: JsonObject, words: string): JsonObject {
  const messages = listOf(body['messages'])
  const first = objectIn(messages[0])
  const { content } = first
  const said = typeof content === 'string' ? `${content}\n\n${words}` : undefined
  const extended = Array.isArray(content) ? [...content, { type: 'text', text: words }] : said
  return withMembers(body, {
    messages:
      instructs(first) && extended !== undefined
        ? [withMembers(first, { content: extended }), ...messages.slice(1)]
        : [{ role: 'system', content: words }, ...messages],
  })
}
