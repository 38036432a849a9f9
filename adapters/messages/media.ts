import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { leftOut, textOfMedia } from '../../src/rules/media.ts'
import { invalid } from '../../src/model/problem.ts'
import type { Block, MediaBlock, MediaSource, OpaqueBlock } from '../../src/model/request.ts'
import {
  objectIn,
  objectsIn,
  readCache,
  factsOf,
  textIn,
  withoutNulls,
  writeCache,
  keep,
  opaque,
  restOf,
} from './dialect.ts'
import type { ElementContext } from './dialect.ts'

type Read = { mediaType: string; source: MediaSource; left: JsonObject }

/** Reads an image or a document. A block with an unknown source stays whole. */
export function readMedia(raw: JsonObject): MediaBlock | OpaqueBlock {
  const read = readSource(withoutNulls(objectIn(raw['source'])), raw['type'] === 'image')
  return read ? readAs(raw, read) : opaque(raw)
}

function readAs(raw: JsonObject, read: Read): MediaBlock {
  const { type: _, source: __, cache_control, title, citations, ...rest } = raw
  const cited = isObject(citations) && citations['enabled'] === true
  return {
    kind: 'media',
    mediaType: read.mediaType,
    source: read.source,
    ...(typeof title === 'string' && { name: title }),
    ...readCache(cache_control),
    ...keep({
      ...rest,
      ...(Object.keys(read.left).length > 0 && { source: read.left }),
      ...(cited && { citations }),
    }),
  }
}

/**
 * Reads a document in pieces as one block for each picture and one for the texts between two pictures. The last block
 * holds the whole document, which only this dialect gets back. Undefined for any other block.
 */
export function readPieces(raw: JsonObject): Block[] | undefined {
  if (raw['type'] !== 'document') return undefined
  const { type, content, ...left } = objectIn(raw['source'])
  if (type !== 'content') return undefined
  const pieces: MediaBlock[] = []
  const others: Json[] = []
  for (const piece of typeof content === 'string' ? [{ text: content }] : objectsIn(content)) {
    const { text } = piece
    const last = pieces.at(-1)
    const read = typeof text === 'string' ? textPiece(text, piece) : readMedia(piece)
    if (read.kind !== 'media') others.push(piece)
    else if (typeof text === 'string' && last && 'text' in last.source && !last.cache && !last.ext)
      pieces[pieces.length - 1] = { ...read, source: { text: `${last.source.text}\n${text}` } }
    else pieces.push(read)
  }
  const end = pieces.pop() ?? textPiece('', {})
  const { cache_control: _, ...document } = raw
  const rest = { ...left, ...(others.length > 0 && { content: others }) }
  const whole = readAs(raw, { ...end, left: rest })
  const { name } = whole
  return [
    ...pieces.map((piece) => ({
      ...piece,
      // An image block has no title.
      ...('text' in piece.source && name !== undefined && { name }),
      ...keep(restOf(piece), { facts: { inDocument: true } }),
    })),
    { ...end, ...whole, ...keep({ ...restOf(end), ...restOf(whole) }, { facts: { document } }) },
  ]
}

const textPiece = (text: string, piece: JsonObject): MediaBlock => {
  const { type: _, text: __, cache_control, ...rest } = piece
  return {
    kind: 'media',
    mediaType: 'text/plain',
    source: { text },
    ...readCache(cache_control),
    ...keep(rest),
  }
}

function readSource(raw: JsonObject, isImage: boolean): Read | undefined {
  const { type, media_type, data, url, file_id, ...left } = raw
  const of = (mediaType: string, source: MediaSource): Read => ({ mediaType, source, left })
  switch (type) {
    case 'base64':
      return of(textIn(media_type), { data: textIn(data) })
    case 'text':
      return of(textIn(media_type) || 'text/plain', { text: textIn(data) })
    case 'url':
      return of(isImage ? 'image/*' : 'application/pdf', { url: textIn(url) })
    case 'file':
      return of(isImage ? 'image/*' : '', { fileId: textIn(file_id) })
    default:
      return undefined
  }
}

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/**
 * Writes an image or a document. A medium that the service does not take becomes a text that names it, and is reported.
 */
export function writeMedia(block: MediaBlock, context: ElementContext): JsonObject {
  const { lose } = context
  const { document } = factsOf(block)
  if (document) return { ...document, ...writeCache(block.cache) }
  const wire = writeSource(block, context)
  if (!wire) {
    lose('dropped', '', block.mediaType)
    return { type: 'text', text: leftOut(block), ...writeCache(block.cache) }
  }
  if (block.detail !== undefined && block.detail !== 'auto') lose('dropped', '.detail')
  const { source: left, ...rest } = restOf(block)
  const source = { ...wire.source, ...objectIn(left) }
  const { name } = block
  const plainText = source['type'] === 'text' && left === undefined
  if (plainText && block.mediaType !== 'text/plain') lose('approximated', '.mediaType')
  if (wire.type === 'image' && name !== undefined) lose('dropped', '.name')
  return {
    type: wire.type,
    source,
    ...(wire.type === 'document' && name !== undefined && { title: name }),
    ...rest,
    ...writeCache(block.cache),
  }
}

interface Wire {
  type: 'image' | 'document'
  source: JsonObject
}

function writeSource(block: MediaBlock, context: ElementContext): Wire | undefined {
  const { source } = block
  const mediaType = block.mediaType === 'image/jpg' ? 'image/jpeg' : block.mediaType
  const isImage = mediaType.startsWith('image/')
  if ('data' in source) {
    const base64 = { type: 'base64', media_type: mediaType, data: source.data }
    if (IMAGES.includes(mediaType)) return { type: 'image', source: base64 }
    if (mediaType === 'application/pdf') return { type: 'document', source: base64 }
  }
  const text = textOfMedia(block)
  if (text !== undefined) return plain(text)
  if ('fileId' in source) {
    if (!source.fileId.startsWith('file_')) throw foreignFile(context.lose.place())
    context.betas.add(FILES_BETA)
    return {
      type: isImage ? 'image' : 'document',
      source: { type: 'file', file_id: source.fileId },
    }
  }
  return 'url' in source ? writeUrl(source.url, mediaType) : undefined
}

const plain = (text: string): Wire => ({
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: text },
})

export const FILES_BETA = 'files-api-2025-04-14'

const foreignFile = (path: string) =>
  invalid(
    `${path}: a file id is known only to the service that issued it; send the file's data or its URL`,
    path,
  )

/** The service fetches URLs only over https, and only images and PDFs. */
function writeUrl(url: string, mediaType: string): Wire | undefined {
  if (!/^https:/i.test(url)) return undefined
  const source = { type: 'url', url }
  const isPdf =
    mediaType === 'application/pdf' || (mediaType === '' && /\.pdf(?:[?#]|$)/i.test(url))
  if (isPdf) return { type: 'document', source }
  return mediaType === '' || mediaType.startsWith('image/') ? { type: 'image', source } : undefined
}
