import { objectIn, parseObject } from '../json/json.ts'
import { lossesIn, nothingLost, type Lose, type LoseOf } from '../model/loss.ts'
import { nothingListed, rememberedWalk, type Listed } from '../model/remembered.ts'
import { isNamed } from './names.ts'
import type {
  Block,
  Request,
  TextBlock,
  Tool,
  ToolChangeBlock,
  ToolKey,
  Turn,
} from '../model/request.ts'

/** What an upstream takes beyond tools that are on offer from the beginning. */
export interface TakenTools {
  /** Tools that stand in the conversation where they come. */
  late: boolean
  /** Tools that the model does not see yet. */
  deferred: boolean
}

/** Where the tools of a request stand. */
export interface PlacedTools {
  /** Those that stand before the conversation, which must not change while it goes on. */
  readonly head: Tool[]
  /** The tools that a change brings along; each is brought once. */
  brought(change: ToolChangeBlock): Tool[]
  /** After the whole conversation: reports the tools that are not on offer yet, because nothing in it names them. */
  reportUnnamed(): void
}

export const FROM_THE_BEGINNING = 'offered from the beginning'
const ONCE_NAMED = 'offered once the conversation names it'

/**
 * Divides the tools. Where the upstream takes none in the conversation, all stand before it: a later one changes the
 * prompt from its first byte, to which caches and proofs of reasoning are bound, so that is reported.
 */
export function placeTools({ tools }: Request, taken: TakenTools, lose: Lose): PlacedTools {
  const known = new Map<string, Tool>()
  const head: Tool[] = []
  const waiting = new Map<string, Tool>()
  for (const tool of tools.filter(isReal)) {
    if (isSearch(tool) && !taken.deferred) {
      lose('dropped', 'tools.tool-search')
      continue
    }
    const key = wordOf(keyOf(tool))
    const isLate = tool.late || (tool.deferred && !taken.deferred)
    if (!isLate || !taken.late) {
      if (tool.late) lose('approximated', 'tools.late', FROM_THE_BEGINNING)
      else if (tool.deferred && !taken.deferred)
        lose('approximated', 'tools.deferred', FROM_THE_BEGINNING)
      head.push(tool)
    } else if (known.has(key))
      lossesIn(lose)('tools', keyOf(tool).name)('dropped', '', 'another tool has this name')
    else waiting.set(key, tool)
    known.set(key, tool)
  }
  return {
    head,
    brought: ({ change, tools: named }) =>
      change === 'remove' ? [] : named.flatMap((key) => takeOne(waiting, wordOf(key))),
    reportUnnamed: () => {
      if (waiting.size > 0) lose('approximated', 'tools.deferred', ONCE_NAMED)
    },
  }
}

/** Tools that the service searches for what is deferred. */
export const isSearch = (tool: Tool): boolean =>
  tool.kind === 'hosted' && tool.capability === 'tool-search'

/**
 * Whether a tool is one. Claude Code (2.1.257: `DeferredToolPlaceholder`) and pi (`__pi_deferred_placeholder__`) send
 * one beside those that are deferred that no search finds and nothing names, so that the prompt of their own service is
 * the same before the first of them comes. A model that sees it calls it.
 */
export function isReal(tool: Tool): boolean {
  if (tool.kind !== 'function' || !tool.deferred) return true
  const { name, description = '', schema = '{}' } = tool
  const isNamed = /deferred\w{0,20}placeholder/i.test(name)
  const isDescribed = /\bplaceholder\b/i.test(description) && /\bnever\b/i.test(description)
  if (!isNamed && !isDescribed) return true
  return Object.keys(objectIn(parseObject(schema)?.['properties'])).length > 0
}

function takeOne(waiting: Map<string, Tool>, key: string): Tool[] {
  const tool = waiting.get(key)
  waiting.delete(key)
  return tool ? [tool] : []
}

/** For an upstream to which all tools stand before the conversation. */
export function withToolsBefore(request: Request, lose: Lose): Request {
  const { tools } = request
  placeTools(request, { late: false, deferred: false }, lose)
  const real = tools.every(isReal) ? request : { ...request, tools: tools.filter(isReal) }
  return withLastEffort(withRemovals(withoutForgotten(real)))
}

/** Without the thoughts that the model shall not see again, for an upstream that cannot be told so. */
export function withoutForgotten(request: Request): Request {
  if (!request.forgetful) return request
  const last = request.turns.findLastIndex(
    ({ role, blocks }) => role === 'user' && blocks.some(({ kind }) => kind !== 'tool-result'),
  )
  const turns = request.turns.map((turn, index) =>
    index < last && turn.blocks.some(isThought)
      ? { ...turn, blocks: turn.blocks.filter((block) => !isThought(block)) }
      : turn,
  )
  return { ...request, turns }
}

const isThought = ({ kind }: Block): boolean => kind === 'reasoning'

/** The name by which a conversation knows a tool. */
export function keyOf(tool: Tool): ToolKey {
  if (tool.kind === 'hosted') return { name: tool.capability }
  const namespace = isNamed(tool) ? tool.namespace : undefined
  return { name: tool.name, ...(namespace !== undefined && { namespace }) }
}

const wordOf = ({ name, namespace = '' }: ToolKey): string => `${namespace}\n${name}`

export const isAmong =
  (tools: readonly Tool[]) =>
  (key: ToolKey): boolean =>
    byWord(tools).has(wordOf(key))

const KNOWN = new WeakMap<readonly Tool[], ReadonlyMap<string, Tool[]>>()

/** Kept with the list: a conversation may look into a long one many times. */
function byWord(tools: readonly Tool[]): ReadonlyMap<string, Tool[]> {
  const known = KNOWN.get(tools) ?? Map.groupBy(tools, (tool) => wordOf(keyOf(tool)))
  KNOWN.set(tools, known)
  return known
}

export const namedAmong = (tools: readonly Tool[], keys: readonly ToolKey[]): Tool[] => [
  ...new Set(keys.flatMap((key) => byWord(tools).get(wordOf(key)) ?? [])),
]

/** Its tools in words, for an upstream that has no other way to say it in this place. */
export function changeInWords({ change, tools }: ToolChangeBlock): string {
  if (tools.length === 0) return 'No tool was found.'
  const [noun, verb] = tools.length === 1 ? ['tool', 'was'] : ['tools', 'were']
  const what = `The ${noun} ${tools.map(({ name }) => name).join(', ')}`
  return change === 'add'
    ? `${what} ${verb} found and can be called.`
    : `${what} can no longer be called.`
}

/** Content of a result of a search for tools, with what it found in words. */
export const foundInWords = (content: readonly Block[]): Block[] =>
  content.map((block) => {
    if (block.kind !== 'tool-change') return block
    const { cache } = block
    return { kind: 'text', text: changeInWords(block), ...(cache && { cache }) } satisfies TextBlock
  })

export const isInstruction = ({ role }: Pick<Turn, 'role'>): boolean =>
  role === 'system' || role === 'developer'

/** The number of turns of instructions that begin a conversation. They join the instructions of the request. */
export function leadingInstructions(turns: readonly Turn[]): number {
  const first = turns.findIndex((turn) => !isInstruction(turn))
  return first < 0 ? turns.length : first
}

/**
 * For an upstream that takes no tool away in the conversation: the tool stays where it is, so that the prompt does
 * not change, and the choice for this turn is among the others.
 */
export function withRemovals(request: Request): Request {
  const { tools, toolChoice, turns } = request
  if (tools.length === 0) return request
  const { all: changes } = changeWalk(turns, [], nothingLost, nothingListed, (state, turn) => {
    state.all.push(...changesIn(turn.blocks))
  })
  if (toolChoice?.mode === 'none' || changes.every(({ change }) => change === 'add')) return request
  const last = new Map(
    changes.flatMap(({ change, tools: named }) => named.map((key) => [wordOf(key), change])),
  )
  const chosen = toolChoice?.names && new Set(toolChoice.names)
  const names = tools.flatMap((tool) => {
    const { name, ...key } = keyOf(tool)
    const unseen = tool.late || tool.deferred ? 'remove' : 'add'
    const isLeft = (last.get(wordOf({ name, ...key })) ?? unseen) === 'add'
    return isLeft && chosen?.has(name) !== false ? [name] : []
  })
  if (names.length === tools.length) return request
  return { ...request, toolChoice: { mode: toolChoice?.mode ?? 'auto', names } }
}

const changeWalk = rememberedWalk<Turn, Listed<ToolChangeBlock>>()

const changesIn = (blocks: readonly Block[]): readonly ToolChangeBlock[] =>
  blocks.flatMap((block) => {
    if (block.kind === 'tool-change') return [block]
    return block.kind === 'tool-result' ? changesIn(block.content) : []
  })

/** For an upstream that changes no effort in the conversation, or not before turn `until`: the last one holds. */
export function withLastEffort(request: Request, until = request.turns.length): Request {
  const last = request.turns.slice(0, until).findLast(({ effort }) => effort !== undefined)
  if (last?.effort === undefined) return request
  const { origin: _, ...options } = request.reasoning ?? { mode: 'on' as const }
  const mode = last.effort === 'none' ? 'off' : options.mode
  return { ...request, reasoning: { ...options, mode, effort: last.effort } }
}

const PASSING_WORDS = '(for the turn above only)'

/**
 * Instructions that pass, for an upstream that shows them for good: they say so themselves. They must stay, and stay
 * the same, once they have passed, because what was sent before does not change.
 */
export function passingWords(
  { passing }: Pick<Turn, 'passing'>,
  texts: readonly string[],
  lose: LoseOf,
): readonly string[] {
  if (!passing) return texts
  lose('approximated', '.passing')
  return [...texts, PASSING_WORDS]
}
