import { pickMembers, defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Citation } from '../../src/model/request.ts'
import { memberCount, memberText, keep, restOf } from './dialect.ts'

const NAMED = new Set(['url', 'title', 'file_id', 'filename', 'start_index', 'end_index', 'index'])

/** Reads an annotation. A file citation has a point in the text, other citations have a range. */
export function readAnnotation(annotation: Json): Citation | undefined {
  if (!isObject(annotation)) return undefined
  const url = memberText(annotation, 'url')
  const usual = url === undefined ? 'file_citation' : 'url_citation'
  const kept = pickMembers(
    annotation,
    (key, value) => !NAMED.has(key) && !(key === 'type' && value === usual),
  )
  return defined({
    url,
    title: memberText(annotation, 'title') ?? memberText(annotation, 'filename'),
    fileId: memberText(annotation, 'file_id'),
    start: memberCount(annotation, 'start_index') ?? memberCount(annotation, 'index'),
    end: memberCount(annotation, 'end_index'),
    ...keep(kept),
  })
}

/** Whether the citation has the place and title that an annotation requires; otherwise these are made up. */
export function hasPlaceAndTitle(citation: Citation): boolean {
  const { url, title, start, end, quote } = citation
  if (quote !== undefined || start === undefined) return false
  if (restOf(citation)['type'] === 'file_path') return true
  return title !== undefined && (url === undefined || end !== undefined)
}

/** Undefined for a citation that names neither an address nor a file. */
export function writeAnnotation(citation: Citation, textLength: number): JsonObject | undefined {
  const { url, title = '', fileId, start = 0, end = textLength } = citation
  const { type, ...rest } = restOf(citation)
  const range = { start_index: start, end_index: end }
  if (url !== undefined) return { ...rest, type: 'url_citation', url, title, ...range }
  if (fileId === undefined) return undefined
  const file = { file_id: fileId, filename: title }
  if (type === 'container_file_citation')
    return {
      ...rest,
      container_id: memberText(rest, 'container_id') ?? '',
      type,
      ...file,
      ...range,
    }
  if (type === 'file_path') return { ...rest, type, file_id: fileId, index: start }
  return { ...rest, type: 'file_citation', ...file, index: start }
}
