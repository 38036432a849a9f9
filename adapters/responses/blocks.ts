import {
  defined,
  type Json,
  type JsonObject,
  wellFormed,
  isObject,
  stringify,
} from '../../src/json/json.ts'
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import { isMinted } from '../../src/model/ids.ts'
import type {
  Block,
  ReasoningBlock,
  SearchBlock,
  ToolCallBlock,
  CacheMark,
  Citation,
  MediaBlock,
  RefusalBlock,
  Role,
  TextBlock,
  ToolResultBlock,
} from '../../src/model/request.ts'
import { isEnvelope, readEnvelope, type Enveloped, type ProofSlot } from '../../src/model/proof.ts'
import {
  DIALECT,
  listOf,
  objectIn,
  objectsOf,
  withoutNulls,
  memberText,
  keepRest,
  takeTexts,
  restOf,
  factsOf,
  type Facts,
  opaque,
} from './dialect.ts'
import { Members } from '../../src/model/ext.ts'
import { writeCallId, type WireNames } from './names.ts'
import { foundInWords } from '../../src/rules/late-tools.ts'
import { leftOut } from '../../src/rules/media.ts'
import { hasPlaceAndTitle, readAnnotation, writeAnnotation } from './citations.ts'
import { readAudio, readFile, readImage, writeMedia, type ReadMedia } from './media.ts'

/** The content of one item of an assistant's turn. An envelope is no block: its proof belongs to a neighbour. */
export type ReadItem = { blocks: Block[] } | { carried: Enveloped }

export interface ItemContext {
  readonly names: WireNames
  readonly own: boolean
  /** The model takes cache marks. */
  readonly marks: boolean
  readonly lose: LoseOf
}

export function readCall(item: JsonObject): ToolCallBlock {
  const members = new Members(item)
  const form = members.any('type') === 'custom_tool_call' ? 'text' : 'json'
  members.pass('status', 'parsed_arguments')
  return defined({
    kind: 'tool-call' as const,
    id: members.text('call_id') ?? '',
    name: members.text('name') ?? '',
    namespace: members.text('namespace') || undefined,
    form,
    input: members.text(form === 'text' ? 'input' : 'arguments') ?? '',
    ...keepRest(members, readId(members)),
  })
}

export function writeCall(block: ToolCallBlock, context: ItemContext): JsonObject {
  const { id, name, namespace, form, input, proof } = block
  if (proof) context.lose('dropped', '.seal')
  if (block.cache) context.lose('dropped', 'cache')
  return {
    type: form === 'text' ? 'custom_tool_call' : 'function_call',
    ...ownId(block, form === 'text' ? 'ctc' : 'fc'),
    call_id: writeCallId(id),
    ...context.names.toWire(name, namespace),
    ...(form === 'text'
      ? { input }
      : { arguments: input.trim() === '' ? '{}' : wellFormed(input) }),
    ...restOf(block),
  }
}

function readId(members: Members): Facts {
  const id = members.any('id')
  return typeof id === 'string' ? { id } : {}
}

/**
 * An upstream refuses an id whose prefix does not fit the item's type, and searches its store for an id that it does
 * not know.
 */
function ownId(block: Block, prefix: string): JsonObject {
  const id = block.kind === 'opaque' ? undefined : factsOf(block).id
  return id?.startsWith(prefix) && !isMinted(id) ? { id } : {}
}

/** Stands between the parts of a summary, which are paragraphs. */
export const PARAGRAPH = '\n\n'

/** The slots of a proof that another block is to have. */
const OF_ANOTHER = new Set<ProofSlot>(['call', 'next', 'previous'])

export function readReasoning(item: JsonObject): ReadItem {
  const members = new Members(item)
  members.pass('type', 'status')
  const proof = members.text('encrypted_content')
  const carried = proof === undefined ? undefined : readEnvelope(proof)
  if (carried && OF_ANOTHER.has(carried.slot)) return { carried }
  const block: ReasoningBlock = { kind: 'reasoning', text: reasoningText(members) }
  if (carried) {
    block.proof = carried.proof
    if (carried.slot === 'redacted') block.redacted = true
  } else if (proof !== undefined && isEnvelope(proof)) block.damagedProof = true
  else if (proof) block.proof = { dialect: DIALECT, value: proof }
  return { blocks: [defined({ ...block, ...keepRest(members, readId(members)) })] }
}

/** The summary is meant to be read. Servers of open models send the thoughts themselves instead (`content`). */
function reasoningText(members: Members): string {
  const summaries = takeTexts(members, 'summary')
  const texts = summaries.length > 0 ? summaries : takeTexts(members, 'content')
  return texts.join(PARAGRAPH)
}

export function writeReasoning(
  block: ReasoningBlock,
  context: ItemContext,
): JsonObject | undefined {
  const { own, lose } = context
  const isDamaged = own && block.damagedProof === true
  const isOwnProof = block.proof?.dialect === DIALECT
  if (isDamaged || (block.proof && !isOwnProof)) lose('dropped', '.seal')
  // Without a proof the upstream finds the thoughts by their id.
  const { id } = factsOf(block)
  const isKnown = own && id !== undefined && !isMinted(id)
  const isKept = isOwnProof || (isKnown && !block.proof && !isDamaged)
  if (!isKept && block.text === '') return undefined
  const summary = block.text === '' ? [] : [{ type: 'summary_text', text: block.text }]
  return {
    type: 'reasoning',
    ...ownId(block, 'rs'),
    summary,
    ...(isOwnProof && { encrypted_content: block.proof?.value ?? '' }),
    ...restOf(block),
  }
}

export function readSearch(item: JsonObject): SearchBlock {
  const members = new Members(item)
  members.any('type')
  const id = members.text('id') ?? ''
  const action = members.object('action')
  const status = members.text('status')
  const isPage = action?.['type'] === 'open_page'
  const failed = status === 'failed'
  return defined({
    kind: 'search' as const,
    id,
    ...readAction(action),
    opened: failed && isPage ? ('failed' as const) : undefined,
    failed: (failed && !isPage) || undefined,
    ...keepRest(members, defined({ action, status })),
  })
}

function readAction(action: JsonObject = {}): Pick<SearchBlock, 'queries' | 'sources'> {
  const queries = listOf(action['queries']).filter((query) => typeof query === 'string')
  const query = memberText(action, 'query') ?? memberText(action, 'pattern')
  const sources = objectsOf(action['sources']).flatMap((source) => {
    const url = memberText(source, 'url')
    return url === undefined ? [] : [{ url }]
  })
  const page = memberText(action, 'url')
  return {
    queries: queries.length > 0 || query === undefined ? queries : [query],
    sources: page === undefined ? sources : [...sources, { url: page }],
  }
}

/** What a search did and how it ended; unchanged where it came in this dialect. */
export function writeAction(block: SearchBlock): { action: Json; status?: Json } {
  const { queries, sources, opened } = block
  const { action, status } = factsOf(block)
  if (opened && !action) return { action: { type: 'open_page', url: sources[0]?.url ?? '' } }
  const written = {
    type: 'search',
    ...(queries[0] !== undefined && { query: queries[0] }),
    queries,
    sources: sources.map(({ url }) => ({ type: 'url', url })),
  }
  return { action: action ?? written, ...(status !== undefined && { status }) }
}

export function writeSearch(
  block: SearchBlock,
  { own, lose }: ItemContext,
): JsonObject | undefined {
  if (!own || isMinted(block.id)) return lose('dropped', '')
  return {
    type: 'web_search_call',
    ...(block.id !== '' && { id: block.id }),
    ...writeAction(block),
    ...restOf(block),
  }
}

/** Readers of the parts of messages and tool outputs. */
type PartReader = (members: Members, side: Side) => Block | undefined
type Side = 'input' | 'output'

export const chooseSide = (role: Role): Side => (role === 'assistant' ? 'output' : 'input')

const media =
  (readMedia: (members: Members) => ReadMedia | undefined): PartReader =>
  (members) => {
    const cache = readCache(members)
    const read = readMedia(members)
    if (!read) return undefined
    const { facts, ...block } = read
    return defined({ kind: 'media' as const, ...block, cache, ...keepRest(members, facts) })
  }

const READERS = new Map<string, PartReader>([
  ['input_text', readText],
  ['output_text', readText],
  ['text', readText],
  ['refusal', readRefusal],
  ['input_image', media(readImage)],
  // Callers also send the part types of other APIs.
  ['image_url', media(readImage)],
  ['image', media(readImage)],
  ['input_file', media(readFile)],
  ['input_audio', media(readAudio)],
])

/** A part that only this dialect knows, or that is unknown, stays whole. */
export function readPart(part: Json, side: Side): Block {
  const value: JsonObject = isObject(part)
    ? part
    : { type: 'input_text', text: typeof part === 'string' ? part : stringify(part) }
  const members = new Members(value)
  const type = members.text('type')
  const block = READERS.get(type ?? '')?.(members, side)
  return block ?? opaque(value)
}

/** Whether an opaque block was a part of a message, and not an item itself. */
export const isPart = (value: JsonObject): boolean =>
  /^(?:text|refusal)$|^(?:input|output)_|_(?:text|screenshot)$/.test(
    memberText(value, 'type') ?? '',
  )

function readText(members: Members, side: Side): TextBlock | undefined {
  const text = members.text('text')
  if (text === undefined) return undefined
  const type = members.peek('type')
  const annotations = members.list('annotations')
  const logprobs = members.peek('logprobs')
  if (Array.isArray(logprobs) && logprobs.length === 0) members.pass('logprobs')
  members.pass('parsed') // The library's own reading (openai 7.55).
  const citations = annotations?.map(readAnnotation).filter((citation) => citation !== undefined)
  const cache = readCache(members)
  const kept = keepRest(members, {
    ...(type !== `${side}_text` && { type: type ?? '' }),
    ...(annotations === undefined && type === 'output_text' && { bare: true }),
  })
  const cited = citations?.length && { citations }
  return defined({ kind: 'text' as const, text, ...cited, cache, ...kept })
}

function readRefusal(members: Members): RefusalBlock | undefined {
  const text = members.text('refusal')
  if (text === undefined) return undefined
  return defined({ kind: 'refusal' as const, text, ...keepRest(members) })
}

/** A cache mark has one documented form; any other stays as it is. */
function readCache(members: Members): CacheMark | undefined {
  const { mode, ttl, ...others } = withoutNulls(objectIn(members.peek('prompt_cache_breakpoint')))
  const isKnown = mode === 'explicit' && (ttl === undefined || typeof ttl === 'string')
  if (!isKnown || Object.keys(others).length > 0) return undefined
  members.any('prompt_cache_breakpoint')
  return ttl === undefined ? {} : { ttl }
}

export interface PartContext {
  readonly side: Side
  /** The request came in this dialect. */
  readonly own: boolean
  /** The model takes cache marks. */
  readonly marks: boolean
  readonly lose: LoseOf
}

/** Writes a block as a part of a message or an output; undefined when it is reported or empty. */
export function writePart(block: Block, context: PartContext): JsonObject | undefined {
  switch (block.kind) {
    case 'text':
      return writeText(block, context)
    case 'refusal':
      return writeRefusal(block, context)
    case 'media':
      return writeMediaPart(block, context)
    case 'opaque':
      return block.dialect === DIALECT ? block.value : undefined
    case 'reasoning':
    case 'tool-call':
    case 'tool-result':
    case 'code':
    case 'code-result':
    case 'search':
    case 'mcp-call':
    case 'mcp-listing':
    case 'tool-search':
    case 'tool-change':
      return context.lose('dropped', '')
    default:
      return block satisfies never
  }
}

function writeText(block: TextBlock, context: PartContext): JsonObject | undefined {
  const { side, own, lose } = context
  if (block.proof) lose('dropped', '.seal')
  if (block.text === '' && !own) return undefined
  if (block.citations && side === 'input') lose('dropped', '.citations')
  const facts = factsOf(block)
  return {
    type: facts.type ?? `${side}_text`,
    text: block.text,
    ...(side === 'output' && !facts.bare && writeCitations(block, lose)),
    ...writeCache(block.cache, context),
    ...restOf(block),
  }
}

function writeCitations(block: TextBlock, lose: LoseOf): JsonObject {
  return { annotations: writeAnnotations(block.citations, block.text.length, lose) }
}

function writeAnnotations(
  citations: readonly Citation[] | undefined,
  textLength: number,
  lose: LoseOf,
): JsonObject[] {
  return (citations ?? []).flatMap((citation) => {
    const annotation = writeAnnotation(citation, textLength)
    if (!annotation) lose('dropped', '.citations')
    else if (!hasPlaceAndTitle(citation)) lose('approximated', '.citations')
    return annotation ? [annotation] : []
  })
}

/** Only the model refuses; in a message of another role a refusal becomes text. */
function writeRefusal(block: RefusalBlock, { side }: PartContext): JsonObject {
  if (side === 'input') return { type: 'input_text', text: block.text }
  return { type: 'refusal', refusal: block.text, ...restOf(block) }
}

function writeMediaPart(block: MediaBlock, context: PartContext): JsonObject | undefined {
  const { side, own, lose } = context
  if (block.proof) lose('dropped', '.seal')
  const { source } = block
  const part = side === 'output' || !(own || isKnown(block)) ? undefined : writeMedia(block)
  if (!part) lose('dropped', '')
  // The model cannot send media here, and a caller's message must not become empty.
  if (!part) return side === 'input' ? { type: 'input_text', text: leftOut(block) } : undefined
  if ('text' in source) lose('approximated', '')
  for (const key of ['name', 'detail'] as const)
    if (block[key] !== undefined && !saysMedia(part, key)) lose('dropped', `.${key}`)
  return { ...part, ...writeCache(block.cache, context) }
}

/**
 * Whether the service can use media from elsewhere: a file id is known only to its provider, an address must be on
 * the web, and images are of four types.
 */
function isKnown({ source, mediaType }: MediaBlock): boolean {
  if ('url' in source) return /^https?:/i.test(source.url)
  return !('fileId' in source) && !/^image\/(?!png|jpe?g|gif|webp)/i.test(mediaType)
}

/** Whether a part has a member for the name or the detail of its media. */
const saysMedia = (part: JsonObject, key: 'name' | 'detail'): boolean =>
  key === 'name'
    ? part['type'] === 'input_text' || part['filename'] !== undefined
    : part['type'] === 'input_image'

const LIFETIMES = new Set(['30m', '12h'])

/** Only input parts can have marks. A lifetime of another dialect becomes the default one. */
export function writeCache(
  mark: CacheMark | undefined,
  { side, marks, own, lose }: Omit<PartContext, 'lose'> & { readonly lose: Lose },
): JsonObject {
  if (!mark) return {}
  if (side === 'output' || !marks) {
    lose('dropped', 'cache')
    return {}
  }
  const { ttl } = mark
  const isKnown = ttl !== undefined && (own || LIFETIMES.has(ttl))
  if (ttl !== undefined && !isKnown) lose('approximated', 'cache.ttl')
  return { prompt_cache_breakpoint: { mode: 'explicit', ...(isKnown && { ttl }) } }
}

/** Reads the output of a call. `called`: the name of the call, where it is known. */
export function readOutput(item: JsonObject, called: string | undefined): ToolResultBlock {
  const members = new Members(item)
  const form = members.any('type') === 'custom_tool_call_output' ? 'text' : 'json'
  const named = members.peek('name')
  members.pass('id', 'status', 'name', 'namespace')
  const callId = members.text('call_id') ?? ''
  const output = members.any('output') ?? ''
  const parts = typeof output === 'string' ? unwrap(output) : output
  return defined({
    kind: 'tool-result' as const,
    callId,
    name: called ?? (typeof named === 'string' ? named : ''),
    form,
    content: readContent(parts, 'input'),
    ...keepRest(members, Array.isArray(output) ? { output: 'parts' } : {}),
  })
}

/** The content of a message, or an output: a text, or a list of parts. */
export function readContent(content: Json, side: Side): Block[] {
  if (Array.isArray(content)) return content.map((part) => readPart(part, side))
  return typeof content !== 'string' || content === '' ? [] : [{ kind: 'text', text: content }]
}

const WRAPPED = /^\s*\[\s*\{[^]*"(?:input_image|input_file|image_url)"/

const PARTS = /^(?:input_|text$|image_url$)/

/**
 * Clients whose outputs are texts send images as the text of a JSON array; left as text, the base64 would be paid
 * for as text.
 */
function unwrap(output: string): Json {
  if (!WRAPPED.test(output)) return output
  try {
    const parts: Json = JSON.parse(output)
    const isMedia = objectsOf(parts).every((part) => PARTS.test(memberText(part, 'type') ?? ''))
    return Array.isArray(parts) && parts.every(isObject) && isMedia ? parts : output
  } catch {
    return output
  }
}

const SAYS_ERROR = /^\s*error\b/i
const ERROR_MARK = 'Error: '

/** The dialect has no flag for a failed call, so the text of its output says so. */
export function writeOutput(block: ToolResultBlock, context: ItemContext): JsonObject {
  if (block.cache) context.lose('dropped', 'cache')
  const words = foundInWords(block.content)
  const content = block.isError ? marked(words) : words
  const at = lossesIn(context.lose)
  const parts = content.flatMap((inner, index) => {
    const part = writePart(inner, { ...context, side: 'input', lose: at('.content', index) })
    return part ? [part] : []
  })
  return {
    type: block.form === 'text' ? 'custom_tool_call_output' : 'function_call_output',
    call_id: writeCallId(block.callId),
    output: factsOf(block).output === 'parts' ? parts : plainest(parts),
    ...restOf(block),
  }
}

/** A single text as a string, other parts as a list. */
function plainest(parts: JsonObject[]): Json {
  const [only, ...others] = parts
  if (!only) return ''
  const { type, text, ...rest } = only
  const isPlain =
    type === 'input_text' && typeof text === 'string' && Object.keys(rest).length === 0
  return isPlain && others.length === 0 ? text : parts
}

function marked(content: Block[]): Block[] {
  const at = content.findIndex((block) => block.kind === 'text')
  const text = content[at]
  if (text?.kind !== 'text') return [{ kind: 'text', text: ERROR_MARK.trim() }, ...content]
  if (SAYS_ERROR.test(text.text)) return content
  return content.with(at, { ...text, text: ERROR_MARK + text.text })
}
