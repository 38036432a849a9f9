import {
  rewriteMembers,
  pickMembers,
  isObject,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Block, Request } from '../../src/model/request.ts'
import { withToolsBefore } from '../../src/rules/late-tools.ts'
import { toolNames, type ToolNames } from '../../src/rules/names.ts'
import { remembered, rememberedLosing } from '../../src/model/remembered.ts'
import { invalid } from '../../src/model/problem.ts'
import { storeFor } from '../../src/rules/storing.ts'
import type { WrittenRequest, ReadRequestContext, WriteRequestContext } from '../contract.ts'
import { detailByLevel, hasPicturesAlone } from './media.ts'
import { begun, entryLosses, systemEntries, writeContents, readTurns } from './history.ts'
import { membersBeside } from '../../src/model/ext.ts'
import { reportUnkept } from '../../src/rules/foreign.ts'
import {
  many,
  NAME_RULE,
  keep,
  restOf,
  factsOf,
  DIALECT,
  CALLING_PATH,
  GENERATION_PATH,
  TOOL_CONFIG_PATH,
  isOrigin,
} from './dialect.ts'
import { heededBy, knownBy, mixesTools, proving, storing } from './abilities.ts'
import { fit } from './fit.ts'
import { fitRequest } from '../../src/models/fit-request.ts'
import { formatInstruction, readOptions, writeAccount, writeOptions } from './fields.ts'
import { modelPath, resourceName } from './paths.ts'
import {
  normalise,
  checkCount,
  checkCreate,
  checkWrappedCount,
  type WireContent,
  type WireRequest,
} from './wire.ts'
import {
  needsMix,
  mixedConfig,
  isValidated,
  readToolConfig,
  readTools,
  toolSettings,
  writeFunctionCalling,
  writeTools,
} from './tools.ts'

export function readRequest(body: Json, context: ReadRequestContext): Request {
  const { route } = context
  const named = route.model ?? ''
  const wire = checked(normalise(body), route.operation === 'count-tokens')
  const { contents, systemInstruction, tools, toolConfig, generationConfig, ...others } = wire
  const { labels, serviceTier, store } = others
  const choice = readToolConfig(toolConfig)
  const isStrict = isValidated(choice)
  const { rest: settings, ...options } = readOptions(generationConfig)
  const tier = readTier(serviceTier)
  const level = settings[RESOLUTION]
  const detail = detailByLevel(level)
  const turns = readTurns(many(contents), detail)
  const isSaid = detail !== undefined && hasPicturesAlone(turns)
  const unsaid = pickMembers(settings, (key) => !isSaid || key !== RESOLUTION)
  return {
    model: named,
    stream: route.stream ?? false,
    system: readSystem(systemInstruction),
    turns,
    tools: toolsIn(tools, named, isStrict),
    ...(choice.toolChoice && { toolChoice: choice.toolChoice }),
    ...options,
    ...(labels && Object.keys(labels).length > 0 && { labels }),
    ...(tier && { tier }),
    ...(store !== undefined && { store }),
    origin: { dialect: DIALECT },
    ...keep(
      // Assigned without another copy: a body may have any number of unknown members.
      Object.assign(others, TAKEN, unsaid, choice.rest, {
        systemInstruction:
          systemInstruction && membersBeside({ ...systemInstruction }, INSTRUCTION),
      }),
      {
        facts: {
          ...(labels && { labels: true }),
          ...(isSaid && level !== undefined && { mediaResolution: level }),
          ...(tier === 'default' && serviceTier && { tier: serviceTier }),
        },
      },
    ),
  }
}

/** Remembered, because a session has the same tools in each of its requests. */
const toolsIn = remembered(readTools)

/** The members that have a place in the model. */
const TAKEN = { labels: undefined, serviceTier: undefined, store: undefined, model: undefined }
const INSTRUCTION = new Set(['role', 'parts'])

function checked(body: Json, isCount: boolean): WireRequest {
  if (!isCount) return checkCreate(body)
  const isWrapped = isObject(body) && body['generateContentRequest'] !== undefined
  return isWrapped ? checkWrappedCount(body) : checkCount(body)
}

/** Reads the system instruction. It holds only text, and its role means nothing. */
function readSystem(content: WireContent | undefined): Block[] {
  return many(content?.parts).flatMap((part, index): Block[] => {
    const { text, thought: _thought, ...rest } = part
    const place = `systemInstruction.parts.${index}`
    if (text === undefined && Object.keys(rest).length > 0)
      throw invalid(`${place}: only text is allowed here`, place)
    return text ? [{ kind: 'text', text, ...keep(rest) }] : []
  })
}

export function writeRequest(request: Request, context: WriteRequestContext): WrittenRequest {
  const whole = writeWhole(request, context)
  return { ...whole, body: fitWritten(whole.body, request, context) }
}

/** Writes all that the dialect has: `fit` asks what the model takes. */
export function writeWhole(request: Request, context: WriteRequestContext): WrittenRequest {
  const action = request.stream ? 'streamGenerateContent' : 'generateContent'
  return {
    path: modelPath(context.target.model, action),
    ...(request.stream && { query: [['alt', 'sse']] }),
    headers: {},
    body: writeBody(request, context),
  }
}

/**
 * Fits a written body. For a caller of another dialect also by what is only known by the model's name, because the
 * caller cannot know that.
 */
function fitWritten(
  body: JsonObject,
  request: Request,
  { target, lose }: WriteRequestContext,
): JsonObject {
  const { prefill } = heededBy(target, isOrigin(request))
  const heeded = { ...target.facts, ...(prefill !== undefined && { prefill }) }
  return fit(body, { model: target.model, facts: proving(target, heeded) }, lose)
}

/** Writes a count. Its plain form holds only the conversation; system instruction and tools need the wrapped form. */
export function writeCountRequest(request: Request, context: WriteRequestContext): WrittenRequest {
  const { model } = context.target
  const { body: written } = writeRequest(request, context)
  const body = { model: resourceName(model), ...written }
  return {
    path: modelPath(model, 'countTokens'),
    headers: {},
    body: { generateContentRequest: body },
  }
}

/** Fits a request of another dialect to what is known of the model. The service judges requests of its own dialect. */
function fitForeign(request: Request, { target, lose }: WriteRequestContext): Request {
  if (isOrigin(request)) return request
  return fitRequest(request, { facts: knownBy(target), model: target.model, cached: false, lose })
}

function writeBody(asked: Request, context: WriteRequestContext): JsonObject {
  const { lose } = context
  const request = withToolsBefore(fitForeign(asked, context), lose)
  const names = toolNames(request, NAME_RULE)
  const rest = unprefixed(restOf(request))
  const { system, contents } = conversation(request, context, names)
  const mayMix = mixesTools(context.target)
  const tools = offeredTools(lose, names, request.tools, ...toolSettings(request), mayMix)
  const calling = writeFunctionCalling(request, context.target, names, lose)
  const config = { ...rest.calling, ...calling }
  const toolConfig = {
    ...rest.toolConfig,
    ...(needsMix(request, context.target) ? mixedConfig(config) : plainConfig(config)),
  }
  const generationConfig = writeOptions(request, rest.generationConfig, context)
  const tier = factsOf(request).tier ?? writeTier(request.tier, lose)
  const labels = writeLabels(request, lose)
  const store = isOrigin(request) ? request.store : storeFor(request, storing(context.target), lose)
  reportUnkept(request, lose)
  return {
    ...rest.top,
    contents,
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
    ...(generationConfig && { generationConfig }),
    ...(labels && { labels }),
    ...(tier && { serviceTier: tier }),
    ...writeAccount(request, { lose }),
    ...(store !== undefined && { store }),
  }
}

/** Remembered, because the tools stay the same from request to request. */
const offeredTools = rememberedLosing(writeTools)

function conversation(
  request: Request,
  context: WriteRequestContext,
  names: ToolNames,
): { system: JsonObject[]; contents: JsonObject[] } {
  const system = writeSystem(request, context)
  const contents = writeContents(request, context, names)
  return { system, contents: begun(request, system.length, contents, context.lose) }
}

const plainConfig = (calling: JsonObject): JsonObject =>
  Object.keys(calling).length > 0 ? { functionCallingConfig: calling } : {}

function writeSystem(request: Request, context: WriteRequestContext): JsonObject[] {
  const losses = entryLosses(context.lose)
  const parts = systemEntries(request).flatMap((entry): JsonObject[] => {
    const { block } = entry
    if ('cache' in block && block.cache) context.lose('dropped', 'cache')
    if (block.kind === 'text') return block.text === '' ? [] : [{ text: block.text }]
    const isSaid = block.kind === 'opaque' || block.kind === 'tool-change'
    if (!isSaid) losses(entry)('dropped', '')
    return []
  })
  const instruction = formatInstruction(request, context.target)
  return instruction === undefined ? parts : [...parts, { text: instruction }]
}

interface Rest {
  top: JsonObject
  toolConfig: JsonObject
  calling: JsonObject
  generationConfig: JsonObject
}

/** Sorts the leftovers by the objects that they came from: each is kept under its whole path. */
function unprefixed(fields: JsonObject): Rest {
  const pick = (prefix: string): JsonObject =>
    rewriteMembers(fields, (key, value) =>
      key.startsWith(prefix) ? [key.slice(prefix.length), value] : undefined,
    )
  const calling = pick(CALLING_PATH)
  const toolConfig = pick(TOOL_CONFIG_PATH)
  return {
    top: pickMembers(fields, (key) => !/Config\./.test(key)),
    calling,
    toolConfig: pickMembers(
      toolConfig,
      (key) => !(TOOL_CONFIG_PATH + key).startsWith(CALLING_PATH),
    ),
    generationConfig: pick(GENERATION_PATH),
  }
}

const RESOLUTION = `${GENERATION_PATH}mediaResolution`

const TIERS: ReadonlySet<string> = new Set(['flex', 'priority'])
/** Tiers of other dialects that only name the default. */
const PLAIN_TIERS: ReadonlySet<string> = new Set(['default', 'standard_only'])

function readTier(tier: string | undefined): string | undefined {
  const name = tier?.toLowerCase()
  if (name === undefined || name === 'unspecified') return undefined
  return name === 'standard' ? 'default' : name
}

function writeTier(tier: string | undefined, lose: Lose): string | undefined {
  if (tier === undefined || tier === 'auto') return undefined
  if (PLAIN_TIERS.has(tier)) return lose('defaulted', 'tier')
  return TIERS.has(tier) ? tier : lose('dropped', 'tier')
}

/**
 * Writes labels, which only some services of this dialect take. A caller of this dialect that sends labels knows that
 * its service takes them.
 */
function writeLabels(request: Request, lose: Lose): JsonObject | undefined {
  const { labels } = request
  if (!labels || factsOf(request).labels) return labels
  return lose('dropped', 'labels')
}
