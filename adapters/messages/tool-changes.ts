import { isObject, type JsonObject } from '../../src/json/json.ts'
import { keyOf, placeTools } from '../../src/rules/late-tools.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { ToolNames } from '../../src/rules/names.ts'
import type { Block, Request, Tool, ToolChangeBlock } from '../../src/model/request.ts'
import {
  factsOf,
  keep,
  objectIn,
  opaque,
  readCache,
  restOf,
  textIn,
  writeCache,
  type WriteContext,
} from './dialect.ts'
import type { Takes } from './abilities.ts'
import { schemaRoom } from './schema-budget.ts'
import { chosenName, readTool, listWireNames, writeTools } from './tools.ts'
import type { WireBlock } from './wire.ts'

/**
 * The betas for a change of tools in the conversation: by the tool's name, and with the whole tool
 * (`BetaRequestToolAdditionBlock`).
 */
export const BY_NAME = 'mid-conversation-tool-changes-2026-07-01'
export const WHOLE = 'inline-tools-2026-09-15'

interface Reading {
  /** Gathers the tools that the conversation brings. */
  readonly late: Tool[]
  readonly offered: readonly Tool[]
}

/** Reads a change of tools. A reference to the tools of an MCP server stays as it came. */
export function readToolChange(raw: WireBlock, { late, offered }: Reading): Block {
  const { type, tool, cache_control, ...rest } = raw
  const named = objectIn(tool)
  const whole = objectIn(named['definition'])
  const isWhole = named['type'] === 'tool_definition' && isObject(named['definition'])
  if (!isWhole && named['type'] !== 'tool_reference') return opaque(raw)
  if (isWhole) late.push({ ...readTool(whole), late: true })
  const name = chosenName(textIn(named['name']), offered, late)
  const brought = isWhole ? late.at(-1) : undefined
  return {
    kind: 'tool-change',
    change: type === 'tool_removal' ? 'remove' : 'add',
    tools: [brought ? keyOf(brought) : { name }],
    ...readCache(cache_control),
    ...keep(rest, { facts: { change: named } }),
  }
}

/** Reads one tool that a search by the caller found. */
export function readReference(raw: WireBlock): ToolChangeBlock {
  const { type: _, tool_name, cache_control, ...rest } = raw
  return {
    kind: 'tool-change',
    change: 'add',
    tools: [{ name: textIn(tool_name) }],
    ...readCache(cache_control),
    ...keep(rest, { facts: { native: true } }),
  }
}

/**
 * Writes a change of tools. The first change that names a tool brings the whole tool, where the tools at the top lack
 * it.
 */
export function writeToolChange(block: ToolChangeBlock, context: WriteContext): JsonObject[] {
  const { betas, names, brought } = context
  const own = factsOf(block).change
  const type = block.change === 'add' ? 'tool_addition' : 'tool_removal'
  const end = { ...restOf(block), ...writeCache(block.cache) }
  const wholes = brought(block)
  if (own) {
    betas.add(own['type'] === 'tool_definition' ? WHOLE : BY_NAME)
    return [{ type, tool: own, ...end }]
  }
  const definitions = wholes.map((definition) => ({ type: 'tool_definition', definition }))
  const given = new Set(wholes.map(({ name }) => name))
  const references = block.tools.flatMap(({ name, namespace }) => {
    const wire = names.toWire(name, namespace)
    return given.has(wire) || !context.hidden.has(wire)
      ? []
      : [{ type: 'tool_reference', name: wire }]
  })
  if (definitions.length > 0) betas.add(WHOLE)
  if (references.length > 0) betas.add(BY_NAME)
  return [...definitions, ...references].map((tool) => ({ type, tool, ...end }))
}

/** Writes what a search by the caller found, for a model that does not see those tools yet. */
export const writeReferences = (block: ToolChangeBlock, { names }: WriteContext): JsonObject[] =>
  block.tools.map(({ name, namespace }) => ({
    type: 'tool_reference',
    tool_name: names.toWire(name, namespace),
    ...restOf(block),
    ...writeCache(block.cache),
  }))

/** Divides the tools into those before the conversation and those that it brings. */
export function offeredTools(request: Request, names: ToolNames, takes: Takes, lose: Lose) {
  const { changes, deferred } = takes
  const tools: Tool[] = request.tools.map((tool) => {
    if (!tool.late || changes !== 'named') return tool
    const { late: _, ...known } = tool
    return { ...known, deferred: true }
  })
  const placed = placeTools({ ...request, tools }, { late: changes === 'whole', deferred }, lose)
  const late: JsonObject[] = []
  const context = { names, room: schemaRoom(), lose, deferred }
  const brought = (change: ToolChangeBlock): JsonObject[] => {
    const written = writeTools(placed.brought(change), context)
    late.push(...written)
    return written
  }
  const { head, reportUnnamed } = placed
  const hidden = head.flatMap((tool) => (tool.deferred ? listWireNames(tool, names) : []))
  // Each tool is brought once, so what a turn brings depends on the turns before it.
  return tools.some((tool) => tool.late || tool.deferred)
    ? { head, late, reportUnnamed, hidden: new Set(hidden), brought }
    : { head, late, reportUnnamed, ...NOTHING_LATE }
}

/** One object for all conversations in which no tool comes later, so that what is remembered by it is found again. */
const NOTHING_LATE = { hidden: new Set<string>(), brought: (): JsonObject[] => [] }
