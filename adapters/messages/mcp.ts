import {
  isObject,
  parseObject,
  toText,
  Verbatim,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type { LoseOf } from '../../src/model/loss.ts'
import type { Block, McpCallBlock, McpListingBlock, McpTool } from '../../src/model/request.ts'
import { shortenName } from '../../src/rules/names.ts'
import { invalid } from '../../src/model/problem.ts'
import {
  CALL_ID,
  listIn,
  objectIn,
  objectsIn,
  readCache,
  textIn,
  writeCache,
  keep,
  factsOf,
  opaque,
} from './dialect.ts'
import type { WireBlock, WireTool } from './wire.ts'

/**
 * MCP servers that the provider itself calls: a request lists the servers (`mcp_servers`) and beside them sets of their
 * tools (`mcp_toolset`; documents of the beta mcp-client-2025-11-20).
 */
export const MCP_BETA = 'mcp-client-2025-11-20'

const TOOLSET = 'mcp_toolset'

/** The servers of a request, by their names. */
export type Servers = ReadonlyMap<string, JsonObject>

/** Reads the servers. None is read where one of them has no address: then all stay as they came. */
export function readServers(servers: Json | undefined): Servers {
  const known = listIn(servers).filter(isObject)
  if (known.length < listIn(servers).length || !known.every(isKnown)) return new Map()
  return new Map(known.map((server) => [textIn(server['name']), server]))
}

const isKnown = ({ type, name, url }: JsonObject): boolean =>
  type === 'url' && typeof name === 'string' && typeof url === 'string'

/** The toolset of a known server; undefined for any other tool. */
export function readMcpToolset(raw: WireTool, servers: Servers): McpTool | undefined {
  const server = servers.get(textIn(raw.mcp_server_name))
  return raw.type === TOOLSET && server ? joinTool(server, raw) : undefined
}

/** Reads the servers without a toolset, which choose among their tools themselves, as before toolsets existed. */
export const readLoneServers = (servers: Servers, tools: Json | undefined): McpTool[] => {
  const listed = new Set(objectsIn(tools).map(({ mcp_server_name }) => mcp_server_name))
  return [...servers].flatMap(([name, server]) => (listed.has(name) ? [] : [joinTool(server)]))
}

function joinTool(server: JsonObject, toolset?: WireTool): McpTool {
  const { type: _, name, url, authorization_token, tool_configuration, ...rest } = server
  const { allowed, ...left } = toolset ? choiceIn(toolset) : configured(tool_configuration)
  return {
    kind: 'mcp',
    name: textIn(name),
    url: textIn(url),
    ...(typeof authorization_token === 'string' && { token: authorization_token }),
    ...(allowed && { allowed }),
    ...(toolset && readCache(toolset.cache_control)),
    ...keep({ ...rest, ...left }, { facts: { server, toolset } }),
  }
}

function choiceIn(toolset: JsonObject): { allowed?: string[] } & JsonObject {
  const {
    type: _,
    mcp_server_name: __,
    default_config,
    configs,
    cache_control: ___,
    ...rest
  } = toolset
  const { enabled, ...left } = objectIn(default_config)
  const tools = Object.entries(objectIn(configs)).map(([name, config]) => ({
    name,
    ...objectIn(config),
  }))
  const named = (value: boolean): string[] =>
    tools.filter((tool) => (tool as JsonObject)['enabled'] === value).map(({ name }) => name)
  const denied = enabled === false ? [] : named(false)
  const deferred = tools.filter((tool) => 'defer_loading' in tool).map(({ name }) => name)
  return {
    ...rest,
    ...left,
    ...(deferred.length > 0 && { deferred }),
    ...(denied.length > 0 && { denied }),
    ...(enabled === false && { allowed: named(true) }),
  }
}

function configured(config: Json | undefined): { allowed?: string[] } {
  const { enabled, allowed_tools } = objectIn(config)
  if (enabled === false) return { allowed: [] }
  const names = listIn(allowed_tools).filter((name) => typeof name === 'string')
  return Array.isArray(allowed_tools) ? { allowed: names } : {}
}

/** Inverse of `readMcpToolset`. Writes nothing for a server that came without a toolset. */
export function writeToolset(tool: McpTool): JsonObject[] {
  const { server, toolset } = factsOf(tool)
  if (server) return toolset ? [toolset] : []
  const configs = tool.allowed?.map((name) => [name, { enabled: true }] as const)
  return [
    {
      type: TOOLSET,
      mcp_server_name: tool.name,
      ...writeCache(tool.cache),
      ...(configs && {
        default_config: { enabled: false },
        configs: Object.fromEntries(configs),
      }),
    },
  ]
}

export function writeServer(tool: McpTool): JsonObject {
  const { server } = factsOf(tool)
  if (server) return server
  const { name, url, token, asks } = tool
  if (asks) {
    const place = `tools.${name}`
    const what = 'this upstream calls its tools and asks for no approval'
    throw invalid(`${place}: ${what}; let them run without, or leave the server out.`, place)
  }
  return { type: 'url', url, name, ...(token !== undefined && { authorization_token: token }) }
}

export const isMcpCall = (raw: WireBlock): boolean => raw.type === 'mcp_tool_use'
export const isMcpResult = (raw: WireBlock): boolean => raw.type === 'mcp_tool_result'

/** Reads a call, with its result where that is known. */
export function readMcpCall(use: JsonObject, result: JsonObject | undefined): McpCallBlock {
  const { type: _, id, name, server_name, input, ...rest } = use
  const { type: __, tool_use_id: ___, is_error, content, ...others } = result ?? {}
  const parts = objectsIn(content)
  const texts = typeof content === 'string' ? [content] : parts.map(({ text }) => textIn(text))
  const unsaid = parts.filter(({ type }) => type !== 'text')
  return {
    kind: 'mcp-call',
    id: textIn(id),
    server: textIn(server_name),
    name: textIn(name),
    input: input === undefined ? '{}' : toText(input),
    ...(result && { output: texts.filter(Boolean).join('\n') }),
    ...(is_error === true && { isError: true }),
    ...keep(
      { ...rest, ...others, ...(unsaid.length > 0 && { content: unsaid }) },
      { facts: { use, result } },
    ),
  }
}

/**
 * Reads the list of tools that a server gave (@anthropic-ai/sdk 1.12, `BetaMCPToolListingBlock`). It stands in a reply
 * and in the next requests.
 */
export function readListing(raw: WireBlock): McpListingBlock {
  const { type: _, mcp_server_name, tools, ...rest } = raw
  const isList = Array.isArray(tools) && tools.every(isObject)
  return {
    kind: 'mcp-listing',
    server: textIn(mcp_server_name),
    tools: objectsIn(tools),
    ...keep({ ...rest, ...(!isList && { tools: tools ?? null }) }, { facts: { listing: raw } }),
  }
}

/** Callers that send a beta which begins so know `mcp_tool_listing`. */
export const LISTING_BETA = 'mcp-client-2026'

/**
 * Inverse of `readListing`. A tool has a name, a schema and a description here, and the description may not be null.
 */
export function writeListing(block: McpListingBlock, lose: LoseOf): JsonObject {
  const { listing } = factsOf(block)
  if (listing) return listing
  const tools = block.tools.map(({ name = '', input_schema = {}, description, ...others }) => {
    if (Object.values(others).some((value) => value !== null)) lose('dropped', '.tools')
    return { name, input_schema, ...(typeof description === 'string' && { description }) }
  })
  return { type: 'mcp_tool_listing', mcp_server_name: block.server, tools }
}

/** A result without its call means nothing in another dialect. */
export const loneResult = (value: JsonObject): Block => opaque(value)

const PREFIX = 'mcptoolu_'

/** Puts the service's prefix before an id. An id that holds one of the service's own becomes that one again. */
function toMcpId(id: string): string {
  const inner = id.indexOf(PREFIX)
  return inner < 0 ? PREFIX + id : id.slice(inner)
}

/** Inverse of `readMcpCall`: the call and its result. */
export function writeMcpCall(block: McpCallBlock): JsonObject[] {
  const { use, result } = factsOf(block)
  if (use) return result ? [use, result] : [use]
  const { id, name, server, input, output, isError = false } = block
  const wireId = shortenName(toMcpId(id), CALL_ID)
  const call = {
    type: 'mcp_tool_use',
    id: wireId,
    name,
    server_name: server,
    input: parseObject(input) ? new Verbatim(input) : {},
  }
  const content = output === undefined || output === '' ? [] : [{ type: 'text', text: output }]
  const answer = { type: 'mcp_tool_result', tool_use_id: wireId, is_error: isError, content }
  return output === undefined ? [call] : [call, answer]
}
