import type {
  Block,
  Turn,
  Request,
  ToolCallBlock,
  ToolResultBlock,
} from '../../src/model/request.ts'
import type { KnownCalls } from './calls.ts'
import { many, DIALECT, keep, restOf, factsOf } from './dialect.ts'
import {
  joinPieces,
  readPart,
  writePart,
  type WritePartContext,
  MISSING_RESULT,
  wrap,
} from './blocks.ts'
import type { WireContent } from './wire.ts'
import { listOf, isObject, mergedMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import { GO_ON, firstWordsFor } from '../../src/rules/empty-request.ts'
import {
  foundInWords,
  isInstruction,
  leadingInstructions,
  passingWords,
} from '../../src/rules/late-tools.ts'
import type { ToolNames } from '../../src/rules/names.ts'
import { explanationWords, blockInWords, parted } from '../../src/rules/notes.ts'
import { instructionWords } from '../../src/rules/text-tools.ts'
import {
  nothingLost,
  lossesIn,
  lossesInTurns,
  type Lose,
  type LoseOf,
} from '../../src/model/loss.ts'
import {
  nothingListed,
  rememberedEach,
  rememberedWalk,
  WalkMap,
  type Listed,
  type WalkStep,
} from '../../src/model/remembered.ts'
import type { WriteRequestContext } from '../contract.ts'
import { knownBy } from './abilities.ts'
import { isHeld, writeMediaIn } from './media.ts'
import { once } from './proofs.ts'
import { needsMix } from './tools.ts'

interface History extends KnownCalls {
  readonly turns: Turn[]
  /** The last contents, which become one turn, and the number of the first of them. */
  open: WireContent[]
  first: number
}

const readWalk = rememberedWalk<WireContent, History>()

const emptyHistory = (): History => ({
  turns: [],
  open: [],
  first: 0,
  turn: 0,
  numbers: new WalkMap(),
  names: new WalkMap(),
  latest: new WalkMap(),
  calls: new WalkMap(),
  done: new Set(),
})

/**
 * Reads the conversation. Neighbouring contents of the model form one turn, because chats of @google/genai keep every
 * chunk of a streamed answer as a content of its own. `detail`: how closely to look at pictures that do not say it.
 */
export function readTurns(contents: readonly WireContent[], detail: string | undefined): Turn[] {
  const history = readWalk(contents, [detail], nothingLost, emptyHistory, (state, content, at) => {
    const isModel = content.role === 'model'
    if (!isModel || !isPlain(content)) closeTurn(state, detail, at)
    if (state.open.length === 0) state.first = at.index
    state.open.push(content)
    if (!isModel) closeTurn(state, detail, at)
  })
  closeTurn(history, detail)
  return history.turns
}

/** Reads the open contents as a turn. `made` keeps an equal turn from an earlier request the same object. */
function closeTurn(history: History, detail: string | undefined, at?: WalkStep): void {
  const { open, first, turns } = history
  if (open.length === 0) return
  const turn = readTurn(open, first, { calls: history, detail })
  turns.push(at ? at.made(same, turn) : turn)
  history.open = []
}

const same = <Value>(value: Value): Value => value

const isPlain = (content: WireContent): boolean =>
  Object.keys(content).every((key) => key === 'role' || key === 'parts')

function readTurn(
  contents: readonly WireContent[],
  first: number,
  context: { calls: KnownCalls; detail: string | undefined },
): Turn {
  const [{ role, parts: _, ...rest } = {}] = contents
  const isModel = role === 'model'
  if (isModel) context.calls.turn += 1
  const blocks = contents.flatMap(({ parts }, index) =>
    many(parts).flatMap((part, at) =>
      readPart(part, { path: `contents.${first + index}.parts.${at}`, ...context }),
    ),
  )
  return {
    role: isModel ? 'assistant' : role === 'system' ? 'system' : 'user',
    blocks: pairCode(isModel ? once(joinPieces(blocks)) : blocks, `contents.${first}`),
    ...keep(rest),
  }
}

/** Pairs code with its result by their order, where the wire has no ids. */
function pairCode(blocks: Block[], path: string): Block[] {
  let last = ''
  return blocks.map((block, index) => {
    if (block.kind === 'code') {
      last = block.id || `code_${path.replaceAll('.', '_')}_${index}`
      return { ...block, id: last }
    }
    return block.kind === 'code-result' && block.callId === '' ? { ...block, callId: last } : block
  })
}

/** The place of a block: its number in the instructions, or the number of its turn and its own there. */
interface Stand {
  readonly turn?: number
  readonly index?: number
}

interface Entry extends Stand {
  readonly block: Block
}

/** Tells what is lost of an entry, by its place. */
export function entryLosses(lose: Lose): (entry: Stand) => LoseOf {
  const at = lossesIn(lose)
  const inTurns = lossesInTurns(lose)
  return ({ turn, index }) => (turn === undefined ? at('system', index) : inTurns(turn, index))
}

/** Neighbouring turns of one role, which become one content. */
interface TurnGroup {
  readonly role: 'user' | 'model'
  readonly turn: number
  readonly entries: Entry[]
  /** The leftovers of the turns. */
  readonly rest: JsonObject[]
}

/** The blocks of the system instruction, with the instructions that begin the conversation. */
export function systemEntries(request: Request): Entry[] {
  const top = request.system.map((block, index) => ({ block, index }))
  return [
    ...top,
    ...request.turns
      .slice(0, leadingInstructions(request.turns))
      .flatMap((turn, index) => listEntries(turn, index)),
  ]
}

const listEntries = ({ blocks }: Turn, turn: number, from = 0): Entry[] =>
  blocks.map((block, place) => ({
    block:
      block.kind === 'tool-result' ? { ...block, content: foundInWords(block.content) } : block,
    turn,
    index: from + place,
  }))

const groupWalk = rememberedWalk<Turn, Grouped>()

const noGroups = (): Grouped => ({ all: [], turn: 0, entries: [], rest: [] })

function groupTurns({ turns }: Request, lose: Lose): readonly TurnGroup[] {
  // `systemEntries` has the instructions that begin the conversation.
  const first = leadingInstructions(turns)
  const grouped = groupWalk(turns, [], lose, noGroups, (state, turn, at) => {
    if (at.index < first) return
    const lose = lossesIn(at.lose)('turns', at.index)
    for (const part of placeParts(turn, at.index, lose)) addPart(state, part, at)
  })
  const last = openGroup(grouped)
  return last ? [...grouped.all, last] : grouped.all
}

/** A part of a turn, as `parted` divides it at notes. */
interface PlacedPart extends Omit<TurnGroup, 'entries' | 'rest'> {
  readonly entries: readonly Entry[]
  readonly rest: JsonObject
  readonly isNote: boolean
}

const placeParts = (given: Turn, index: number, lose: LoseOf): PlacedPart[] =>
  parted(given, DIALECT, true).map(({ turn, from, isNote = false }) => {
    const entries = listEntries(turn, index, from)
    const isSaid = isInstruction(turn) && entries.some(({ block }) => block.kind !== 'tool-change')
    if (isSaid) lose('approximated', '.role')
    return {
      role: turn.role === 'assistant' ? 'model' : 'user',
      turn: index,
      entries: isInstruction(turn) ? instructed(turn, entries, index, lose) : entries,
      rest: restOf(turn),
      isNote,
    }
  })

/** The groups so far: those that are whole, and the last one in its members. */
interface Grouped {
  readonly all: TurnGroup[]
  role?: TurnGroup['role']
  turn: number
  entries: Entry[]
  rest: JsonObject[]
}

const openGroup = ({ role, turn, entries, rest }: Grouped): TurnGroup | undefined =>
  role && { role, turn, entries, rest }

function addPart(state: Grouped, { role, turn, entries, rest, isNote }: PlacedPart, at: WalkStep) {
  if (!isNote && state.role === role) {
    state.entries.push(...entries)
    state.rest.push(rest)
    return
  }
  const isCalling = isNote && state.entries.some(({ block }) => block.kind === 'tool-call')
  if (isCalling)
    return void state.all.push(at.made(same, { role, turn, entries: [...entries], rest: [rest] }))
  // `made` keeps an equal group from an earlier request the same object.
  const last = openGroup(state)
  if (last) state.all.push(at.made(same, last))
  Object.assign(state, { role, turn, entries: [...entries], rest: [rest] })
}

function instructed(given: Turn, entries: readonly Entry[], turn: number, lose: LoseOf): Entry[] {
  const passing = passingWords(given, [], lose).map((text): Entry => ({
    block: { kind: 'text', text },
    turn,
  }))
  return [...entries, ...passing].map(tagged)
}

/** Writes an instruction in the middle in its place: at the top it would change a prefix that is cached. */
function tagged(entry: Entry): Entry {
  if (entry.block.kind !== 'text' || entry.block.text === '') return entry
  const text = instructionWords(entry.block.text)
  return { ...entry, block: { ...entry.block, text } }
}

export function writeContents(
  request: Request,
  context: WriteRequestContext,
  names: ToolNames,
): JsonObject[] {
  const { target, lose } = context
  const isMixed = needsMix(request, target)
  const groups = groupTurns(request, lose)
  const given = [isMixed, names, target.facts.fetchesUrls, hasLevels(context)]
  const written = writeEach(groups, given, lose, (before, heard) => {
    const partContext = createPartContext({ ...context, lose: heard }, names, isMixed)
    return (group) => writeGroup(before.at(-1), group, partContext)
  })
  return joinNeighbours(written)
}

const writeEach = rememberedEach<TurnGroup, WrittenGroup>()

/** Adds a first word of the user, where the conversation is empty or begins with a call: the service refuses both. */
export function begun(request: Request, system: number, contents: JsonObject[], lose: Lose) {
  const [first] = contents
  const isCalling = isModel(first) && contentParts(first).some(isCall)
  const written = { system, turns: contents.length }
  const words = firstWordsFor(request, written) ?? (isCalling ? GO_ON : undefined)
  if (words === undefined) return contents
  if (words !== '') lose('defaulted', 'turns', 'the user does not begin')
  return [saying(words), ...contents]
}

interface WrittenGroup {
  readonly contents: readonly JsonObject[]
  /** The calls of the model's last turn. `asked`: the number of that turn. */
  readonly calls: readonly ToolCallBlock[]
  readonly asked: number
}

function writeGroup(
  before: WrittenGroup | undefined,
  group: TurnGroup,
  partContext: PartContextOf,
): WrittenGroup {
  const { calls = [], asked = 0 } = before ?? {}
  if (group.role === 'user')
    return { contents: writeUser(group, calls, asked, partContext), calls: [], asked }
  const parts = group.entries.flatMap((entry) => writeEntry(entry, partContext))
  return {
    contents: parts.length > 0 ? [{ ...mergedMembers(group.rest), role: 'model', parts }] : [],
    calls: group.entries.flatMap(({ block }) => (block.kind === 'tool-call' ? [block] : [])),
    asked: group.turn,
  }
}

interface Joined extends Listed<JsonObject, JsonObject> {
  isAnswer?: boolean
}

const joinWalk = rememberedWalk<WrittenGroup, Joined>()

/**
 * Joins contents of one role that are neighbours because nothing is left between them. Responses stay a content of
 * their own.
 */
function joinNeighbours(written: readonly WrittenGroup[]): JsonObject[] {
  const { all, open } = joinWalk(
    written,
    [],
    nothingLost,
    nothingListed,
    (state, { contents }, at) => {
      for (const content of contents) {
        const isNextAnswer = contentParts(content).some(isResponse)
        const isSame = state.open[0]?.['role'] === content['role']
        if (!isSame || state.isAnswer || isNextAnswer) {
          if (state.open.length > 0) state.all.push(at.made(joinContents, state.open))
          state.open = []
          state.isAnswer = isNextAnswer
        }
        state.open.push(content)
      }
    },
  )
  if (open.length > 0) all.push(joinContents(open))
  return all
}

function joinContents(contents: readonly JsonObject[]): JsonObject {
  return { ...mergedMembers(contents), parts: contents.flatMap(contentParts) }
}

const contentParts = (content: JsonObject | undefined): Json[] => listOf(content?.['parts'])

export const saying = (text: string): JsonObject => ({ role: 'user', parts: [{ text }] })

const isResponse = (part: Json): boolean => isObject(part) && 'functionResponse' in part
const isCall = (part: Json): boolean => isObject(part) && 'functionCall' in part

export const isModel = (content: JsonObject | undefined): boolean => content?.['role'] === 'model'

const hasLevels = ({ target }: Pick<WriteRequestContext, 'target'>): boolean =>
  knownBy(target).mediaLevels === true

type PartContextOf = (entry: Stand) => WritePartContext

function createPartContext(
  context: WriteRequestContext,
  names: ToolNames,
  ids: boolean,
): PartContextOf {
  const losses = entryLosses(context.lose)
  const beside: Omit<WritePartContext, 'lose'> = {
    nameOf: (call) => names.toWire(call.name, call.namespace),
    signature: (proof, lose) =>
      proof.dialect === DIALECT ? proof.value : lose('dropped', '.seal'),
    // Where calls of built-in tools stand among those of functions, results are matched by id.
    ids,
    fetchesUrls: context.target.facts.fetchesUrls ?? true,
    levels: hasLevels(context),
  }
  return (entry) => ({ ...beside, lose: losses(entry) })
}

function writeEntry(entry: Entry, partContext: PartContextOf): JsonObject[] {
  const context = partContext(entry)
  if ('cache' in entry.block && entry.block.cache) context.lose('dropped', 'cache')
  const block = explained(blockInWords(entry.block, DIALECT, context.lose), context)
  return [writePart(block, context) ?? []].flat()
}

/**
 * Writes a refusal as an explanation by the service: models of this dialect do not refuse in words of their own, and
 * callers get the service's `finishMessage` as a refusal.
 */
function explained(block: Block, { lose }: WritePartContext): Block {
  if (block.kind !== 'refusal' || block.text === '') return block
  lose('approximated', '', 'a refusal becomes text')
  return { kind: 'text', text: explanationWords(block.text) }
}

/**
 * Writes turns of the user. The service requires exactly one response for each call, in the order of the calls and
 * directly behind them. All other blocks follow in a second content.
 */
function writeUser(
  group: TurnGroup,
  calls: readonly ToolCallBlock[],
  asked: number,
  partContext: PartContextOf,
): JsonObject[] {
  const results = Map.groupBy(group.entries, resultId)
  const answers = calls.map((call) => ({ call, entry: results.get(call.id)?.shift() }))
  const taken = new Set(answers.map(({ entry }) => entry))
  const waiting = group.entries.filter((entry) => !taken.has(entry))
  const responses = answers.map(({ call, entry }) => writeResponse(call, entry, asked, partContext))
  const attached = answers.flatMap(({ entry }) => (entry ? attachments(entry, partContext) : []))
  const others = waiting.flatMap((entry) =>
    entry.block.kind === 'tool-result'
      ? writeOrphan(entry.block, partContext(entry))
      : writeEntry(entry, partContext),
  )
  return [responses, [...attached, ...others]]
    .filter((parts) => parts.length > 0)
    .map((parts) => ({ ...mergedMembers(group.rest), role: 'user', parts }))
}

const resultId = ({ block }: Entry): string | undefined =>
  block.kind === 'tool-result' ? block.callId : undefined

function writeResponse(
  call: ToolCallBlock,
  entry: Entry | undefined,
  asked: number,
  partContext: PartContextOf,
): JsonObject {
  const context = partContext(entry ?? { turn: asked })
  const name = context.nameOf(call)
  if (entry?.block.kind !== 'tool-result') {
    context.lose('defaulted', '.results', MISSING_RESULT)
    const id = context.ids && { id: call.id }
    return { functionResponse: { ...id, name, response: { error: MISSING_RESULT } } }
  }
  const { block } = entry
  if (block.cache) context.lose('dropped', 'cache')
  reportInside(block, context)
  const id = factsOf(block).id ?? (context.ids ? call.id : undefined)
  const parts = isHeld(block, context) ? writeMediaIn(block, context, true) : []
  return {
    functionResponse: {
      ...restOf(block),
      ...(typeof id === 'string' && { id }),
      name,
      response: wrap(block, name, context.lose),
      ...(parts.length > 0 && { parts }),
    },
  }
}

/** Reports what a response cannot hold: it has text and media. */
function reportInside(block: ToolResultBlock, context: WritePartContext): void {
  const at = lossesIn(context.lose)
  for (const [index, inner] of block.content.entries()) {
    if ('cache' in inner && inner.cache) context.lose('dropped', 'cache')
    if (!['text', 'media', 'refusal', 'opaque'].includes(inner.kind))
      at('.content', index)('dropped', '')
  }
}

/** The media of a result that stand beside the responses: inside, older models would read them as text. */
function attachments(entry: Entry, partContext: PartContextOf): JsonObject[] {
  const context = partContext(entry)
  const { block } = entry
  return block.kind === 'tool-result' && !isHeld(block, context) ? writeMediaIn(block, context) : []
}

/** Writes a result without an open call as text, because the service would refuse it as a response. */
function writeOrphan(block: ToolResultBlock, context: WritePartContext): JsonObject[] {
  context.lose('approximated', '', 'a result without its call')
  const texts = block.content.flatMap((inner) => (inner.kind === 'text' ? [inner.text] : []))
  const label = `[result of ${block.name || block.callId}]`
  const text = [label, ...(block.isError ? ['Error:'] : []), ...texts].join('\n')
  return [{ text }, ...writeMediaIn(block, context)]
}
