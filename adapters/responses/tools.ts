import {
  objectIn,
  defined,
  toText,
  Verbatim,
  type Json,
  type JsonObject,
  isObject,
} from '../../src/json/json.ts'
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import type { FunctionTool, TextTool, Tool, ToolChoice } from '../../src/model/request.ts'
import { rooted } from '../../src/schema/root.ts'
import { findCapability, readHosted, writeHosted } from './hosted.ts'
import { readClientTool } from './client-tools.ts'
import { readMcpTool, writeMcpTool } from './mcp.ts'
import {
  DIALECT,
  objectsOf,
  withoutNulls,
  memberText,
  keep,
  keepRest,
  restOf,
  factsOf,
} from './dialect.ts'
import { Members, membersBeside } from '../../src/model/ext.ts'
import type { WireNames } from './names.ts'
import { toolName } from '../../src/rules/names.ts'
import { NOT_STRICT, strictSchema } from '../../src/schema/strict.ts'

/** Reads the tools of a list; a namespace holds several. */
export function readTools(tools: Json | undefined): Tool[] {
  return objectsOf(tools).flatMap(readTool)
}

function readTool(tool: JsonObject): Tool[] {
  const type = memberText(tool, 'type') ?? ''
  if (type === 'function') return [readFunction(tool)]
  if (type === 'custom') return [readCustom(tool)]
  if (type === 'namespace') return readNamespace(tool)
  // The search for tools may be the caller's own tool, or else the service's.
  const known = type === 'mcp' ? readMcpTool(tool) : readClientTool(tool)
  if (known) return [known]
  const capability = findCapability(type)
  if (capability) return [readHosted(tool, capability)]
  const name = memberText(tool, 'server_label') ?? memberText(tool, 'name') ?? type
  return [{ kind: 'opaque', dialect: DIALECT, name, value: tool }]
}

function readFunction(tool: JsonObject): FunctionTool {
  const members = new Members(tool)
  members.any('type')
  const name = members.text('name') ?? ''
  const description = members.text('description')
  const strict = members.flag('strict')
  const schema = readSchema(members)
  const deferred = readDeferred(members)
  const async = members.flag('async') || undefined
  const kept = keepRest(members)
  const read = { kind: 'function' as const, name, description, schema, strict, deferred, async }
  return defined({ ...read, ...kept })
}

const readDeferred = (members: Members): true | undefined =>
  members.peek('defer_loading') === true && members.any('defer_loading') === true ? true : undefined

function readSchema(members: Members): string | undefined {
  const parameters = members.any('parameters')
  if (parameters === undefined) return undefined
  const schema = toText(parameters)
  return schema.trim() === 'null' ? undefined : schema
}

function readCustom(tool: JsonObject): TextTool {
  const members = new Members(tool)
  members.any('type')
  const name = members.text('name') ?? ''
  const description = members.text('description')
  const format = members.object('format')
  const deferred = readDeferred(members)
  // A tool without a format takes free text.
  return defined({
    kind: 'text' as const,
    name,
    description,
    format: isFreeText(format) ? undefined : format,
    deferred,
    ...keepRest(members),
  })
}

const isFreeText = (format: JsonObject | undefined): boolean =>
  format?.['type'] === 'text' && Object.keys(withoutNulls(format)).length === 1

/** The members of a namespace are kept on its first tool. */
function readNamespace(tool: JsonObject): Tool[] {
  const { type: _, name, tools, ...about } = tool
  const namespace = typeof name === 'string' ? name : ''
  const read = objectsOf(tools).flatMap(readTool)
  const named = read.filter((inner) => inner.kind === 'function' || inner.kind === 'text')
  const [first, ...others] = named
  if (!first || named.length < read.length)
    return [{ kind: 'opaque', dialect: DIALECT, name: namespace, value: tool }]
  const { ext } = keep({
    ...restOf(first),
    ...(Object.keys(about).length > 0 && { namespace: about }),
  })
  return [
    defined({ ...first, namespace, ext }),
    ...others.map((inner) => ({ ...inner, namespace })),
  ]
}

export interface ToolContext {
  readonly names: WireNames
  readonly own: boolean
  readonly lose: Lose
  /** The model takes tools that it does not see yet. */
  readonly deferred: boolean
}

/** The context of one tool. */
interface OneToolContext extends ToolContext {
  readonly lose: LoseOf
}

/** The declared tools, and the name of each in a tool choice. */
export interface WrittenTools {
  tools: JsonObject[]
  choices: Map<string, JsonObject>
}

export function writeTools(tools: readonly Tool[], context: ToolContext): WrittenTools {
  const written: WrittenTools = { tools: [], choices: new Map() }
  const at = lossesIn(context.lose)
  let namespace: { name: string; tools: JsonObject[] } | undefined
  for (const tool of tools) {
    const value = writeTool(tool, { ...context, lose: at('tools', toolName(tool)) })
    if (!value) continue
    const name = 'namespace' in tool ? tool.namespace : undefined
    if (name === undefined) {
      namespace = undefined
      written.tools.push(value)
    } else if (namespace?.name === name) namespace.tools.push(value)
    else {
      namespace = { name, tools: [value] }
      written.tools.push({
        type: 'namespace',
        name,
        // Required (`NamespaceTool` of openai 7.57.0), and other dialects have no word for it.
        ...(!context.own && { description: name }),
        ...aboutNamespace(tool),
        tools: namespace.tools,
      })
    }
    written.choices.set(toolName(tool), choiceFor(tool, value))
  }
  return written
}

function aboutNamespace(tool: Tool): JsonObject {
  const about = tool.kind === 'opaque' ? undefined : restOf(tool)['namespace']
  return objectIn(about)
}

function writeTool(tool: Tool, context: OneToolContext): JsonObject | undefined {
  switch (tool.kind) {
    case 'function':
      return writeFunction(tool, context)
    case 'text':
      return writeCustom(tool, context)
    case 'hosted':
      return writeHosted(tool, context)
    case 'mcp':
      return writeMcpTool(tool)
    case 'opaque':
      return tool.dialect === DIALECT ? tool.value : undefined
    default:
      return tool satisfies never
  }
}

/** Only this dialect is strict by default, so a foreign tool says `strict: false`. */
function writeFunction(tool: FunctionTool, context: OneToolContext): JsonObject {
  const { names, own, lose } = context
  if (tool.cache) lose('dropped', 'cache')
  const typed = factsOf(tool).tool
  if (typed) return typed
  const { namespace: _, ...rest } = restOf(tool)
  const strict = own ? tool.strict : foreignStrict(tool, lose)
  const schema = own ? tool.schema : writeRoot(tool, lose)
  return defined({
    type: 'function',
    name: names.toWire(tool.name).name,
    description: tool.description,
    parameters: schema === undefined ? undefined : new Verbatim(schema),
    strict,
    async: tool.async,
    ...writeDeferred(tool, context),
    ...rest,
  }) as JsonObject
}

const writeDeferred = ({ deferred }: Tool, context: ToolContext): JsonObject =>
  deferred && context.deferred ? { defer_loading: true } : {}

function writeRoot({ schema = '' }: FunctionTool, lose: LoseOf): string {
  const root = rooted(schema)
  if (root.lost.length > 0) lose('approximated', '.schema', root.lost.join(', '))
  return root.schema
}

/** The schema is sent unchanged, so a tool is strict only where strict mode takes the schema as it is. */
function foreignStrict({ strict, schema }: FunctionTool, lose: LoseOf): boolean {
  if (strict !== true || (schema !== undefined && strictSchema(schema) === schema))
    return strict ?? false
  lose('dropped', '.strict', NOT_STRICT)
  return false
}

function writeCustom(tool: TextTool, context: ToolContext): JsonObject {
  const { names, lose } = context
  if (tool.cache) lose('dropped', 'cache')
  const { namespace: _, ...rest } = restOf(tool)
  return defined({
    type: 'custom',
    name: names.toWire(tool.name).name,
    description: tool.description,
    format: tool.format,
    ...writeDeferred(tool, context),
    ...rest,
  }) as JsonObject
}

function choiceFor(tool: Tool, value: JsonObject): JsonObject {
  const type = value['type'] ?? ''
  const { name } = value
  if (tool.kind === 'function' || tool.kind === 'text') return defined({ type, name }) as JsonObject
  const label = value['server_label']
  return label === undefined ? { type } : { type, server_label: label }
}

const MODES = ['auto', 'none', 'required'] as const
const readMode = (value: Json | undefined): ToolChoice['mode'] | undefined =>
  MODES.find((mode) => mode === value)

/** A choice by object keeps its spelling, because several kinds of tools may share one name. */
export function readChoice(choice: Json | undefined): ToolChoice | undefined {
  const mode = readMode(choice)
  if (mode) return { mode }
  if (!isObject(choice)) return undefined
  const kept = keep(membersBeside(choice, CHOICE) ?? {}, { facts: { choice } })
  if (choice['type'] !== 'allowed_tools')
    return { mode: 'required', names: [nameIn(choice)], ...kept }
  const names = objectsOf(choice['tools']).map(nameIn)
  return { mode: readMode(choice['mode']) ?? 'auto', names, ...kept }
}

const CHOICE = new Set(['type', 'name', 'server_label', 'mode', 'tools'])

function nameIn(choice: JsonObject): string {
  const type = memberText(choice, 'type') ?? ''
  return (
    findCapability(type) ?? memberText(choice, 'server_label') ?? memberText(choice, 'name') ?? type
  )
}

/** `choices`: how a choice names each declared tool. Tools that are not declared cannot be chosen. */
export function writeChoice(
  choice: ToolChoice | undefined,
  choices: ReadonlyMap<string, JsonObject>,
  lose: Lose,
): Json | undefined {
  if (!choice) return undefined
  const read = factsOf(choice).choice
  if (read) return read
  const { mode, names } = choice
  if (choices.size === 0)
    return mode === 'required' || names ? lose('approximated', 'toolChoice') : undefined
  if (!names) return mode
  return writeNamed(mode, names, choices, lose)
}

function writeNamed(
  mode: ToolChoice['mode'],
  names: readonly string[],
  choices: ReadonlyMap<string, JsonObject>,
  lose: Lose,
): Json {
  if (names.length === 0) return 'none'
  const known = names.flatMap((name) => choices.get(name) ?? [])
  if (known.length < names.length) lose('approximated', 'toolChoice')
  const [first, ...others] = known
  if (!first) return 'auto'
  if (mode === 'none') return 'none'
  if (mode === 'required' && others.length === 0) return first
  return { type: 'allowed_tools', mode, tools: known }
}
