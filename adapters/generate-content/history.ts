import type {
  TextBlock,
  Block,
  ReasoningBlock,
  Proof,
  Turn,
  Request,
  ToolCallBlock,
  ToolResultBlock,
} from '../../src/model/request.ts'
import { callBook, type CallBook } from './calls.ts'
import { many, DIALECT, keep, restOf, factsOf } from './dialect.ts'
import {
  readPart,
  writePart,
  type WritePartContext,
  isMedia,
  MISSING_RESULT,
  wrap,
} from './blocks.ts'
import type { WireContent, WirePart } from './wire.ts'
import { listOf, isObject, mergedMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import { foundInWords, isInstruction, passingWords } from '../../src/model/late-tools.ts'
import type { ToolNames } from '../../src/model/names.ts'
import type { WriteRequestContext } from '../contract.ts'
import { writeMedia } from './media.ts'
import { NO_PROOF } from './proofs.ts'
import { needsMix } from './tools.ts'

/** Contents that form one turn. */
interface JoinedContents extends Pick<WireContent, 'role'> {
  path: string
  parts: { part: WirePart; path: string }[]
  rest: object
}

export function readTurns(contents: WireContent[]): Turn[] {
  const book = callBook()
  return joinContents(contents).map((joined) => readTurn(joined, book))
}

/**
 * Chats of @google/genai keep every chunk of a streamed answer as a content of its own; together these form one
 * turn.
 */
function joinContents(contents: WireContent[]): JoinedContents[] {
  const list: JoinedContents[] = []
  for (const [index, { role, parts, ...rest }] of contents.entries()) {
    const path = `contents.${index}`
    const placed = many(parts).map((part, at) => ({ part, path: `${path}.parts.${at}` }))
    const last = role === 'model' && Object.keys(rest).length === 0 ? list.at(-1) : undefined
    if (last?.role === 'model') last.parts.push(...placed)
    else list.push({ path, role, parts: placed, rest })
  }
  return list
}

function readTurn({ path, role, parts, rest }: JoinedContents, book: CallBook): Turn {
  const isModel = role === 'model'
  if (isModel) book.turn()
  const blocks = parts.flatMap((placed) => readPart(placed.part, { path: placed.path, book }))
  return {
    role: isModel ? 'assistant' : role === 'system' ? 'system' : 'user',
    blocks: pairCode(isModel ? once(joinPieces(blocks)) : blocks, path),
    ...keep(rest),
  }
}

/**
 * Clients keep a streamed answer in the pieces in which it came. The model wrote them as one block, so they are
 * joined; a proof on the last piece belongs to the whole block.
 */
function joinPieces(blocks: Block[]): Block[] {
  const result: Block[] = []
  for (const block of blocks) {
    const last = result.at(-1)
    const both = last && join(last, block)
    if (both) result[result.length - 1] = both
    else result.push(block)
  }
  return result
}

function join(first: Block, second: Block): Block | undefined {
  if (
    first.kind === 'text' &&
    second.kind === 'text' &&
    !first.proof &&
    isBare(first) &&
    isBare(second)
  )
    return { ...second, text: first.text + second.text }
  if (first.kind !== 'reasoning' || second.kind !== 'reasoning' || second.redacted) return undefined
  if (first.proof || !isBare(first) || !isBare(second)) return undefined
  return { ...second, text: first.text + second.text }
}

/** Whether a block has nothing but its words. */
const isBare = ({ ext, origin, damagedProof }: TextBlock | ReasoningBlock): boolean =>
  !ext && !origin && !damagedProof

/**
 * Keeps one of a thought and its copy on a call: the thought stays where it stood, if the client returns thoughts.
 * A thought that came back without its proof, as from clients that keep proofs only on calls, gets the proof back.
 */
function once(blocks: Block[]): Block[] {
  const repeats = blocks.filter((block) => readRepeated(block) !== undefined)
  if (repeats.length === 0) return blocks
  const returnsThoughts = blocks.some(
    (block) => isThought(block) && readRepeated(block) === undefined,
  )
  const proofs = repeatedProofs(repeats)
  const settled: Block[] = []
  for (const block of blocks) {
    const before = readRepeated(block)
    if (before === undefined) settled.push(proven(block, proofs))
    else if (!returnsThoughts) {
      settled.splice(Math.max(0, settled.length - before), 0, withoutNote(block))
    }
  }
  return settled
}

/** Gives a thought without a proof the proof of its copy, found by the same words. */
function proven(block: Block, proofs: ReadonlyMap<string, Proof>): Block {
  if (!isThought(block) || block.proof) return block
  const proof = proofs.get(block.text)
  return proof ? { ...block, proof } : block
}

/** The first proof for each text. */
function repeatedProofs(repeats: readonly Block[]): ReadonlyMap<string, Proof> {
  const proofs = new Map<string, Proof>()
  for (const block of repeats)
    if (isThought(block) && block.proof && !proofs.has(block.text))
      proofs.set(block.text, block.proof)
  return proofs
}

function withoutNote(block: Block): Block {
  if (block.kind !== 'reasoning') return block
  const { origin: _, ...thought } = block
  return thought
}

const isThought = (block: Block): block is ReasoningBlock =>
  block.kind === 'reasoning' && block.text !== ''

function readRepeated(block: Block): number | undefined {
  return block.kind === 'reasoning' ? factsOf(block).before : undefined
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
  role: 'user' | 'model'
  turn: number
  entries: Entry[]
  /** The leftovers of these turns. */
  rest: JsonObject[]
}

/** The system instruction's blocks and the conversation. Instructions on top join the former. */
export function splitTurns(request: Request): { system: Entry[]; from: number } {
  const first = request.turns.findIndex((turn) => !isInstruction(turn))
  const from = first < 0 ? request.turns.length : first
  const top = request.system.map((block, index) => ({ block, path: `system.${index}` }))
  return { system: [...top, ...request.turns.slice(0, from).flatMap(listEntries)], from }
}

const listEntries = (turn: Turn, index: number): Entry[] =>
  turn.blocks.map((block, place) => ({
    block:
      block.kind === 'tool-result' ? { ...block, content: foundInWords(block.content) } : block,
    path: `turns.${index}.blocks.${place}`,
  }))

function groupTurns(request: Request, from: number, context: WriteRequestContext): TurnGroup[] {
  const result: TurnGroup[] = []
  for (const [index, turn] of request.turns.entries()) {
    if (index < from) continue
    const role = turn.role === 'assistant' ? 'model' : 'user'
    const entries = listEntries(turn, index)
    const isSaid = isInstruction(turn) && entries.some(({ block }) => block.kind !== 'tool-change')
    if (isSaid) context.lose('approximated', `turns.${index}.role`)
    const own = isInstruction(turn) ? instructed(turn, entries, index, context) : entries
    const last = result.at(-1)
    if (last?.role === role) {
      last.entries.push(...own)
      last.rest.push(restOf(turn))
    } else result.push({ role, turn: index, entries: own, rest: [restOf(turn)] })
  }
  return result
}

function instructed(
  turn: Turn,
  entries: readonly Entry[],
  index: number,
  { lose }: WriteRequestContext,
): Entry[] {
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
  const text = `<system>\n${entry.block.text}\n</system>`
  return { ...entry, block: { ...entry.block, text } }
}

export function writeContents(
  request: Request,
  context: WriteRequestContext,
  names: ToolNames,
): JsonObject[] {
  const { from } = splitTurns(request)
  const all = groupTurns(request, from, context)
  const written: JsonObject[] = []
  const partContext = createPartContext(context, names, needsMix(request, context.target))
  let calls: ToolCallBlock[] = []
  let asked = 0
  for (const group of all) {
    if (group.role === 'user') {
      written.push(...writeUser(group, calls, asked, partContext))
      calls = []
    } else {
      const parts = writeModel(group, context, partContext)
      if (parts.length > 0) written.push({ ...mergedMembers(group.rest), role: 'model', parts })
      calls = group.entries.flatMap(({ block }) => (block.kind === 'tool-call' ? [block] : []))
      asked = group.turn
    }
  }
  const contents = joinNeighbours(written)
  if (context.target.facts.prefill === false && calls.length === 0 && isModel(contents.at(-1))) {
    context.lose('defaulted', `turns.${request.turns.length}`, 'the model takes no prefill')
    contents.push(CONTINUE)
  }
  const [first] = contents
  if (!isModel(first) || !contentParts(first).some(isCall)) return contents
  context.lose('defaulted', 'turns', 'it begins with a call')
  return [CONTINUE, ...contents]
}

/** Contents of one role become neighbours where nothing is left between them; they are joined. */
function joinNeighbours(contents: JsonObject[]): JsonObject[] {
  const groups: { role: Json | undefined; isAnswer: boolean; contents: JsonObject[] }[] = []
  for (const content of contents) {
    const { role } = content
    const isAnswer = contentParts(content).some(isResponse)
    const last = groups.at(-1)
    if (last && last.role === role && !last.isAnswer && !isAnswer) last.contents.push(content)
    else groups.push({ role, isAnswer, contents: [content] })
  }
  return groups.map((group) => ({
    ...mergedMembers(group.contents),
    parts: group.contents.flatMap(contentParts),
  }))
}

const contentParts = (content: JsonObject | undefined): Json[] => listOf(content?.['parts'])

const CONTINUE: JsonObject = { role: 'user', parts: [{ text: 'Continue.' }] }

const isResponse = (part: Json): boolean => isObject(part) && 'functionResponse' in part
const isCall = (part: Json): boolean => isObject(part) && 'functionCall' in part

const isModel = (content: JsonObject | undefined): boolean => content?.['role'] === 'model'

type PartContextOf = (path: string) => WritePartContext

function createPartContext(
  context: WriteRequestContext,
  names: ToolNames,
  ids: boolean,
): PartContextOf {
  return (path) => ({
    path,
    lose: context.lose,
    nameOf: (call) => names.toWire(call.name, call.namespace),
    signature: (proof, place) =>
      proof.dialect === DIALECT ? proof.value : context.lose('dropped', `${place}.seal`),
    // Results are matched by id where calls of built-in tools stand among those of functions.
    ids,
    fetchesUrls: context.target.facts.fetchesUrls ?? true,
  })
}

function writeEntry(entry: Entry, partContext: PartContextOf): JsonObject[] {
  const context = partContext(entry.path)
  if ('cache' in entry.block && entry.block.cache) context.lose('dropped', 'cache')
  return [writePart(entry.block, context) ?? []].flat()
}

function writeModel(
  group: TurnGroup,
  context: WriteRequestContext,
  partContext: PartContextOf,
): JsonObject[] {
  const parts = group.entries.flatMap((entry) => writeEntry(entry, partContext))
  const first = parts.findIndex((part) => 'functionCall' in part)
  const call = parts[first]
  if (context.target.facts.thinking !== 'level' || !call || 'thoughtSignature' in call) return parts
  context.lose('defaulted', `turns.${group.turn}.seal`, 'the first call has no proof')
  return parts.with(first, { ...call, thoughtSignature: NO_PROOF })
}

/**
 * The service requires exactly one response for each call, in the order of the calls and directly after them. All
 * other blocks of the user follow in a second content.
 */
function writeUser(
  group: TurnGroup,
  calls: ToolCallBlock[],
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
  const parts = factsOf(block).parts ? mediaParts(entry, partContext) : []
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

/** Media of a result stand beside the responses, because inside they would be text. */
const attachments = (entry: Entry, partContext: PartContextOf): JsonObject[] =>
  entry.block.kind === 'tool-result' && !factsOf(entry.block).parts
    ? mediaParts(entry, partContext)
    : []

function mediaParts({ block, path }: Entry, partContext: PartContextOf): JsonObject[] {
  if (block.kind !== 'tool-result') return []
  return block.content.flatMap((inner, index) =>
    inner.kind === 'media' ? [writeMedia(inner, partContext(`${path}.content.${index}`))] : [],
  )
}

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
  const media = block.content.some(isMedia) ? mediaParts({ block, path }, partContext) : []
  return [{ text }, ...media]
}
