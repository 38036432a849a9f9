import { decodeBase64 } from '../json/base64.ts'
import type { MediaBlock } from '../model/request.ts'

/** The type of a document whose type nothing tells. */
export const PDF = 'application/pdf'

const TYPES: ReadonlyMap<string, string> = new Map([
  ['pdf', PDF],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['json', 'application/json'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['svg', 'image/svg+xml'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
])

/** The type that the name of a file or an address implies; empty when it implies none. */
export function typeByName(name: string): string {
  const [path = ''] = name.split(/[?#]/, 1)
  return TYPES.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) ?? ''
}

export function fileExtension(mediaType: string): string {
  return [...TYPES].find(([, type]) => type === mediaType)?.[0] ?? 'bin'
}

/** Base64 data of a data URL; undefined for any other address. */
export function readDataUrl(url: string): { mediaType: string; data: string } | undefined {
  const comma = /^data:/i.test(url) ? url.indexOf(',') : -1
  if (comma < 0) return undefined
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  return parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64')
    ? { mediaType: mediaType || 'text/plain', data: url.slice(comma + 1) }
    : undefined
}

export const dataUrl = (mediaType: string, data: string): string =>
  `data:${mediaType};base64,${data}`

const PLAIN = /^(?:text\/|application\/(?:json|xml|x-yaml|yaml|javascript)\b)/

/** The text of a document that is nothing but text. */
export function textOfMedia({ mediaType, source }: MediaBlock): string | undefined {
  if ('text' in source) return source.text
  return 'data' in source && PLAIN.test(mediaType) ? decodeBase64(source.data) : undefined
}

/** The word of OpenAI's dialects for the format of a sound; undefined for one that they do not take. */
export function soundFormat(mediaType: string): 'wav' | 'mp3' | undefined {
  if (/^audio\/(?:mpeg|mp3)$/.test(mediaType)) return 'mp3'
  return /^audio\/(?:x-|vnd\.)?wave?$/.test(mediaType) ? 'wav' : undefined
}

/** A document of text as a text, with its name around it, in a dialect without such documents. */
export const saidDocument = (name: string | undefined, text: string): string =>
  name === undefined ? text : `<document name=${JSON.stringify(name)}>\n${text}\n</document>`

const NO_BASE64 = /[^A-Za-z0-9+/=]|=[^=]/

/** False for data that was left out or cut, at which clients that decode it fail. */
export const isDecodable = ({ source }: MediaBlock): boolean =>
  !('data' in source) ||
  (source.data !== '' && source.data.length % 4 === 0 && !NO_BASE64.test(source.data))

/** Stands in the place of a medium that a wire cannot carry. */
export const leftOut = ({ mediaType, source, name }: MediaBlock): string =>
  `[${[mediaType || 'file', name, 'url' in source ? source.url : undefined].filter(Boolean).join(' ')} left out]`

/** The same of a document of which only the name is known. */
export const leftOutFile = (name: string | undefined): string => `[${name || 'file'} left out]`

/** How media of a tool's result are announced where results are text: they stand behind all of them, as the user's. */
export const SHOWN_LABEL = 'Images returned by tool call '
export const shownLabel = (callId: string): string => `${SHOWN_LABEL}${callId}:`
