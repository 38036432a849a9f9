import type { JsonObject } from '../json/json.ts'
import { lossesIn, nothingLost, type Lose } from '../model/loss.ts'
import { nothingListed, remembered, rememberedWalk, type Listed } from '../model/remembered.ts'
import type { FunctionTool, Request, TextTool, Tool, ToolKey, Turn } from '../model/request.ts'
import { fingerprint } from '../model/proof.ts'

/** What a dialect allows in a name or an id. */
export interface NameRule {
  /** Matches one character that is not allowed; without flags. */
  forbidden: RegExp
  /** Must hold for the whole; default: not empty. */
  start?: RegExp
  maxLength: number
}

/** Makes a name or an id fit; the same always becomes the same, and two never become one. */
export function shortenName(text: string, rule: NameRule): string {
  if (fits(text, rule)) return text
  const suffix = `_${fingerprint(text)}`
  let cleaned = text.replace(new RegExp(rule.forbidden, 'g'), '_')
  if (rule.start && !rule.start.test(cleaned)) cleaned = `_${cleaned}`
  return cleaned.slice(0, rule.maxLength - suffix.length) + suffix
}

function fits(text: string, rule: NameRule): boolean {
  if (text === '' || text.length > rule.maxLength) return false
  return !rule.forbidden.test(text) && (!rule.start || rule.start.test(text))
}

/** Makes an id fit, and adds the smallest number that makes it unique. `known`: those that are taken. */
export function uniqueIds(rule: NameRule, known: Iterable<string> = []): (id: string) => string {
  const used = new Set(Array.from(known, (id) => shortenName(id, rule)))
  const counts = new Map<string, number>()
  return (said) => uniqueId(shortenName(said, rule), rule, used, counts)
}

/** The same of an id that fits. `counts`: the numbers that the next repetitions begin with. */
export function uniqueId(
  id: string,
  rule: NameRule,
  used: Set<string>,
  counts: Map<string, number>,
): string {
  let fresh = id
  let count = counts.get(id) ?? 2
  for (; used.has(fresh); count += 1) fresh = shortenName(`${id}_${count}`, rule)
  if (fresh !== id) counts.set(id, count)
  used.add(fresh)
  return fresh
}

const idWalk = rememberedWalk<Turn, Listed<string>>()

/** The ids of all calls of a conversation. */
export function callIds({ calls, turns }: Pick<Request, 'calls' | 'turns'>): readonly string[] {
  if (calls) return calls
  return idWalk(turns, [], nothingLost, nothingListed, ({ all }, { blocks }) => {
    for (const block of blocks) if (block.kind === 'tool-call') all.push(block.id)
  }).all
}

/** The name of a call whose model gave none: every service refuses an empty one when it comes back. */
const UNNAMED = '_'

/** The name of a call for a caller that has no namespaces. */
export const flatName = ({ name, namespace }: ToolKey): string =>
  (namespace ? `${namespace}__${name}` : name) || UNNAMED

/** A tool as its caller knows it. */
export interface ToolName {
  name: string
  namespace?: string
  form: 'json' | 'text'
}

export type NamedTool = FunctionTool | TextTool

export const isNamed = (tool: Tool): tool is NamedTool =>
  tool.kind === 'function' || tool.kind === 'text'

/**
 * One exchange's two-way map between the caller's tool names and those on the upstream's wire: namespaces
 * are flattened to `ns__name`, and what the upstream's rule forbids is rewritten. One that was never declared is
 * none.
 */
export interface ToolNames {
  toWire(name: string, namespace?: string): string
  /** Undeclared names come back as they are. */
  fromWire(wire: string): ToolName
  /** Whether tools were declared in this namespace: services also call one what is a tool's own name. */
  declares(namespace: string): boolean
}

/** Also a namespace that only its own dialect can read. */
function listNamespace(tool: Tool): string[] {
  const name = tool.kind === 'opaque' ? tool.name : isNamed(tool) && tool.namespace
  return name ? [name] : []
}

export const toolNames = (request: Pick<Request, 'tools'> | undefined, rule: NameRule): ToolNames =>
  namesOf(request?.tools ?? [], rule)

/** A session asks for them with every request. */
const namesOf = remembered((tools: readonly Tool[], rule: NameRule): ToolNames => {
  if (tools.length === 0) return { ...NO_NAMES, toWire: (name) => shortenName(name, rule) }
  const namespaces = new Set(tools.flatMap(listNamespace))
  const toWire = (name: string, namespace = '') =>
    shortenName(namespaces.has(namespace) ? `${namespace}__${name}` : name, rule)
  const declared = new Map<string, ToolName>()
  for (const tool of tools) {
    if (!isNamed(tool)) continue
    const { name, namespace } = tool
    const known: ToolName = {
      name,
      form: tool.kind === 'text' ? 'text' : 'json',
      ...(namespace && { namespace }),
    }
    declared.set(toWire(name, namespace), known)
  }
  return {
    toWire,
    fromWire: (wire) => declared.get(wire) ?? { name: wire, form: 'json' },
    declares: (namespace) => namespaces.has(namespace),
  }
})

const NO_NAMES: Pick<ToolNames, 'fromWire' | 'declares'> = {
  fromWire: (wire) => ({ name: wire, form: 'json' }),
  declares: () => false,
}

/**
 * Reports a choice among several tools where the dialect cannot express it. Tools outside the choice stay on offer:
 * they stand before the conversation, so removing them would change the prompt, to which caches and proofs of
 * reasoning are bound.
 */
export function reportWidened({ tools, toolChoice }: Request, lose: Lose): void {
  const names = new Set(toolChoice?.names)
  const isWider = tools.some((tool) => !names.has(toolName(tool)))
  if (names.size > 0 && isWider) lose('approximated', 'toolChoice', 'the others stay on offer')
}

/** What a tool is called where no wire has a name for it. */
export const toolName = (tool: Tool): string =>
  tool.kind === 'hosted' ? tool.capability : tool.name

/** Reports what a tool choice leaves out, for a wire that says so only by not offering it. */
export function reportLeftOut(tools: readonly Tool[], offered: readonly Tool[], lose: Lose): void {
  const kept = new Set(offered)
  for (const tool of tools) {
    if (kept.has(tool)) continue
    lossesIn(lose)('tools', toolName(tool))('dropped', '', 'the tool choice leaves it out')
  }
}

/** No two tools of a wire may have one name; elsewhere one may be declared again, or in two ways. */
export function unique(written: JsonObject[], lose: Lose): JsonObject[] {
  const known = new Set<string>()
  return written.filter(({ name }) => {
    if (typeof name !== 'string') return true
    const isFirst = !known.has(name)
    known.add(name)
    if (!isFirst) lossesIn(lose)('tools', name)('dropped', '', 'another tool has this name')
    return isFirst
  })
}
