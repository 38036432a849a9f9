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
            // Of its own callers the service itself may judge it.
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
    // Says that the service itself can reach the place.
    ...keep(
      { ...rest, ...more },
      { facts: { file: true, ...(displayName !== undefined && { named: true }) } },
    ),
  }
}

/** The service takes base64 for URLs as well, which one of its own libraries writes; other services do not. */
const plainBase64 = (data: string): string => data.replaceAll('-', '+').replaceAll('_', '/')

export interface WriteMediaContext {
  path: string
  lose: Lose
  /** Whether the reader of the part fetches addresses on the web. */
  fetchesUrls: boolean
}

/**
 * Inverse of `readMedia`. A place that the service cannot reach becomes a text that names it, a document of
 * text becomes that text.
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

/** The kinds that the service has eyes and ears for. */
const TAKEN = /^(?:(?:audio|video|text)\/|image\/(?!svg)|application\/pdf$)/i

/** Films that the service knows by their pages, whose kind callers need not say. */
const VIDEO = /^https:\/\/(?:www\.)?youtu(?:be\.com|\.be)\//
/** What the service fetches by itself besides: its own files and cloud storage. */
const REACHABLE = /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/

/** What stands on the web it fetches too, since January 2026, where it has eyes and ears for the kind. */
function isReachable(url: string, type: string, fetchesUrls: boolean): boolean {
  if (REACHABLE.test(url) || VIDEO.test(url)) return true
  return fetchesUrls && /^https:/i.test(url) && (type === '' || TAKEN.test(type))
}

/** Of a caller that knows no more than that it is an image, the address may say the rest. */
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
