import { defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Capability, HostedTool } from '../../src/model/request.ts'
import { wireForm, listOf, Members, ownLeftovers, spelled } from './members.ts'

/** The tools that the provider runs, with the name that each goes by when nobody chose another. */
const CAPABILITIES: readonly [RegExp, Capability, string][] = [
  [/^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/, 'web-search', 'web_search'],
  [/^code_interpreter$/, 'code-execution', 'code_interpreter'],
  [/^file_search$/, 'file-search', 'file_search'],
  [/^computer(?:_use_preview)?$/, 'computer', 'computer_use_preview'],
]

export const findCapability = (type: string): Capability | undefined =>
  CAPABILITIES.find(([pattern]) => pattern.test(type))?.[1]

const hostedType = (capability: Capability): string | undefined =>
  CAPABILITIES.find(([, known]) => known === capability)?.[2]

export function readHosted(tool: JsonObject, capability: Capability): HostedTool {
  const members = new Members(tool)
  if (members.peek('type') === hostedType(capability)) members.any('type')
  else members.spell('type')
  if (capability === 'code-execution') spellContainer(members)
  const search = capability === 'web-search' ? readSearch(members) : {}
  return defined({ kind: 'hosted' as const, capability, ...search, ext: members.ext() })
}

function spellContainer(members: Members): void {
  const container = members.peek('container')
  const isDefault =
    isObject(container) && container['type'] === 'auto' && Object.keys(container).length === 1
  if (isDefault) members.spell('container')
}

const strings = (values: Json[]): string[] => values.filter((value) => typeof value === 'string')

function readSearch(members: Members): Pick<HostedTool, 'allowedDomains' | 'location'> {
  members.spellDefault('search_context_size', 'medium')
  const location = members.object('user_location')
  const domains = members.list('domains')
  if (domains) members.note('domains', true)
  return defined({ allowedDomains: domains ? strings(domains) : readFilters(members), location })
}

function readFilters(members: Members): string[] | undefined {
  const filters = members.peek('filters')
  if (!isObject(filters) || !Array.isArray(filters['allowed_domains'])) return undefined
  const { allowed_domains: allowed, ...rest } = filters
  members.any('filters')
  if (Object.keys(rest).length > 0) members.leave('filters', rest)
  return strings(listOf(allowed))
}

interface HostedContext {
  readonly own: boolean
  readonly lose: Lose
}

/**
 * File search and computer use need stores and screens that only a caller of this dialect can name; there
 * is no tool that fetches pages.
 */
export function writeHosted(
  tool: HostedTool,
  { own, lose }: HostedContext,
): JsonObject | undefined {
  const path = `tools.${tool.capability}`
  if (tool.cache) lose('dropped', 'cache')
  if (tool.capability === 'web-search') return writeSearch(tool, path, lose)
  if (tool.capability === 'code-execution') return writeCodeInterpreter(tool)
  const type = hostedType(tool.capability)
  return own && type !== undefined
    ? { type, ...spelled(tool, 'type'), ...ownLeftovers(tool) }
    : lose('dropped', path)
}

function writeCodeInterpreter(tool: HostedTool): JsonObject {
  return { type: 'code_interpreter', container: { type: 'auto' }, ...ownLeftovers(tool) }
}

function writeSearch(tool: HostedTool, path: string, lose: Lose): JsonObject {
  const { allowedDomains, blockedDomains, maxUses, location } = tool
  if (blockedDomains) lose('dropped', `${path}.blockedDomains`)
  if (maxUses !== undefined) lose('dropped', `${path}.maxUses`)
  const { filters, ...rest } = ownLeftovers(tool)
  const asDomains = wireForm(tool)['domains'] === true
  const allowed = allowedDomains && !asDomains ? { allowed_domains: allowedDomains } : {}
  const filtered = { ...allowed, ...(isObject(filters) && filters) }
  return defined({
    type: 'web_search',
    ...spelled(tool, 'type', 'search_context_size'),
    ...(asDomains && { domains: allowedDomains ?? [] }),
    ...(Object.keys(filtered).length > 0 && { filters: filtered }),
    ...(filters === null && { filters }),
    user_location: location,
    ...rest,
  }) as JsonObject
}
