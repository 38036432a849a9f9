import { decodeBase64 } from './base64.ts'
import type { MediaBlock } from './model.ts'

const PLAIN = /^(?:text\/|application\/(?:json|xml|x-yaml|yaml|javascript)\b)/

/** What a document says that is nothing but text. */
export function textOfMedia({ mediaType, source }: MediaBlock): string | undefined {
  if ('text' in source) return source.text
  return 'data' in source && PLAIN.test(mediaType) ? decodeBase64(source.data) : undefined
}

const NO_BASE64 = /[^A-Za-z0-9+/=]|=[^=]/

/** False for data that was left out or cut: clients stumble that decode it. */
export const isDecodable = ({ source }: MediaBlock): boolean =>
  !('data' in source) ||
  (source.data !== '' && source.data.length % 4 === 0 && !NO_BASE64.test(source.data))

/** Stands where a medium was that a wire has no place for. */
export const leftOut = ({ mediaType, source, name }: MediaBlock): string =>
  `[${[mediaType || 'file', name, 'url' in source ? source.url : undefined].filter(Boolean).join(' ')} left out]`
