import { defined, toText, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Problem, ProblemKind } from '../../src/model/problem.ts'
import type { Block, Citation, FinishReason } from '../../src/model/request.ts'
import {
  keep,
  textIn,
  objectIn,
  objectsIn,
  numberIn,
  countIn,
  isAbsent,
  withoutAbsent,
} from './dialect.ts'
import { readProblem } from './problems.ts'

/** The word for each reason to finish. Clients know these words, and `function_call`. */
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
  pause: 'length',
  other: 'content_filter',
}

/** The kind of the failure that a word tells of. */
interface Failing {
  readonly fails: ProblemKind
}

/**
 * The words with which servers end a choice, lowercase and with underscores, and where each is from. A word that
 * `fails` says that the reply broke, whatever has come of it.
 */
export const ENDINGS = {
  // openai 7.57, `CompletionChoice`.
  stop: 'stop',
  length: 'length',
  content_filter: 'safety',
  tool_calls: 'tool-call',
  function_call: 'tool-call',
  // Together's API reference.
  eos: 'stop',
  // text-generation-inference, `FinishReason`.
  eos_token: 'stop',
  stop_sequence: 'stop-sequence',
  // Of messages, through gateways (LiteLLM, `_FINISH_REASON_MAP`).
  end_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'tool-call',
  refusal: 'refusal',
  content_filtered: 'safety',
  // Of Cohere (its clients' `FinishReason`), through gateways.
  complete: 'stop',
  tool_call: 'tool-call',
  error_toxic: 'safety',
  error_limit: { fails: 'bad-upstream' },
  user_cancel: { fails: 'cancelled' },
  timeout: { fails: 'timeout' },
  // Of Bedrock, through LiteLLM.
  guardrail_intervened: 'safety',
  // Of Gemini, through OpenRouter and LiteLLM.
  safety: 'safety',
  blocklist: 'safety',
  prohibited_content: 'safety',
  spii: 'safety',
  recitation: 'recitation',
  malformed_function_call: 'malformed-call',
  unexpected_tool_call: 'malformed-call',
  // Mistral's client, `FinishReason`.
  model_length: 'context-window',
  // OpenRouter's guide to errors, Mistral's client, vLLM (`FINISH_REASON_STRINGS`), Cohere.
  error: { fails: 'bad-upstream' },
  // Z.AI's API reference, Chat Completion.
  sensitive: 'safety',
  model_context_window_exceeded: 'context-window',
  network_error: { fails: 'bad-upstream' },
  // DeepSeek's API reference, Create Chat Completion.
  insufficient_system_resource: { fails: 'overloaded' },
  // DeepSeek, as its clients know it.
  aborted: { fails: 'bad-upstream' },
  // vLLM, and SGLang (`FINISH_ABORT`).
  abort: { fails: 'bad-upstream' },
  // vLLM, and Xiaomi's MiMo: cut because it went round in circles.
  repetition: 'other',
  repetition_truncation: 'other',
} satisfies Record<string, FinishReason | Failing>

const KNOWN = new Map<string, FinishReason | Failing>(Object.entries(ENDINGS))

/** The content of a choice, as far as it tells why the choice ended. */
export interface Seen {
  call: boolean
  refusal: boolean
}

/** The word with which a choice ends; empty without one. A value that is no text counts as an unknown word. */
const wordOf = ({ finish_reason: said }: JsonObject): string =>
  isAbsent(said) ? '' : (textIn(said) || toText(said ?? null)).toLowerCase().replaceAll('-', '_')

const isMalformedCall = ({ native_finish_reason: native }: JsonObject): boolean =>
  textIn(native).toLowerCase() === 'malformed_function_call'

export const hasError = ({ error }: JsonObject): boolean => Boolean(error) && !isAbsent(error)

/** The failure that a choice tells of: its own error (OpenRouter), or an end that means one. */
export function readFailure(choice: JsonObject, hasCalls: boolean): Problem | undefined {
  if (hasError(choice)) return readProblem(200, { error: choice['error'] ?? null })
  const word = wordOf(choice)
  const end = KNOWN.get(word)
  if (typeof end !== 'object' || (isMalformedCall(choice) && !hasCalls)) return undefined
  const message = `The upstream broke its reply off: ${word}.`
  return { kind: end.fails, message, ...(end.fails !== 'overloaded' && { retry: false }) }
}

export const hasCalls = (choice: JsonObject): boolean => {
  const { tool_calls, function_call } = objectIn(choice['message'])
  return objectsIn(tool_calls).length > 0 || !isAbsent(objectIn(function_call))
}

/** The members of a choice's message that say something. */
const saidIn = ({ message }: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(objectIn(message)).filter(([, value]) => !isAbsent(value) && value !== ''),
  )

/**
 * The choices of a reply that was to have one, where a server deals out the words and the calls of that one to several
 * (Claude at Copilot: HKUDS/nanobot#1555).
 */
export function joinCalls([first = {}, ...others]: readonly JsonObject[]): JsonObject[] {
  const whole = saidIn(first)
  const calls = objectsIn(whole['tool_calls'])
  let joined = first
  const rest = others.filter((other) => {
    const { role: _, tool_calls, ...said } = saidIn(other)
    const more = objectsIn(tool_calls)
    const isOther = more.length === 0 || !isDone(other)
    if (isOther || Object.keys(said).some((key) => key in whole)) return true
    calls.push(...more)
    Object.assign(whole, said)
    joined = { ...other, ...joined }
    return false
  })
  const isWhole = rest.length === others.length
  return [isWhole ? first : { ...joined, message: { ...whole, tool_calls: calls } }, ...rest]
}

/** Whether a choice says nothing else of its end than that it has come: a call may have been cut. */
const isDone = ({ finish_reason }: JsonObject): boolean =>
  isAbsent(finish_reason) || finish_reason === 'stop' || finish_reason === 'tool_calls'

/** Whether a choice of a body says that it failed, and nothing else. */
export const failsWithin = ({ choices }: JsonObject): boolean =>
  objectsIn(choices).some(
    (choice) =>
      readFailure(choice, hasCalls(choice)) !== undefined &&
      Object.entries(objectIn(choice['message'])).every(
        ([key, value]) => key === 'role' || isAbsent(value),
      ),
  )

/**
 * Whether a choice has ended for good: a failure behind its end does not undo it. Calls are yet to be carried out, and
 * an unknown word may mean anything.
 */
export function isSettled(choice: JsonObject, hasCalls: boolean): boolean {
  const end = KNOWN.get(wordOf(choice))
  if (typeof end !== 'string' || end === 'tool-call' || end === 'other') return false
  return !(hasCalls && REGULAR.has(end))
}

/** Reasons that the content of the reply may change. With any other one the reply was cut, perhaps in its last call. */
const REGULAR: ReadonlySet<FinishReason> = new Set(['stop', 'stop-sequence', 'tool-call'])

/** How a choice ended that did not fail. `unknown`: a word for which there is no reason. */
export function readFinish(
  choice: JsonObject,
  seen: Seen,
): { reason: FinishReason; sequence?: string; unknown?: string } {
  if (isMalformedCall(choice) && !seen.call) return { reason: 'malformed-call' }
  const word = wordOf(choice)
  const end = word === '' ? 'stop' : KNOWN.get(word)
  const reason = typeof end === 'string' ? end : 'other'
  if (reason === 'length' || reason === 'context-window') return { reason }
  if (seen.refusal) return { reason: 'refusal' }
  if (reason === 'other') return { reason, unknown: word }
  if (!REGULAR.has(reason)) return { reason }
  if (seen.call) return { reason: 'tool-call' }
  if (reason === 'tool-call') return { reason: 'stop' }
  // vLLM names the stop sequence that matched; a number is a token's.
  const sequence = textIn(choice['stop_reason'])
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
  if (reason === 'stop' && seen.call) word = 'tool_calls'
  if (reason === 'tool-call' && !seen.call) word = 'stop'
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
  const { stop_reason: _s, usage: _u, text: _t, error: _e, logprobs, ...rest } = others
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
