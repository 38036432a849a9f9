import type {
  Block,
  Turn,
  Request,
  ToolCallBlock,
  ToolResultBlock,
} from '../../src/model/request.ts'
import { callBook, type CallBook } from './calls.ts'
import { many, DIALECT, keep, restOf, factsOf } from './dialect.ts'
import {
  joinPieces,
  readPart,
  writePart,
  type WritePartContext,
  MISSING_RESULT,
  wrap,
} from './blocks.ts'
import type { WireContent, WirePart } from './wire.ts'
import { listOf, isObject, mergedMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import { GO_ON, firstWordsFor } from '../../src/rules/empty-request.ts'
import { foundInWords, isInstruction, passingWords } from '../../src/rules/late-tools.ts'
import type { ToolNames } from '../../src/rules/names.ts'
import {
  addNote,
  explanationWords,
  blockInWords,
  parted,
  type Part,
} from '../../src/rules/notes.ts'
import { instructionWords } from '../../src/rules/text-tools.ts'
import type { Lose } from '../../src/model/loss.ts'
import { follow, nothingLost, type Trail } from '../../src/model/trail/trail.ts'
import { givenTo, type WriteRequestContext } from '../contract.ts'
import { knownBy } from './abilities.ts'
import { isHeld, writeMediaIn } from './media.ts'
import { once } from './proofs.ts'
import { needsMix } from './tools.ts'

/** Contents that form one turn. */
interface JoinedContents extends Pick<WireContent, 'role'> {
  path: string
  parts: { part: WirePart; path: string }[]
  rest: object
}

export function readTurns(
  contents: readonly WireContent[],
  detail: string | undefined,
  trail: Trail | undefined,
): Turn[] {
  const read = follow<WireContent, ReadTurns>(
    trail,
    'generate-content: read contents',
    contents,
    [detail],
    nothingLost,
    () => ({
      begin: () => ({ detail, turns: [], book: callBook(), open: undefined }),
      copy: ({ turns, book, open }) => ({
        detail,
        turns: [...turns],
        book: book.copy(),
        open: open && { ...open, parts: [...open.parts] },
      }),
      step: joinContent,
    }),
  )
  endTurn(read)
  return read.turns
}

interface ReadTurns {
  /** How closely to look at pictures that say nothing themselves. */
  readonly detail: string | undefined
  readonly turns: Turn[]
  readonly book: CallBook
  /** The last contents, to which more may belong. */
  open: JoinedContents | undefined
}

/**
 * Chats of @google/genai keep every chunk of a streamed answer as a content of its own; together these form one
 * turn.
 */
function joinContent(state: ReadTurns, { role, parts, ...rest }: WireContent, index: number): void {
  const path = `contents.${index}`
  const placed = many(parts).map((part, at) => ({ part, path: `${path}.parts.${at}` }))
  const { open } = state
  if (open?.role === 'model' && role === 'model' && Object.keys(rest).length === 0)
    open.parts.push(...placed)
  else {
    endTurn(state)
    state.open = { path, role, parts: placed, rest }
  }
}

function endTurn({ turns, book, open, detail }: ReadTurns): void {
  if (open) turns.push(readTurn(open, { book, detail }))
}

function readTurn(
  { path, role, parts, rest }: JoinedContents,
  { book, detail }: Pick<ReadTurns, 'book' | 'detail'>,
): Turn {
  const isModel = role === 'model'
  if (isModel) book.turn()
  const blocks = parts.flatMap((placed) =>
    readPart(placed.part, { path: placed.path, book, detail }),
  )
  return {
    role: isModel ? 'assistant' : role === 'system' ? 'system' : 'user',
    blocks: pairCode(isModel ? once(joinPieces(blocks)) : blocks, path),
    ...keep(rest),
  }
}

/** Pairs code with its result by their order where the wire has no ids. */
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

interface Entry {
  block: Block
  path: string
}

/** Neighbouring turns of one role, which this dialect writes as one content. */
interface TurnGroup {
  readonly role: 'user' | 'model'
  readonly turn: number
  readonly entries: Entry[]
  /** The leftovers of these turns. */
  readonly rest: JsonObject[]
}

/** The system instruction's blocks. Instructions on top of the conversation join them. */
export function systemEntries(request: Request): Entry[] {
  const first = request.turns.findIndex((turn) => !isInstruction(turn))
  const from = first < 0 ? request.turns.length : first
  const top = request.system.map((block, index) => ({ block, path: `system.${index}` }))
  return [
    ...top,
    ...request.turns.slice(0, from).flatMap((turn, index) => listEntries(turn, index)),
  ]
}

const listEntries = (turn: Turn, index: number, from = 0): Entry[] =>
  turn.blocks.map((block, place) => ({
    block:
      block.kind === 'tool-result' ? { ...block, content: foundInWords(block.content) } : block,
    path: `turns.${index}.blocks.${from + place}`,
  }))

function groupTurns(
  { turns }: Request,
  { trail, lose }: WriteRequestContext,
): readonly TurnGroup[] {
  return follow<Turn, TurnGroup[]>(trail, 'generate-content: groups', turns, [], lose, (heard) => ({
    begin: () => [],
    copy: (groups) => [...groups.slice(0, -1), ...groups.slice(-1).map(copied)],
    step: (groups, turn, index) => joinTurn(groups, turn, index, heard),
  }))
}

const copied = (group: TurnGroup): TurnGroup => ({
  ...group,
  entries: [...group.entries],
  rest: [...group.rest],
})

function joinTurn(groups: TurnGroup[], turn: Turn, index: number, lose: Lose): void {
  // Instructions on top join those of the system.
  if (groups.length === 0 && isInstruction(turn)) return
  for (const part of parted(turn, DIALECT, true)) joinPart(groups, part, index, lose)
}

function joinPart(
  groups: TurnGroup[],
  { turn, from, isNote }: Part,
  index: number,
  lose: Lose,
): void {
  const role = turn.role === 'assistant' ? 'model' : 'user'
  const entries = listEntries(turn, index, from)
  const isSaid = isInstruction(turn) && entries.some(({ block }) => block.kind !== 'tool-change')
  if (isSaid) lose('approximated', `turns.${index}.role`)
  const own = isInstruction(turn) ? instructed(turn, entries, index, lose) : entries
  const last = groups.at(-1)
  const group: TurnGroup = { role, turn: index, entries: own, rest: [restOf(turn)] }
  if (isNote)
    addNote(groups, group, last?.entries.some(({ block }) => block.kind === 'tool-call') === true)
  else if (last?.role === role) {
    last.entries.push(...own)
    last.rest.push(restOf(turn))
  } else groups.push(group)
}

function instructed(turn: Turn, entries: readonly Entry[], index: number, lose: Lose): Entry[] {
  const path = `turns.${index}`
  const passing = passingWords(turn, [], path, lose).map((text): Entry => ({
    block: { kind: 'text', text },
    path,
  }))
  return [...entries, ...passing].map(tagged)
}

/** An instruction in the middle stays in place: moving it to the top would change a prefix that is cached. */
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
  const { trail, lose } = context
  const isMixed = needsMix(request, context.target)
  const given = [isMixed, ...givenTo(request, context)]
  const groups = groupTurns(request, context)
  const { written } = follow<TurnGroup, Written>(
    trail,
    'generate-content: write turns',
    groups,
    given,
    lose,
    (heard) => {
      const writing = { ...context, lose: heard }
      const partContext = createPartContext(writing, names, isMixed)
      return {
        begin: () => ({ written: [], calls: [], asked: 0 }),
        copy: (state) => ({ ...state, written: [...state.written] }),
        step: (state, group) => writeGroup(state, group, partContext),
      }
    },
  )
  return joinNeighbours(written, trail)
}

/** The service requires a conversation that begins with no call. */
export function begun(request: Request, system: number, contents: JsonObject[], lose: Lose) {
  const [first] = contents
  const isCalling = isModel(first) && contentParts(first).some(isCall)
  const written = { system, turns: contents.length }
  const words = firstWordsFor(request, written) ?? (isCalling ? GO_ON : undefined)
  if (words === undefined) return contents
  if (words !== '') lose('defaulted', 'turns', 'the user does not begin')
  return [saying(words), ...contents]
}

interface Written {
  readonly written: JsonObject[]
  /** Those of the model's last turn, which begins with this number. */
  calls: readonly ToolCallBlock[]
  asked: number
}

function writeGroup(state: Written, group: TurnGroup, partContext: PartContextOf): void {
  const { written, calls, asked } = state
  if (group.role === 'user') {
    written.push(...writeUser(group, calls, asked, partContext))
    state.calls = []
    return
  }
  const parts = group.entries.flatMap((entry) => writeEntry(entry, partContext))
  if (parts.length > 0) written.push({ ...mergedMembers(group.rest), role: 'model', parts })
  state.calls = group.entries.flatMap(({ block }) => (block.kind === 'tool-call' ? [block] : []))
  state.asked = group.turn
}

interface Neighbours {
  readonly role: Json | undefined
  readonly isAnswer: boolean
  readonly contents: JsonObject[]
}

interface Joined {
  readonly contents: JsonObject[]
  /** The last ones, to which more may belong. */
  open: Neighbours | undefined
}

/** Contents of one role become neighbours where nothing is left between them; they are joined. */
function joinNeighbours(written: readonly JsonObject[], trail: Trail | undefined): JsonObject[] {
  const joined = follow<JsonObject, Joined>(
    trail,
    'generate-content: join contents',
    written,
    [],
    nothingLost,
    () => ({
      begin: () => ({ contents: [], open: undefined }),
      copy: ({ contents, open }) => ({
        contents: [...contents],
        open: open && { ...open, contents: [...open.contents] },
      }),
      step: joinNext,
    }),
  )
  endNeighbours(joined)
  return joined.contents
}

function joinNext(state: Joined, content: JsonObject): void {
  const { open } = state
  const { role } = content
  const isAnswer = contentParts(content).some(isResponse)
  if (open && open.role === role && !open.isAnswer && !isAnswer) open.contents.push(content)
  else {
    endNeighbours(state)
    state.open = { role, isAnswer, contents: [content] }
  }
}

function endNeighbours({ contents, open }: Joined): void {
  if (!open) return
  const parts = open.contents.flatMap(contentParts)
  contents.push({ ...mergedMembers(open.contents), parts })
}

const contentParts = (content: JsonObject | undefined): Json[] => listOf(content?.['parts'])

export const saying = (text: string): JsonObject => ({ role: 'user', parts: [{ text }] })

const isResponse = (part: Json): boolean => isObject(part) && 'functionResponse' in part
const isCall = (part: Json): boolean => isObject(part) && 'functionCall' in part

const isModel = (content: JsonObject | undefined): boolean => content?.['role'] === 'model'

type PartContextOf = (path: string) => WritePartContext

function createPartContext(
  context: WriteRequestContext,
  names: ToolNames,
  ids: boolean,
): PartContextOf {
  const levels = knownBy(context.target).mediaLevels === true
  return (path) => ({
    path,
    lose: context.lose,
    nameOf: (call) => names.toWire(call.name, call.namespace),
    signature: (proof, place) =>
      proof.dialect === DIALECT ? proof.value : context.lose('dropped', `${place}.seal`),
    // Results are matched by id where calls of built-in tools stand among those of functions.
    ids,
    fetchesUrls: context.target.facts.fetchesUrls ?? true,
    levels,
  })
}

function writeEntry(entry: Entry, partContext: PartContextOf): JsonObject[] {
  const context = partContext(entry.path)
  if ('cache' in entry.block && entry.block.cache) context.lose('dropped', 'cache')
  const block = explained(blockInWords(entry.block, DIALECT, entry.path, context.lose), context)
  return [writePart(block, context) ?? []].flat()
}

/** Its models have no refusal of their own: callers are told the service's `finishMessage` as one. */
function explained(block: Block, { path, lose }: WritePartContext): Block {
  if (block.kind !== 'refusal' || block.text === '') return block
  lose('approximated', path, 'a refusal becomes text')
  return { kind: 'text', text: explanationWords(block.text) }
}

/**
 * The service requires exactly one response for each call, in the order of the calls and directly after them. All
 * other blocks of the user follow in a second content.
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
      ? writeOrphan(entry.block, entry.path, partContext)
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
  const context = partContext(entry?.path ?? `turns.${asked}.results`)
  const name = context.nameOf(call)
  if (entry?.block.kind !== 'tool-result') {
    context.lose('defaulted', context.path, MISSING_RESULT)
    const id = context.ids && { id: call.id }
    return { functionResponse: { ...id, name, response: { error: MISSING_RESULT } } }
  }
  const { block } = entry
  if (block.cache) context.lose('dropped', 'cache')
  reportInside(block, context)
  const id = factsOf(block).id ?? (context.ids ? call.id : undefined)
  const parts = isHeld(block, context) ? mediaIn(block, entry.path, partContext, true) : []
  return {
    functionResponse: {
      ...restOf(block),
      ...(typeof id === 'string' && { id }),
      name,
      response: wrap(block, name, entry.path, context.lose),
      ...(parts.length > 0 && { parts }),
    },
  }
}

/** A response holds an object and media; other blocks are reported. */
function reportInside(block: ToolResultBlock, context: WritePartContext): void {
  for (const [index, inner] of block.content.entries()) {
    if ('cache' in inner && inner.cache) context.lose('dropped', 'cache')
    if (!['text', 'media', 'refusal', 'opaque'].includes(inner.kind))
      context.lose('dropped', `${context.path}.content.${index}`)
  }
}

const mediaIn = (
  block: ToolResultBlock,
  path: string,
  partContext: PartContextOf,
  held = false,
): JsonObject[] => writeMediaIn(block, (index) => partContext(`${path}.content.${index}`), held)

/** To older models media of a result stand beside the responses, because inside they would be text. */
const attachments = ({ block, path }: Entry, partContext: PartContextOf): JsonObject[] =>
  block.kind === 'tool-result' && !isHeld(block, partContext(path))
    ? mediaIn(block, path, partContext)
    : []

/** A result without an open call is written as text, because the service would refuse it as a response. */
function writeOrphan(
  block: ToolResultBlock,
  path: string,
  partContext: PartContextOf,
): JsonObject[] {
  const { lose } = partContext(path)
  lose('approximated', path, 'a result without its call')
  const texts = block.content.flatMap((inner) => (inner.kind === 'text' ? [inner.text] : []))
  const label = `[result of ${block.name || block.callId}]`
  const text = [label, ...(block.isError ? ['Error:'] : []), ...texts].join('\n')
  return [{ text }, ...mediaIn(block, path, partContext)]
}
