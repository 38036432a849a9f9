import { isObject, toText, Verbatim, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import type {
  Capability,
  FunctionTool,
  HostedTool,
  Request,
  Tool,
  ToolChoice,
} from '../../src/model/request.ts'
import {
  reportWidened,
  isNamed,
  unique,
  type NamedTool,
  type ToolNames,
  toolName,
} from '../../src/rules/names.ts'
import { close } from '../../src/schema/close.ts'
import { byPattern, rooted } from '../../src/schema/root.ts'
import { describeText, TEXT_TOOL_SCHEMA } from '../../src/rules/text-tools.ts'
import {
  DIALECT,
  listIn,
  objectsIn,
  readCache,
  textIn,
  withoutNulls,
  writeCache,
  keep,
  factsOf,
  opaque,
  restOf,
} from './dialect.ts'
import { readToolset, readTyped, undated } from './client-tools.ts'
import * as mcp from './mcp.ts'
import type { Room } from './schema-budget.ts'

interface KnownHosted {
  capability: Capability
  name: string
  /**
   * The version to ask for, unless the request names one. Absent where a caller of another dialect cannot give all that
   * the tool needs.
   */
  type?: string
}

/** Hosted tools by the beginning of their dated types. */
const HOSTED = Object.entries<KnownHosted>({
  web_search_2: { capability: 'web-search', name: 'web_search', type: 'web_search_20250305' },
  web_fetch_2: { capability: 'web-fetch', name: 'web_fetch', type: 'web_fetch_20250910' },
  code_execution_2: {
    capability: 'code-execution',
    name: 'code_execution',
    type: 'code_execution_20260120',
  },
  tool_search_tool_: {
    capability: 'tool-search',
    name: 'tool_search_tool_bm25',
    type: 'tool_search_tool_bm25_20251119',
  },
})

const hostedBy = (fits: (known: KnownHosted) => boolean): KnownHosted | undefined =>
  HOSTED.find(([, known]) => fits(known))?.[1]

export function readTools(tools: Json | undefined, servers: Json | undefined): Tool[] {
  const known = mcp.readServers(servers)
  const read = objectsIn(tools).flatMap(
    (raw): Tool[] => readToolset(raw) ?? [mcp.readMcpToolset(raw, known) ?? readTool(raw)],
  )
  return [...read, ...mcp.readLoneServers(known, tools)]
}

export function readTool(raw: JsonObject): Tool {
  const { defer_loading, ...rest } = raw
  if (defer_loading !== true) return readOffered(raw)
  const tool = readOffered(rest)
  return tool.kind === 'opaque' ? readOffered(raw) : { ...tool, deferred: true }
}

function readOffered(raw: JsonObject): Tool {
  const { type } = raw
  if (type === undefined || type === null || type === 'custom') return readFunction(raw)
  const hosted = HOSTED.find(([prefix]) => textIn(type).startsWith(prefix))
  if (hosted) return readHosted(raw, hosted[1])
  const name = textIn(raw['name']) || textIn(type)
  return readTyped(raw) ?? { ...opaque(raw), name }
}

function readFunction(raw: JsonObject): FunctionTool {
  const { type: _, name, description, input_schema, strict, cache_control, ...others } = raw
  const { eager_input_streaming: asked, ...known } = others
  const eager = typeof asked === 'boolean' ? asked : undefined
  const rest = eager === undefined ? others : known
  const schema = input_schema === undefined ? undefined : toText(input_schema)
  return {
    kind: 'function',
    name: textIn(name),
    ...(typeof description === 'string' && { description }),
    ...(schema !== undefined && { schema }),
    ...(strict === true && { strict }),
    ...readCache(cache_control),
    ...keep(withoutNulls(rest), {
      facts: {
        ...(strict === true && { native: true }),
        ...(eager !== undefined && { eager }),
        // The service judges the schemas of its own callers, also those that are no objects.
        ...(schema !== undefined && rooted(schema).schema !== schema && { bare: true }),
      },
    }),
  }
}

function readHosted(raw: JsonObject, known: KnownHosted): HostedTool {
  const { type, name, allowed_domains, blocked_domains, max_uses, user_location, ...others } = raw
  const { cache_control, ...rest } = others
  const isVersion = undated(type) === undated(known.type)
  return {
    kind: 'hosted',
    capability: known.capability,
    ...readDomains('allowedDomains', allowed_domains),
    ...readDomains('blockedDomains', blocked_domains),
    ...(typeof max_uses === 'number' && { maxUses: max_uses }),
    ...(isObject(user_location) && { location: user_location }),
    ...readCache(cache_control),
    ...keep(
      {
        ...withoutNulls(rest),
        ...(!isVersion && { type: textIn(type) }),
        ...(name !== known.name && { name: textIn(name) }),
      },
      // Other dialects have no versions of this tool, so nothing is lost with its version.
      { facts: isVersion && type !== known.type && { typed: { type: textIn(type) } } },
    ),
  }
}

function readDomains(
  member: 'allowedDomains' | 'blockedDomains',
  value: Json | undefined,
): Partial<HostedTool> {
  const domains = listIn(value).filter((domain) => typeof domain === 'string')
  return Array.isArray(value) ? { [member]: domains } : {}
}

export interface ToolWriting {
  readonly names: ToolNames
  readonly room: Room
  readonly lose: Lose
  /** The model takes tools that it does not see yet. */
  readonly deferred: boolean
  /** The version of the tool for running code, where the model does not take the usual one. */
  readonly code?: string | undefined
}

/** Inverse of `readTools`; reports tools that this dialect lacks. */
export function writeTools(tools: readonly Tool[], context: ToolWriting): JsonObject[] {
  const { names, room, lose } = context
  const at = lossesIn(lose)
  const written = tools.flatMap((tool) => {
    // The core has reported a foreign tool already (`src/rules/foreign.ts`).
    if (tool.kind === 'opaque') return tool.dialect === DIALECT ? [tool.value] : []
    const { set } = tool.kind === 'function' ? factsOf(tool) : {}
    if (set) return set === true ? [] : [{ ...set, ...writeCache(tool.cache) }]
    const hidden = tool.deferred && context.deferred ? { defer_loading: true } : {}
    const loseHere = at('tools', toolName(tool))
    if (isNamed(tool)) return [{ ...writeNamed(tool, names, room, loseHere), ...hidden }]
    const others =
      tool.kind === 'mcp'
        ? mcp.writeToolset(tool)
        : (writeHosted(tool, context.code, loseHere) ?? [])
    return others.map((one) => ({ ...one, ...hidden }))
  })
  return unique(written, lose)
}

/** The MCP servers of the tools on offer. */
export function writeServers({ tools }: Request, betas: Set<string>): JsonObject[] {
  const servers = tools.flatMap((tool) => (tool.kind === 'mcp' ? [mcp.writeServer(tool)] : []))
  if (servers.length > 0) betas.add(mcp.MCP_BETA)
  return servers
}

/** The names by which a choice may name a tool: a hosted tool also goes by its capability. */
function namesInChoice(tool: Tool): readonly (string | undefined)[] {
  if (tool.kind !== 'hosted') return [tool.name]
  const { capability } = tool
  return [capability, hostedBy((known) => known.capability === capability)?.name]
}

const isCalled = (tool: Tool, name: string): boolean => namesInChoice(tool).includes(name)

function writeNamed(tool: NamedTool, names: ToolNames, room: Room, lose: LoseOf): JsonObject {
  const { name, namespace } = tool
  const { native, typed, bare, eager } = factsOf(tool)
  const left = restOf(tool)
  if (typed) return { name, ...left, ...typed, ...writeCache(tool.cache) }
  const isText = tool.kind === 'text'
  const description = isText ? describeText(tool, lose) : tool.description
  if (!isText && tool.async) lose('dropped', '.async')
  return {
    name: names.toWire(name, namespace),
    ...(description !== undefined && { description }),
    input_schema: new Verbatim(isText ? TEXT_TOOL_SCHEMA : writeSchema(tool, bare === true, lose)),
    ...(!isText && isStrict(tool, native === true, room, lose) && { strict: true }),
    ...(eager !== undefined && { eager_input_streaming: eager }),
    ...left,
    ...writeCache(tool.cache),
  }
}

function writeSchema({ schema = '' }: FunctionTool, isBare: boolean, lose: LoseOf): string {
  if (isBare) return schema
  const root = rooted(schema)
  if (root.lost.length > 0) lose('approximated', '.schema', root.lost.join(', '))
  return byPattern(root.schema)
}

/** Whether a tool is written as strict: the service refuses one whose schema it cannot enforce. */
function isStrict(
  { schema, strict }: FunctionTool,
  native: boolean,
  room: Room,
  lose: LoseOf,
): boolean {
  if (strict !== true || native) return strict === true
  const { changed, ...weight } = close(byPattern(rooted(schema ?? '').schema))
  if (changed.length === 0 && room(weight, 1)) return true
  lose('dropped', '.strict', changed.join(', ') || 'too much to be kept to')
  return false
}

function writeHosted(
  tool: HostedTool,
  code: string | undefined,
  lose: LoseOf,
): JsonObject[] | undefined {
  const known = hostedBy(({ capability }) => capability === tool.capability)
  const left = restOf(tool)
  const version =
    code && tool.capability === 'code-execution' ? `code_execution_${code}` : undefined
  const type = textIn((factsOf(tool).typed ?? left)['type']) || (version ?? known?.type)
  if (!known || !type) return lose('dropped', '')
  const { allowedDomains, blockedDomains, maxUses, location } = tool
  if (tool.contextSize !== undefined) lose('dropped', '.contextSize')
  const exclusive = allowedDomains?.length && blockedDomains?.length
  if (exclusive) lose('dropped', '.blockedDomains', 'not beside allowed ones')
  return [
    {
      type,
      name: known.name,
      ...(allowedDomains && { allowed_domains: allowedDomains }),
      ...(blockedDomains && !exclusive && { blocked_domains: blockedDomains }),
      ...(maxUses !== undefined && { max_uses: maxUses }),
      ...writeLocation(location, lose),
      ...left,
      ...writeCache(tool.cache),
    },
  ]
}

const PLACES = ['city', 'region', 'country', 'timezone']

/** Writes a place. Another dialect has the same words for it; coordinates of a third one have no place here. */
function writeLocation(location: JsonObject | undefined, lose: LoseOf): JsonObject {
  if (!location) return {}
  const entries = Object.entries(location)
  const known = entries.filter(([key, value]) => PLACES.includes(key) && typeof value === 'string')
  if (entries.some(([key, value]) => key !== 'type' && value !== null && !PLACES.includes(key)))
    lose('dropped', '.location')
  return known.length === 0
    ? {}
    : { user_location: { type: 'approximate', ...Object.fromEntries(known) } }
}

/** The name in a choice. For a hosted tool that is its capability, because its name differs between dialects. */
export function chosenName(name: string, ...lists: (readonly Tool[])[]): string {
  const hosted = hostedBy((known) => known.name === name)?.capability
  const isChosen = (tool: Tool) => tool.kind === 'hosted' && isCalled(tool, name)
  return hosted && lists.flat().some(isChosen) ? hosted : name
}

export function readToolChoice(
  raw: Json | undefined,
  tools: Tool[],
): { toolChoice?: ToolChoice; parallelToolCalls?: boolean } {
  if (!isObject(raw)) return {}
  const { type, name, disable_parallel_tool_use, ...rest } = raw
  const single = disable_parallel_tool_use === true
  const left = keep({ ...rest, ...unknownChoice(type) })
  const choice: ToolChoice = {
    mode: CHOICES.get(type) ?? 'auto',
    ...(type === 'tool' && { names: [chosenName(textIn(name), tools)] }),
    ...left,
  }
  return { toolChoice: choice, ...(single && { parallelToolCalls: false }) }
}

const CHOICES = new Map<Json | undefined, ToolChoice['mode']>([
  ['auto', 'auto'],
  ['any', 'required'],
  ['tool', 'required'],
  ['none', 'none'],
])

const unknownChoice = (type: Json | undefined): JsonObject =>
  CHOICES.has(type) ? {} : { type: type ?? null }

/** Inverse of `readToolChoice`. `tools`: the written tools. */
export function writeToolChoice(
  request: Request,
  tools: JsonObject[],
  names: ToolNames,
  lose: Lose,
): { tool_choice?: JsonObject } {
  const { toolChoice: choice, parallelToolCalls } = request
  const single = parallelToolCalls === false && { disable_parallel_tool_use: true }
  if (tools.length === 0) {
    if (choice?.mode === 'required') lose('dropped', 'toolChoice', 'no tool is left')
    return {}
  }
  if (!choice) return single ? { tool_choice: { type: 'auto', ...single } } : {}
  const left = restOf(choice)
  if (choice.mode === 'none' || choice.names?.length === 0) return { tool_choice: { type: 'none' } }
  const [only, ...others] = choice.names ?? []
  if (choice.mode === 'auto' || only === undefined || others.length > 0) {
    reportWidened(request, lose)
    const type = choice.mode === 'auto' ? 'auto' : 'any'
    return { tool_choice: { type, ...single, ...left } }
  }
  const name = wireName(request, only, names)
  if (tools.some((tool) => tool['name'] === name))
    return { tool_choice: { type: 'tool', name, ...single, ...left } }
  lose('dropped', 'toolChoice', 'the tool is not offered')
  return { tool_choice: { type: 'auto', ...single } }
}

/** The names of a tool on the wire. */
export const listWireNames = (tool: Tool, names: ToolNames): string[] =>
  isNamed(tool)
    ? [names.toWire(tool.name, tool.namespace)]
    : namesInChoice(tool).flatMap((name) => name ?? [])

/** The wire's name of the tool that a choice names. */
function wireName(request: Request, name: string, names: ToolNames): string {
  const tool = request.tools.find((candidate) => isCalled(candidate, name))
  if (tool && isNamed(tool)) return names.toWire(tool.name, tool.namespace)
  return hostedBy(({ capability }) => capability === name)?.name ?? name
}
