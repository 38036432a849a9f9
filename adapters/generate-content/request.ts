import { isObject, type Json, type JsonObject } from '../../src/canonical/json.ts'
import type { Lose } from '../../src/canonical/loss.ts'
import type { Block, Request } from '../../src/canonical/model.ts'
import { toolNames } from '../../src/canonical/names.ts'
import { invalid } from '../../src/canonical/problem.ts'
import type { Outgoing, ReadRequestContext, WriteRequestContext } from '../adapter.ts'
import { readTurns, splitTurns, writeContents } from './contents.ts'
import { leftovers, many, NAME_RULE, own } from './dialect.ts'
import { formatInstruction } from './format.ts'
import { readOptions, writeOptions } from './options.ts'
import { modelPath, resourceName } from './paths.ts'
import { normalise } from './spelling.ts'
import { readToolConfig, readTools, writeFunctionCalling, writeTools } from './tools.ts'
import {
  checkCount,
  checkCreate,
  checkWrappedCount,
  type WireContent,
  type WireRequest,
} from './wire.ts'

export function readRequest(body: Json, context: ReadRequestContext): Request {
  const { route } = context
  const wire = checked(normalise(body), route.operation === 'count-tokens')
  const { contents, systemInstruction, tools, toolConfig, generationConfig, ...others } = wire
  const { labels, serviceTier, model: _model, ...rest } = others
  const choice = readToolConfig(toolConfig)
  const { rest: settings, ...options } = readOptions(generationConfig)
  const tier = readTier(serviceTier)
  return {
    model: route.model ?? '',
    stream: route.stream ?? false,
    system: readSystem(systemInstruction),
    turns: readTurns(many(contents)),
    tools: readTools(tools),
    ...(choice.toolChoice && { toolChoice: choice.toolChoice }),
    ...options,
    ...(labels && Object.keys(labels).length > 0 && { labels }),
    ...(tier && { tier }),
    ...leftovers({ ...rest, ...settings, ...choice.rest }),
  }
}

function checked(body: Json, isCount: boolean): WireRequest {
  if (!isCount) return checkCreate(body)
  const isWrapped = isObject(body) && body['generateContentRequest'] !== undefined
  return isWrapped ? checkWrappedCount(body) : checkCount(body)
}

/** The system instruction is text only; its role means nothing. */
function readSystem(content: WireContent | undefined): Block[] {
  return many(content?.parts).flatMap((part, index): Block[] => {
    const { text, thought: _thought, ...rest } = part
    const place = `systemInstruction.parts.${index}`
    if (text === undefined && Object.keys(rest).length > 0)
      throw invalid(`${place}: only text is allowed here`, place)
    return text ? [{ kind: 'text', text, ...leftovers(rest) }] : []
  })
}

export function writeRequest(request: Request, context: WriteRequestContext): Outgoing {
  const action = request.stream ? 'streamGenerateContent' : 'generateContent'
  return {
    path: modelPath(context.target.model, action),
    ...(request.stream && { query: 'alt=sse' }),
    headers: {},
    body: writeBody(request, context),
  }
}

/** The plain form of a count knows the conversation only; system and tools count in the wrapped form. */
export function writeCountRequest(request: Request, context: WriteRequestContext): Outgoing {
  const { model } = context.target
  const body = { model: resourceName(model), ...writeBody(request, context) }
  return {
    path: modelPath(model, 'countTokens'),
    headers: {},
    body: { generateContentRequest: body },
  }
}

function writeBody(request: Request, context: WriteRequestContext): JsonObject {
  const { lose } = context
  const names = toolNames(request, NAME_RULE)
  const rest = unprefixed(own(request.ext))
  const system = writeSystem(request, context)
  const tools = writeTools(request, names, lose)
  const calling = writeFunctionCalling(request, names, lose)
  const toolConfig = { ...rest.toolConfig, ...mergedCalling(calling, rest.calling) }
  const generationConfig = writeOptions(request, rest.generationConfig, context)
  const tier = writeTier(request.tier, lose)
  const labels = writeLabels(request.labels, lose)
  reportRest(request, lose)
  return {
    ...rest.top,
    contents: writeContents(request, context, names),
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
    ...(generationConfig && { generationConfig }),
    ...(labels && { labels }),
    ...(tier && { serviceTier: tier }),
  }
}

const mergedCalling = (calling: JsonObject | undefined, rest: JsonObject): JsonObject =>
  calling || Object.keys(rest).length > 0 ? { functionCallingConfig: { ...rest, ...calling } } : {}

function writeSystem(request: Request, context: WriteRequestContext): JsonObject[] {
  const { system } = splitTurns(request)
  const parts = system.flatMap(({ block, path }): JsonObject[] => {
    if ('cache' in block && block.cache) context.lose('dropped', 'cache')
    if (block.kind === 'text') return block.text === '' ? [] : [{ text: block.text }]
    if (block.kind !== 'opaque') context.lose('dropped', path)
    return []
  })
  const instruction = formatInstruction(request, context.target.facts)
  return instruction === undefined ? parts : [...parts, { text: instruction }]
}

interface Rest {
  top: JsonObject
  toolConfig: JsonObject
  calling: JsonObject
  generationConfig: JsonObject
}

/** Leftovers of nested objects are kept under their whole paths; here they find back to their places. */
function unprefixed(fields: JsonObject): Rest {
  const pick = (prefix: string): JsonObject =>
    Object.fromEntries(
      entries
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, value]) => [key.slice(prefix.length), value]),
    )
  const entries = Object.entries(fields).map(([key, value]): [string, Json] => [
    key.replace(/^#/, ''),
    value,
  ])
  const calling = pick(CALLING)
  const toolConfig = pick(TOOL_CONFIG)
  return {
    top: Object.fromEntries(entries.filter(([key]) => !key.includes('Config.'))),
    calling,
    toolConfig: Object.fromEntries(
      Object.entries(toolConfig).filter(([key]) => !key.startsWith('functionCallingConfig.')),
    ),
    generationConfig: pick(GENERATION),
  }
}

const TOOL_CONFIG = 'toolConfig.'
const CALLING = 'toolConfig.functionCallingConfig.'
const GENERATION = 'generationConfig.'

/** Every dialect's word for the plain tier is the default here. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ['default', 'standard'],
  ['standard_only', 'standard'],
  ['flex', 'flex'],
  ['priority', 'priority'],
])

function readTier(tier: string | undefined): string | undefined {
  const name = tier?.toLowerCase()
  if (name === undefined || name === 'unspecified') return undefined
  return name === 'standard' ? 'default' : name
}

function writeTier(tier: string | undefined, lose: Lose): string | undefined {
  if (tier === undefined || tier === 'auto') return undefined
  return TIERS.get(tier) ?? lose('dropped', 'tier')
}

const LABEL_KEY = /^[a-z][a-z0-9_-]{0,62}$/
const LABEL_VALUE = /^[a-z0-9_-]{0,63}$/

function writeLabels(labels: Request['labels'], lose: Lose): JsonObject | undefined {
  const entries = Object.entries(labels ?? {}).filter(
    ([key, value]) =>
      (LABEL_KEY.test(key) && LABEL_VALUE.test(value)) || lose('dropped', `labels.${key}`),
  )
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

function reportRest(request: Request, lose: Lose): void {
  if (request.user !== undefined) lose('dropped', 'user')
  if (request.cacheKey !== undefined) lose('dropped', 'cacheKey')
}
