import { isObject, pickMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import { Members, membersBeside } from '../../src/model/ext.ts'
import { reportUnkept } from '../../src/rules/foreign.ts'
import { withToolsBefore } from '../../src/rules/late-tools.ts'
import { toolNames } from '../../src/rules/names.ts'
import { remembered } from '../../src/model/remembered.ts'
import { invalid, nothingToSend } from '../../src/model/problem.ts'
import type { Request } from '../../src/model/request.ts'
import { withFreeArguments } from '../../src/rules/text-tools.ts'
import { type WrittenRequest, type WriteRequestContext } from '../contract.ts'
import {
  DIALECT,
  TOOL_NAME,
  keep,
  restOf,
  factsOf,
  isOrigin,
  textIn,
  objectIn,
  objectsIn,
  isFlat,
  unlessEmpty,
  type Facts,
  type WriteContext,
} from './dialect.ts'
import { fitForeign, storing, withoutThoughts } from './abilities.ts'
import { readHistory, writeHistory } from './history.ts'
import * as options from './fields.ts'
import { fit, fitCarefully } from './fit.ts'
import { readReasoning, writeReasoning } from './reasoning.ts'
import { readTools, readToolChoice, writeToolChoice, writeTools } from './tools.ts'
import { READ, validate } from './wire.ts'

/** Throws for what this dialect forbids; keeps unknown members. */
export function readRequest(body: Json): Request {
  if (!isObject(body)) throw invalid('the body must be a JSON object')
  validate(body)
  const { model, messages, stream, tool_choice, function_call, parallel_tool_calls } = body
  const { functions, response_format, metadata } = body
  const history = readHistory(messages)
  const said = options.readPlaces(new Members(body))
  const thoughts = readReasoning(body)
  const format = options.readFormat(response_format)
  const who = options.readUserMember(body)
  const labels = options.readLabels(metadata)
  const rest = pickMembers(membersBeside(body, READ) ?? {}, isAsked)
  const request: Request = {
    model: textIn(model),
    stream: stream === true,
    system: history.system,
    turns: history.turns,
    tools: toolsIn(body['tools'], functions, body['web_search_options']),
    ...readToolChoice(tool_choice, function_call),
    ...(typeof parallel_tool_calls === 'boolean' && { parallelToolCalls: parallel_tool_calls }),
    ...said,
    ...(thoughts.reasoning && { reasoning: thoughts.reasoning }),
    ...(format.format && { format: format.format }),
    ...(who.user !== undefined && { user: who.user }),
    ...(labels.labels && { labels: labels.labels }),
    ...options.readAccount(body),
    origin: { dialect: DIALECT },
    ...keep(
      // The leftovers are not copied once more, because there may be any number of them.
      Object.assign(
        rest,
        thoughts.left,
        format.left,
        who.left,
        labels.left,
        streamLeft(body),
        modalitiesLeft(body),
      ),
      { facts: { ...options.limitFacts(body), ...who.facts, ...factsIn(body) } },
    ),
  }
  return objectsIn(body['tools']).some(isFlat) ? withFreeArguments(request) : request
}

/** Programs write out what holds without asking. */
const isAsked = (member: string, value: Json): boolean =>
  value !== null && value !== UNASKED.get(member)
const UNASKED = new Map<string, Json>([
  ['logprobs', false],
  ['top_logprobs', 0],
])

/** Remembered, because all requests of a session have the same tools. */
const toolsIn = remembered(
  (tools: Json | undefined, functions: Json | undefined, web_search_options: Json | undefined) =>
    readTools({ tools, functions, web_search_options }),
)

/** Options of a stream that are read, or, as its padding, say nothing. */
const STREAM_OPTIONS = new Set(['include_usage', 'include_obfuscation'])

function streamLeft({ stream_options }: JsonObject): JsonObject {
  const unread = unlessEmpty(membersBeside(objectIn(stream_options), STREAM_OPTIONS) ?? {})
  return unread ? { stream_options: unread } : {}
}

/** Text alone is what every reply consists of without being asked, so it is no leftover. */
const modalitiesLeft = ({ modalities }: JsonObject): JsonObject =>
  Array.isArray(modalities) && modalities.some((one) => one !== 'text') ? { modalities } : {}

const factsIn = ({ stream_options, usage, functions }: JsonObject): Facts => ({
  ...(isObject(stream_options) && { stream_options }),
  ...(isObject(usage) && { usage }),
  ...(functions !== undefined && { functions: true }),
})

/** Inverse of `readRequest`, fitted to the model and its server. */
export function writeRequest(asked: Request, writing: WriteRequestContext): WrittenRequest {
  const { target, lose } = writing
  const isOwn = isOrigin(asked)
  const whole = withToolsBefore(asked, lose)
  const request = isOwn ? whole : withoutThoughts(whole, target, lose)
  const written = write(request, writing)
  const body = withUnsaid(request, written.body, writing)
  return { ...written, body: (isOwn ? fit : fitCarefully)(body, target, lose) }
}

/** Inverse of `readRequest`, for a server that takes all of this dialect. */
export const writeWhole = (asked: Request, writing: WriteRequestContext): WrittenRequest =>
  write(withToolsBefore(asked, writing.lose), writing)

function write(asked: Request, writing: WriteRequestContext): WrittenRequest {
  const { target, lose, cache } = writing
  const isOwn = isOrigin(asked)
  const request = fitForeign(asked, writing)
  const context: WriteContext = {
    lose,
    names: toolNames(request, TOOL_NAME),
    own: isOwn,
    marks: cache?.mode !== 'off',
  }
  const messages = writeHistory(withFormat(request, context), context)
  if (messages.length === 0) throw nothingToSend()
  const tools = writeTools(request, context)
  reportUnkept(request, lose)
  const { stream_options: _options, ...rest } = restOf(request)
  const body: JsonObject = {
    model: target.model,
    messages,
    ...(tools.tools.length > 0 && { tools: tools.tools }),
    ...tools.members,
    ...writeToolChoice(request, tools, context),
    ...options.writeSettings(request, { ...context, request }),
    ...writeReasoning(request.reasoning, context),
    ...options.writeFormat(request, context),
    ...options.writeAccount(request, context, cache),
    ...writeStream(request),
    ...ownUsage(request),
    ...rest,
  }
  return { path: '/v1/chat/completions', headers: {}, body }
}

/**
 * Adds what the server has to be told and the caller did not say: a key of the prompt cache, where the server takes
 * one, and that it must not keep the request. A server that keeps requests is told so for every foreign caller, because
 * their dialects may have no word for it.
 */
function withUnsaid(
  request: Request,
  body: JsonObject,
  { target, cache }: WriteRequestContext,
): JsonObject {
  const isDerived = cache?.mode === 'derive' && target.facts.server?.cacheKey && !request.cacheKey
  const key = isDerived ? cache.session() : undefined
  const isKept = !isOrigin(request) && request.store === undefined && storing(target).stores
  if (key === undefined && !isKept) return body
  return {
    ...body,
    ...(key !== undefined && { prompt_cache_key: key }),
    ...(isKept && { store: false }),
  }
}

/** `usage` is OpenRouter's way to ask for counts. A caller of this dialect keeps it. */
function ownUsage(request: Request): JsonObject {
  const { usage } = factsOf(request)
  return isOrigin(request) && usage ? { usage } : {}
}

/** Asks for the usage of every stream, because callers of other dialects expect it. */
function writeStream(request: Request): JsonObject {
  if (!request.stream) return {}
  const asked = factsOf(request).stream_options
  return { stream: true, stream_options: { ...asked, include_usage: true } }
}

/** A format that no server enforces is asked for in words, behind all instructions. */
function withFormat(request: Request, context: WriteContext): Request {
  const words = options.formatWords(request, context)
  if (words === undefined) return request
  return { ...request, system: [...request.system, { kind: 'text', text: words }] }
}

/** The subtrees of a request that are kept as text. */
export const VERBATIM = [
  'messages.*.content.*.input',
  'tools.*.function.parameters',
  'tools.*.input_schema',
  'functions.*.parameters',
  'response_format.json_schema.schema',
  'response_format.schema',
]
