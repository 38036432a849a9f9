import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { isDecodable } from '../../src/model/media.ts'
import type { Block, MediaBlock } from '../../src/model/request.ts'
import { readMedia } from './media.ts'
import { opaque, readCode, readCodeResult } from './parts.ts'

/**
 * A part of a reply that comes whole, and is neither text nor a call. Replies are not checked beforehand, so
 * what does not have the shape it should have stays as it is. Undefined for a part that says nothing.
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
  return Object.keys(named).length > 0 ? opaque(part) : undefined
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
