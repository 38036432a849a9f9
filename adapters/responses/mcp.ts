import { isObject, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { fingerprint } from '../../src/model/proof.ts'
import type { McpCallBlock, McpListingBlock, McpTool } from '../../src/model/request.ts'
import { listOf, objectIn, objectsOf, memberText, keepRest, factsOf } from './dialect.ts'
import { Members } from '../../src/model/ext.ts'
import { toServerLabel } from './names.ts'

/**
 * A tool of an MCP server that the provider calls; undefined for a server that only this provider knows, by an id.
 */
export function readMcpTool(tool: JsonObject): McpTool | undefined {
  const members = new Members(tool)
  members.any('type')
  const name = members.text('server_label')
  const url = members.text('server_url')
  if (name === undefined || url === undefined) return undefined
  const token = members.text('authorization')
  const allowed = readAllowed(members)
  // Other dialects call without approval, as `never` does here. Any other value is left over, and so is the default,
  // `always`. Where a caller writes `always` (`asks`), its request is refused.
  const approval = members.any('require_approval') ?? 'always'
  if (approval !== 'never') members.leave('require_approval', approval)
  const asks = tool['require_approval'] === 'always' || objectIn(approval)['always']
  return {
    kind: 'mcp',
    name,
    url,
    ...(token !== undefined && { token }),
    ...(allowed && { allowed }),
    ...(asks && { asks: true as const }),
    ...keepRest(members, { tool }),
  }
}

function readAllowed(members: Members): string[] | undefined {
  const allowed = members.any('allowed_tools')
  const { tool_names, ...rest } = objectIn(allowed)
  if (Object.keys(rest).length > 0) members.leave('allowed_tools', rest)
  const names = Array.isArray(allowed) ? allowed : tool_names
  if (!Array.isArray(names)) return undefined
  return listOf(names).filter((name) => typeof name === 'string')
}

/** Inverse of `readMcpTool`. */
export function writeMcpTool(tool: McpTool): JsonObject {
  const read = factsOf(tool).tool
  if (read) return read
  const { name, url, token, allowed } = tool
  return {
    type: 'mcp',
    server_label: toServerLabel(name),
    server_url: url,
    ...(token !== undefined && { authorization: token }),
    ...(allowed && { allowed_tools: allowed }),
    require_approval: 'never',
  }
}

export function readMcpCall(item: JsonObject): McpCallBlock {
  const members = new Members(item)
  members.any('type')
  members.pass('status')
  members.passDefault('approval_request_id', null)
  const id = members.text('id') ?? ''
  const output = readOutput(members.any('output'))
  const error = readOutput(members.any('error'))
  const said = error ?? output
  const call = {
    kind: 'mcp-call' as const,
    id,
    server: members.text('server_label') ?? '',
    name: members.text('name') ?? '',
    input: members.text('arguments') ?? '{}',
    ...(said !== undefined && { output: said }),
    ...(error !== undefined && { isError: true }),
  }
  return { ...call, ...keepRest(members, { item }) }
}

/** An error is a text, or an object with a message. */
function readOutput(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (!isObject(value)) return stringify(value)
  const texts = objectsOf(value['content']).flatMap((part) => memberText(part, 'text') ?? [])
  return memberText(value, 'message') ?? (texts.join('\n') || stringify(value))
}

export function readMcpListing(item: JsonObject): McpListingBlock {
  const members = new Members(item)
  members.pass('type', 'id', 'status')
  const server = members.text('server_label') ?? ''
  const listed = members.any('tools') ?? null
  if (!Array.isArray(listed) || !listed.every(isObject)) members.leave('tools', listed)
  const error = readOutput(members.any('error'))
  const said = {
    kind: 'mcp-listing' as const,
    server,
    tools: objectsOf(listed),
    ...(error !== undefined && { error }),
  }
  return { ...said, ...keepRest(members, { item }) }
}

/** Inverse of `readMcpListing`. The same list has the same id in each turn. */
export function writeMcpListing(block: McpListingBlock): JsonObject {
  const { item } = factsOf(block)
  if (item) return item
  const { server, tools, error = null } = block
  const id = `mcpl_${fingerprint(stringify([server, ...tools]))}`
  return {
    type: 'mcp_list_tools',
    id,
    server_label: toServerLabel(server),
    tools: [...tools],
    error,
  }
}

const PREFIX = 'mcp_'

/** An upstream refuses an id whose prefix does not fit the item's type. One that it gave out itself is restored. */
export function toMcpId(id: string): string {
  const inner = id.indexOf(`_${PREFIX}`) + 1
  if (inner > 0) return id.slice(inner)
  return id.startsWith(PREFIX) ? id : PREFIX + id
}

const writeTexts = (text = ''): Json[] => [{ type: 'text', text }]

/** Inverse of `readMcpCall`. */
export function writeMcpCall(block: McpCallBlock): JsonObject {
  const { item } = factsOf(block)
  if (item) return item
  const { id, server, name, input, output, isError } = block
  return {
    type: 'mcp_call',
    id: toMcpId(id),
    server_label: toServerLabel(server),
    name,
    arguments: input,
    output: isError ? null : (output ?? null),
    error: isError ? { type: 'mcp_tool_execution_error', content: writeTexts(output) } : null,
  }
}
