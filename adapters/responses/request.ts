import type {
  Known,
  WrittenRequest,
  ReadRequestContext,
  Route,
  WriteRequestContext,
} from '../contract.ts'
import { pickMembers, defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import { GO_ON, firstWordsFor } from '../../src/rules/empty-request.ts'
import { isAmong, keyOf, withLastEffort, withRemovals } from '../../src/rules/late-tools.ts'
import { fitRequest } from '../../src/models/fit-request.ts'
import { lossesIn, type Lose } from '../../src/model/loss.ts'
import type { Block, Compaction, Request, Tool, ToolChoice } from '../../src/model/request.ts'
import { remembered } from '../../src/model/remembered.ts'
import { storeFor } from '../../src/rules/storing.ts'
import { writeChoice, readChoice, readTools, type WrittenTools } from './tools.ts'
import { readHistory, writeTurns, type History, type InputContext } from './history.ts'
import { repair, type Placed } from './calls.ts'
import {
  cacheKeyFor,
  capMarks,
  instructingMessage,
  readCaching,
  writeComparison,
} from './caching.ts'
import {
  listOf,
  objectIn,
  keepRest,
  restOf,
  factsOf,
  isOrigin,
  type Facts,
  DIALECT,
} from './dialect.ts'
import { Members } from '../../src/model/ext.ts'
import { withScreen } from './client-tools.ts'
import { hasScreen, knownBy, served, takenBy, takesMarks } from './abilities.ts'
import { offeredTools } from './tool-changes.ts'
import { wireNames } from './names.ts'
import * as options from './fields.ts'
import { saidByUser } from './hosted.ts'
import { fit } from './fit.ts'
import {
  asksForProofs,
  isProven,
  readContext,
  readReasoningOptions,
  writeReasoningOptions,
} from './reasoning.ts'
import { checkRequest, COUNTED } from './wire.ts'

export const REQUEST_VERBATIM = verbatimPaths(
  'tools.*.parameters',
  'tools.*.tools.*.parameters',
  'input.*.tools.*.parameters',
  'input.*.tools.*.tools.*.parameters',
  'text.format.schema',
)

/** Takes members that only name their default, or that a model does not see. */
function passDefaults(members: Members): void {
  if (objectIn(members.peek('multi_agent'))['enabled'] === false) members.pass('multi_agent')
  members.any('client_metadata')
  members.passDefault('truncation', 'disabled')
  members.passDefault('background', false)
  members.passDefault('stream', false)
  if (JSON.stringify(members.peek('stream_options') ?? null) === '{"include_obfuscation":false}')
    members.any('stream_options')
}

export function readRequest(body: Json, context: ReadRequestContext): Request {
  const members = new Members(checkRequest(body, context.route.operation === 'count-tokens'))
  const named = members.text('model')
  const input = members.any('input')
  const history = readHistory(input)
  passDefaults(members)
  const list = members.list('tools')
  const tools = toolsIn(list)
  options.readInclude(members)
  const streams = members.flag('stream')
  const { caching, stood } = readCaching(members)
  const shown = readContext(members)
  const said = options.readPlaces(members)
  const facts: Facts = {
    ...(stood && { caching: stood }),
    ...(shown !== undefined && { context: shown }),
    ...(!Array.isArray(input) && { input: typeof input }),
    ...(asksForProofs(members) && { proofs: true as const }),
    ...(list && { listed: tools.length }),
    ...(context.route.compacts && { said: saidByUser(input) }),
    ...(typeof members.peek('safety_identifier') === 'string' && { user: 'safety_identifier' }),
  }
  return defined({
    model: context.route.model ?? named ?? '',
    stream: context.route.stream ?? streams ?? false,
    system: readInstructions(members),
    turns: history.turns,
    tools: [...tools, ...unknownTo(tools, history.tools)],
    toolChoice: takeChoice(members),
    parallelToolCalls: members.flag('parallel_tool_calls'),
    ...said,
    sampling: defined({ ...said.sampling, verbosity: options.readVerbosity(members) }),
    reasoning: readReasoningOptions(members),
    forgetful: shown === 'current_turn' || undefined,
    format: options.readFormat(members),
    compact: summaryAsked(context.route, history) ?? options.readCompaction(members),
    store: members.flag('store'),
    cacheKey: members.text('prompt_cache_key'),
    caching,
    origin: { dialect: DIALECT },
    ...keepRest(members, facts),
  })
}

/** A summary is asked for by the path, or by the last item. */
const summaryAsked = ({ compacts }: Route, { trigger }: History): Compaction | undefined =>
  compacts || trigger !== undefined ? { now: true } : undefined

/** A choice that cannot be read stays among the leftovers. */
function takeChoice(members: Members): ToolChoice | undefined {
  const choice = readChoice(members.peek('tool_choice'))
  if (choice) members.any('tool_choice')
  return choice
}

/** Remembered, because all requests of a session have the same tools. */
const toolsIn = remembered(readTools)

/** The tools that the conversation brought, without deferred ones that the request declares itself. */
function unknownTo(tools: readonly Tool[], found: readonly Tool[]): Tool[] {
  const isKnown = isAmong(tools)
  return found.filter((tool) => !tool.deferred || !isKnown(keyOf(tool)))
}

function readInstructions(members: Members): Block[] {
  const text = members.text('instructions')
  return text ? [{ kind: 'text', text }] : []
}

/** Writes a request, and fits it to what its model and its server take. */
export function writeRequest(request: Request, context: WriteRequestContext): WrittenRequest {
  const { target, lose } = context
  const { placed, ...whole } = writeWhole(request, { ...context, target: served(target) })
  // The caller loses nothing with a key that was made here.
  const loseAsked: Lose = (code, path, detail) =>
    path === 'cacheKey' && request.cacheKey === undefined ? undefined : lose(code, path, detail)
  return {
    ...whole,
    body: fit(whole.body, target, loseAsked, isOrigin(request) ? undefined : placed),
  }
}

/** A written request, with the places of its items, by which fitting reports what is lost of them. */
interface Whole extends WrittenRequest {
  readonly placed: readonly Placed[]
}

/** Writes a request in all words of this dialect, whatever its server takes of them. */
export function writeWhole(asked: Request, context: WriteRequestContext): Whole {
  const { target, cache, lose } = context
  const known = knownBy(target)
  // The service judges itself what a caller of its own dialect asks for.
  const about = { facts: known, model: target.model, cached: cache?.mode === 'derive', lose }
  const request = isOrigin(asked) ? asked : fitRequest(asked, about)
  return writeSeen(hasScreen(known) ? withScreen(request, lose) : request, context, known)
}

function writeSeen(request: Request, context: WriteRequestContext, known: Known): Whole {
  const { target, lose } = context
  const own = isOrigin(request)
  const names = wireNames(request)
  const canMark = takesMarks(target, known, own)
  const marks = context.cache?.mode !== 'off' && canMark
  const takes = takenBy(known, own)
  const offer = offeredTools(request, { names, own, lose, deferred: takes.deferred }, takes)
  const writing = { names, own, marks, lose, takes, tools: request.tools, bring: offer.bring }
  const placed = writeTurns(request, writing)
  const leading = own ? undefined : instructingMessage(request, writing)
  const top = writeInstructions(request.system, context, leading !== undefined)
  const repaired = own ? placed : repair(placed, lose)
  const { instructions, input } = own
    ? { instructions: top, input: writeOwnInput(request, placed) }
    : opened(top, writeInput(request, repaired), leading, { request, lose, turns: repaired.length })
  const { text: _, include: __, prompt_cache_options: ___, ...rest } = restOf(request)
  const asked = own && request.compact?.now ? [...inputItems(input), TRIGGER] : input
  const saying = { request, own, lose }
  const body = defined({
    model: target.model,
    instructions,
    ...writeToolOptions(request, offer.tools(leading !== undefined), writing),
    input: asked,
    stream: request.stream || undefined,
    store: own ? request.store : storeFor(request, WHOLE, lose),
    include: options.writeInclude(request, own, listOf(input).some(isProvenItem)),
    ...options.writeSettings(request, saying),
    reasoning: writeReasoningOptions(
      takes.efforts ? request : withLastEffort(request),
      own,
      lose,
      // A caller of this dialect is not corrected by what is known.
      own ? target.facts.efforts : known.efforts,
    ),
    text: options.writeText(request, own, lose),
    context_management: own ? options.writeCompaction(request.compact) : undefined,
    ...options.writeAccount(request, saying),
    prompt_cache_key: own ? request.cacheKey : cacheKeyFor(request, context),
    ...factsOf(request).caching,
    ...writeComparison(request, canMark, lose),
    ...rest,
  }) as JsonObject
  return { path: '/v1/responses', headers: {}, body, placed: repaired }
}

/** The service keeps a request unless it is told not to. */
const WHOLE = { isTold: true, stores: true }

/** The item that asks for a summary of everything before it. */
const TRIGGER = { type: 'compaction_trigger' }

const inputItems = (input: Json | undefined): Json[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : listOf(input)

/** Begins the conversation with words of the user where it has none, because the service refuses an empty one. */
function opened(
  instructions: string | undefined,
  items: readonly JsonObject[],
  leading: JsonObject | undefined,
  { request, lose, turns }: { request: Request; lose: Lose; turns: number },
) {
  const written = { system: instructions === undefined ? 0 : 1, turns }
  const words = firstWordsFor(request, written)
  if (words === GO_ON) lose('defaulted', 'turns', 'the user does not begin')
  const begun = words === undefined ? items : [saying(words), ...items]
  const capped = capMarks(leading ? [leading, ...begun] : begun, leading, lose)
  return { instructions: leading ? undefined : instructions, input: capped }
}

/** `isLeading`: a message that stands for the instructions has their cache marks. */
function writeInstructions(
  system: readonly Block[],
  { lose }: WriteRequestContext,
  isLeading: boolean,
): string | undefined {
  const at = lossesIn(lose)
  const texts = system.flatMap((block, index) => {
    if (block.kind !== 'text') {
      if (block.kind !== 'opaque') at('system', index)('dropped', '')
      return []
    }
    if (block.cache && !isLeading) lose('dropped', 'cache')
    return block.text === '' ? [] : [block.text]
  })
  return texts.length > 0 ? texts.join('\n\n') : undefined
}

function writeToolOptions(
  asked: Request,
  { tools, choices }: WrittenTools,
  { own, lose }: InputContext,
): JsonObject {
  const request = own ? asked : withRemovals(asked)
  const isListed = tools.length > 0 || factsOf(request).listed !== undefined
  const choice =
    own && request.toolChoice?.names === undefined ? request.toolChoice?.mode : undefined
  return defined({
    tools: isListed ? tools : undefined,
    tool_choice: choice ?? writeChoice(request.toolChoice, choices, lose),
    parallel_tool_calls: request.parallelToolCalls,
  }) as JsonObject
}

const saying = (content: string) => ({ type: 'message', role: 'user', content })

function writeInput(request: Request, repaired: readonly Placed[]): JsonObject[] {
  const words = options.formatWords(request)
  const asked = words ? [{ type: 'message', role: 'developer', content: words }] : []
  return [...asked, ...repaired.map(({ item }) => item)]
}

function writeOwnInput(request: Request, placed: readonly Placed[]): Json | undefined {
  const items = placed.map(({ item }) => item)
  const [only] = items
  const { input } = factsOf(request)
  if (input === 'undefined') return undefined
  const content = only?.['content']
  const isOne = items.length === 1 && typeof content === 'string'
  return input === 'string' && isOne ? content : items
}

const isProvenItem = (item: Json): boolean => isObject(item) && isProven(item)

export function writeCountRequest(request: Request, context: WriteRequestContext): WrittenRequest {
  const { body, headers } = writeRequest(request, context)
  const counted = pickMembers(body, (key) => COUNTED.has(key))
  return { path: '/v1/responses/input_tokens', headers, body: counted }
}
