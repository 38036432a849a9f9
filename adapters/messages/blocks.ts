import {
  isObject,
  listOf,
  parseObject,
  toText,
  Verbatim,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type {
  Block,
  TextBlock,
  Tool,
  ToolCallBlock,
  ToolKey,
  ToolResultBlock,
} from '../../src/model/request.ts'
import { lossesIn } from '../../src/model/loss.ts'
import { shortenName } from '../../src/rules/names.ts'
import { isEnvelope, readSummaryEnvelope, refuseDamagedSummary } from '../../src/model/proof.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { summaryWords } from '../../src/rules/notes.ts'
import { foundInWords } from '../../src/rules/late-tools.ts'
import { lowerInput } from '../../src/rules/text-tools.ts'
import { written, type BlockTable } from '../contract.ts'
import * as citations from './citations.ts'
import {
  beyondCaller,
  CALL_ID,
  DIALECT,
  factsOf,
  objectIn,
  objectsIn,
  readCache,
  textIn,
  writeCache,
  type ElementContext,
  keep,
  opaque,
  restOf,
} from './dialect.ts'
import * as hosted from './hosted.ts'
import * as mcp from './mcp.ts'
import { readMedia, readPieces, writeMedia } from './media.ts'
import { ProofReader } from './proofs.ts'
import { readReference, readToolChange, writeReferences, writeToolChange } from './tool-changes.ts'
import type { WireBlock } from './wire.ts'

export interface ReadContext {
  /** The names of the calls in this content, by their ids. */
  readonly callNames: Map<string, string>
  /** The names of the calls before this content, by their ids. */
  readonly answered: ReadonlyMap<string, string>
  /** Gathers the tools that the conversation brings. */
  readonly late: Tool[]
  /** The tools that stand before the conversation. */
  readonly offered: readonly Tool[]
}

export const reading = (
  offered: readonly Tool[] = [],
  late: readonly Tool[] = [],
  answered: ReadContext['answered'] = new Map(),
): ReadContext => ({ callNames: new Map(), late: [...late], offered, answered })

export interface Content {
  blocks: Block[]
  damaged: boolean
}

/** The content of a message or of a tool's result. */
export function readContent(content: Json | undefined, context: ReadContext): Content {
  if (typeof content === 'string')
    return { blocks: [{ kind: 'text', text: content }], damaged: false }
  const list: WireBlock[] = objectsIn(content)
  const reader = new ProofReader()
  const answered = new Set<Json | undefined>()
  let results: Map<Json | undefined, WireBlock> | undefined
  for (let index = 0; index < list.length; index += 1) {
    const raw: WireBlock = list[index] ?? {}
    const next = list[index + 1]
    if (raw.type === 'thinking' || raw.type === 'redacted_thinking') reader.reasoning(raw)
    else if (mcp.isMcpCall(raw)) {
      results ??= new Map(list.filter(mcp.isMcpResult).map((one) => [one.tool_use_id, one]))
      reader.add(mcp.readMcpCall(raw, results.get(raw.id)))
      answered.add(raw.id)
    } else if (mcp.isMcpResult(raw)) {
      // It has been read together with its call.
      if (!answered.has(raw.tool_use_id)) reader.add(mcp.loneResult(raw))
    } else if (raw.type === 'server_tool_use') {
      const result = hosted.isSearchResult(next, raw.id) ? next : undefined
      const block = hosted.readHostedCall(raw, result)
      // Of all calls only a search is read together with its result.
      if (result && block.kind === 'search') index += 1
      reader.add(block)
    } else
      for (const block of readPieces(raw) ?? [readSummary(raw) ?? readBlock(raw, context)])
        reader.add(block)
  }
  reader.end()
  return { blocks: reader.blocks, damaged: reader.damaged }
}

type ReadBlock = (raw: WireBlock, context: ReadContext) => Block

/** Readers of single blocks. Thoughts and calls of hosted tools depend on their neighbours and are read elsewhere. */
export const READERS = {
  text: readText,
  image: readMedia,
  document: readMedia,
  search_result: readSearchResult,
  browser_state: readBrowserState,
  advisor_tool_result: readAdvice,
  tool_reference: readReference,
  tool_addition: readToolChange,
  tool_removal: readToolChange,
  tool_use: readToolUse,
  tool_result: readToolResult,
  web_search_tool_result: hosted.readLoneResult,
  tool_search_tool_result: hosted.readFoundTools,
  mcp_tool_listing: mcp.readListing,
  code_execution_tool_result: hosted.readCodeResult,
  bash_code_execution_tool_result: hosted.readCodeResult,
} satisfies Record<string, ReadBlock>

const KNOWN_BLOCKS = new Map<Json | undefined, ReadBlock>(Object.entries(READERS))

/** Reads a single block; a type without a reader is kept whole. */
export function readBlock(raw: WireBlock, context: ReadContext): Block {
  const read = KNOWN_BLOCKS.get(raw.type)
  return read ? read(raw, context) : opaque(raw)
}

export function readText(raw: WireBlock): TextBlock {
  const { type: _, text, citations: cited, cache_control, ...rest } = raw
  const list = citations.readCitations(cited)
  return {
    kind: 'text',
    text: textIn(text),
    ...(list.length > 0 && { citations: list }),
    ...readCache(cache_control),
    ...keep(rest),
  }
}

/** A passage that the caller found. Other dialects get its text; this dialect gets the whole block back. */
function readSearchResult(raw: WireBlock): Block {
  const { cache_control, citations, ...search_result } = raw
  const parts = objectsIn(raw.content)
  const text = [raw.title, raw.source, ...parts.map(({ text }) => text)]
    .map(textIn)
    .filter(Boolean)
    .join('\n')
  // The cache mark may stand on one of the texts. Other dialects get the texts as one, which has the mark.
  const marked = isObject(cache_control) ? undefined : parts.findLast(isMarked)
  return {
    kind: 'text',
    text,
    ...readCache(marked ? marked['cache_control'] : cache_control),
    ...keep({ search_result, citations }, { facts: marked && { markedWithin: true } }),
  }
}

const isMarked = ({ cache_control }: JsonObject): boolean => isObject(cache_control)

/** The state of a browser besides its picture. Other dialects get it as text. */
function readBrowserState(raw: WireBlock): Block {
  const { cache_control, ...browser_state } = raw
  const { type: _, ...state } = browser_state
  const kept = keep({ browser_state })
  return { kind: 'text', text: toText(state), ...readCache(cache_control), ...kept }
}

/** The advice of another model to this one. Other dialects get its words; encrypted advice is for its own service. */
function readAdvice(raw: WireBlock): Block {
  const { type, text } = objectIn(raw.content)
  if (type !== 'advisor_result' || typeof text !== 'string') return opaque(raw)
  // Clients join neighbouring texts, and the text beside it is this model's own.
  return { kind: 'text', text: `\n\n${text}\n\n`, ...keep({ advisor_tool_result: raw }) }
}

/**
 * A summary of everything before it. One without content and without `encrypted_content` says that none could be made.
 */
function readSummary(raw: WireBlock): Block | undefined {
  if (raw.type !== 'compaction') return undefined
  const carried = readSummaryEnvelope(textIn(raw.encrypted_content))
  if (carried) return carried
  const [words, sealed] = [textIn(raw.content), textIn(raw.encrypted_content)]
  const isReadable = words === '' ? sealed === '' : !isEnvelope(sealed)
  return { ...opaque(raw), summary: true, ...(isReadable && { words }) }
}

/** Throws for a summary in an envelope that was changed since it was given out. */
export function checkSummaries(content: Json | undefined, message: string): void {
  for (const [index, block] of listOf(content).entries())
    if (isObject(block)) openedSummary(block, `${message}.content.${index}`)
}

/**
 * The words of a summary that came in an envelope; undefined for any other block. Throws where envelope or words were
 * changed.
 */
export function openedSummary(block: WireBlock, place: string): string | undefined {
  if (block.type !== 'compaction') return undefined
  const sealed = textIn(block.encrypted_content)
  refuseDamagedSummary(sealed, place)
  const carried = readSummaryEnvelope(sealed)
  const { content } = block
  if (carried?.words === undefined || typeof content !== 'string' || content === carried.words)
    return carried && summaryWords(carried, DIALECT)
  throw new ProblemError({
    kind: 'invalid-request',
    message: `${place}: content is not what encrypted_content holds; send both as they were given.`,
    param: place,
    details: { error_code: 'compaction_content_mismatch' },
  })
}

function readToolUse(raw: WireBlock, context: ReadContext): Block {
  const call = readCall(raw)
  context.callNames.set(call.id, call.name)
  return call
}

export function readCall(raw: WireBlock): ToolCallBlock {
  const { type: _, id, name, input, cache_control, toolset_name, ...rest } = raw
  const namespace = textIn(toolset_name)
  return {
    kind: 'tool-call',
    id: textIn(id),
    name: textIn(name),
    ...(namespace !== '' && { namespace }),
    form: 'json',
    input: input === undefined ? '' : toText(input),
    ...readCache(cache_control),
    ...keep(beyondCaller(rest), { facts: namespace !== '' && { set: true } }),
  }
}

function readToolResult(raw: WireBlock, context: ReadContext): Block {
  const { type: _, tool_use_id, content, is_error, cache_control, toolset_name, ...rest } = raw
  const callId = textIn(tool_use_id)
  const { blocks } = readContent(content, context)
  return {
    kind: 'tool-result',
    callId,
    name: context.callNames.get(callId) ?? context.answered.get(callId) ?? '',
    form: 'json',
    content: blocks,
    ...(is_error === true && { isError: true }),
    ...readCache(cache_control),
    ...keep(rest, {
      facts: typeof toolset_name === 'string' && { setName: toolset_name },
    }),
  }
}

/** Writes a conversation's blocks for an upstream. Most kinds become one block, a search two, an empty text none. */
const BLOCKS: BlockTable<JsonObject[], ElementContext> = {
  text: (block, context) => {
    const { search_result, browser_state, advisor_tool_result, ...rest } = restOf(block)
    const cache = factsOf(block).markedWithin ? {} : writeCache(block.cache)
    reportProof(block, context)
    const whole = search_result ?? browser_state ?? advisor_tool_result
    if (isObject(whole)) return [{ ...whole, ...rest, ...cache }]
    if (block.text.trim() === '') {
      return block.text === '' ? [] : context.lose('dropped', '', 'white space only')
    }
    return [
      { type: 'text', text: block.text, ...writeCitations(block, context), ...rest, ...cache },
    ]
  },
  media: (block, context) => {
    if (factsOf(block).inDocument) return []
    reportProof(block, context)
    return [writeMedia(block, context)]
  },
  reasoning: (block, { lose, isOpen }) => {
    const { proof, text, redacted } = block
    if (proof?.dialect === DIALECT)
      return redacted
        ? [{ type: 'redacted_thinking', data: proof.value, ...restOf(block) }]
        : [{ type: 'thinking', thinking: text, signature: proof.value, ...restOf(block) }]
    // The upstream verifies signatures, so it refuses a thought without one of its own.
    if (proof) lose('dropped', '.seal')
    if (isOpen && text !== '') return [{ type: 'thinking', thinking: text, signature: '' }]
    return text === '' ? [] : lose('dropped', '', 'reasoning without a signature')
  },
  'tool-call': (block, context) => {
    const { id, name, namespace } = block
    reportProof(block, context)
    return [
      {
        type: 'tool_use',
        id: shortenName(id, CALL_ID),
        ...(factsOf(block).set
          ? { name, toolset_name: namespace ?? '' }
          : { name: context.names.toWire(name, namespace) }),
        input: writeInput(block, context),
        ...restOf(block),
        ...writeCache(block.cache),
      },
    ]
  },
  'tool-result': (block, context) => {
    const content = writeResult(block, context)
    const plain = plainText(content)
    const { setName } = factsOf(block)
    return [
      {
        type: 'tool_result',
        tool_use_id: shortenName(block.callId, CALL_ID),
        ...(content.length > 0 && { content: plain || content }),
        ...(block.isError && { is_error: true }),
        ...(setName !== undefined && { toolset_name: setName }),
        ...restOf(block),
        ...writeCache(block.cache),
      },
    ]
  },
  refusal: (block, { lose }) => {
    lose('approximated', '', 'a refusal is text here')
    return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text, ...restOf(block) }]
  },
  code: (block, context) =>
    ownOnly(block, context) && [hosted.writeCode(block, shortenName(block.id, CALL_ID))],
  'code-result': (block, context) =>
    ownOnly(block, context) && [hosted.writeCodeResult(block, shortenName(block.callId, CALL_ID))],
  search: (block, context) =>
    ownOnly(block, context) && hosted.writeSearch(block, shortenName(block.id, CALL_ID)),
  'mcp-call': (block, { betas }) => {
    betas.add(mcp.MCP_BETA)
    return mcp.writeMcpCall(block)
  },
  'mcp-listing': (block, context) =>
    ownOnly(block, context) && [mcp.writeListing(block, context.lose)],
  'tool-search': (block, context) =>
    ownSearch(block.id, block, context) && [
      hosted.writeToolSearch(block, shortenName(block.id, CALL_ID)),
    ],
  'tool-change': (block, context) => {
    const { searchId } = block
    if (searchId === undefined) return writeToolChange(block, context)
    const nameOf = ({ name, namespace }: ToolKey) => context.names.toWire(name, namespace)
    const id = shortenName(searchId, CALL_ID)
    return ownSearch(searchId, block, context) && [hosted.writeFoundTools(block, id, nameOf)]
  },
  // The core has reported a foreign block already (`src/rules/foreign.ts`).
  opaque: (block) => {
    if (block.dialect === DIALECT) return [block.value]
    const text = summaryWords(block, DIALECT)
    return text === undefined ? [] : [{ type: 'text', text }]
  },
}

export const writeBlock = (block: Block, context: ElementContext): JsonObject[] =>
  written(BLOCKS, block, context) ?? []

/**
 * What a search for tools by the caller found is a list of names, where the model takes tools that it does not see yet.
 */
function writeResult({ content }: ToolResultBlock, context: ElementContext): JsonObject[] {
  const at = lossesIn(context.lose)
  return content.flatMap((block, index) => {
    if (block.kind === 'tool-change' && (context.takes.deferred || hosted.isNativeBlock(block)))
      return writeReferences(block, context)
    const [inWords = block] = foundInWords([block])
    return writeBlock(inWords, { ...context, lose: at('.content', index) })
  })
}

/** The text of a list that holds one text block and no other member; a single string says the same. */
export function plainText(content: JsonObject[]): string | undefined {
  const [only, ...others] = content
  const text = only?.['text']
  const isPlain = others.length === 0 && only !== undefined && Object.keys(only).length === 2
  return isPlain && only['type'] === 'text' && typeof text === 'string' ? text : undefined
}

function reportProof(block: Block, { lose }: ElementContext): void {
  if ('proof' in block && block.proof) lose('dropped', '.seal')
}

/** An upstream accepts calls and results of hosted tools only where it ran them itself. */
function ownOnly(block: Block, context: ElementContext): true | undefined {
  reportProof(block, context)
  if (hosted.isNativeBlock(block)) return true
  return context.lose('dropped', '', `${block.kind} of another service`)
}

const ownSearch = (id: string, block: Block, context: ElementContext): true | undefined =>
  context.takes.deferred && hosted.isNativeSearch(id) ? true : ownOnly(block, context)

function writeCitations(block: TextBlock, { lose }: ElementContext): JsonObject {
  const list = block.citations ?? []
  const native = list.filter(citations.isNativeCitation)
  if (native.length < list.length) lose('dropped', '.citations')
  const loseHere = lossesIn(lose)('.citations')
  const written = native.flatMap((citation) => citations.writeCitation(citation, loseHere) ?? [])
  return written.length > 0 ? { citations: written } : {}
}

/** `input` must be an object; the arguments of a call that was cut off are none. */
function writeInput({ form, input }: ToolCallBlock, { lose }: ElementContext): Json {
  if (form === 'text') return new Verbatim(lowerInput(input))
  if (input.trim() === '') return {}
  if (parseObject(input)) return new Verbatim(input)
  lose('approximated', '.input', 'not a JSON object')
  return {}
}
