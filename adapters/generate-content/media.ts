import type { JsonObject } from '../../src/canonical/json.ts'
import type { Lose } from '../../src/canonical/loss.ts'
import type { MediaBlock, MediaSource } from '../../src/canonical/model.ts'
import { leftovers, members, note } from './dialect.ts'
import type { WireMedia } from './wire.ts'

/** `inlineData` or `fileData`; undefined for a part with neither. */
export function readMedia(part: WireMedia): MediaBlock | undefined {
  const { inlineData, fileData, ...rest } = part
  if (inlineData) {
    const { mimeType, data, displayName, ...more } = inlineData
    return {
      kind: 'media',
      mediaType: mimeType,
      source: { data },
      ...(typeof displayName === 'string' && { name: displayName }),
      ...leftovers({ ...rest, ...more, ...(displayName !== undefined && { '#named': true }) }),
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
    ...leftovers({
      ...rest,
      ...more,
      '#file': true,
      ...(displayName !== undefined && { '#named': true }),
    }),
  }
}

/** Inverse of `readMedia`. A place that the service cannot reach becomes a text that names it. */
export function writeMedia(block: MediaBlock, path: string, lose: Lose): JsonObject {
  const { source, mediaType } = block
  if (block.detail !== undefined) lose('dropped', `${path}.detail`)
  const named = note(block.ext, 'named') === true && block.name !== undefined
  if (block.name !== undefined && !named) lose('dropped', `${path}.name`)
  const name = named ? { displayName: block.name ?? '' } : {}
  const rest = members(block.ext)
  if ('data' in source) {
    const mimeType = mediaType === '' ? 'application/octet-stream' : mediaType
    return { ...rest, inlineData: { mimeType, data: source.data, ...name } }
  }
  if ('url' in source && (note(block.ext, 'file') === true || isReachable(source.url))) {
    const known = mediaType === '' || mediaType.endsWith('/*') ? {} : { mimeType: mediaType }
    return { ...rest, fileData: { ...known, fileUri: source.url, ...name } }
  }
  lose('approximated', `${path}.source`)
  return { text: inWords(source, mediaType) }
}

/** Films that the service knows by their pages, whose kind callers need not say. */
const VIDEO = /^https:\/\/(?:www\.)?youtu(?:be\.com|\.be)\//
/** What the service fetches by itself besides: its own files and cloud storage. */
const REACHABLE = /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/

const isReachable = (url: string): boolean => REACHABLE.test(url) || VIDEO.test(url)

function inWords(source: MediaSource, mediaType: string): string {
  if ('text' in source) return source.text
  const kind = mediaType.startsWith('image/') ? 'image' : 'file'
  return `[${kind}: ${'url' in source ? source.url : 'fileId' in source ? source.fileId : ''}]`
}
