import { defined, isObject, type Json, type JsonObject } from '../../src/canonical/json.ts'
import type { Citation } from '../../src/canonical/model.ts'
import { extWith, Members, restOf } from './members.ts'

/** The index of a file citation is a point in the text, that of the others a range. */
export function readAnnotation(annotation: Json): Citation | undefined {
  if (!isObject(annotation)) return undefined
  const members = new Members(annotation)
  const url = members.text('url')
  const fileId = members.text('file_id')
  const type = members.peek('type')
  if (type === (url === undefined ? 'file_citation' : 'url_citation')) members.any('type')
  return defined({
    url,
    title: members.text('title') ?? members.text('filename'),
    fileId,
    start: members.number('start_index') ?? members.number('index'),
    end: members.number('end_index'),
    ext: extWith(members.rest(), {}),
  })
}

/** Whether an annotation can say it as it is: without a place or a title, one is made up. */
export function isWhole({ url, title, start, end, quote }: Citation): boolean {
  if (quote !== undefined || start === undefined || title === undefined) return false
  return url === undefined || end !== undefined
}

/** Undefined for a citation that names neither an address nor a file. */
export function writeAnnotation(citation: Citation, textLength: number): JsonObject | undefined {
  const { url, title, fileId, start = 0, end } = citation
  const rest = restOf(citation)
  if (url !== undefined) {
    const range = { start_index: start, end_index: end ?? textLength }
    return { type: 'url_citation', url, title: title ?? '', ...range, ...rest }
  }
  if (fileId === undefined) return undefined
  if (rest['type'] === 'container_file_citation') {
    const range = { start_index: start, end_index: end ?? textLength }
    return { container_id: '', file_id: fileId, filename: title ?? '', ...range, ...rest }
  }
  if (rest['type'] === 'file_path') return { file_id: fileId, index: start, ...rest }
  return { type: 'file_citation', file_id: fileId, filename: title ?? '', index: start, ...rest }
}
