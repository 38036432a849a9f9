import type { BlockKey } from '../../src/model/cursor.ts'
import type { Tail } from '../../src/model/events.ts'
import { type JsonObject, isObject, type Json, objectsOf } from '../../src/json/json.ts'
import { saysError } from '../../src/problems/error-words.ts'
import type { Problem } from '../../src/model/problem.ts'
import { isDecodable } from '../../src/rules/media.ts'
import type { Block, MediaBlock } from '../../src/model/request.ts'
import type { Parts } from './citations.ts'
import { readMedia } from './media.ts'
import { opaquePart, readCode, readCodeResult } from './blocks.ts'

/** A text or thought that is still open. Each chunk brings the next piece. */
export interface OpenRun {
  kind: 'text' | 'reasoning'
  key: BlockKey
  text: string
  tail: Tail
  /** The proof has come, which ends the block. */
  isProven: boolean
  /** The numbers of its parts, in a whole reply. */
  parts: Parts | undefined
}

export interface PartialCall {
  key: BlockKey
  arguments: PartialArguments
}

export const NO_REPLY: Problem = {
  kind: 'bad-upstream',
  message: 'The upstream answered with something that is no reply.',
  retry: false,
}

/**
 * The path to the piece of text in a chunk, and the members beside it that change from chunk to chunk. Of these the
 * last value holds.
 */
export const PIECE = ['candidates', 0, 'content', 'parts', 0, 'text']
export const UNREAD = {
  counts: [
    ['usageMetadata', 'candidatesTokenCount'],
    ['usageMetadata', 'thoughtsTokenCount'],
    ['usageMetadata', 'totalTokenCount'],
    ['usageMetadata', 'candidatesTokensDetails', 0, 'tokenCount'],
  ],
}

/** The members of a chunk, of a candidate and of a part that are read, or that mean nothing in other dialects. */
export const CHUNK: ReadonlySet<string> = new Set([
  'candidates',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'promptFeedback',
  'createTime',
  'continuationToken',
  'error',
])
export const CANDIDATE: ReadonlySet<string> = new Set([
  'content',
  'finishReason',
  'finishMessage',
  'index',
  'groundingMetadata',
  'urlContextMetadata',
  'citationMetadata',
  'tokenCount',
  'logprobsResult',
])
export const PART: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
])

/** A chunk with none of these members says nothing about a reply. */
const MEMBERS = ['candidates', 'promptFeedback', 'usageMetadata', 'modelVersion', 'responseId']

export const saysSomething = (chunk: JsonObject): boolean =>
  MEMBERS.some((name) => chunk[name] !== undefined)

/** Whether a chunk is an error inside a good reply, in this dialect's shape or in that of a server in between. */
export function isFailing(chunk: JsonObject): boolean {
  if (chunk['error']) return true
  if ('candidates' in chunk || 'promptFeedback' in chunk || 'usageMetadata' in chunk) return false
  return saysError(chunk)
}

/**
 * Reads a whole part of a reply that is neither text nor a call. Replies are not validated, so a part of the wrong
 * shape is kept as it is. Undefined for a part without content.
 */
export function wholeBlock(part: JsonObject, codeId: string, lastCode: string): Block | undefined {
  const { thought, thoughtSignature: _signature, ...named } = part
  const { inlineData, fileData, executableCode, codeExecutionResult, ...rest } = named
  if (isObject(executableCode) && typeof executableCode['code'] === 'string') {
    const { code, language, id, ...more } = executableCode
    const wire = { code, ...text('id', id), ...scalar('language', language) }
    const block = readCode(wire, { ...rest, ...more })
    return { ...block, id: block.id || codeId }
  }
  if (isObject(codeExecutionResult)) {
    const { outcome, output, id, ...more } = codeExecutionResult
    const wire = { ...text('id', id), ...text('output', output), ...scalar('outcome', outcome) }
    const block = readCodeResult(wire, { ...rest, ...more })
    return { ...block, callId: block.callId || lastCode }
  }
  const media = thought === true ? undefined : mediaBlock(inlineData, fileData, rest)
  if (media && isDecodable(media)) return media
  return Object.keys(named).length > 0 ? opaquePart(part) : undefined
}

function mediaBlock(
  inlineData: Json | undefined,
  fileData: Json | undefined,
  rest: JsonObject,
): MediaBlock | undefined {
  if (isObject(inlineData)) {
    const { mimeType, data, displayName, ...more } = inlineData
    if (typeof mimeType !== 'string' || typeof data !== 'string') return undefined
    return readMedia({
      ...rest,
      inlineData: { ...more, mimeType, data, ...text('displayName', displayName) },
    })
  }
  if (!isObject(fileData)) return undefined
  const { fileUri, mimeType, ...more } = fileData
  if (typeof fileUri !== 'string' || fileUri === '') return undefined
  return readMedia({ ...rest, fileData: { ...more, fileUri, ...text('mimeType', mimeType) } })
}

const text = <K extends string>(key: K, value: Json | undefined): { [P in K]?: string } =>
  typeof value === 'string' ? ({ [key]: value } as { [P in K]?: string }) : {}

const scalar = <K extends string>(
  key: K,
  value: Json | undefined,
): { [P in K]?: string | number } =>
  typeof value === 'string' || typeof value === 'number'
    ? ({ [key]: value } as { [P in K]?: string | number })
    : {}

/**
 * Gathers arguments that come in pieces, where the caller asked for that. Each piece names its place by a JSON path. A
 * string may go on in the next piece.
 */
export interface PartialArguments {
  take(pieces: Json | undefined): void
  value(): JsonObject
}

export function partialArguments(): PartialArguments {
  const root: Container = new Map()
  return {
    take(pieces) {
      for (const piece of objectsOf(pieces)) put(root, piece)
    },
    value: () => toObject(root),
  }
}

/** An object or a list. The keys of a list are all numbers. */
type Container = Map<string | number, Container | Json>

const MAX_DEPTH = 100
const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g

function put(root: Container, piece: JsonObject): void {
  const path = piece['jsonPath']
  if (typeof path !== 'string') return
  const steps = [...path.matchAll(STEP)].map(([, name, index, single, double]) =>
    index === undefined ? (name ?? single ?? double ?? '') : Number(index),
  )
  const last = steps.pop()
  if (last === undefined || steps.length > MAX_DEPTH) return
  let place = root
  for (const step of steps) {
    const next = place.get(step)
    const inner: Container = next instanceof Map ? next : new Map()
    place.set(step, inner)
    place = inner
  }
  const value = readValue(piece)
  const before = place.get(last)
  const goesOn = typeof before === 'string' && typeof value === 'string'
  if (value !== undefined) place.set(last, goesOn ? before + value : value)
}

function readValue(piece: JsonObject): Json | undefined {
  const said = piece['stringValue'] ?? piece['numberValue'] ?? piece['boolValue']
  return said ?? ('nullValue' in piece ? null : undefined)
}

function toObject(container: Container): JsonObject {
  return Object.fromEntries([...container].map(([key, value]) => [String(key), toJson(value)]))
}

function toJson(value: Container | Json): Json {
  if (!(value instanceof Map)) return value
  const keys = [...value.keys()]
  if (keys.length === 0 || keys.some((key) => typeof key !== 'number')) return toObject(value)
  return [...value].toSorted(([a], [b]) => Number(a) - Number(b)).map(([, item]) => toJson(item))
}
