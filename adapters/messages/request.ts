import { objectIn, pickMembers, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import {
  nothingLost,
  lossesIn,
  type Lose,
  type LoseOf,
  type NotedPlace,
} from '../../src/model/loss.ts'
import type { Block, Request, Tool } from '../../src/model/request.ts'
import {
  leadingInstructions,
  withLastEffort,
  withoutForgotten,
} from '../../src/rules/late-tools.ts'
import { toolNames, type ToolNames } from '../../src/rules/names.ts'
import { storeFor } from '../../src/rules/storing.ts'
import { GO_ON, firstWordsFor } from '../../src/rules/empty-request.ts'
import { invalid, nothingToSend, ProblemError } from '../../src/model/problem.ts'
import { BETAS } from './clouds/betas.ts'
import { Members, membersBeside } from '../../src/model/ext.ts'
import { remembered, rememberedLosing } from '../../src/model/remembered.ts'
import { inWords } from '../../src/rules/text-tools.ts'
import type { KnownFacts } from '../../src/models/facts.ts'
import { fitRequest } from '../../src/models/fit-request.ts'
import {
  type Lookup,
  type Known,
  type WrittenRequest,
  type ReadRequestContext,
  type WriteRequestContext,
} from '../contract.ts'
import { plainText, readContent, reading, writeBlock } from './blocks.ts'
import {
  type WriteContext,
  DIALECT,
  numberIn,
  textIn,
  TOOL_NAME,
  keep,
  isOrigin,
  restOf,
  withoutNulls,
} from './dialect.ts'
import { readDiagnostics, withMarks, writeDiagnostics } from './caching.ts'
import { withScreen } from './client-tools.ts'
import {
  fastBetas,
  knownAt,
  knownBy,
  saysUpdates,
  screenTypes,
  takenBy,
  UPDATES_BETA,
  type Model,
  type Takes,
} from './abilities.ts'
import { fit } from './fit.ts'
import { offeredTools } from './tool-changes.ts'
import { LISTING_BETA, readServers } from './mcp.ts'
import * as options from './fields.ts'
import { isThought, lacksProof, lastProofIn } from './proofs.ts'
import { readReasoning, writeReasoning, type WrittenReasoning } from './reasoning.ts'
import { schemaRoom } from './schema-budget.ts'
import { readTools, readToolChoice, writeServers, writeToolChoice, writeTools } from './tools.ts'
import { finishMessages, readTurns, writeTurns } from './history.ts'
import type { Message } from './calls.ts'
import { COUNTED, READ, validate } from './wire.ts'

/** Each header has two names: the specification's, and the one that clients send. */
const VERSION_HEADERS = ['anthropic-version', 'provider-version'] as const
const BETA_HEADERS = ['anthropic-beta', 'provider-beta'] as const
const VERSION = '2023-06-01'

function firstHeader(headers: Lookup, names: readonly string[]): string | undefined {
  for (const name of names) if (headers.get(name)) return headers.get(name) ?? undefined
  return undefined
}

/** Reads a whole request. Throws for what the dialect forbids. Unknown members are leftovers. */
export function readRequest(body: Json, context: ReadRequestContext): Request {
  const { headers, route } = context
  demandVersion(headers)
  if (!isObject(body)) throw invalid('the body must be a JSON object')
  const { operation } = route
  validate(body, operation)
  refuseThread(body)
  checkBudget(body, headers)
  return withClient(readBody(body), headers)
}

/**
 * Claude Code sends a beta that begins so. It prints the last block of a reply as the answer, so with a proof behind
 * the text it would print nothing.
 */
const PRINTS_LAST = 'claude-code-'

function withClient(request: Request, headers: Lookup): Request {
  const betas = firstHeader(headers, BETA_HEADERS) ?? ''
  const printsLastBlock = betas.includes(PRINTS_LAST)
  const knowsListings = betas.includes(LISTING_BETA)
  if (!printsLastBlock && !knowsListings) return request
  return {
    ...request,
    client: {
      ...(printsLastBlock && { printsLastBlock }),
      ...(knowsListings && { knowsListings }),
    },
  }
}

export function demandVersion(headers: Lookup): void {
  if (firstHeader(headers, VERSION_HEADERS) === undefined)
    throw invalid(`the header ${VERSION_HEADERS.join(' or ')} is required`)
}

/** Refuses a conversation that is kept by the service. At this code the client sends the whole conversation instead. */
function refuseThread(body: JsonObject): void {
  if (body['thread'] === undefined || body['thread'] === null) return
  throw new ProblemError({
    kind: 'invalid-request',
    message:
      'thread: conversations are not kept here; send the whole conversation with each request',
    param: 'thread',
    details: { error_code: 'thread_unsupported_request' },
  })
}

/** Refuses a budget beyond the output bound. Interleaved thinking has a budget of its own, which may exceed it. */
function checkBudget(body: JsonObject, headers: Lookup): void {
  const { thinking, max_tokens } = body
  const budget = isObject(thinking) ? numberIn(thinking['budget_tokens']) : undefined
  const bound = numberIn(max_tokens)
  if (budget === undefined || bound === undefined || budget < bound) return
  if (firstHeader(headers, BETA_HEADERS)?.includes('interleaved-thinking')) return
  const path = 'thinking.budget_tokens'
  throw invalid(`${path}: must be less than max_tokens (${bound})`, path)
}

function readBody(body: JsonObject): Request {
  const { model, stream, system, messages, tools, tool_choice, thinking } = body
  const { max_tokens, metadata, service_tier } = body
  const { output_config, output_format, mcp_servers, speed } = body
  const { effort, format, ...outputLeft } = withoutNulls(objectIn(output_config))
  const left = options.readUser(metadata)
  const { format: wanted, left: formatLeft } = options.readFormat(format ?? output_format)
  const output = { ...outputLeft, ...formatLeft }
  const { compact, left: contextLeft } = options.readCompaction(body)
  const { tier, left: tierLeft } = options.readTier(service_tier, speed)
  const { caching, left: diagnosticsLeft } = readDiagnostics(body['diagnostics'])
  const maxOutputTokens = numberIn(max_tokens)
  const offered = toolsIn(tools, mcp_servers)
  const { turns, late } = readTurns(messages, offered)
  const said = options.readPlaces(new Members(body))
  return {
    model: textIn(model),
    stream: stream === true,
    system: readSystem(system),
    turns,
    tools: [...offered, ...late],
    ...readToolChoice(tool_choice, offered),
    limits: {
      ...(maxOutputTokens !== undefined && maxOutputTokens > 0 && { maxOutputTokens }),
      ...said.limits,
    },
    sampling: said.sampling,
    ...readReasoning(thinking, effort),
    ...(compact && { compact }),
    ...(wanted && { format: wanted }),
    ...(tier !== undefined && { tier }),
    ...(caching && { caching }),
    origin: { dialect: DIALECT },
    ...keep({
      ...membersBeside(body, READ),
      ...contextLeft,
      ...tierLeft,
      ...diagnosticsLeft,
      // A bound of 0 asks for no reply: the service only caches the prompt.
      ...(maxOutputTokens === 0 && { max_tokens: 0 }),
      ...(mcp_servers !== undefined && readServers(mcp_servers).size === 0 && { mcp_servers }),
      ...left,
      ...(Object.keys(output).length > 0 && { output_config: output }),
    }),
  }
}

/** Remembered, because a session has the same tools in each of its requests. */
const toolsIn = remembered(readTools)

const readSystem = (system: Json | undefined): Block[] =>
  readContent(system, reading()).blocks.map(setBillingApart)

/**
 * Keeps the accounting line apart that Claude Code puts before its prompt. The line is for this dialect's service, and
 * it changes with every request, so elsewhere it would change the prefix that prompt caches need.
 */
function setBillingApart(block: Block): Block {
  if (block.kind !== 'text' || !block.text.startsWith('x-anthropic-billing-header:')) return block
  return { kind: 'opaque', dialect: DIALECT, value: { type: 'text', text: block.text } }
}

/** Inverse of `readRequest`. The body is fitted to the model and its server. */
export function writeRequest(request: Request, context: WriteRequestContext): WrittenRequest {
  const { target, lose } = context
  const whole = writeWhole(request, context, knownAt(target))
  const body = fit(whole.body, target, lose)
  const { server } = target.facts
  const headers = server?.betas ? BETAS.siftHeaders(whole.headers, server, lose) : whole.headers
  return { ...whole, headers, body, lastProof: lastProofIn(body) }
}

/** Writes all that the dialect has, whatever the server takes: `fit` asks about the server. */
export function writeWhole(
  asked: Request,
  context: WriteRequestContext,
  model: Model = knownBy(context.target),
): WrittenRequest {
  const betas = new Set<string>()
  const fitted = fitForeign(onlyCaching(withoutForgotten(asked), context.lose), context, model)
  const request = onScreen(fitted, model, context.lose, betas)
  if (!isOrigin(request)) storeFor(request, { isTold: false, stores: model.stores }, context.lose)
  const body = withMarks(writeBody(request, { ...context, model }, betas), request, context)
  return { path: '/v1/messages', headers: headersFor(betas), body }
}

interface WholeContext extends WriteRequestContext {
  readonly model: Model
}

/** Fits a request of another dialect to what is known of the model. The service judges requests of its own dialect. */
function fitForeign(
  request: Request,
  { target, cache, lose }: WriteRequestContext,
  facts: Model,
): Request {
  if (isOrigin(request)) return request
  return fitRequest(request, { facts, model: target.model, cached: cache?.mode === 'derive', lose })
}

/**
 * Makes a request one that only caches the prompt, if that is wanted. The service refuses such a request as a stream,
 * with thoughts, with a format and with a forced tool (guide: prompt caching).
 */
function onlyCaching(request: Request, lose: Lose): Request {
  if (!request.caching?.prewarm) return request
  const { reasoning, format, toolChoice, ...asked } = request
  const isForced = toolChoice?.mode === 'required'
  const why = 'nothing is answered'
  if (reasoning) lose('dropped', 'reasoning', why)
  if (format && format.type !== 'text') lose('dropped', 'format', why)
  if (isForced) lose('dropped', 'toolChoice', why)
  return {
    ...asked,
    ...(toolChoice && !isForced && { toolChoice }),
    stream: false,
    limits: { ...asked.limits, maxOutputTokens: 0 },
  }
}

/** Writes the same request for the upstream's token counter. */
export function writeCountRequest(request: Request, context: WriteRequestContext): WrittenRequest {
  const written = writeRequest(request, context)
  const body = pickMembers(written.body, (key) => COUNTED.has(key))
  return { ...written, path: '/v1/messages/count_tokens', body }
}

const both = (names: readonly string[], value: string): string[][] =>
  names.map((name) => [name, value])

function headersFor(betas: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries([
    ...both(VERSION_HEADERS, VERSION),
    ...(betas.size > 0 ? both(BETA_HEADERS, [...betas].join(',')) : []),
  ])
}

/** Puts the model's own tool for a screen into the request of a caller that does not know that tool. */
function onScreen(asked: Request, model: Model, lose: Lose, betas: Set<string>): Request {
  const [type, ...needed] = screenTypes(model)
  const request = withScreen(asked, type, lose)
  if (request !== asked) for (const beta of needed) betas.add(beta)
  return request
}

function writeBody(request: Request, context: WholeContext, betas: Set<string>): JsonObject {
  const { target, model, lose } = context
  const { isOpen } = model
  const own = isOrigin(request)
  const facts: KnownFacts = own ? target.facts : model
  const names = toolNames(request, TOOL_NAME)
  const takes = takenBy(model, own)
  const offer = offeredTools(request, names, takes, lose)
  const writing: WriteContext = { lose, names, betas, isOpen, takes, ...offer }
  const messages = writeTurns(request, writing)
  offer.reportUnnamed()
  const room = schemaRoom()
  const format = options.writeFormat(request.format, { room, structured: facts.structured }, lose)
  const offered = writeOffered(request, offer, writing, facts)
  const maxTokens = options.writeMaxTokens(request, target, facts, lose)
  const thoughts = writeReasoning(withEffort(request, takes), {
    maxTokens,
    facts,
    forced: ['any', 'tool'].includes(textIn(offered.tool_choice?.['type'])),
    unproven: !isOpen && isUnproven(messages, facts.prefill !== false),
    lose,
  })
  const { thinking, effort } = withUpdates(thoughts, request, context, betas)
  const thinks = thinking !== undefined && thinking['type'] !== 'disabled'
  settleEnd(messages, thinks, facts, lose)
  const { metadata, output_config, context_management, ...left } = restOf(request)
  const system = writeSystem(request, writing, 'format' in format)
  openByUser(messages, system, request, lose)
  return {
    model: target.model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system: plainText(system) ?? system }),
    messages: finishMessages(messages),
    ...offered,
    ...(thinking && { thinking }),
    ...writeOutput(output_config, effort, format),
    ...options.writeCompaction(own ? request.compact : undefined, context_management, betas),
    ...options.writePlaces(request, {
      sampling: request.sampling,
      range: thinks ? 'narrow' : 'wide',
      lose,
    }),
    ...options.writeUser(request.user, metadata, lose),
    ...writeTier(request, context, betas),
    ...(request.stream && { stream: true }),
    ...writeDiagnostics(request, left, lose),
  }
}

/**
 * Asks for what the model says between calls, which other dialects get without asking: for their callers with tools,
 * unless the caller says which thoughts are to be shown.
 */
function withUpdates(
  written: WrittenReasoning,
  request: Request,
  { model }: WholeContext,
  betas: Set<string>,
): WrittenReasoning {
  const { thinking = { type: 'adaptive' } } = written
  const { reasoning, tools, caching } = request
  const isOpen = thinking['type'] === 'adaptive' && reasoning?.visible === undefined
  const isAsked = tools.length > 0 && isOpen && !caching?.prewarm && !isOrigin(request)
  if (!isAsked || !saysUpdates(model)) return written
  betas.add(UPDATES_BETA)
  return { ...written, thinking: { ...thinking, display: 'updates' } }
}

/** Writes the tools, the servers of tools, and the choice among them. */
function writeOffered(
  request: Request,
  { head, late }: ReturnType<typeof offeredTools>,
  { names, lose, takes, betas }: WriteContext,
  { code, structured }: Pick<KnownFacts, 'code' | 'structured'>,
): { tool_choice?: JsonObject } {
  const tools = writeHead(lose, head, names, request.format, structured, code, takes.deferred)
  const servers = writeServers(request, betas)
  return {
    ...(tools.length > 0 && { tools }),
    ...(servers.length > 0 && { mcp_servers: servers }),
    ...writeToolChoice(request, [...tools, ...late], names, lose),
  }
}

/**
 * Writes the tools at the top. Their schemas share one budget with that of the format. Remembered, because they stay
 * the same from request to request.
 */
const writeHead = rememberedLosing(
  (
    lose: Lose,
    head: readonly Tool[],
    names: ToolNames,
    format: Request['format'],
    structured: boolean | undefined,
    code: string | undefined,
    deferred: boolean,
  ): JsonObject[] => {
    const room = schemaRoom()
    options.writeFormat(format, { room, structured }, nothingLost)
    return writeTools(head, { names, room, code, lose, deferred })
  },
)

function writeOutput(left: Json | undefined, effort: string | undefined, format: JsonObject) {
  const output = { ...objectIn(left), ...(effort !== undefined && { effort }), ...format }
  return Object.keys(output).length > 0 ? { output_config: output } : {}
}

function writeTier(request: Request, { model, lose }: WholeContext, betas: Set<string>) {
  const needed = isOrigin(request) ? [] : fastBetas(model)
  const written = options.writeTier(request.tier, needed !== undefined, lose)
  if ('speed' in written) for (const beta of needed ?? []) betas.add(beta)
  return written
}

/** Moves an effort from the conversation into the request, where the model does not take it in the conversation. */
const withEffort = (request: Request, { system }: Takes): Request =>
  withLastEffort(request, system ? leadingInstructions(request.turns) : undefined)

function writeSystem(request: Request, writing: WriteContext, isAsked: boolean): JsonObject[] {
  const { format } = request
  const at = lossesIn(writing.lose)
  const write = (block: Block, lose: LoseOf): JsonObject[] => {
    // Tools that are offered from the beginning stand among the tools.
    if (block.kind === 'tool-change') return []
    if (block.kind !== 'text' && block.kind !== 'opaque') return lose('dropped', '') ?? []
    return writeBlock(block, { ...writing, lose })
  }
  const leading = request.turns.slice(0, leadingInstructions(request.turns))
  return [
    ...request.system.flatMap((block, index) => write(block, at('system', index))),
    ...leading.flatMap((turn, number) => {
      const blockAt = lossesIn(at('turns', number))
      return turn.blocks.flatMap((block, index) => write(block, blockAt('.blocks', index)))
    }),
    ...(format && format.type !== 'text' && !isAsked
      ? [{ type: 'text', text: inWords(format) }]
      : []),
  ]
}

/** Adds a first word of the user, where the conversation has none: the service requires one. */
function openByUser(messages: Message[], system: JsonObject[], request: Request, lose: Lose): void {
  const written = { system: system.length, turns: messages.length }
  const isBegun = isOrigin(request) && messages.length > 0
  if (isBegun || firstWordsFor(request, written) === undefined) return
  if (system.length + messages.length === 0) throw nothingToSend()
  lose('defaulted', 'turns', 'the user does not begin')
  messages.unshift(saying(GO_ON, lossesIn(lose)('turns').place()))
}

const saying = (text: string, place: NotedPlace): Message => ({
  role: 'user',
  pieces: [{ role: 'user', value: { type: 'text', text }, place }],
  left: {},
})

function isUnproven(messages: Message[], mayGoOn: boolean): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant')
  if (!last || last.pieces.length === 0) return false
  const blocks = last.pieces.map(({ value }) => value)
  return lacksProof(blocks, mayGoOn && last === messages.at(-1))
}

/**
 * Fixes endings that the service refuses: thoughts of a model that does not think in this request, thoughts with
 * nothing behind them, and, for some models, the model's own words. Codex keeps the thoughts of a stream that broke
 * off, and asks again.
 */
function settleEnd(
  messages: Message[],
  thinks: boolean,
  { prefill }: Pick<Known, 'prefill'>,
  lose: Lose,
): void {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return
  const at = lossesIn(lose)
  const place = last.pieces[0]?.place ?? at('turns').place()
  const mayGoOn = prefill !== false
  const end = last.pieces.findLastIndex(({ value }) => !isThought(value))
  const pieces = last.pieces.filter(
    ({ value }, index) => !isThought(value) || (thinks && (index < end || !mayGoOn)),
  )
  if (pieces.length < last.pieces.length) {
    messages.splice(-1, 1, ...(pieces.length > 0 ? [{ ...last, pieces }] : []))
    at(place)('dropped', '', 'thoughts at the end')
    if (pieces.length === 0) return
  }
  const calls = last.pieces.some(({ value }) => value.type === 'tool_use')
  if (mayGoOn || calls) return trimEnd(messages, lose)
  at(place)('approximated', '', 'the model does not continue its own words')
  messages.push(saying(GO_ON, place))
}

/** Trims the last text of a model that is to go on with it: the service refuses white space at its end. */
function trimEnd(messages: Message[], lose: Lose): void {
  const message = messages.at(-1)
  const last = message?.pieces.at(-1)
  const { type, text } = last?.value ?? {}
  if (!message || !last || type !== 'text' || typeof text !== 'string') return
  if (text === text.trimEnd()) return
  lossesIn(lose)(last.place)('approximated', '', 'white space at the end')
  const value = { ...last.value, text: text.trimEnd() }
  const pieces = [...message.pieces.slice(0, -1), { ...last, value }]
  messages[messages.length - 1] = { ...message, pieces }
}

/** The subtrees of a request that stay text. */
export const VERBATIM = [
  'messages.*.content.*.input',
  'messages.*.content.*.tool.definition.input_schema|input_examples',
  'tools.*.input_schema|input_examples',
  'output_config.format.schema',
  'output_format.schema',
]
