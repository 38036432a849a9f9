import { DAMAGED } from '../../src/rules/foreign.ts'
import { GO_ON, firstWordsFor } from '../../src/rules/empty-request.ts'
import { type Json, type JsonObject, isObject, listOf } from '../../src/json/json.ts'
import { foundInWords, passingWords } from '../../src/rules/late-tools.ts'
import { blockInWords } from '../../src/rules/notes.ts'
import { leftOut, SHOWN_LABEL, shownLabel } from '../../src/rules/media.ts'
import type { Block, BlockOf, Request, ToolResultBlock, Turn } from '../../src/model/request.ts'
import { lossesIn, nothingLost, type At, type Lose } from '../../src/model/loss.ts'
import {
  rememberedEach,
  rememberedWalk,
  WalkMap,
  type WalkStep,
} from '../../src/model/remembered.ts'
import { noteOrigin } from '../openai/origins.ts'
import {
  joinedParts,
  listFacts,
  marked,
  readContent,
  readMessage,
  type Said,
  withMessage,
} from './blocks.ts'
import {
  type OfTurn,
  type Placed,
  type PlacedTurn,
  type SaidCalls,
  addCalls,
  answeredById,
  answeredByName,
  type TurnGroup,
  distinctIds,
  hasBlocks,
  inOwnMembers,
  markedError,
  repair,
  writeCall,
  writeCallId,
  writeCalls,
  writtenTogether,
} from './calls.ts'
import {
  DIALECT,
  keep,
  restOf,
  factsOf,
  textIn,
  withoutAbsent,
  writeCache,
  type ElementContext,
  type WriteContext,
} from './dialect.ts'
import { writeMedia } from './media.ts'
import { Replayed } from './proofs.ts'

const labelIn = (block: Block | undefined): string | undefined =>
  block?.kind === 'text' && block.text.startsWith(SHOWN_LABEL) && block.text.endsWith(':')
    ? block.text.slice(SHOWN_LABEL.length, -1)
    : undefined

/** What is read of a conversation: instructions at its top, and the turns behind them. */
interface History extends SaidCalls {
  readonly system: Block[]
  readonly turns: Turn[]
  /** Results that follow each other become one turn: those at the end, to which more may come. */
  results: ToolResultBlock[]
}

const readWalk = rememberedWalk<Json, History>()

const emptyHistory = (): History => ({
  system: [],
  turns: [],
  results: [],
  names: new WalkMap(),
  unnamed: new WalkMap(),
  made: new WalkMap(),
  answered: new WalkMap(),
  open: new Set(),
})

export function readHistory(messages: Json | undefined): Pick<History, 'system' | 'turns'> {
  const read = readWalk(listOf(messages), [], nothingLost, emptyHistory, readMessageAt)
  if (read.results.length > 0) read.turns.push(answering(read.results))
  return read
}

function readMessageAt(history: History, message: Json, at: WalkStep): void {
  if (!isObject(message)) return
  const own = hasBlocks(message) ? at.made(inOwnMembers, message) : [message]
  for (const one of own) readOne(history, one, at)
}

function readOne(history: History, message: JsonObject, at: WalkStep): void {
  const role = textIn(message['role'])
  if (role === 'tool' || role === 'function') return addResult(history, message, at)
  if (role !== 'assistant' && role !== 'system' && role !== 'developer')
    return ask(history, message, at)
  settle(history, at)
  if (role === 'assistant') {
    const { said, turn } = at.made(readSaid, message, history.turns.length)
    addCalls(history, said)
    history.turns.push(turn)
  } else if (history.turns.length > 0) history.turns.push(at.made(readTurn, message, role))
  else history.system.push(...at.made(readInstructions, message, role))
}

function ask(history: History, message: JsonObject, at: WalkStep): void {
  const turn = at.made(readTurn, message, 'user' as const)
  const isReturned = hasReturned(history.results, turn.blocks, at)
  settle(history, at)
  if (!isReturned) history.turns.push(turn)
}

/** Puts media that were written behind a result, and labelled as the tool's, back into that result. */
function hasReturned(results: ToolResultBlock[], blocks: readonly Block[], at: WalkStep): boolean {
  if (results.length === 0 || labelIn(blocks[0]) === undefined) return false
  const places = new Map(results.map(({ callId }, place) => [callId, place] as const).toReversed())
  const found: { place: number; media: Block[] }[] = []
  for (const block of blocks) {
    const id = labelIn(block)
    if (id !== undefined) {
      const place = places.get(id)
      if (place === undefined) return false
      found.push({ place, media: [] })
    } else if (block.kind === 'media') found.at(-1)?.media.push(block)
    else return false
  }
  for (const { place, media } of found) {
    const result = results[place]
    if (result) results[place] = at.made(withShown, result, media)
  }
  return true
}

function addResult(history: History, message: JsonObject, at: WalkStep): void {
  const { role, tool_call_id, name } = message
  const callId =
    role === 'function'
      ? answeredByName(history, textIn(name))
      : answeredById(history, textIn(tool_call_id), `messages.${at.index}.tool_call_id`)
  const called = history.names.get(callId) ?? textIn(name)
  history.results.push(at.made(readResult, message, callId, called))
}

function settle(history: History, at: WalkStep): void {
  if (history.results.length === 0) return
  history.turns.push(at.made(answering, history.results))
  history.results = []
}

function readTurn(message: JsonObject, role: Turn['role']): Turn {
  const { role: _, content, ...rest } = message
  const kept = keep(withoutAbsent(rest), { facts: listFacts(content) })
  return { role, blocks: readContent(content), ...kept }
}

function readInstructions(message: JsonObject, role: Turn['role']): Block[] {
  const { role: _, content, ...rest } = message
  return marked(readContent(content), withoutAbsent(rest), { ...listFacts(content), role })
}

/** `place`: the number of the turn, from which calls without an id are named. */
function readSaid(message: JsonObject, place: number): { said: Said; turn: Turn } {
  const said = readMessage(message, (index) => `call_${place}_${index}`)
  return { said, turn: { role: 'assistant', ...withMessage(said) } }
}

function readResult(message: JsonObject, callId: string, called: string): ToolResultBlock {
  const { role, content, tool_call_id: _, name, is_error, ...rest } = message
  return {
    kind: 'tool-result',
    callId,
    name: called,
    form: 'json',
    content: readContent(content),
    ...(is_error === true && { isError: true }),
    ...keep(withoutAbsent(rest), {
      facts: {
        ...listFacts(content),
        ...(typeof name === 'string' && { name }),
        ...(role === 'function' && { legacy: true }),
      },
    }),
  }
}

const withShown = (result: ToolResultBlock, media: readonly Block[]): ToolResultBlock => ({
  ...result,
  content: [...result.content, ...media],
})

const answering = (blocks: ToolResultBlock[]): Turn => ({ role: 'user', blocks })

/** Writes a conversation for an upstream and keeps every rule about the order of messages. */
export function writeHistory(request: Request, context: WriteContext): JsonObject[] {
  const { lose, names, own, marks } = context
  const groups = writtenTogether(request.turns, own)
  const begin = (_: unknown, heard: Lose) => {
    const at = lossesIn(heard)
    return (group: TurnGroup) => writeTurns(group, at, { lose: heard, names, own, marks })
  }
  const placed = writeEach(groups, [names, own, marks], lose, begin)
  const system = writeSystem(request, context)
  return [...system, ...opened(request, system, placed, context), ...repair(placed, context)]
}

const writeEach = rememberedEach<TurnGroup, Placed[]>()

/** The templates of Mistral and Qwen refuse instructions alone. */
function opened(
  request: Request,
  system: readonly JsonObject[],
  placed: readonly (readonly Placed[])[],
  { own, lose }: WriteContext,
): JsonObject[] {
  if (own) return []
  let turns = 0
  for (const one of placed) turns += one.length
  const content = firstWordsFor(request, { system: system.length, turns })
  if (content === GO_ON) lose('defaulted', 'turns', 'the user does not begin')
  return content === undefined ? [] : [{ role: 'user', content }]
}

/** Writes one message for all instructions at the top: as a text, or as parts where one carries a cache mark. */
function writeSystem({ system }: Request, context: WriteContext): JsonObject[] {
  const at = lossesIn(context.lose)
  const parts = system.flatMap((block, index) =>
    writeInstruction(block, { ...context, lose: at('system', index) }),
  )
  if (parts.length === 0) return []
  const [first] = system
  const developer = factsOf(asNode(first)).role === 'developer'
  const { name } = context.own ? restOf(asNode(first)) : {}
  return [
    {
      role: developer ? 'developer' : 'system',
      content: joinedParts(parts, '\n\n'),
      ...(name !== undefined && { name }),
    },
  ]
}

const asNode = (block: Block | undefined) => (block && block.kind !== 'opaque' ? block : undefined)

function writeInstruction(block: Block, context: ElementContext): JsonObject[] {
  if (block.kind === 'text') return block.text === '' ? [] : [writeText(block, context)]
  if (block.kind === 'opaque' && block.dialect === DIALECT) return [block.value]
  // The tools of a change stand before the conversation.
  if (block.kind === 'tool-change' && block.cache) context.lose('dropped', 'cache')
  else if (block.kind !== 'opaque' && block.kind !== 'tool-change') context.lose('dropped', '')
  return []
}

function writeText(block: BlockOf<'text'>, context: ElementContext): JsonObject {
  const { name: _, ...left } = restOf(block)
  if (block.citations?.length) context.lose('dropped', '.citations')
  return { type: 'text', text: block.text, ...left, ...writeCache(block, context) }
}

function writeTurns(turns: TurnGroup, at: At, context: WriteContext): Placed[] {
  const [first] = turns
  if (!first) return []
  const { turn, index, from } = first
  if (turn.role === 'assistant') return writeAssistant(first, turns, at, context)
  const writing = { ...context, lose: at('turns', index) }
  const said = turn.role === 'user' ? writeUser(turn, writing, from) : writeLater(turn, writing)
  const placed: Placed[] = []
  for (const one of said) placed.push({ ...one, turn: index })
  return placed
}

/** Instructions in the middle of a conversation stay in their place. */
function writeLater(turn: Turn, context: ElementContext): OfTurn[] {
  const { lose } = context
  const at = lossesIn(lose)
  const parts = turn.blocks.flatMap((block, index) =>
    writeInstruction(block, { ...context, lose: at('.blocks', index) }),
  )
  if (parts.length === 0) return []
  for (const text of passingWords(turn, [], lose)) parts.push({ type: 'text', text })
  const content = joinedParts(parts, '\n\n')
  const said = { role: turn.role, content, ...restOf(turn) }
  return [{ message: noteOrigin(said, { place: lose.place() }) }]
}

function writeUser(turn: Turn, context: ElementContext, from: number): OfTurn[] {
  const { lose } = context
  const at = lossesIn(lose)
  const results: OfTurn[] = []
  const shown: JsonObject[] = []
  const parts: JsonObject[] = []
  let moved = false
  for (const [index, block] of turn.blocks.entries()) {
    const writing = { ...context, lose: at('.blocks', from + index) }
    if (block.kind === 'tool-result') {
      moved ||= parts.length > 0
      const { result, images } = writeResult(block, writing)
      results.push({ ...result, block: from + index })
      shown.push(...images)
    } else parts.push(...writeUserPart(block, writing))
  }
  if (moved) lose('reordered', '.blocks', 'results come first')
  const left = restOf(turn)
  const said: OfTurn[] = []
  if (shown.length > 0) said.push({ message: { role: 'user', content: shown } })
  if (parts.length > 0)
    said.push({
      message: { role: 'user', content: userContent(parts, turn, context), ...left },
    })
  else if (context.own && results.length === 0)
    said.push({ message: { role: 'user', content: '', ...left } })
  return [...results, ...said]
}

function userContent(
  parts: JsonObject[],
  turn: Turn,
  { own }: WriteContext,
): JsonObject[] | string {
  const isList = own && factsOf(turn).list === true
  return parts.length === 1 && !isList ? joinedParts(parts, '') : parts
}

/** The parts that a block becomes in a user's message, or in the result of a tool. */
function writeUserPart(given: Block, context: ElementContext): JsonObject[] {
  const { lose } = context
  const block = blockInWords(given, DIALECT, lose)
  switch (block.kind) {
    case 'text':
      return block.text === '' ? [] : [writeText(block, context)]
    case 'media':
      return [writeMedia(block, context)]
    case 'refusal':
      lose('approximated', '', 'a refusal is text here')
      return [{ type: 'text', text: block.text }]
    case 'opaque':
      return block.dialect === DIALECT ? [block.value] : []
    default:
      lose('dropped', '')
      return []
  }
}

const isText = ({ type }: JsonObject): boolean => type === 'text'

/** Results hold text alone: other blocks follow behind the last result, labelled as the tool's. */
function writeResult(
  block: ToolResultBlock,
  context: ElementContext,
): { result: OfTurn; images: JsonObject[] } {
  const at = lossesIn(context.lose)
  const id = writeCallId(block.callId)
  const written = foundInWords(block.content).map((inner, index) => ({
    isMedia: inner.kind === 'media',
    parts: writeUserPart(inner, { ...context, lose: at('.content', index) }),
  }))
  const texts = written.flatMap(({ parts }) => parts.filter(isText))
  const media = written.flatMap(({ parts }) => parts.filter((part) => !isText(part)))
  const said = block.isError ? markedError(texts) : texts
  const isLegacy = factsOf(block).legacy === true
  const name = context.own ? factsOf(block).name : undefined
  const head = isLegacy
    ? { role: 'function', name: name ?? block.name }
    : { role: 'tool', tool_call_id: id, ...(name !== undefined && { name }) }
  const message = {
    ...head,
    content: resultContent(said, block, context),
    ...restOf(block),
    ...writeCache(block, context),
  }
  const images = media.length > 0 ? [{ type: 'text', text: shownLabel(id) }, ...media] : []
  return { result: { message, resultOf: id }, images }
}

function resultContent(texts: JsonObject[], block: ToolResultBlock, { own }: WriteContext) {
  const isList = own && factsOf(block).list === true
  return texts.length <= 1 && !isList ? joinedParts(texts, '') : texts
}

/** A message of the model while its blocks are gathered. */
interface Spoken {
  content: JsonObject[]
  /** The length of the text in the first parts of `content`, and how many those are. */
  length: number
  counted: number
  refusals: string[]
  calls: JsonObject[]
  callIds: [string, string][]
  distinct(id: string): string
  reordered: boolean
}

function writeAssistant(
  { turn, index }: PlacedTurn,
  turns: TurnGroup,
  at: At,
  context: WriteContext,
): Placed[] {
  const left: JsonObject = {}
  for (const part of turns) Object.assign(left, restOf(part.turn))
  const replayed = new Replayed(turn, context)
  const spoken = sayTurns(turns, at, context, replayed)
  const lose = at('turns', index)
  if (spoken.reordered) lose('reordered', '.blocks', 'content and calls stand apart')
  const said = spoken.content.length + spoken.calls.length + spoken.refusals.length
  const isEmpty = said + Object.keys(left).length === 0
  const members = replayed.members(isEmpty)
  if (isEmpty) return []
  const text = joinedParts(spoken.content, '')
  const isLegacy = context.own && factsOf(turn).functionCall === true
  const message: JsonObject = {
    role: 'assistant',
    content: text === '' && spoken.calls.length + spoken.refusals.length > 0 ? null : text,
    ...(spoken.refusals.length > 0 && { refusal: spoken.refusals.join('') }),
    ...members,
    ...writeCalls(spoken.calls, isLegacy),
    ...left,
  }
  noteOrigin(message, { place: lose.place(), thoughts: replayed.places })
  return [{ turn: index, message, ...(!isLegacy && { calls: spoken.callIds }) }]
}

function sayTurns(turns: TurnGroup, at: At, context: WriteContext, replayed: Replayed): Spoken {
  const spoken: Spoken = {
    content: [],
    length: 0,
    counted: 0,
    refusals: [],
    calls: [],
    callIds: [],
    distinct: distinctIds(context),
    reordered: false,
  }
  for (const part of turns) {
    const lose = at('turns', part.index)
    if (context.own && part.turn.damagedProof) lose('dropped', '.seal', DAMAGED)
    const blockAt = lossesIn(lose)
    for (const [index, block] of part.turn.blocks.entries()) {
      const writing = { ...context, lose: blockAt('.blocks', part.from + index) }
      sayBlock(block, spoken, writing, replayed)
    }
  }
  return spoken
}

function sayBlock(block: Block, spoken: Spoken, context: ElementContext, replayed: Replayed): void {
  const { lose, own: isOwn } = context
  for (; spoken.counted < spoken.content.length; spoken.counted += 1)
    spoken.length += textIn(spoken.content[spoken.counted]?.['text']).length
  const { length } = spoken
  const place = { start: length, end: length, calls: spoken.calls.length }
  switch (block.kind) {
    case 'text':
      spoken.reordered ||= spoken.calls.length > 0 && block.text !== ''
      if (block.proof)
        replayed.prove(block.proof, 'text', { ...place, end: length + block.text.length }, lose)
      if (block.text !== '') spoken.content.push(writeText(block, context))
      return
    case 'refusal':
      return sayRefusal(block, spoken, context)
    case 'reasoning':
      spoken.reordered ||= spoken.calls.length + spoken.content.length > 0
      return replayed.think(block, place, lose)
    case 'tool-call': {
      const answered = writeCallId(block.id)
      const id = spoken.distinct(answered)
      spoken.callIds.push([answered, id])
      const extra = block.proof ? replayed.proveCall(block.proof, id, lose) : {}
      spoken.calls.push({ ...writeCall(block, id, context), ...extra })
      return
    }
    case 'media':
      lose('dropped', '', 'media in a reply')
      if (isOwn) spoken.content.push({ type: 'text', text: leftOut(block) })
      return
    case 'opaque':
      if (block.dialect === DIALECT) spoken.content.push(block.value)
      return
    default:
      if ('proof' in block && block.proof) lose('dropped', '.seal')
      lose('dropped', '')
  }
}

function sayRefusal(
  block: BlockOf<'refusal'>,
  { refusals, content }: Spoken,
  { lose, own: isOwn }: ElementContext,
): void {
  const { text } = block
  if (isOwn && factsOf(block).part !== true) return void refusals.push(text)
  if (isOwn) return void content.push({ type: 'refusal', refusal: text, ...restOf(block) })
  lose('approximated', '', 'a refusal is text here')
  if (text !== '') content.push({ type: 'text', text })
}
