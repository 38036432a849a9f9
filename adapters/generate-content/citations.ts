import {
  amountIn,
  objectIn,
  listOf,
  isObject,
  toText,
  objectsOf,
  stringify,
  type Json,
  type JsonObject,
  textIn,
  withoutNulls,
} from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Citation, SearchBlock, Source } from '../../src/model/request.ts'
import { fingerprint } from '../../src/model/proof.ts'
import { keep, restOf } from './dialect.ts'

/** The sources that a candidate has named so far. Later metadata replaces earlier metadata. */
export interface Sources {
  take(candidate: JsonObject): void
  /**
   * The citations of a text that has ended, each only once. The last text also takes those whose place is not certain
   * (`isLast`). `parts` are known only in a whole reply: a stream does not number them.
   */
  citationsOf(text: string, isLast: boolean, parts?: Parts): Citation[]
  search(id: string): SearchBlock | undefined
  /** The pages that were opened. Their ids are made of `id` and their number. */
  pages(id: string): SearchBlock[]
  /** Whether there are sources that neither a citation nor a search has used. */
  hasMore(isSearched: boolean): boolean
}

/** The numbers of the first and the last part of a text. */
export interface Parts {
  first: number
  last: number
}

interface Support {
  key: string
  /** The number of its part. Undefined where it is absent, which also stands for the first part. */
  part: number | undefined
  text: string | undefined
  start: number
  end: number | undefined
  /** Undefined where the source is not listed. */
  citation: Citation | undefined
}

export function createSources(lose: Lose): Sources {
  let metadata: JsonObject = {}
  const pages = new Map<string, JsonObject>()
  const quoted: JsonObject[] = []
  const given = new Set<string>()
  const allowance = { searched: MOST_SEARCHED_CHARACTERS, repeated: MOST_REPEATED_CHARACTERS }
  /** Kept until new metadata comes. */
  let supports: Support[] | undefined
  let placed: PlacedSupports | undefined
  const isLeft = ({ key }: Support) => !given.has(key)
  /** The supports that no text has taken yet. */
  const open = () => {
    supports ??= readSupports(metadata, allowance, lose)
    return [...supports, ...quoted.map(quotation)].filter(isLeft)
  }
  const about = (parts?: Parts) => {
    placed ??= Map.groupBy(open(), ({ part }) => part)
    return supportsAbout(placed, parts, allowance).filter(isLeft)
  }
  return {
    take(candidate) {
      const { groundingMetadata, citationMetadata, urlContextMetadata } = candidate
      for (const page of listedPages(urlContextMetadata, lose))
        pages.set(textIn(page['retrievedUrl']), page)
      if (isObject(groundingMetadata)) {
        supports = placed = undefined
        metadata = { ...metadata, ...withoutNulls(groundingMetadata) }
      }
      if (!isObject(citationMetadata)) return
      const found = citationMetadata['citationSources'] ?? citationMetadata['citations']
      for (const source of objectsOf(found)) quoted.push(source)
    },
    citationsOf(text, isLast, parts) {
      const found = isLast ? open() : about(parts)
      if (found.length === 0) return []
      const offsets = createOffsets(text)
      return found.flatMap((support) => {
        const place = support.citation && locate(support, text, offsets, isLast && allowance)
        if (!place) return []
        given.add(support.key)
        return [{ ...support.citation, ...place }]
      })
    },
    search: (id) => readSearch(metadata, id),
    pages: (id) => [...pages.values()].map((page, place) => readPage(page, `${id}_${place}`)),
    hasMore: (isSearched) =>
      open().length > 0 || (!isSearched && saysMore(metadata, given.size > 0)),
  }
}

type PlacedSupports = ReadonlyMap<number | undefined, Support[]>

/**
 * The supports that may be about these parts. One that names a part is about no other, even if two texts begin with the
 * same words.
 */
function supportsAbout(
  placed: PlacedSupports,
  parts: Parts | undefined,
  allowance: Allowance,
): Support[] {
  if (allowance.searched < 0) return []
  const own: (number | undefined)[] = parts ? [undefined] : [...placed.keys()]
  if (parts) for (let at = parts.first; at <= parts.last; at += 1) own.push(at)
  const found = own.flatMap((part) => placed.get(part) ?? [])
  allowance.searched -= found.length * COMPARED_CHARACTERS
  return found
}

/** How much may still be searched for supports without a certain place, and how much of sources may be repeated. */
interface Allowance {
  searched: number
  repeated: number
}
/** The cost of a look whether a support is about a text, counted in characters that are searched. */
const COMPARED_CHARACTERS = 250
const MOST_SEARCHED_CHARACTERS = 50_000_000
const MOST_REPEATED_CHARACTERS = 4_000_000

function readSupports(metadata: JsonObject, allowance: Allowance, lose: Lose): Support[] {
  const chunks = objectsOf(metadata['groundingChunks'])
  const lengths = new Map<JsonObject, number>()
  const isAffordable = (chunk: JsonObject): boolean => {
    const known = lengths.get(chunk)
    if (known === undefined) lengths.set(chunk, stringify(chunk).length)
    else allowance.repeated -= known
    if (allowance.repeated < 0) lose('dropped', 'reply.citations', 'too much is said again')
    return allowance.repeated >= 0
  }
  return objectsOf(metadata['groundingSupports']).flatMap((support) => {
    const segment = objectIn(support['segment'])
    const key = fingerprint(stringify(segment))
    const said = readSegment(segment)
    return listOf(support['groundingChunkIndices']).map((index, place) => {
      const chunk = typeof index === 'object' ? undefined : chunks[Number(index)]
      const citation =
        chunk && isAffordable(chunk) ? readCitation(chunk, readScore(support, place)) : undefined
      return { key: `${key} ${toText(index)}`, ...said, citation }
    })
  })
}

function readSegment(segment: JsonObject): Pick<Support, 'part' | 'text' | 'start' | 'end'> {
  const { partIndex, startIndex, endIndex, text } = segment
  return {
    part: amountIn(partIndex) || undefined,
    text: typeof text === 'string' ? text : undefined,
    // The wire leaves out zeros.
    start: typeof startIndex === 'number' ? startIndex : 0,
    end: typeof endIndex === 'number' ? endIndex : undefined,
  }
}

function readScore(support: JsonObject, place: number): JsonObject {
  const score = listOf(support['confidenceScores'])[place]
  return score === undefined ? {} : { confidenceScore: score }
}

/** Reads a chunk: a page of the web or a piece of a stored document. */
function readCitation(chunk: JsonObject, rest: JsonObject): Citation {
  const { uri, title, text, ...more } = objectIn(Object.values(chunk).find(isObject))
  return {
    ...(typeof uri === 'string' && { url: uri }),
    ...(typeof title === 'string' && { title }),
    ...(typeof text === 'string' && { quote: text }),
    ...keep({ ...more, ...rest }),
  }
}

function quotation(source: JsonObject): Support {
  const { startIndex: _start, endIndex: _end, uri, title, ...rest } = source
  return {
    key: stringify(source),
    ...readSegment(source),
    text: undefined,
    citation: {
      ...(typeof uri === 'string' && { url: uri }),
      ...(typeof title === 'string' && { title }),
      ...keep(rest),
    },
  }
}

/** The place of a support in a text; undefined where it may belong to another text. */
function locate(
  support: Support,
  text: string,
  offsets: Offsets,
  isLast: Allowance | false,
): { start?: number; end?: number } | undefined {
  if (support.end !== undefined && support.end <= offsets.bytes) {
    const [start, end] = [offsets.toUnit(support.start), offsets.toUnit(support.end)]
    const isExact =
      support.text === undefined ? isLast !== false : text.slice(start, end) === support.text
    if (isExact && start <= end) return { start, end }
  }
  if (!isLast) return undefined
  if (support.text) isLast.searched -= text.length
  const found = support.text && isLast.searched > 0 ? text.indexOf(support.text) : -1
  return found < 0 || !support.text ? {} : { start: found, end: found + support.text.length }
}

function saysMore(metadata: JsonObject, isCited: boolean): boolean {
  const { webSearchQueries: _, groundingSupports: _supports, groundingChunks, ...rest } = metadata
  return Object.keys(rest).length > 0 || (!isCited && objectsOf(groundingChunks).length > 0)
}

function readSearch(metadata: JsonObject, id: string): SearchBlock | undefined {
  const { webSearchQueries, groundingChunks, groundingSupports: _supports, ...rest } = metadata
  const queries = listOf(webSearchQueries).filter((query) => typeof query === 'string')
  if (queries.length === 0) return undefined
  const sources = objectsOf(groundingChunks).flatMap((chunk): Source[] => {
    const { url, title, ext } = readCitation(chunk, {})
    return url === undefined
      ? []
      : [{ url, ...(title !== undefined && { title }), ...(ext && { ext }) }]
  })
  return { kind: 'search', id, queries, sources, ...keep(rest) }
}

function listedPages(said: Json | undefined, lose: Lose): JsonObject[] {
  const { urlMetadata, ...rest } = withoutNulls(objectIn(said))
  const pages = objectsOf(urlMetadata).filter((page) => textIn(page['retrievedUrl']) !== '')
  const isAll = pages.length === listOf(urlMetadata).length && Object.keys(rest).length === 0
  if (!isAll) lose('dropped', 'reply.urlContextMetadata')
  return pages
}

const READ = /^(?:URL_RETRIEVAL_STATUS_(?:SUCCESS|UNSPECIFIED))?$/

/** Reads a page. With any status but success the model has not read it (`UrlRetrievalStatus` of @google/genai 3.1). */
function readPage(page: JsonObject, id: string): SearchBlock {
  const { retrievedUrl, urlRetrievalStatus, ...rest } = page
  const status = textIn(urlRetrievalStatus)
  const isUsual = READ.test(status) || status === USUAL_FAILURE
  return {
    kind: 'search',
    id,
    queries: [],
    sources: [{ url: textIn(retrievedUrl) }],
    opened: READ.test(status) ? 'read' : 'failed',
    ...keep({ ...rest, ...(!isUsual && { urlRetrievalStatus: status }) }),
  }
}
const USUAL_FAILURE = 'URL_RETRIEVAL_STATUS_ERROR'

/** Inverse of `readPage`. */
export const writePage = (block: SearchBlock): JsonObject => ({
  retrievedUrl: block.sources[0]?.url ?? '',
  urlRetrievalStatus: block.opened === 'failed' ? USUAL_FAILURE : 'URL_RETRIEVAL_STATUS_SUCCESS',
  ...restOf(block),
})

/** A text with citations, and its place. */
export interface CitedText {
  text: string
  /** The number of its part in the whole reply. */
  part: number
  /** How many bytes of that part stand before the text. */
  bytesBefore: number
  offsets: Offsets
}

/** A segment repeats its text up to this length. Longer texts are repeated as far as `MOST_LONG_CHARACTERS` reaches. */
const SHORT_CHARACTERS = 300
const MOST_LONG_CHARACTERS = 100_000

/** Up to this many entries, each new one sends a snapshot. */
const FEW = 16

/** Gathers the sources of a reply. Inverse of `createSources`. */
export class Grounding {
  readonly #chunks: JsonObject[] = []
  /** The index of each source in the list of chunks. */
  readonly #places = new Map<string, number>()
  #longLeft = MOST_LONG_CHARACTERS
  /** The number of entries in the last snapshot before the end. */
  #written = 0
  readonly #supports: JsonObject[] = []
  readonly #queries: string[] = []
  readonly #found: string[] = []
  readonly #lose: Lose

  constructor(lose: Lose) {
    this.#lose = lose
  }

  /** Adds a citation. Its places count from the beginning of the text. */
  cite(citation: Citation, place: CitedText): void {
    if (citation.fileId !== undefined) this.#lose('dropped', 'reply.citations.fileId')
    // A web chunk has no member for the quoted text.
    if (citation.url !== undefined && citation.quote !== undefined)
      this.#lose('dropped', 'reply.citations.quote')
    const { offsets } = place
    const { start = 0, end = place.text.length } = citation
    const isRoomy = this.#hasRoom(end - start)
    this.#supports.push({
      segment: {
        ...(place.part > 0 && { partIndex: place.part }),
        startIndex: place.bytesBefore + offsets.toByte(start),
        endIndex: place.bytesBefore + offsets.toByte(end),
        ...(isRoomy && { text: place.text.slice(start, end) }),
      },
      groundingChunkIndices: [this.#chunk(writeChunk(citation))],
    })
  }

  /** Whether a citation may repeat its text. Thousands of citations of one long text would each repeat it. */
  #hasRoom(characters: number): boolean {
    if (characters <= SHORT_CHARACTERS) return true
    this.#longLeft -= characters
    if (this.#longLeft < 0) this.#lose('dropped', 'reply.citations.text', 'too long to be repeated')
    return this.#longLeft >= 0
  }

  search(block: SearchBlock): void {
    for (const query of block.queries) this.#queries.push(query)
    for (const { url, title } of block.sources) {
      this.#found.push(url)
      this.#chunk({ web: { uri: url, ...(title !== undefined && { title }) } })
    }
  }

  /** Whether the sources that were found differ from those that were cited: this dialect has one list for both. */
  get isMixed(): boolean {
    const found = this.#found.map((url) => chunkSource({ web: { uri: url } }))
    return this.#queries.length > 0 && this.#chunks.map(chunkSource).join() !== found.join()
  }

  /**
   * A snapshot for the middle of a stream. Undefined until the entries have about doubled, because each snapshot
   * repeats all entries before it.
   */
  interim(): JsonObject | undefined {
    const said = this.#chunks.length + this.#supports.length + this.#queries.length
    if (said < 2 * this.#written - FEW) return undefined
    this.#written = said
    return this.metadata()
  }

  /** The snapshot; undefined while there is nothing to write. */
  metadata(): JsonObject | undefined {
    if (this.#chunks.length === 0 && this.#queries.length === 0) return undefined
    return {
      ...(this.#queries.length > 0 && { webSearchQueries: [...this.#queries] }),
      ...(this.#chunks.length > 0 && { groundingChunks: [...this.#chunks] }),
      ...(this.#supports.length > 0 && { groundingSupports: [...this.#supports] }),
    }
  }

  /** The index of the chunk for a source, which is listed only once. */
  #chunk(chunk: JsonObject): number {
    const source = chunkSource(chunk)
    const known = this.#places.get(source)
    if (known === undefined) {
      this.#places.set(source, this.#chunks.length)
      return this.#chunks.push(chunk) - 1
    }
    const [before, after] = [chunkTitle(this.#chunks[known]), chunkTitle(chunk)]
    if (before === undefined) this.#chunks[known] = chunk
    else if (after !== undefined && after !== before) this.#lose('dropped', 'reply.citations.title')
    return known
  }
}

const chunkSource = (chunk: JsonObject): string =>
  stringify((isObject(chunk['web']) ? chunk['web']['uri'] : undefined) ?? chunk)

const chunkTitle = (chunk: JsonObject | undefined): Json | undefined =>
  isObject(chunk?.['web']) ? chunk['web']['title'] : undefined

function writeChunk({ url, title, quote }: Citation): JsonObject {
  const named = title === undefined ? {} : { title }
  if (url !== undefined) return { web: { uri: url, ...named } }
  return { retrievedContext: { ...named, ...(quote !== undefined && { text: quote }) } }
}

/**
 * Converts places in a text: the service counts UTF-8 bytes, the canonical model UTF-16 units. A table makes each
 * conversion one step; ASCII needs none.
 */
export interface Offsets {
  toUnit(byte: number): number
  toByte(unit: number): number
  bytes: number
}

export function createOffsets(text: string): Offsets {
  if (!/[^\0-\x7f]/.test(text)) return { toUnit: same, toByte: same, bytes: text.length }
  const byteAt = new Uint32Array(text.length + 1)
  let bytes = 0
  let unit = 0
  for (const character of text) {
    // The second half of a surrogate pair has the place of the first, so that no offset splits a character.
    byteAt.fill(bytes, unit, unit + character.length)
    bytes += utf8Width(character.codePointAt(0) ?? 0)
    unit += character.length
  }
  byteAt[unit] = bytes
  return {
    toByte: (at) => byteAt[Math.min(Math.max(at, 0), text.length)] ?? bytes,
    toUnit: (byte) => unitAt(byteAt, byte),
    bytes,
  }
}

const same = (offset: number): number => offset

function utf8Width(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

/** The first unit at or behind the byte. */
function unitAt(byteAt: Uint32Array, byte: number): number {
  let [low, high] = [0, byteAt.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((byteAt[middle] ?? 0) < byte) low = middle + 1
    else high = middle
  }
  return low
}
