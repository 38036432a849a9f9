import { isObject, toText, Verbatim, type Json, type JsonObject } from '../../src/json/json.ts'
import { isNamed, type NamedTool } from '../../src/rules/names.ts'
import type {
  FunctionTool,
  HostedTool,
  Request,
  TextTool,
  Tool,
  ToolChoice,
} from '../../src/model/request.ts'
import { lossesIn } from '../../src/model/loss.ts'
import { membersBeside } from '../../src/model/ext.ts'
import { rooted } from '../../src/schema/root.ts'
import { NOT_STRICT, strictSchema } from '../../src/schema/strict.ts'
import { noteOrigin, noteSchema } from '../openai/origins.ts'
import {
  DIALECT,
  keep,
  restOf,
  factsOf,
  textIn,
  toolType,
  objectIn,
  objectsIn,
  isFlat,
  withoutNulls,
  readCache,
  writeCache,
  cacheFacts,
  unlessEmpty,
  type ElementContext,
  type WriteContext,
  type Facts,
} from './dialect.ts'

type WireTools = Partial<Record<'tools' | 'functions' | 'web_search_options', Json | undefined>>

export function readTools({ tools, functions, web_search_options }: WireTools): Tool[] {
  const legacy = objectsIn(functions).map((raw) => readFunction(raw, {}, { legacy: true }))
  const search = isObject(web_search_options) ? [readSearch(web_search_options)] : []
  return [...objectsIn(tools).map(readTool), ...legacy, ...search]
}

function readTool(raw: JsonObject): Tool {
  const { type: _, function: declared, custom, ...outer } = raw
  const type = toolType(raw)
  if (type === 'function' && isObject(declared)) return readFunction(declared, outer, {})
  if (isFlat(raw)) return readCustom(outer, {})
  if (type === 'custom' && isObject(custom)) return readCustom(custom, outer)
  const { input_schema: parameters, cache_control, ...bare } = outer
  if (type === undefined && parameters !== undefined)
    return readFunction(
      { ...bare, parameters },
      cache_control === undefined ? {} : { cache_control },
      {},
    )
  return { kind: 'opaque', dialect: DIALECT, name: textIn(raw['name']) || textIn(type), value: raw }
}

function readFunction(raw: JsonObject, outer: JsonObject, facts: Facts): FunctionTool {
  const { name, description, parameters, strict, ...rest } = raw
  const schema = parameters === undefined || parameters === null ? undefined : toText(parameters)
  const { cache_control: _, prompt_cache_breakpoint: __, ...beside } = outer
  const said = schema?.trim() === 'null' ? undefined : schema
  return {
    kind: 'function',
    name: textIn(name),
    ...(typeof description === 'string' && { description }),
    ...(said !== undefined && { schema: said }),
    ...(strict === true && { strict }),
    ...readCache(outer),
    ...keep(
      { ...withoutNulls(rest), outer: unlessEmpty(beside) },
      { facts: { ...cacheFacts(outer), ...facts, ...(strict === false && { strict }) } },
    ),
  }
}

/** This dialect nests a grammar in its format; the canonical tool has it flat, as the Responses API does. */
function readCustom(raw: JsonObject, outer: JsonObject): TextTool {
  const { name, description, format, ...rest } = raw
  const { type, grammar, ...left } = objectIn(format)
  const isGrammar = type === 'grammar' && isObject(grammar)
  return {
    kind: 'text',
    name: textIn(name),
    ...(typeof description === 'string' && { description }),
    ...(isGrammar
      ? { format: { type, ...grammar, ...left } }
      : isObject(format) && type !== 'text' && { format }),
    ...keep({ ...rest, outer: unlessEmpty(outer) }),
  }
}

function readSearch(raw: JsonObject): HostedTool {
  const { user_location, search_context_size: size, ...rest } = raw
  const { type, approximate, ...left } = objectIn(user_location)
  const location = { ...(typeof type === 'string' && { type }), ...objectIn(approximate), ...left }
  return {
    kind: 'hosted',
    capability: 'web-search',
    ...(Object.keys(location).length > 0 && { location }),
    ...(typeof size === 'string' && size !== 'medium' && { contextSize: size }),
    ...keep(rest),
  }
}

export interface WrittenTools {
  tools: JsonObject[]
  members: JsonObject
}

/** Inverse of `readTools`; reports tools that this dialect lacks. */
export function writeTools(request: Request, context: WriteContext): WrittenTools {
  const members: JsonObject = {}
  const tools: JsonObject[] = []
  const functions: JsonObject[] = []
  const known = new Set<string>()
  const at = lossesIn(context.lose)
  for (const tool of request.tools) {
    if (tool.kind === 'hosted') {
      const writing = { ...context, lose: at('tools', tool.capability) }
      Object.assign(members, writeHosted(tool, writing))
    } else if (tool.kind === 'mcp') at('tools', tool.name)('dropped', '')
    else if (tool.kind === 'opaque') tools.push(...(tool.dialect === DIALECT ? [tool.value] : []))
    else {
      const name = context.names.toWire(tool.name, tool.namespace)
      const writing = { ...context, lose: at('tools', tool.name) }
      if (known.has(name)) at('tools', name)('dropped', '', 'another tool has this name')
      else if (context.own && tool.kind === 'function' && factsOf(tool).legacy === true)
        functions.push(writeDeclared(tool, name, writing))
      else tools.push(writeNamed(tool, name, writing))
      known.add(name)
    }
  }
  return { tools, members: { ...members, ...(functions.length > 0 && { functions }) } }
}

function writeNamed(tool: NamedTool, name: string, context: ElementContext): JsonObject {
  const { outer } = restOf(tool)
  const beside = { ...objectIn(outer), ...writeCache(tool, context) }
  return noteOrigin(
    tool.kind === 'text'
      ? { type: 'custom', custom: writeCustom(tool, name), ...beside }
      : { type: 'function', function: writeDeclared(tool, name, context), ...beside },
    { place: context.lose.place() },
  )
}

function writeCustom(tool: TextTool, name: string): JsonObject {
  const { outer: _, ...left } = restOf(tool)
  const { type, syntax, definition, ...rest } = tool.format ?? {}
  const format =
    type === 'grammar'
      ? {
          type,
          grammar: {
            ...(definition !== undefined && { definition }),
            ...(syntax !== undefined && { syntax }),
            ...rest,
          },
        }
      : tool.format
  return {
    name,
    ...(tool.description !== undefined && { description: tool.description }),
    ...(format && { format }),
    ...left,
  }
}

function writeDeclared(tool: FunctionTool, name: string, context: ElementContext): JsonObject {
  const { outer: _, ...left } = restOf(tool)
  const { description } = tool
  if (tool.async) context.lose('dropped', '.async')
  const written = writeSchema(tool, context)
  return { name, ...(description !== undefined && { description }), ...written, ...left }
}

/** Writes the schema. `strict` is kept only where OpenAI's strict mode accepts the schema. */
function writeSchema(tool: FunctionTool, { own: isOwn, lose }: ElementContext): JsonObject {
  const { schema, strict } = tool
  if (isOwn) {
    const spelledStrict = strict ?? factsOf(tool).strict
    return {
      ...(schema !== undefined && { parameters: new Verbatim(schema) }),
      ...(spelledStrict !== undefined && { strict: spelledStrict }),
    }
  }
  const root = rooted(schema ?? '')
  if (root.lost.length > 0) lose('approximated', '.schema', root.lost.join(', '))
  if (strict !== true) return { parameters: new Verbatim(root.schema) }
  const closed = strictSchema(root.schema)
  if (closed !== undefined)
    return { parameters: noteSchema(new Verbatim(closed), root.schema), strict: true }
  lose('dropped', '.strict', NOT_STRICT)
  return { parameters: new Verbatim(root.schema) }
}

const PLACES = ['city', 'region', 'country', 'timezone']

function writeHosted(tool: HostedTool, { own: isOwn, lose }: ElementContext): JsonObject {
  const { capability, location, contextSize } = tool
  if (capability !== 'web-search') return lose('dropped', '') ?? {}
  const approximate = Object.entries(location ?? {}).filter(
    ([key]) => isOwn || PLACES.includes(key),
  )
  const { type, ...known } = Object.fromEntries(approximate)
  const unsaid = (['allowedDomains', 'blockedDomains', 'maxUses'] as const).filter(
    (member) => tool[member] !== undefined,
  )
  const options = {
    ...(contextSize !== undefined && { search_context_size: contextSize }),
    ...restOf(tool),
    ...(Object.keys(known).length > 0 && {
      user_location: { type: type ?? 'approximate', approximate: known },
    }),
  }
  const origin = { place: lose.place(), without: unsaid.map((member) => `.${member}` as const) }
  return { web_search_options: noteOrigin<JsonObject>(options, origin) }
}

const MODES = new Map<Json | undefined, ToolChoice['mode']>([
  ['none', 'none'],
  ['auto', 'auto'],
  ['required', 'required'],
  // Mistral's word for `required`.
  ['any', 'required'],
])

/** Reads the choice; `function_call` is its older form. */
export function readToolChoice(
  choice: Json | undefined,
  older: Json | undefined,
): { toolChoice?: ToolChoice } {
  const raw = choice ?? older
  if (raw === undefined || raw === null) return {}
  const isOlder = choice === undefined || choice === null
  const ext = keep(unreadOf(raw), { facts: { choice: raw, ...(isOlder && { older: true }) } })
  const mode = MODES.get(raw)
  if (mode) return { toolChoice: { mode, ...ext } }
  if (!isObject(raw))
    return { toolChoice: { mode: 'auto', ...keep({ choice: raw }, { facts: { choice: raw } }) } }
  const { type, allowed_tools } = raw
  if (isObject(allowed_tools)) {
    const names = objectsIn(allowed_tools['tools']).map(toolNameIn)
    return { toolChoice: { mode: MODES.get(allowed_tools['mode']) ?? 'auto', names, ...ext } }
  }
  const name = toolNameIn(raw)
  if (name !== '') return { toolChoice: { mode: 'required', names: [name], ...ext } }
  return { toolChoice: { mode: MODES.get(type) ?? 'auto', ...ext } }
}

const CHOICE = new Set(['type', 'function', 'custom', 'allowed_tools', 'name'])
const NAMED = new Set(['name'])
const ALLOWED = new Set(['mode', 'tools'])

/** What a choice says besides the tools that it chooses. */
const unreadOf = (choice: Json): JsonObject =>
  isObject(choice)
    ? {
        ...membersBeside(choice, CHOICE),
        ...membersBeside(objectIn(choice['function']), NAMED),
        ...membersBeside(objectIn(choice['custom']), NAMED),
        ...membersBeside(objectIn(choice['allowed_tools']), ALLOWED),
      }
    : {}

/** The name of a tool, or of the one that a choice is for; flat ones have it beside their type. */
export const toolNameIn = (tool: JsonObject): string =>
  textIn(objectIn(tool['function'])['name']) ||
  textIn(objectIn(tool['custom'])['name']) ||
  textIn(tool['name'])

/** Inverse of `readToolChoice`, given the tools that are offered. */
export function writeToolChoice(
  request: Request,
  { tools, members }: WrittenTools,
  context: WriteContext,
): JsonObject {
  const { toolChoice: choice, parallelToolCalls } = request
  const { lose, own: isOwn } = context
  const parallel = parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }
  const hasFunctions = 'functions' in members
  if (isOwn && choice) {
    const raw = factsOf(choice).choice
    if (raw !== undefined)
      return {
        [factsOf(choice).older === true ? 'function_call' : 'tool_choice']: raw,
        ...parallel,
      }
  }
  if (tools.length === 0 && !hasFunctions) {
    if (choice?.mode === 'required') lose('dropped', 'toolChoice', 'no tool is left')
    return isOwn ? parallel : {}
  }
  return choice ? { tool_choice: namedChoice(request, choice, context), ...parallel } : parallel
}

function namedChoice({ tools }: Request, choice: ToolChoice, context: WriteContext): Json {
  const { lose, names } = context
  const chosen = choice.names
  if (choice.mode === 'none' || chosen?.length === 0) return 'none'
  if (!chosen) return choice.mode === 'required' ? 'required' : 'auto'
  // Of several tools with one name the first is offered.
  const offered = new Map<string, NamedTool>()
  for (const tool of tools.filter(isNamed).toReversed()) offered.set(tool.name, tool)
  const known = chosen.flatMap((name) => {
    const tool = offered.get(name)
    if (!tool) return []
    const wire = { name: names.toWire(tool.name, tool.namespace) }
    const isCustom = tool.kind === 'text'
    return [isCustom ? { type: 'custom', custom: wire } : { type: 'function', function: wire }]
  })
  const [first, ...others] = known
  if (!first) {
    lose('dropped', 'toolChoice', 'the tool is not offered')
    return 'auto'
  }
  if (choice.mode === 'required' && others.length === 0 && chosen.length === 1) return first
  return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools: known } }
}
