import { defined, isObject, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { leftOut } from '../../src/model/media.ts'
import type {
  Block,
  CacheMark,
  Citation,
  MediaBlock,
  RefusalBlock,
  Role,
  TextBlock,
} from '../../src/model/request.ts'
import { isWhole, readAnnotation, writeAnnotation } from './citations.ts'
import { readAudio, readFile, readImage, writeMedia } from './media.ts'
import { DIALECT, wireForm, Members, ownLeftovers, spelled, textIn } from './members.ts'

/** Parts that make up the content of messages and of tool outputs. */
type PartReader = (members: Members, side: Side) => Block | undefined
type Side = 'input' | 'output'

export const chooseSide = (role: Role): Side => (role === 'assistant' ? 'output' : 'input')

const media =
  (read: (members: Members) => Omit<MediaBlock, 'kind'> | undefined): PartReader =>
  (members) => {
    const cache = readCache(members)
    const block = read(members)
    return block && defined({ kind: 'media' as const, ...block, cache, ext: members.ext() })
  }

const READERS = new Map<string, PartReader>([
  ['input_text', readText],
  ['output_text', readText],
  ['text', readText],
  ['refusal', readRefusal],
  ['input_image', media(readImage)],
  // Spellings of other interfaces that callers carry over.
  ['image_url', media(readImage)],
  ['image', media(readImage)],
  ['input_file', media(readFile)],
  ['input_audio', media(readAudio)],
])

/** A part that is known to this dialect only, or to nobody, stays whole. */
export function readPart(part: Json, side: Side): Block {
  const value: JsonObject = isObject(part)
    ? part
    : { type: 'input_text', text: typeof part === 'string' ? part : stringify(part) }
  const members = new Members(value)
  const type = members.text('type')
  const block = READERS.get(type ?? '')?.(members, side)
  return block ?? { kind: 'opaque', dialect: DIALECT, value }
}

/** Whether an opaque block stood in a message's content, or was an item itself. */
export const isPart = (value: JsonObject): boolean =>
  /^(?:text|refusal)$|^(?:input|output)_|_(?:text|screenshot)$/.test(textIn(value, 'type') ?? '')

function readText(members: Members, side: Side): TextBlock | undefined {
  const text = members.text('text')
  if (text === undefined) return undefined
  const type = members.peek('type')
  if (type !== `${side}_text`) members.note('type', type ?? '')
  const annotations = members.list('annotations')
  if (annotations === undefined && type === 'output_text') members.note('bare', true)
  const logprobs = members.peek('logprobs')
  if (Array.isArray(logprobs) && logprobs.length === 0) members.spell('logprobs')
  const citations = annotations?.map(readAnnotation).filter((citation) => citation !== undefined)
  const cited = citations?.length ? citations : undefined
  const cache = readCache(members)
  return defined({ kind: 'text' as const, text, citations: cited, cache, ext: members.ext() })
}

function readRefusal(members: Members): RefusalBlock | undefined {
  const text = members.text('refusal')
  return text === undefined
    ? undefined
    : defined({ kind: 'refusal' as const, text, ext: members.ext() })
}

/** The mark has one documented form; any other stays as it is. */
function readCache(members: Members): CacheMark | undefined {
  const mark = members.peek('prompt_cache_breakpoint')
  if (!isObject(mark) || mark['mode'] !== 'explicit' || Object.keys(mark).length > 1)
    return undefined
  members.any('prompt_cache_breakpoint')
  return {}
}

export interface PartContext {
  readonly side: Side
  readonly path: string
  /** The request came in this dialect. */
  readonly own: boolean
  /** The model takes marks of what to cache. */
  readonly marks: boolean
  readonly lose: Lose
}

/** One block as a part of a message or of an output; undefined when it is reported or says nothing. */
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
      return context.lose('dropped', context.path)
    default:
      return block satisfies never
  }
}

function writeText(block: TextBlock, context: PartContext): JsonObject | undefined {
  const { side, path, own, lose } = context
  if (block.proof) lose('dropped', `${path}.seal`)
  if (block.text === '' && !own) return undefined
  if (block.citations && side === 'input') lose('dropped', `${path}.citations`)
  const form = wireForm(block)
  return {
    type: form['type'] ?? `${side}_text`,
    text: block.text,
    ...(side === 'output' && form['bare'] !== true && writeCitations(block, path, lose)),
    ...spelled(block, 'logprobs'),
    ...writeCache(block.cache, context),
    ...ownLeftovers(block),
  }
}

function writeCitations(block: TextBlock, path: string, lose: Lose): JsonObject {
  return { annotations: writeAnnotations(block.citations, block.text.length, path, lose) }
}

function writeAnnotations(
  citations: readonly Citation[] | undefined,
  textLength: number,
  path: string,
  lose: Lose,
): JsonObject[] {
  return (citations ?? []).flatMap((citation) => {
    const annotation = writeAnnotation(citation, textLength)
    if (!annotation) lose('dropped', `${path}.citations`)
    else if (!isWhole(citation)) lose('approximated', `${path}.citations`)
    return annotation ? [annotation] : []
  })
}

/** Only the model refuses; in anybody else's message a refusal is a text. */
function writeRefusal(block: RefusalBlock, { side }: PartContext): JsonObject {
  if (side === 'input') return { type: 'input_text', text: block.text }
  return { type: 'refusal', refusal: block.text, ...ownLeftovers(block) }
}

function writeMediaPart(block: MediaBlock, context: PartContext): JsonObject | undefined {
  const { side, path, own, lose } = context
  if (block.proof) lose('dropped', `${path}.seal`)
  const { source } = block
  const part = side === 'output' || !(own || isKnown(block)) ? undefined : writeMedia(block)
  if (!part) lose('dropped', path)
  // The model cannot have sent media here; a caller that did must not seem to have said nothing.
  if (!part) return side === 'input' ? { type: 'input_text', text: leftOut(block) } : undefined
  if ('text' in source) lose('approximated', path)
  for (const key of ['name', 'detail'] as const)
    if (block[key] !== undefined && !saysMedia(part, key)) lose('dropped', `${path}.${key}`)
  return { ...part, ...writeCache(block.cache, context) }
}

/** A file id is known to the provider that issued it, as is a place outside of the web; images are of four kinds. */
function isKnown({ source, mediaType }: MediaBlock): boolean {
  if ('url' in source) return /^https?:/i.test(source.url)
  return !('fileId' in source) && !/^image\/(?!png|jpe?g|gif|webp)/i.test(mediaType)
}

/** Whether a part has a member for the name or the detail of its media. */
const saysMedia = (part: JsonObject, key: 'name' | 'detail'): boolean =>
  key === 'name'
    ? part['type'] === 'input_text' || part['filename'] !== undefined
    : part['type'] === 'input_image'

/** Marks have a place in input parts and no lifetime of their own. */
function writeCache(mark: CacheMark | undefined, { side, marks, lose }: PartContext): JsonObject {
  if (!mark) return {}
  if (side === 'output' || !marks) {
    lose('dropped', 'cache')
    return {}
  }
  if (mark.ttl !== undefined) lose('approximated', 'cache.ttl')
  return { prompt_cache_breakpoint: { mode: 'explicit' } }
}
