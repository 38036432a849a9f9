import type { JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { leftOut, textOfMedia, typeByName } from '../../src/model/media.ts'
import type { MediaBlock } from '../../src/model/request.ts'
import { keep, restOf, factsOf } from './dialect.ts'
import type { WireMedia } from './wire.ts'

/** `inlineData` or `fileData`; undefined for a part with neither. */
export function readMedia(part: WireMedia): MediaBlock | undefined {
  const { inlineData, fileData, ...rest } = part
  if (inlineData) {
    const { mimeType, data, displayName, ...more } = inlineData
    return {
      kind: 'media',
      mediaType: mimeType,
      source: { data: plainBase64(data) },
      ...(typeof displayName === 'string' && { name: displayName }),
      ...keep(
        { ...rest, ...more },
        {
          facts: {
            // For callers of this dialect the service itself decides about the type.
            ...(!TAKEN.test(mimeType) && { taken: true }),
            ...(displayName !== undefined && { named: true }),
          },
        },
      ),
    }
  }
  if (!fileData) return undefined
  const { fileUri, displayName, ...typed } = fileData
  const { mimeType = VIDEO.test(fileUri) ? 'video/*' : '', ...more } = typed
  return {
    kind: 'media',
    mediaType: mimeType,
    source: { url: fileUri },
    ...(typeof displayName === 'string' && { name: displayName }),
    // The caller named a place that the service itself can reach.
    ...keep(
      { ...rest, ...more },
      { facts: { file: true, ...(displayName !== undefined && { named: true }) } },
    ),
  }
}

/** The service also accepts URL-safe base64, which one of its own libraries writes; other services do not. */
const plainBase64 = (data: string): string => data.replaceAll('-', '+').replaceAll('_', '/')

export interface WriteMediaContext {
  path: string
  lose: Lose
  /** Whether the upstream fetches addresses on the web. */
  fetchesUrls: boolean
}

/**
 * Inverse of `readMedia`. A place that the service cannot reach becomes a text that names it; a text document
 * becomes its text.
 */
export function writeMedia(block: MediaBlock, context: WriteMediaContext): JsonObject {
  const { path, lose, fetchesUrls } = context
  const { source, mediaType } = block
  if (block.detail !== undefined) lose('dropped', `${path}.detail`)
  const named = factsOf(block).named && block.name !== undefined
  if (block.name !== undefined && !named) lose('dropped', `${path}.name`)
  const name = named ? { displayName: block.name ?? '' } : {}
  const rest = restOf(block)
  const mimeType = mediaType === 'image/jpg' ? 'image/jpeg' : mediaType
  if ('data' in source && (factsOf(block).taken || TAKEN.test(mimeType)))
    return { ...rest, inlineData: { mimeType, data: source.data, ...name } }
  if ('url' in source) {
    const isFile = factsOf(block).file === true
    const type = typeAt(isFile ? '' : source.url, mimeType)
    const known = type !== '' && { mimeType: type }
    if (isFile || isReachable(source.url, type, fetchesUrls))
      return { ...rest, fileData: { ...known, fileUri: source.url, ...name } }
  }
  lose('approximated', `${path}.source`)
  return { text: textOfMedia(block) ?? inWords(block) }
}

/** The media types that the service understands. */
const TAKEN = /^(?:(?:audio|video|text)\/|image\/(?!svg)|application\/pdf$)/i

/** Video pages that the service knows; callers need not give their type. */
const VIDEO = /^https:\/\/(?:www\.)?youtu(?:be\.com|\.be)\//
/** Places that the service reaches itself: its own files and cloud storage. */
const REACHABLE = /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/

/** Since January 2026 the service also fetches web addresses, for the types that it understands. */
function isReachable(url: string, type: string, fetchesUrls: boolean): boolean {
  if (REACHABLE.test(url) || VIDEO.test(url)) return true
  return fetchesUrls && /^https:/i.test(url) && (type === '' || TAKEN.test(type))
}

/** The type by the ending of the address, where the caller said only that it is an image. */
function typeAt(url: string, mediaType: string): string {
  if (mediaType !== '' && !mediaType.endsWith('/*')) return mediaType
  const named = VIDEO.test(url) ? '' : typeByName(url)
  return named.startsWith(mediaType.slice(0, -1)) ? named : ''
}

function inWords(block: MediaBlock): string {
  const { source, mediaType } = block
  if ('data' in source) return leftOut(block)
  const kind = mediaType.startsWith('image/') ? 'image' : 'file'
  return `[${kind}: ${'url' in source ? source.url : 'fileId' in source ? source.fileId : ''}]`
}
