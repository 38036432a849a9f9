import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { nothingLost, lossesIn, type LoseOf } from '../../src/model/loss.ts'
import { leftOut, saidDocument, textOfMedia, typeByName } from '../../src/rules/media.ts'
import type { Block, MediaBlock, ToolResultBlock, Turn } from '../../src/model/request.ts'
import { rememberedEach } from '../../src/model/remembered.ts'
import { keep, restOf, factsOf } from './dialect.ts'
import type { WireMedia } from './wire.ts'

/** Reads `inlineData` or `fileData`; undefined for a part with neither. */
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
            // The service judges the types of media that its own callers send.
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

/** How closely the model looks at a picture, and the word for it in other dialects. */
const LEVELS: ReadonlyMap<Json | undefined, string> = new Map([
  ['MEDIA_RESOLUTION_UNSPECIFIED', 'auto'],
  ['MEDIA_RESOLUTION_LOW', 'low'],
  ['MEDIA_RESOLUTION_HIGH', 'high'],
  // Few models of other services look closer still.
  ['MEDIA_RESOLUTION_ULTRA_HIGH', 'high'],
])

/** How closely to look at each picture, by the level for all media; undefined for a level that no other dialect has. */
export function detailByLevel(level: Json | undefined): string | undefined {
  const detail = LEVELS.get(level)
  return detail === 'auto' ? undefined : detail
}

/** Whether there are media, and all are pictures. Other dialects cannot say how closely to look at other media. */
export function hasPicturesAlone(turns: readonly Turn[]): boolean {
  const shown = mediaEach(turns, [], nothingLost, () => mediaIn)
  return shown.includes('pictures') && !shown.includes('others')
}

const mediaEach = rememberedEach<Turn, 'pictures' | 'others' | undefined>()

function mediaIn({ blocks }: Turn): 'pictures' | 'others' | undefined {
  if (blocks.some((block) => block.kind === 'media' && !isPicture(block))) return 'others'
  return blocks.some(isPicture) ? 'pictures' : undefined
}

const isPicture = (block: Block): boolean =>
  block.kind === 'media' && block.mediaType.startsWith('image/')

/** Reads a medium with how closely to look at it. `general`: how closely to look at pictures that do not say it. */
export function readAsked(part: WireMedia, general: string | undefined): MediaBlock | undefined {
  const block = readLevel(part)
  const isPlain = block?.mediaType.startsWith('image/') && part['mediaResolution'] === undefined
  if (!block || !isPlain || general === undefined) return block
  const facts = { ...factsOf(block), general: true as const }
  return { ...block, detail: general, ...keep(restOf(block), { facts }) }
}

/** Reads a medium with its own level. A level that no other dialect has is a leftover. */
function readLevel(part: WireMedia): MediaBlock | undefined {
  const block = readMedia(part)
  const { mediaResolution: resolution, ...left } = restOf(block)
  if (!block || !isObject(resolution) || !block.mediaType.startsWith('image/')) return block
  const { level, ...others } = resolution
  const detail = LEVELS.get(level)
  if (detail === undefined || Object.keys(others).length > 0) return block
  const { ext: _, ...plain } = block
  const kept = keep(left, { facts: { ...factsOf(block), resolution } })
  return { ...plain, ...kept, ...(detail !== 'auto' && { detail }) }
}

/** Inverse of `readAsked`. */
function writeDetail(block: MediaBlock, { lose, levels }: WriteMediaContext): JsonObject {
  const { detail = 'auto', mediaType } = block
  const { resolution, general } = factsOf(block)
  if (general) return {}
  if (resolution) return { mediaResolution: resolution }
  if (detail === 'auto') return {}
  const most = 'MEDIA_RESOLUTION_ULTRA_HIGH'
  const level = detail === 'original' ? most : [...LEVELS].find(([, word]) => word === detail)?.[0]
  if (level && levels && mediaType.startsWith('image/')) return { mediaResolution: { level } }
  return lose('dropped', '.detail') ?? {}
}

/**
 * Makes base64 plain. The service also accepts URL-safe base64, which one of its own libraries writes; other services
 * do not.
 */
const plainBase64 = (data: string): string => data.replaceAll('-', '+').replaceAll('_', '/')

export interface WriteMediaContext {
  lose: LoseOf
  /** Whether the upstream fetches addresses on the web. */
  fetchesUrls: boolean
  /** Whether the model takes a level for each medium. */
  levels: boolean
}

/**
 * Inverse of `readMedia`. A place that the service cannot reach becomes a text that names it. A document of text
 * becomes its text.
 */
export function writeMedia(block: MediaBlock, context: WriteMediaContext): JsonObject {
  const { lose } = context
  const { name, source } = block
  const part = mediaPart(block, context)
  const text = part ? undefined : textOfMedia(block)
  const isTold = text !== undefined || factsOf(block).named || (!part && 'data' in source)
  if (name !== undefined && !isTold) lose('dropped', '.name')
  if (part) return part
  lose('approximated', '.source')
  return { text: text === undefined ? inWords(block) : saidDocument(name, text) }
}

function mediaPart(block: MediaBlock, context: WriteMediaContext): JsonObject | undefined {
  const { source, mediaType } = block
  const name = factsOf(block).named && block.name !== undefined && { displayName: block.name }
  const rest = { ...restOf(block), ...writeDetail(block, context) }
  const mimeType = mediaType === 'image/jpg' ? 'image/jpeg' : mediaType
  if ('data' in source && (factsOf(block).taken || TAKEN.test(mimeType)))
    return { ...rest, inlineData: { mimeType, data: source.data, ...name } }
  if (!('url' in source)) return undefined
  const isFile = factsOf(block).file === true
  const type = typeAt(isFile ? '' : source.url, mimeType)
  const known = type !== '' && { mimeType: type }
  return isFile || isReachable(source.url, type, context.fetchesUrls)
    ? { ...rest, fileData: { ...known, fileUri: source.url, ...name } }
    : undefined
}

/**
 * The types of media that may stand inside a response, at models that take a level for each medium (guide: multimodal
 * function responses).
 */
const HELD = /^(?:image\/(?:png|jpe?g|webp)|application\/pdf|text\/plain)$/

/** Whether the media of a result stand inside its response. */
export const isHeld = (block: ToolResultBlock, { levels }: WriteMediaContext): boolean =>
  factsOf(block).parts === true ||
  (levels &&
    block.content.every(
      (inner) => inner.kind !== 'media' || ('data' in inner.source && HELD.test(inner.mediaType)),
    ))

/** The media of a result. `held`: they stand inside its response, where no level can be given. */
export function writeMediaIn(
  { content }: ToolResultBlock,
  context: WriteMediaContext,
  held = false,
): JsonObject[] {
  const at = lossesIn(context.lose)
  const levels = context.levels && !held
  return content.flatMap((inner, index) =>
    inner.kind === 'media'
      ? [writeMedia(inner, { ...context, lose: at('.content', index), levels })]
      : [],
  )
}

/** The media types that the service understands. */
const TAKEN = /^(?:(?:audio|video|text)\/|image\/(?!svg)|application\/pdf$)/i

/** Pages of videos, which the service knows without their type. */
const VIDEO = /^https:\/\/(?:www\.)?youtu(?:be\.com|\.be)\//
/** Places that the service reaches itself: its own files and cloud storage. */
const REACHABLE = /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/

/** Since January 2026 the service also fetches web addresses, of the types that it understands. */
function isReachable(url: string, type: string, fetchesUrls: boolean): boolean {
  if (REACHABLE.test(url) || VIDEO.test(url)) return true
  return fetchesUrls && /^https:/i.test(url) && (type === '' || TAKEN.test(type))
}

/** The type of a medium. Its address tells, where the caller said nothing or only the kind. */
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
