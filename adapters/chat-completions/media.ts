import { isObject, type JsonObject } from '../../src/json/json.ts'
import {
  dataUrl,
  fileExtension,
  isDecodable,
  leftOut,
  PDF,
  readDataUrl,
  saidDocument,
  textOfMedia,
  typeByName,
} from '../../src/rules/media.ts'
import type { Block, MediaBlock } from '../../src/model/request.ts'
import { audioFormat } from '../openai/audio.ts'
import { noteOrigin } from '../openai/origins.ts'
import {
  DIALECT,
  keep,
  restOf,
  factsOf,
  textIn,
  objectIn,
  readCache,
  writeCache,
  cacheFacts,
  unlessEmpty,
  type ElementContext,
} from './dialect.ts'

/** The leftovers of a part: all but its type and the member that is read. */
function beside(part: JsonObject, member: string): JsonObject {
  const { type: _, [member]: __, cache_control: _c, prompt_cache_breakpoint: _p, ...rest } = part
  return rest
}

export function readImage(part: JsonObject): Block {
  const { image_url } = part
  const { url = image_url, detail, ...left } = objectIn(image_url)
  const address = textIn(url)
  if (address === '') return { kind: 'opaque', dialect: DIALECT, value: part }
  const inline = readDataUrl(address)
  const byName = typeByName(address)
  return {
    kind: 'media',
    mediaType: inline?.mediaType ?? (byName.startsWith('image/') ? byName : 'image/*'),
    source: inline ? { data: inline.data } : { url: address },
    ...(typeof detail === 'string' && detail !== 'auto' && { detail }),
    ...readCache(part),
    ...keep(
      { ...beside(part, 'image_url'), image_url: unlessEmpty(left) },
      {
        facts: {
          ...cacheFacts(part),
          ...(detail === 'auto' && { detail }),
          ...(!isObject(image_url) && { bare: true }),
        },
      },
    ),
  }
}

/** A picture in a reply. One without complete data is kept as it is, because clients that decode it would fail. */
export function readDrawn(part: JsonObject): Block {
  const block = readImage(part)
  return block.kind === 'media' && !isDecodable(block)
    ? { kind: 'opaque', dialect: DIALECT, value: part }
    : block
}

export function readAudio(part: JsonObject): Block {
  const { input_audio } = part
  const { data = input_audio, format, ...left } = objectIn(input_audio)
  if (typeof data !== 'string') return { kind: 'opaque', dialect: DIALECT, value: part }
  const named = textIn(format)
  return {
    kind: 'media',
    ...readSound(data, named && `audio/${named}`),
    ...readCache(part),
    ...keep(
      { ...beside(part, 'input_audio'), input_audio: unlessEmpty(left) },
      { facts: { ...cacheFacts(part), ...(!isObject(input_audio) && { bare: true }) } },
    ),
  }
}

/** Sounds by the beginnings of their files, in base64. */
const SOUNDS = [
  [/^T2dnU/, 'audio/ogg'],
  [/^ZkxhQ/, 'audio/flac'],
  [/^(?:SUQz|\/\/[IMs])/, 'audio/mpeg'],
  [/^\/\/[Ek]/, 'audio/aac'],
] as const

/** Data, or an address, as Mistral has it; `type`: what is said to be in it. */
function readSound(text: string, type: string): Pick<MediaBlock, 'mediaType' | 'source'> {
  if (/^https?:/i.test(text))
    return { mediaType: type || typeByName(text) || 'audio/*', source: { url: text } }
  const inline = readDataUrl(text)
  const { data } = inline ?? { data: text }
  const known = SOUNDS.find(([beginning]) => beginning.test(data))?.[1] ?? 'audio/wav'
  return { mediaType: type || inline?.mediaType || known, source: { data } }
}

export function readFile(part: JsonObject): Block {
  const { file_data, file_id, filename, ...left } = objectIn(part['file'])
  const source = readFileSource(file_data, file_id, textIn(filename))
  if (!source) return { kind: 'opaque', dialect: DIALECT, value: part }
  return {
    kind: 'media',
    ...source.media,
    ...(typeof filename === 'string' && { name: filename }),
    ...readCache(part),
    ...keep(
      { ...beside(part, 'file'), file: unlessEmpty(left) },
      { facts: { ...cacheFacts(part), file: true, ...(source.bare && { bare: true }) } },
    ),
  }
}

/** Reads a file. Bare base64 without a data URL gets the type that its name says, or PDF. */
function readFileSource(
  data: unknown,
  id: unknown,
  name: string,
): { media: Pick<MediaBlock, 'mediaType' | 'source'>; bare: boolean } | undefined {
  const byName = typeByName(name)
  if (typeof data === 'string') {
    const inline = readDataUrl(data)
    if (inline)
      return { media: { mediaType: inline.mediaType, source: { data: inline.data } }, bare: false }
    if (/^https?:/i.test(data))
      return {
        media: { mediaType: byName || typeByName(data) || PDF, source: { url: data } },
        bare: false,
      }
    return { media: { mediaType: byName || PDF, source: { data } }, bare: true }
  }
  if (typeof id !== 'string') return undefined
  return { media: { mediaType: byName, source: { fileId: id } }, bare: false }
}

/** Writes the part, or a text in its place, which is reported. */
export function writeMedia(block: MediaBlock, context: ElementContext): JsonObject {
  const part = writePart(block, context)
  const cache = writeCache(block, context)
  if (part)
    return noteOrigin(
      { ...part, ...ownMembers(block, part), ...cache },
      { place: context.lose.place() },
    )
  context.lose('dropped', '', block.mediaType)
  return { type: 'text', text: leftOut(block), ...cache }
}

/** Leftovers of the part, and of the object in it. */
function ownMembers(block: MediaBlock, part: JsonObject): JsonObject {
  const left = restOf(block)
  const type = textIn(part['type'])
  const inner = left[type]
  const value = part[type]
  return {
    ...left,
    ...(isObject(inner) && isObject(value) ? { [type]: { ...value, ...inner } } : {}),
  }
}

function writePart(block: MediaBlock, context: ElementContext): JsonObject | undefined {
  const { mediaType, source } = block
  const isFile = factsOf(block)['file'] === true
  if (mediaType.startsWith('audio/') && !isFile) return writeAudio(block, context)
  if (mediaType.startsWith('video/')) return undefined
  const isImage = mediaType.startsWith('image/') || (mediaType === '' && 'url' in source)
  if (isImage && !isFile && !('fileId' in source)) return writeImage(block, context)
  return writeFile(block, context)
}

function writeAudio(block: MediaBlock, context: ElementContext): JsonObject | undefined {
  const { mediaType, source, name } = block
  const { own: isOwn, lose } = context
  const bare = 'data' in source ? source.data : 'url' in source ? source.url : undefined
  if (isOwn && factsOf(block)['bare'] === true && bare !== undefined)
    return { type: 'input_audio', input_audio: bare }
  const format = isOwn ? mediaType.slice('audio/'.length) : audioFormat(mediaType)
  if (!('data' in source) || format === undefined) return undefined
  if (name !== undefined) lose('dropped', '.name')
  return { type: 'input_audio', input_audio: { data: source.data, format } }
}

function writeImage(block: MediaBlock, context: ElementContext): JsonObject | undefined {
  const { mediaType, source, detail, name } = block
  const { lose, own } = context
  // Addresses of another scheme, such as a bucket's, cannot be fetched by any server.
  if ('url' in source && !own && !/^https?:/i.test(source.url)) return undefined
  if (name !== undefined) lose('dropped', '.name')
  const url =
    'url' in source ? source.url : 'data' in source ? dataUrl(mediaType, source.data) : undefined
  if (url === undefined) return undefined
  if (factsOf(block)['bare'] === true) return { type: 'image_url', image_url: url }
  const spelledDetail = detail ?? factsOf(block)['detail']
  return {
    type: 'image_url',
    image_url: { url, ...(spelledDetail !== undefined && { detail: spelledDetail }) },
  }
}

/** Documents travel by value: no server of this dialect fetches their addresses. */
function writeFile(block: MediaBlock, context: ElementContext): JsonObject | undefined {
  const { mediaType, source, name, detail } = block
  if (detail !== undefined) context.lose('dropped', '.detail')
  const isNative = factsOf(block)['file'] === true
  if ('fileId' in source)
    return {
      type: 'file',
      file: { file_id: source.fileId, ...(name !== undefined && { filename: name }) },
    }
  if ('url' in source)
    return isNative
      ? {
          type: 'file',
          file: { file_data: source.url, ...(name !== undefined && { filename: name }) },
        }
      : undefined
  if (isNative && 'data' in source) {
    const data = factsOf(block)['bare'] === true ? source.data : dataUrl(mediaType, source.data)
    return {
      type: 'file',
      file: { file_data: data, ...(name !== undefined && { filename: name }) },
    }
  }
  const text = textOfMedia(block)
  if (text !== undefined) return writeDocument(block, text, context)
  if (!('data' in source)) return undefined
  const file_data = dataUrl(mediaType || PDF, source.data)
  return {
    type: 'file',
    file: { file_data, filename: name ?? `document.${fileExtension(mediaType)}` },
  }
}

/** Writes a plain-text document as text with its name around it. */
function writeDocument(
  { mediaType, name }: MediaBlock,
  text: string,
  { lose }: ElementContext,
): JsonObject {
  if (mediaType !== 'text/plain') lose('approximated', '.mediaType')
  return { type: 'text', text: saidDocument(name, text) }
}
