import type { Json, JsonObject } from '../../src/json/json.ts'
import { defined } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Block, Citation, FinishReason } from '../../src/model/request.ts'
import { keep, textIn, objectIn, objectsIn, numberIn, countIn, withoutAbsent } from './dialect.ts'

/** The finish reasons in the five words that clients know. */
const WORDS: Record<FinishReason, string> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'context-window': 'length',
  'tool-call': 'tool_calls',
  refusal: 'content_filter',
  safety: 'content_filter',
  recitation: 'content_filter',
  // `stop` would tell agents that the turn is over as it should be.
  'malformed-call': 'content_filter',
  pause: 'stop',
  other: 'content_filter',
}

/** Servers use more words than the five (Together: `eos`); an unknown word is taken for `stop`. */
export const FINISHES = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  length: 'length',
  max_tokens: 'length',
  model_length: 'context-window',
  tool_calls: 'tool-call',
  tool_use: 'tool-call',
  function_call: 'tool-call',
  content_filter: 'safety',
  refusal: 'refusal',
  sensitive: 'safety',
  recitation: 'recitation',
  malformed_function_call: 'malformed-call',
  error: 'other',
} satisfies Record<string, FinishReason>

const KNOWN = new Map<string, FinishReason>(Object.entries(FINISHES))

/** The content of a choice, as far as it tells why the choice ended. */
export interface Seen {
  call: boolean
  refusal: boolean
}

/** A refusal or calls decide over the word, except in a reply that was cut. */
export function readFinish(
  choice: JsonObject,
  seen: Seen,
): { reason: FinishReason; sequence?: string } {
  const { finish_reason, native_finish_reason, stop_reason } = choice
  const word = textIn(finish_reason).toLowerCase()
  const native = textIn(native_finish_reason).toLowerCase()
  if (native === 'malformed_function_call' && !seen.call) return { reason: 'malformed-call' }
  const reason = word === '' ? 'stop' : (KNOWN.get(word) ?? 'stop')
  // vLLM names the stop sequence that matched; a number is a token's.
  const sequence = textIn(stop_reason)
  if (reason === 'length') return { reason }
  if (seen.refusal) return { reason: 'refusal' }
  if (seen.call) return { reason: 'tool-call' }
  if (reason === 'tool-call') return { reason: 'stop' }
  return reason === 'stop' && sequence !== '' && !KNOWN.has(sequence)
    ? { reason: 'stop-sequence', sequence }
    : { reason }
}

/**
 * Inverse of `readFinish`: calls that can be carried out are announced, a refusal in words is a reply. `hasWords`: the
 * end itself is explained by a refusal.
 */
export function writeFinish(
  reason: FinishReason,
  seen: Seen,
  hasWords: boolean,
  lose: Lose,
): string {
  if (reason === 'refusal' && seen.refusal) return 'stop'
  let word = WORDS[reason]
  if (word === 'stop' && seen.call && reason === 'stop') word = 'tool_calls'
  if (word === 'tool_calls' && !seen.call) word = 'stop'
  const again = readFinish({ finish_reason: word }, { ...seen, refusal: seen.refusal || hasWords })
  if (again.reason !== reason) lose('approximated', 'reply.finish', reason)
  return word
}

/** The leftovers of a choice. */
export function choiceLeft(choice: JsonObject): JsonObject {
  const {
    index: _i,
    message: _m,
    delta: _d,
    finish_reason: _f,
    native_finish_reason: _n,
    ...others
  } = choice
  const { stop_reason: _s, usage: _u, text: _t, logprobs, ...rest } = others
  const { content: _content, ...more } = objectIn(logprobs)
  const left = withoutAbsent(more)
  return { ...withoutAbsent(rest), ...(Object.keys(left).length > 0 && { logprobs: left }) }
}

/** The leftovers of a reply. */
export function replyLeft(body: JsonObject): JsonObject {
  const {
    id: _id,
    object: _object,
    created: _created,
    model: _model,
    choices: _choices,
    ...others
  } = body
  const {
    usage: _usage,
    obfuscation: _padding,
    p: _p,
    error: _error,
    citations: _c,
    service_tier: _tier,
    ...rest
  } = others
  const { search_results: _results, system_fingerprint: _print, ...left } = rest
  return withoutAbsent(left)
}

/** Reads an annotation of a text. Start and end both 0 mean no range. */
export function readAnnotation(raw: JsonObject): Citation | undefined {
  const { type, url_citation, ...beside } = raw
  if (type !== 'url_citation' || typeof url_citation !== 'object') return undefined
  const { url, title, start_index, end_index, ...rest } = objectIn(url_citation)
  const start = countIn(start_index)
  const end = countIn(end_index)
  const hasRange = start !== undefined && end !== undefined && end > start
  return {
    ...defined({
      url: textIn(url) || undefined,
      title: textIn(title) || undefined,
      start: hasRange ? start : undefined,
      end: hasRange ? end : undefined,
    }),
    ...keep({ ...withoutAbsent(rest), ...withoutAbsent(beside) }),
  }
}

/**
 * Moves a citation of the whole content into the text that begins at `from`. Ranges count from the beginning of the
 * content, although a reader may make several texts of it. A citation of an earlier text loses its range.
 */
export function citationFrom({ start, end, ...bare }: Citation, from: number): Citation {
  if (start === undefined || end === undefined || start < from) return bare
  return { ...bare, start: start - from, end: end - from }
}

/** The citations of a whole content, each with its text; one without a range belongs to the last text. */
export function listCitations(
  blocks: readonly Block[],
  citations: readonly Citation[],
): Map<Block, Citation[]> {
  let from = 0
  const texts = blocks.flatMap((block) => {
    if (block.kind !== 'text') return []
    const place = { block, from, to: from + block.text.length }
    from = place.to
    return [place]
  })
  const cited = new Map<Block, Citation[]>()
  for (const citation of citations) {
    const within = textAt(texts, citation.start) ?? texts.at(-1)
    if (!within) continue
    const own = citationFrom(citation, within.from)
    const known = cited.get(within.block)
    if (known) known.push(own)
    else cited.set(within.block, [own])
  }
  return cited
}

/** The first text that ends behind a place, by bisection: there may be thousands. */
function textAt<T extends { to: number }>(
  texts: readonly T[],
  place: number | undefined,
): T | undefined {
  if (place === undefined) return undefined
  let [low, high] = [0, texts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((texts[middle]?.to ?? Infinity) > place) high = middle
    else low = middle + 1
  }
  return texts[low]
}

/** Inverse of `readAnnotation`. `from`: where the text begins in the content; `length`: its length. */
export function writeAnnotation(
  { url, title, start, end, quote }: Citation,
  { from, length }: { from: number; length: number },
  lose: Lose,
): JsonObject | undefined {
  if (url === undefined) return lose('dropped', 'reply.citations')
  if (quote !== undefined) lose('approximated', 'reply.citations')
  return {
    type: 'url_citation',
    url_citation: {
      start_index: from + (start ?? 0),
      end_index: from + (end ?? length),
      title: title ?? '',
      url,
    },
  }
}

/** Perplexity lists its sources beside the reply, without ranges. */
export function readSources(body: JsonObject): Citation[] {
  const results = objectsIn(body['search_results']).map(({ url, title, ...rest }) => ({
    ...defined({ url: textIn(url), title: textIn(title) || undefined }),
    ...keep(withoutAbsent(rest)),
  }))
  if (results.length > 0) return results.filter(({ url }) => url !== '')
  const { citations } = body
  const list: Json[] = Array.isArray(citations) ? citations : []
  return list.flatMap((url) => (typeof url === 'string' && url !== '' ? [{ url }] : []))
}

export const readIndex = (value: Json | undefined): number => numberIn(value) ?? 0
