import { OtherCandidates } from '../../src/model/candidates.ts'
import { Cursor, ENDED_EARLY, WORDLESS } from '../../src/model/cursor.ts'
import type { Event } from '../../src/model/events.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { hasLogprobs, readLogprobs } from '../../src/model/logprobs.ts'
import { isFailure, saysError } from '../../src/problems/error-words.ts'
import { toolNames, type ToolNames } from '../../src/rules/names.ts'
import type { Problem } from '../../src/model/problem.ts'
import type { Block, Citation, Logprob, Proof, Usage } from '../../src/model/request.ts'
import { DeltaHint, DONE } from '../../src/stream/wire-events.ts'
import type { Reader, ReadReplyContext, ServerFacts, WireEvent } from '../contract.ts'
import { CallReader, isCutJson, pieceOf, isOnlyContent, Speech } from './reader-blocks.ts'
import { DIALECT, TOOL_NAME, keep, textIn, objectIn, objectsIn, isAbsent } from './dialect.ts'
import { readDrawn } from './media.ts'
import { misshapen, readMessage } from './blocks.ts'
import { BAD_REPLY, readProblem } from './problems.ts'
import { unsigned } from './proofs.ts'
import {
  choiceLeft,
  hasCalls,
  hasError,
  isSettled,
  joinCalls,
  listCitations,
  readIndex,
  readAnnotation,
  readFailure,
  readFinish,
  readSources,
  replyLeft,
  type Seen,
} from './reply.ts'
import { readTier, readUsage } from './usage.ts'
import { raiseInput } from '../../src/rules/text-tools.ts'

/**
 * Adds an empty text to a reply without one, before its calls: the sources of a reply belong to a text (Perplexity).
 */
function withText(blocks: readonly Block[]): readonly Block[] {
  if (blocks.some(({ kind }) => kind === 'text')) return blocks
  const first = blocks.findIndex(({ kind }) => kind === 'tool-call')
  return blocks.toSpliced(first < 0 ? blocks.length : first, 0, { kind: 'text', text: '' })
}

/** Members that are not read: padding, and `created`, which Ollama changes in each chunk. */
const UNREAD = { counts: [['created']], noise: [['obfuscation'], ['p']] }

/** Reads a completion, whole or in chunks, of OpenAI and of servers that speak this dialect. */
export class CompletionReader implements Reader {
  // Of pieces that pass as bytes nothing is known but that they came.
  readonly hint = new DeltaHint(UNREAD, () => (this.#hasPieces = true))
  #hasPieces = false
  readonly #cursor = new Cursor()
  readonly #context: ReadReplyContext
  readonly #names: ToolNames
  readonly #server: ServerFacts
  readonly #speech: Speech
  readonly #calls: CallReader
  #usage: JsonObject | undefined
  #model = ''
  #tier: string | undefined
  readonly #left = new Map<string, Json>()
  #finish: JsonObject | undefined
  readonly #others: OtherCandidates
  #sources: JsonObject = {}
  /** Something of the reply has come. */
  #begun = false
  /** Something of the message has come that only its server has words for. */
  #isStrange = false

  constructor(context: ReadReplyContext) {
    this.#context = context
    this.#server = context.server ?? {}
    this.#names = toolNames(context.request, TOOL_NAME)
    this.#speech = new Speech(this.#cursor, this.#server)
    this.#calls = new CallReader(this.#cursor, this.#names, context)
    this.#others = new OtherCandidates(this.#cursor, context, () => new CompletionReader(context))
  }

  body(json: Json): Event[] {
    const choices = isObject(json) ? json['choices'] : undefined
    if (!isObject(json) || !Array.isArray(choices) || !isObject(choices[0]) || isFailed(json))
      this.#refuse(json)
    else this.#whole(json, objectsIn(choices))
    return this.#cursor.drain()
  }

  push(event: WireEvent): Event[] {
    if (event.data === DONE) this.#over(true)
    else this.#chunk(event)
    return this.#cursor.drain()
  }

  end(): Event[] {
    this.#over(false)
    return this.#cursor.drain()
  }

  #chunk({ name, data }: WireEvent): void {
    const body = Array.isArray(data) ? data[0] : data
    if (!isObject(body)) return this.#cursor.fail(BAD_REPLY)
    if (isFailing(body) || name === 'error') return this.#failed(body)
    // Chunks have no names: a server in between has sent this event.
    if (name !== undefined && !('choices' in body) && !('usage' in body)) return
    this.#take(body)
  }

  /** An error behind a good end does not undo the reply; only its usage is counted. */
  #failed(body: JsonObject): void {
    this.#count(body['usage'])
    if (!this.#isSettled()) this.#refuse(body)
  }

  #isSettled(): boolean {
    return this.#finish !== undefined && isSettled(this.#finish, this.#calls.count > 0)
  }

  #refuse(body: Json): void {
    this.#fail(isFailure(body) ? readProblem(200, body) : BAD_REPLY)
  }

  /** What is open stays open: half a call must not look like a whole one. */
  #fail(problem: Problem): void {
    this.#tellUsage()
    this.#cursor.fail(problem)
  }

  #take(body: JsonObject): void {
    this.#note(body)
    this.#count(body['usage'])
    const choices = objectsIn(body['choices'])
    for (const choice of choices) {
      const index = readIndex(choice['index'])
      if (index === 0) this.#choice(choice, body)
      else this.#others.push(index, this.#alone(choice))
    }
    const [choice, ...others] = choices
    const isAlone = choice && others.length === 0 && readIndex(choice['index']) === 0
    if (isAlone && !this.#finish && !hasLogprobs(tokensIn(choice)))
      this.#hintAt(objectIn(choice['delta']))
  }

  /** Hints that the next chunk will differ in this text alone. */
  #hintAt(delta: JsonObject): void {
    const piece = pieceOf(delta)
    if (!piece) return
    const isPlain = isOnlyContent(delta)
    this.hint.give(piece.place, (text) => {
      if (isPlain) this.#say(text)
      else this.#delta(piece.withText(text))
      return this.#cursor.drain()
    })
  }

  /** Takes a delta with nothing but content, as any delta is taken. */
  #say(content: string): void {
    this.#speech.say(content)
    if (this.#speech.isSpeaking) this.#calls.pause()
  }

  /** Takes id and model from the first chunk that has them; the first chunk of Copilot and Azure has neither. */
  #note(body: JsonObject): void {
    this.#id ||= textIn(body['id'])
    this.#model ||= textIn(body['model'])
    this.#leave(replyLeft(body))
    this.#tier = readTier(body['service_tier']) ?? this.#tier
    if (!isAbsent(body['citations']) || !isAbsent(body['search_results'])) this.#sources = body
  }
  #id = ''

  #choice(choice: JsonObject, body: JsonObject): void {
    this.#count(choice['usage'])
    const isMore = !this.#finish || goesOn(choice)
    if (isMore) this.#message(choice, body)
    this.#leave(choiceLeft(choice))
    const failure = this.#failureOf(choice)
    if (failure && hasError(choice) && !this.#isSettled()) return this.#fail(failure)
    this.#isOpen ||= isMore
    if (isAbsent(choice['finish_reason']) || !this.#isOpen) return
    this.#isOpen = false
    // Nothing undoes a failure. Its words and what it cost may follow.
    if (!this.#finish || !this.#failureOf(this.#finish)) this.#finish = choice
  }

  #failureOf(choice: JsonObject): Problem | undefined {
    return readFailure(choice, this.#calls.count > 0)
  }
  /** Whether the last piece of the message has no end behind it yet. */
  #isOpen = true

  #message(choice: JsonObject, body: JsonObject): void {
    this.#begin()
    this.#speech.weigh(readLogprobs(tokensIn(choice), this.#context.lose))
    const delta = objectIn(choice['delta'] ?? ('message' in body ? undefined : choice['message']))
    this.#delta(delta)
  }

  /** A candidate as the only one of its reply, without what belongs to all of them. */
  #alone(choice: JsonObject): JsonObject {
    this.#begin()
    const { usage: _, ...candidate } = choice
    return { id: this.#id, model: this.#model, choices: [{ ...candidate, index: 0 }] }
  }

  #begin(): void {
    if (this.#begun) return
    this.#begun = true
    this.#cursor.start(this.#id, this.#model)
  }

  #delta(delta: JsonObject): void {
    const { content, refusal, tool_calls, function_call, annotations, audio, ...beside } = delta
    const { role: _, images, ...others } = beside
    const {
      reasoning_content,
      reasoning,
      reasoning_text,
      reasoning_details,
      reasoning_opaque,
      extra_content,
      ...rest
    } = others
    const calls = objectsIn(tool_calls)
    this.#speech.think(
      { reasoning_content, reasoning, reasoning_text, reasoning_details, reasoning_opaque },
      (entry) => this.#calls.prove(entry),
    )
    this.#speech.say(content)
    if (extra_content !== undefined) this.#sign(extra_content)
    if (textIn(refusal) !== '') this.#speech.refuse(textIn(refusal))
    if (annotations) for (const raw of objectsIn(annotations)) this.#cite(raw)
    if (images) for (const image of objectsIn(images)) this.#speech.show(readDrawn(image))
    const legacy = function_call ? objectIn(function_call) : {}
    const isLegacy = Object.values(legacy).some((value) => !isAbsent(value))
    if (calls.length > 0 || isLegacy) this.#speech.pause()
    for (const call of calls) this.#calls.delta(call)
    if (isLegacy) this.#calls.legacy(legacy)
    if (textIn(content) !== '') this.#isWritten = true
    if (isObject(audio)) this.#hear(audio)
    if (calls.length === 0 && this.#speech.isSpeaking) this.#calls.pause()
    for (const [key, value] of Object.entries({ ...rest, ...misshapen(delta) }))
      if (!isAbsent(value)) this.#leaveSaid(key, value)
  }

  /** The transcript of sound is the text of a reply that has no other. */
  #hear(audio: JsonObject): void {
    this.#hasSound ||= hasWords(audio)
    this.#isSoundOver ||= !isAbsent(audio['expires_at'])
    if (!this.#isWritten) this.#speech.say(textIn(audio['transcript']))
  }
  #isWritten = false
  #hasSound = false
  /** OpenAI ends a reply of sound with the date until which it is kept, and with no reason. */
  #isSoundOver = false

  #sign(extra_content: Json | undefined): void {
    this.#speech.sign(extra_content)
    const left = unsigned(extra_content)
    if (Object.keys(left).length > 0) this.#leaveSaid('extra_content', left)
  }

  /** Keeps leftovers. It adds in place and never copies, because each chunk may bring some. */
  #leave(left: JsonObject): void {
    for (const [key, value] of Object.entries(left)) this.#left.set(key, value)
  }

  #leaveSaid(key: string, value: Json): void {
    this.#isStrange = true
    this.#left.set(key, value)
  }

  #cite(raw: JsonObject): void {
    const citation = readAnnotation(raw)
    if (citation) {
      this.#named.add(citation.url)
      this.#speech.cite(citation)
    } else this.#leaveSaid('annotations', [raw])
  }

  readonly #named = new Set<string | undefined>()

  /** Perplexity over OpenRouter lists sources that annotations have named already; these are left out. */
  #unnamed(sources: Citation[]): Citation[] {
    return sources.filter(({ url }) => !this.#named.has(url))
  }

  #count(usage: Json | undefined): void {
    if (!isObject(usage)) return
    this.#usage = usage
  }

  counts(): Usage | undefined {
    return this.#usage && readUsage(this.#usage, this.#server)
  }

  /** Ends the reply. `isSaid`: the stream said that it is over, and did not just stop. */
  #over(isSaid: boolean): void {
    if (this.#cursor.ended) return
    if (!this.#finish && !isSaid && !this.#isSoundOver) return this.#fail(ENDED_EARLY)
    if (!this.#finish && this.#isSilent()) return this.#cursor.fail(WORDLESS)
    if (!this.#finish && this.#calls.isCut) return this.#fail(ENDED_EARLY)
    const failure = this.#finish && this.#failureOf(this.#finish)
    if (failure) return this.#fail(failure)
    for (const citation of this.#unnamed(readSources(this.#sources))) this.#speech.cite(citation)
    const seen: Seen = { call: this.#calls.count > 0, refusal: this.#speech.hasRefused }
    this.#speech.end()
    if (this.#speech.unclaimed) this.#context.lose('dropped', 'reply.logprobs')
    this.#calls.end()
    this.#others.end(isSaid ? DONE : undefined)
    for (const proof of this.#calls.unclaimed())
      this.#cursor.whole(
        `lone ${proof.value}`,
        { kind: 'reasoning', text: '', redacted: true },
        { proof },
      )
    if (this.#hasSound) this.#cursor.whole('sound', SOUND)
    this.#end(this.#finish ?? {}, seen)
  }

  /** Whether nothing has been said; what a server says of the reply beside it does not count. */
  #isSilent(): boolean {
    const isTold = this.#speech.hasSpoken || this.#calls.count > 0
    return !isTold && !this.#isStrange && !this.#hasSound && !this.#hasPieces
  }

  #tellUsage(): void {
    const tier = this.#tier === undefined ? {} : { tier: this.#tier }
    if (this.#usage ?? this.#tier)
      this.#cursor.usage({ ...readUsage(this.#usage, this.#server), ...tier })
  }

  #end(choice: JsonObject, seen: Seen): void {
    this.#tellUsage()
    const { reason, sequence, unknown } = readFinish(choice, seen)
    if (unknown !== undefined) this.#context.lose('approximated', 'reply.finish', unknown)
    const { ext } = keep(Object.fromEntries(this.#left))
    this.#cursor.finish(reason, { stopSequence: sequence, ext })
    this.#cursor.done()
  }

  #whole(json: JsonObject, choices: JsonObject[]): void {
    const isOne = (this.#context.request.sampling.candidateCount ?? 1) === 1
    const [choice = {}, ...others] = choices.length > 1 && isOne ? joinCalls(choices) : choices
    this.#cursor.start(textIn(json['id']), textIn(json['model']))
    this.#count(json['usage'] ?? choice['usage'])
    this.#tier = readTier(json['service_tier'])
    const failure = readFailure(choice, hasCalls(choice))
    if (failure) return this.#fail(failure)
    others.forEach((other, place) => this.#others.body(place + 1, this.#alone(other)))
    const { annotations, audio: sound, ...written } = objectIn(choice['message'])
    const audio = objectIn(sound)
    const message = isAbsent(written['content'])
      ? { ...written, content: textIn(audio['transcript']) }
      : written
    const said = readMessage(this.#speech.untagged(message), () => this.#context.newId('call_'))
    const named = objectsIn(annotations).flatMap((raw) => readAnnotation(raw) ?? [])
    for (const { url } of named) this.#named.add(url)
    if (isAbsent(choice['finish_reason']) && said.blocks.some(isCutCall))
      return this.#fail(ENDED_EARLY)
    const citations = [...named, ...this.#unnamed(readSources(json))]
    const blocks = citations.length > 0 ? withText(said.blocks) : said.blocks
    const cited = listCitations(blocks, citations)
    const logprobs = readLogprobs(tokensIn(choice), this.#context.lose)
    const weighed = blocks.find(({ kind }) => kind === 'text')
    if (logprobs.length > 0 && !weighed) this.#context.lose('dropped', 'reply.logprobs')
    for (const [key, block] of blocks.entries())
      this.#block(key, block, cited.get(block) ?? [], block === weighed ? logprobs : [])
    const seen: Seen = {
      call: blocks.some(({ kind }) => kind === 'tool-call'),
      refusal: blocks.some(({ kind }) => kind === 'refusal'),
    }
    const files = objectsIn(annotations).filter((raw) => !readAnnotation(raw))
    const strange: JsonObject = {
      ...said.rest,
      ...(files.length > 0 && { annotations: files }),
      ...(annotations && !Array.isArray(annotations) && { annotations }),
    }
    this.#leave({ ...replyLeft(json), ...choiceLeft(choice), ...strange })
    if (hasWords(audio)) this.#cursor.whole('sound', SOUND)
    const isSilent = blocks.length === 0 && Object.keys(strange).length === 0 && !hasWords(audio)
    if (isSilent && isAbsent(choice['finish_reason'])) return this.#cursor.fail(WORDLESS)
    this.#end(choice, seen)
  }

  #block(
    key: number,
    block: Block,
    citations: readonly Citation[],
    logprobs: readonly Logprob[],
  ): void {
    if (block.kind === 'tool-call') return this.#call(key, block)
    const { proof, ...bare } = 'proof' in block ? block : { ...block, proof: undefined }
    this.#cursor.open(key, bare as Block)
    this.#cursor.weigh(key, logprobs)
    for (const citation of citations) this.#cursor.cite(key, citation)
    this.#cursor.close(key, proof ? { proof } : {})
  }

  #call(key: number, { proof, ...call }: Block & { kind: 'tool-call'; proof?: Proof }): void {
    const tool = this.#names.fromWire(call.name)
    const isWrapped = tool.form === 'text' && call.form === 'json'
    const form = call.form === 'text' ? { form: call.form } : {}
    const opened = { ...call, ...tool, ...form, ...(proof && { proof }) }
    this.#cursor.open(key, opened, isWrapped ? raiseInput : undefined)
    this.#cursor.close(key)
  }
}

/**
 * Whether a choice that has ended says more. Libraries (openai 7.57, AI SDK) add that to the reply, and go by the last
 * end. OpenRouter only repeats the end beside the usage, which is no more.
 */
const goesOn = (choice: JsonObject): boolean =>
  hasLogprobs(tokensIn(choice)) ||
  Object.entries(objectIn(choice['delta'])).some(
    ([key, value]) => key !== 'role' && !isAbsent(value),
  )

/** The log probabilities of the content, as they came. */
const tokensIn = (choice: JsonObject): Json | undefined => objectIn(choice['logprobs'])['content']

const hasWords = (audio: JsonObject): boolean =>
  Object.values(audio).some((value) => !isAbsent(value))

/** The sound of a reply, which no other dialect can be told. */
const SOUND: Block = { kind: 'opaque', dialect: DIALECT, value: { type: 'audio' } }

const isCutCall = (block: Block): boolean =>
  block.kind === 'tool-call' && block.form === 'json' && isCutJson(block.input)

/** Whether a chunk tells of a failure. */
const isFailing = (body: JsonObject): boolean =>
  hasError(body) || (isAbsent(body['choices']) && saysError(body))

/** Whether the body tells of a failure and holds nothing of a reply that has ended well. */
const isFailed = (body: JsonObject): boolean =>
  hasError(body) &&
  objectsIn(body['choices']).every(
    (choice) =>
      isAbsent(objectIn(choice['message'])['content']) || !isSettled(choice, hasCalls(choice)),
  )
