import { defined, isObject, type JsonObject } from '../../src/json/json.ts'
import { isDecodable } from '../../src/model/media.ts'
import { isMinted } from '../../src/model/ids.ts'
import type { Block, MediaBlock } from '../../src/model/request.ts'
import { extWith, wireForm, ownLeftovers } from './members.ts'

const CALL = 'image_generation_call'
const USUAL = 'png'

/** A picture that the model drew; undefined for any other item, and for one without a picture. */
export function readDrawing(item: JsonObject): MediaBlock | undefined {
  const { result, id, type, status, output_format: format, ...rest } = item
  if (type !== CALL || typeof result !== 'string' || result === '') return undefined
  const ext = extWith(rest, { item: defined({ id, type, status, output_format: format }) })
  const mediaType = `image/${typeof format === 'string' ? format : USUAL}`
  return { kind: 'media', mediaType, source: { data: result }, ...(ext && { ext }) }
}

/** The same of a reply, in which it may be broken. */
export function readDrawn(item: JsonObject): MediaBlock | undefined {
  const drawing = readDrawing(item)
  return drawing && isDecodable(drawing) ? drawing : undefined
}

/** Inverse of `readDrawing`, for a request that came in this dialect. */
export function ownDrawing(block: Block): JsonObject | undefined {
  const item = block.kind === 'media' ? wireForm(block)['item'] : undefined
  if (block.kind !== 'media' || !isObject(item) || !('data' in block.source)) return undefined
  if (isMinted(item['id'])) return undefined
  return { ...item, ...ownLeftovers(block), result: block.source.data }
}

/** A drawing for a caller; undefined for media that are none. */
export function writeDrawing(block: MediaBlock, id: string): JsonObject | undefined {
  const { source, mediaType } = block
  if (!('data' in source) || !mediaType.startsWith('image/')) return undefined
  const format = mediaType.slice('image/'.length)
  return {
    id,
    type: CALL,
    status: 'completed',
    result: source.data,
    ...(format !== USUAL && { output_format: format }),
  }
}
