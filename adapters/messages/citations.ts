import { defined, type Json, type JsonObject } from '../../src/json/json.ts'
import type { LoseOf } from '../../src/model/loss.ts'
import type { Citation } from '../../src/model/request.ts'
import { objectsIn, textIn, keep, restOf } from './dialect.ts'

/** The type of a citation with a URL. The other types point into documents of the request. */
const WEB = 'web_search_result_location'

export const readCitations = (value: Json | undefined): Citation[] =>
  objectsIn(value).map(readCitation)

/** A citation covers its whole text block. The members that say where it stands in its source are leftovers. */
export function readCitation(raw: JsonObject): Citation {
  const { type, cited_text, title, document_title, url, source, file_id, ...rest } = raw
  const { encrypted_index, ...others } = rest
  const link = url ?? source
  return {
    ...defined({
      url: typeof link === 'string' ? link : undefined,
      title: textIn(title ?? document_title) || undefined,
      fileId: textIn(file_id) || undefined,
      quote: textIn(cited_text) || undefined,
    }),
    ...keep({
      ...others,
      ...(textIn(type) !== WEB && { type: textIn(type) }),
      // `writeCitation` writes an empty index for a source of another dialect.
      ...(encrypted_index !== undefined && encrypted_index !== '' && { encrypted_index }),
    }),
  }
}

/** Whether an upstream of this dialect made the citation. The service checks the proof in it. */
export function isNativeCitation(citation: Citation): boolean {
  const { type, encrypted_index } = restOf(citation)
  return type !== undefined || encrypted_index !== undefined
}

/** Undefined, and reported, for a citation that is neither of this dialect nor of a web page. */
export function writeCitation(citation: Citation, lose: LoseOf): JsonObject | undefined {
  const { type, ...rest } = restOf(citation)
  const { url, title, fileId, quote } = citation
  if (type === undefined && url === undefined) return lose('dropped', '')
  if (citation.start !== undefined || citation.end !== undefined) lose('approximated', '')
  const base = { type: type ?? WEB, cited_text: quote ?? '' }
  if (type === undefined)
    return { ...base, url: url ?? '', title: title ?? null, encrypted_index: '', ...rest }
  if (type === 'search_result_location')
    return { ...base, source: url ?? '', title: title ?? null, ...rest }
  return { ...base, document_title: title ?? null, ...(fileId && { file_id: fileId }), ...rest }
}
