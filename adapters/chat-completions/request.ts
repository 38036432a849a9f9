import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { Members, membersBeside } from '../../src/model/ext.ts'
import { reportUnkept } from '../../src/rules/foreign.ts'
import { withToolsBefore } from '../../src/rules/late-tools.ts'
import { storeFor } from '../../src/rules/storing.ts'
import { toolNames } from '../../src/rules/names.ts'
import { made } from '../../src/model/trail/trail.ts'
import { invalid, nothingToSend } from '../../src/model/problem.ts'
import { withoutRefused } from '../../src/check/fields.ts'
import type { Request } from '../../src/model/request.ts'
import { withFreeArguments } from '../../src/rules/text-tools.ts'
import {
  givenTo,
  type Outgoing,
  type ReadRequestContext,
  type WriteRequestContext,
} from '../contract.ts'
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
  withoutNulls,
  type WriteContext,
} from './dialect.ts'
import { fitted, knownBy, serverFacts, storing } from './abilities.ts'
import { History, writeHistory } from './history.ts'
import * as options from './fields.ts'
import { lowered } from './lowered.ts'
import { readReasoning, writeReasoning } from './reasoning.ts'
import { readTools, readToolChoice, writeToolChoice, writeTools } from './tools.ts'
import { placeOf, READ, validate } from './wire.ts'

/** Throws for what this dialect forbids; keeps unknown members. */
export function readRequest(body: Json, { trail }: ReadRequestContext): Request {
  if (!isObject(body)) throw invalid('the body must be a JSON object')
  if (trail) trail.check('chat-completions', body, 'messages', validate)
  else validate(body)
  const { model, messages, stream, tool_choice, function_call, parallel_tool_calls } = body
  const { functions, response_format, metadata } = body
  const history = History.read(messages, trail)
  const said = options.readPlaces(new Members(body))
  const thoughts = readReasoning(body)
  const format = options.readFormat(response_format)
  const who = options.readUserMember(body)
  const labels = options.readLabels(metadata)
  const rest = withoutNulls(membersBeside(body, READ) ?? {})
  const request: Request = {
    model: textIn(model),
    stream: stream === true,
    system: history.system,
    turns: history.turns,
    tools: made(
      trail,
      'chat-completions: read tools',
      [body['tools'], functions, body['web_search_options']],
      () => readTools(body),
    ),
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
      // Not copied once more: there may be any number of them.
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

/** What a stream is padded with says nothing. */
const STREAM_OPTIONS = new Set(['include_usage', 'include_obfuscation'])

function streamLeft({ stream_options }: JsonObject): JsonObject {
  const unread = unlessEmpty(membersBeside(objectIn(stream_options), STREAM_OPTIONS) ?? {})
  return unread ? { stream_options: unread } : {}
}

/** Every reply is text, unless something else is asked for. */
const modalitiesLeft = ({ modalities }: JsonObject): JsonObject =>
  Array.isArray(modalities) && modalities.some((one) => one !== 'text') ? { modalities } : {}

const factsIn = ({ stream_options, usage, functions }: JsonObject) => ({
  ...(isObject(stream_options) && { stream_options }),
  ...(isObject(usage) && { usage }),
  ...(functions !== undefined && { functions: true }),
})

/** Inverse of `readRequest`. */
export function writeRequest(asked: Request, writing: WriteRequestContext): Outgoing {
  const { target, lose, cache, trail } = writing
  const isOwn = isOrigin(asked)
  const known = serverFacts(target, isOwn)
  const request = fitted(withToolsBefore(asked, lose, trail), writing, known)
  const { cacheMark: _, ...unmarked } = known
  const server = cache?.mode === 'off' ? unmarked : known
  const context: WriteContext = {
    lose,
    server,
    names: toolNames(request, TOOL_NAME),
    own: isOwn,
    fetchesUrls: target.facts.fetchesUrls ?? server.fetchesUrls ?? true,
    path: '',
    trail,
    given: givenTo(request, writing),
  }
  const messages = writeHistory(withFormat(request, context), context)
  if (messages.length === 0) throw nothingToSend()
  const thoughts = writeReasoning(request.reasoning, {
    server,
    own: isOwn,
    lose,
    facts: isOwn ? target.facts : knownBy(target),
  })
  const thinks = request.reasoning !== undefined && request.reasoning.mode !== 'off'
  const tools = writeTools(request, context)
  reportUnkept(request, lose)
  const store = isOwn ? request.store : storeFor(request, storing(target), lose)
  const { stream_options: _options, ...rest } = restOf(request)
  const body: JsonObject = {
    model: target.model,
    messages,
    ...(tools.tools.length > 0 && { tools: tools.tools }),
    ...tools.members,
    ...writeToolChoice(request, tools, thinks, context),
    ...options.writeSettings(request, { ...context, request, most: target.facts.maxOutputTokens }),
    ...thoughts,
    ...options.writeFormat(request, context),
    ...options.writeAccount(request, context, cache),
    ...(store !== undefined && { store }),
    ...writeStream(request),
    ...ownUsage(request),
    ...rest,
  }
  const taken = withoutRefused(body, target.facts.drop, placeOf, lose)
  const sent = lowered(taken, target, lose)
  return { path: '/v1/chat/completions', headers: {}, body: sent }
}

/** `usage` is OpenRouter's way to ask for counts; it goes back to servers of this dialect. */
function ownUsage(request: Request): JsonObject {
  const { usage } = factsOf(request)
  return isOrigin(request) && isObject(usage) ? { usage } : {}
}

/** Always asks for usage: otherwise callers of other dialects would not learn it. */
function writeStream(request: Request): JsonObject {
  if (!request.stream) return {}
  const asked = objectIn(factsOf(request)['stream_options'] ?? {})
  return { stream: true, stream_options: { ...asked, include_usage: true } }
}

/** A format that the server cannot enforce is asked for in words, behind all instructions. */
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
