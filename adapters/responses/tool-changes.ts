import { toText, Verbatim, type JsonObject } from '../../src/json/json.ts'
import { isSearch, keyOf, namedAmong, placeTools } from '../../src/rules/late-tools.ts'
import { nothingLost, type Lose, type LoseOf } from '../../src/model/loss.ts'
import type {
  Block,
  Request,
  Tool,
  ToolChangeBlock,
  ToolSearchBlock,
} from '../../src/model/request.ts'
import { clientItem, readClientCalls, readClientOutput } from './client-tools.ts'
import { factsOf, keep, opaque, withoutMinted } from './dialect.ts'
import { readDrawing, readSummary } from './hosted.ts'
import type { Takes } from './abilities.ts'
import type { WireNames } from './names.ts'
import { readTools, writeTools, type ToolContext, type WrittenTools } from './tools.ts'
import { typeOfItem, type WireItem } from './wire.ts'

/** Whether a search for tools, or what it found, can be written: only a model that searches for tools knows either. */
export const searched = (
  block: Block,
  { takes, lose }: { takes: Takes; lose: LoseOf },
): true | undefined => (takes.deferred || clientItem(block) ? true : lose('dropped', ''))

/** The tools before the conversation, and those that it brings. */
export function offeredTools(request: Request, context: ToolContext, { late, deferred }: Takes) {
  const { own, lose } = context
  // Only a search finds deferred tools. Where there is none, the change that names such a tool brings it.
  const isSearched = request.tools.some(isSearch)
  const taken = { late, deferred: own || (deferred && isSearched) }
  const placed = placeTools(request, taken, own ? nothingLost : lose)
  const head = own ? request.tools.slice(0, factsOf(request).listed ?? 0) : placed.head
  const brought: WrittenTools = { tools: [], choices: new Map() }
  const isLate = request.tools.some((tool) => tool.late || tool.deferred)
  const hidden = new Set(own || !taken.deferred ? [] : head.filter((tool) => tool.deferred))
  const bring = (change: ToolChangeBlock, heard: Lose): JsonObject | undefined => {
    if (change.cache) heard('dropped', 'cache')
    const named = change.change === 'add' ? namedAmong(head, change.tools) : []
    // A tool at the top that waits for a search comes here as well, where a change names it.
    const shown = [...placed.brought(change), ...named.filter((tool) => hidden.delete(tool))]
    const { tools, choices } = writeTools(shown, { ...context, deferred: false })
    for (const [name, choice] of choices) brought.choices.set(name, choice)
    return tools.length > 0 ? { type: 'additional_tools', role: 'developer', tools } : undefined
  }
  return {
    /** To be asked behind the conversation. `isMarked`: a message of instructions has the cache marks of tools. */
    tools(isMarked: boolean): WrittenTools {
      placed.reportUnnamed()
      const { tools, choices } = writeTools(isMarked ? head.map(withoutMark) : head, {
        ...context,
        deferred: taken.deferred,
      })
      return { tools, choices: new Map([...choices, ...brought.choices]) }
    },
    bring: isLate ? bring : bringNothing,
  }
}

/** `bring` where all tools stand before the conversation: one function for all requests, so turns are remembered. */
function bringNothing(change: ToolChangeBlock, heard: Lose): undefined {
  if (change.cache) heard('dropped', 'cache')
}

function withoutMark(tool: Tool): Tool {
  if (tool.kind === 'opaque') return tool
  const { cache: _, ...unmarked } = tool
  return unmarked
}

const CALL = 'tool_search_call'
const OUTPUT = 'tool_search_output'

/** How a messages service begins the ids of its searches, which it wants back. Here a prefix stands before them. */
const NATIVE = 'srvtoolu_'

/** The id of an item for a search, or only the prefix of one that has to be made. */
export const searchItemId = (id: string | undefined, prefix: string): string =>
  id?.startsWith(NATIVE) ? prefix + id : prefix

const toSearchId = (id: string): string => (/^ts[co]_srvtoolu_/.test(id) ? id.slice(4) : id)

/** A search by the service, or what it found; undefined for another item. `before`: the id of the last search. */
export function readServerSearch(item: WireItem, before: string): Block | undefined {
  const { type, id, execution } = item
  if (execution === 'client' || (type !== CALL && type !== OUTPUT)) return undefined
  const kept = keep({}, { facts: { item } })
  if (type === CALL) {
    const input = item.arguments === undefined ? '{}' : toText(item.arguments)
    return { kind: 'tool-search', id: typeof id === 'string' ? toSearchId(id) : '', input, ...kept }
  }
  const tools = readTools(item.tools).map(keyOf)
  return { kind: 'tool-change', change: 'add', tools, searchId: before, ...kept }
}

/** Reads an item of any other type into blocks, or keeps it whole. `before`: the id of the last search. */
export function readOther(item: WireItem, index: number, before: string) {
  const type = typeOfItem(item)
  const search = readServerSearch(item, before)
  // Tools that a search found can be called from here on.
  const found = type === 'tool_search_output' && !search ? readTools(item.tools) : []
  const calls = search ? [] : readClientCalls(item)
  const result = search || calls.length > 0 ? undefined : readClientOutput(item, found.map(keyOf))
  const isKnown = search !== undefined || calls.length > 0 || result !== undefined
  const other = isKnown
    ? undefined
    : (readDrawing(item) ?? readSummary(item, index) ?? opaque(item))
  return { search, found, calls, result, other }
}

function ownItem(block: ToolChangeBlock | ToolSearchBlock): JsonObject | undefined {
  const { item } = factsOf(block)
  return item && withoutMinted(item)
}

const MADE = { call_id: null, execution: 'server', status: 'completed' }

export const writeServerSearch = (block: ToolSearchBlock): JsonObject =>
  ownItem(block) ?? { type: CALL, ...MADE, arguments: new Verbatim(block.input) }

/** What was found, with all that is said of these tools. */
export function writeFoundTools(
  block: ToolChangeBlock,
  { tools, names, own }: { tools: readonly Tool[]; names: WireNames; own: boolean },
): JsonObject {
  const item = ownItem(block)
  if (item) return item
  const context = { names, own, lose: nothingLost, deferred: true }
  return { type: OUTPUT, ...MADE, tools: writeTools(namedAmong(tools, block.tools), context).tools }
}
