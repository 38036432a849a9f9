import { defined, type Json, type JsonObject } from '../../src/json/json.ts'
import { audioFormat } from '../openai/audio.ts'
import {
  dataUrl,
  fileExtension,
  PDF,
  readDataUrl,
  saidDocument,
  typeByName,
} from '../../src/rules/media.ts'
import type { MediaBlock, MediaSource } from '../../src/model/request.ts'
import { restOf, factsOf, type Facts } from './dialect.ts'
import type { Members } from '../../src/model/ext.ts'

const IMAGE = 'image/*'
const AUTO = 'auto'

type Located = Pick<MediaBlock, 'mediaType' | 'source'>

function located(url: string, otherwise: string): Located {
  const inline = readDataUrl(url)
  if (inline) return { mediaType: inline.mediaType, source: { data: inline.data } }
  return { mediaType: typeByName(url) || otherwise, source: { url } }
}

export type ReadMedia = Omit<MediaBlock, 'kind'> & { facts?: Facts }

export function readImage(members: Members): ReadMedia | undefined {
  const nested = members.object('image_url') ?? members.object('image')
  const url = members.text('image_url') ?? members.text('image') ?? nested?.['url']
  const fileId = members.text('file_id')
  const detail = detailIn(members.text('detail') ?? nested?.['detail'])
  if (typeof url === 'string') return defined({ ...image(located(url, IMAGE)), detail })
  return fileId === undefined
    ? undefined
    : defined({ mediaType: IMAGE, source: { fileId }, detail })
}

/** An address in the place of an image leads to an image, whatever its ending. */
function image(place: Located): Located {
  const isOther = 'url' in place.source && !place.mediaType.startsWith('image/')
  return isOther ? { ...place, mediaType: IMAGE } : place
}

/** `auto` is the default, so it says nothing: the client's types demand a detail for every image. */
const detailIn = (detail: Json | undefined): string | undefined =>
  typeof detail === 'string' && detail !== AUTO ? detail : undefined

export function readFile(members: Members): ReadMedia | undefined {
  const name = members.text('filename')
  const data = members.text('file_data')
  const url = members.text('file_url')
  const fileId = members.text('file_id')
  const byName = typeByName(name ?? '')
  const facts: Facts = { file: true }
  if (data !== undefined) {
    const inline = readDataUrl(data)
    const mediaType = inline?.mediaType ?? (byName || PDF)
    const source = { data: inline?.data ?? data }
    return defined({ mediaType, source, name, facts: inline ? facts : { file: true, bare: true } })
  }
  if (url !== undefined) return defined({ ...located(url, byName || PDF), name, facts })
  return fileId === undefined
    ? undefined
    : defined({ mediaType: byName, source: { fileId }, name, facts })
}

export function readAudio(members: Members): ReadMedia | undefined {
  const audio = members.object('input_audio')
  const { data, format } = audio ?? {}
  if (typeof data !== 'string' || typeof format !== 'string') return undefined
  return { mediaType: `audio/${format}`, source: { data }, facts: { audio: format } }
}

/** Undefined for media that the dialect has no part for. */
export function writeMedia(block: MediaBlock): JsonObject | undefined {
  const { mediaType } = block
  if (factsOf(block).file) return writeFile(block)
  if (mediaType.startsWith('audio/')) return writeAudio(block)
  if (mediaType.startsWith('video/')) return undefined
  const isImage = mediaType.startsWith('image/') || (mediaType === '' && 'url' in block.source)
  const isFile = block.name !== undefined && !mediaType.startsWith('image/')
  return isImage && !isFile ? writeImage(block) : writeFile(block)
}

/** Servers that are built on the client's types refuse an image without `detail` (vLLM: vercel/ai#20300). */
function writeImage({ source, mediaType, detail, ...node }: MediaBlock): JsonObject | undefined {
  const place = imagePlace(source, mediaType)
  return place && { type: 'input_image', ...place, detail: detail ?? AUTO, ...restOf(node) }
}

function imagePlace(source: MediaSource, mediaType: string): JsonObject | undefined {
  if ('url' in source) return { image_url: source.url }
  if ('fileId' in source) return { file_id: source.fileId }
  return 'data' in source ? { image_url: dataUrl(mediaType, source.data) } : undefined
}

function writeFile({ source, mediaType, name, ...node }: MediaBlock): JsonObject {
  const rest = restOf(node)
  const named = name === undefined ? {} : { filename: name }
  if ('text' in source) return { type: 'input_text', text: saidDocument(name, source.text) }
  // A name beside an address is written only where a caller of this dialect sent both.
  const called = factsOf(node).file ? named : {}
  if ('url' in source) return { type: 'input_file', file_url: source.url, ...called, ...rest }
  if ('fileId' in source) return { type: 'input_file', file_id: source.fileId, ...named, ...rest }
  const isBare = factsOf(node).bare === true
  return {
    type: 'input_file',
    file_data: isBare ? source.data : dataUrl(mediaType || PDF, source.data),
    // The service refuses data without a file name.
    filename: name ?? `document.${fileExtension(mediaType)}`,
    ...rest,
  }
}

function writeAudio({ source, mediaType, ...node }: MediaBlock): JsonObject | undefined {
  const format = factsOf(node).audio ?? audioFormat(mediaType)
  if (!('data' in source) || format === undefined) return undefined
  const audio: Json = { data: source.data, format }
  return { type: 'input_audio', input_audio: audio, ...restOf(node) }
}
