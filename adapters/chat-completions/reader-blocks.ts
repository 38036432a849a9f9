import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Path } from '../../src/json/outline.ts'
import type { Cursor } from '../../src/model/cursor.ts'
import { append } from '../../src/model/logprobs.ts'
import type { ToolNames } from '../../src/rules/names.ts'
import type { Block, Citation, Logprob, Proof } from '../../src/model/request.ts'
import { raiseInput } from '../../src/rules/text-tools.ts'
import type { ReadReplyContext, ServerFacts } from '../contract.ts'
import { argumentsText, isThinking, readCall, readContent, thinkingText } from './blocks.ts'
import { textIn, objectIn, objectsIn, numberIn, isAbsent, withoutNulls } from './dialect.ts'
import {
  callIdIn,
  isOwnEntry,
  continues,
  isProven,
  toProof,
  readExtraContent,
  readProofText,
  readWords,
} from './proofs.ts'
import { citationFrom } from './reply.ts'
import { TagReader, ownProofMembers, thoughtIn, untag } from './thoughts.ts'
import { grown } from '../../src/rules/growing.ts'

type Kind = 'text' | 'reasoning' | 'refusal'

interface Thinking {
  reasoning_content?: Json | undefined
  reasoning?: Json | undefined
  reasoning_text?: Json | undefined
  reasoning_details?: Json | undefined
  reasoning_opaque?: Json | undefined
}

/** Text, thoughts and refusals of one reply as they arrive. Each block goes on until another one begins. */
export class Speech {
  readonly #cursor: Cursor
  readonly #tags: TagReader | undefined
  #open: { kind: Kind; key: string; from: number } | undefined
  #count = 0
  /** The length of the content so far. */
  #length = 0
  /** The entries of the open thought, pieces put together. */
  #entries: JsonObject[] = []
  #opaque = ''
  /** The proof of the text, which may come after it in a chunk of its own (any-llm#1320). */
  #signature: Proof | undefined
  #logprobs: Logprob[] = []
  hasRefused = false

  constructor(cursor: Cursor, { thinkTags }: ServerFacts) {
    this.#cursor = cursor
    if (thinkTags === 'reasoning') this.#tags = new TagReader()
  }

  get hasSpoken(): boolean {
    return this.#count > 0
  }

  get isSpeaking(): boolean {
    return this.#open !== undefined
  }

  /** `prove` hands the entry to its call and returns false if no such call is known. */
  think(said: Thinking, prove: (entry: JsonObject) => boolean): void {
    const entries = objectsIn(said.reasoning_details)
    for (const entry of entries) this.#entry(entry, prove)
    // Servers that send entries and plain text say the same thought twice.
    const isTold = entries.some((entry) => readWords(entry) !== '')
    const plain = thoughtIn(said)
    if (plain !== '' && !isTold) this.#piece('reasoning', plain)
    this.#opaque ||= textIn(said.reasoning_opaque)
  }

  /** Takes the `extra_content` of a message, where it is a proof of its text. */
  sign(beside: Json | undefined): void {
    this.#signature = readExtraContent(beside).proof ?? this.#signature
  }

  say(content: Json | undefined): void {
    if (typeof content === 'string') return this.#text(content)
    if (Array.isArray(content)) for (const part of content) this.#part(part)
  }

  /** A part is read as in a whole message. */
  #part(part: Json): void {
    if (isObject(part) && isThinking(part)) return this.#piece('reasoning', thinkingText(part))
    for (const block of readContent([part])) {
      if (block.kind === 'refusal') this.refuse(block.text)
      else if (block.kind === 'text') this.#text(block.text)
      else this.show(block)
    }
  }

  /** Says what comes whole. */
  show(block: Block): void {
    this.#close()
    this.#count += 1
    this.#cursor.whole(`part ${this.#count}`, block)
  }

  /** Takes log probabilities of a text that comes with them, or has come. */
  weigh(logprobs: readonly Logprob[]): void {
    append(this.#logprobs, logprobs)
  }

  #weigh(): void {
    if (this.#logprobs.length === 0 || this.#open?.kind !== 'text') return
    this.#cursor.weigh(this.#open.key, this.#logprobs)
    this.#logprobs = []
  }

  /** Whether there are log probabilities for which no text has come. */
  get unclaimed(): boolean {
    return this.#logprobs.length > 0
  }

  refuse(text: string): void {
    this.hasRefused = true
    this.#piece('refusal', text)
  }

  cite(citation: Citation): void {
    if (this.#open?.kind !== 'text') this.#begin('text')
    if (this.#open) this.#cursor.cite(this.#open.key, citationFrom(citation, this.#open.from))
  }

  /** Ends the open block. */
  pause(): void {
    this.#close()
  }

  end(): void {
    for (const { kind, text } of this.#tags?.end() ?? []) this.#piece(kind, text)
    if (this.#opaque !== '' && this.#open?.kind !== 'reasoning') this.#begin('reasoning')
    else if (this.#signature && this.#open?.kind !== 'text') this.#begin('text')
    this.#close()
  }

  /** Takes thoughts in tags out of the content of a whole message. */
  untagged(message: JsonObject): JsonObject {
    const { content } = message
    if (!this.#tags || typeof content !== 'string') return message
    const { thought, text } = untag(content)
    return thought === '' ? message : { ...message, content: text, reasoning_content: thought }
  }

  #text(text: string): void {
    if (text === '') return
    if (!this.#tags) return this.#piece('text', text)
    for (const piece of this.#tags.push(text)) this.#piece(piece.kind, piece.text)
  }

  #piece(kind: Kind, text: string): void {
    if (text === '') return
    if (this.#open?.kind !== kind) this.#begin(kind)
    if (kind === 'text') this.#weigh()
    if (this.#open) this.#cursor.delta(this.#open.key, text)
    if (kind === 'text') this.#length += text.length
  }

  #begin(kind: Kind, redacted = false): void {
    this.#close()
    const key = `${kind} ${this.#count}`
    this.#count += 1
    const block: Block =
      kind === 'reasoning'
        ? { kind, text: '', ...(redacted && { redacted: true as const }) }
        : { kind, text: '' }
    this.#cursor.open(key, block)
    this.#open = { kind, key, from: this.#length }
  }

  #close(proof?: Proof): void {
    const open = this.#open
    if (!open) return
    this.#weigh()
    this.#open = undefined
    const proven = proof ?? this.#proofOf(open.kind)
    this.#entries = []
    this.#cursor.close(open.key, proven ? { proof: proven } : {})
  }

  #proofOf(kind: Kind): Proof | undefined {
    if (kind === 'reasoning') return this.#proof()
    const signature = kind === 'text' ? this.#signature : undefined
    if (signature) this.#signature = undefined
    return signature
  }

  #proof(): Proof | undefined {
    if (isProven(this.#entries)) return toProof(this.#entries)
    if (this.#opaque === '') return undefined
    const proof = ownProofMembers({ reasoning_opaque: this.#opaque })
    this.#opaque = ''
    return proof
  }

  #entry(entry: JsonObject, prove: (entry: JsonObject) => boolean): void {
    if (isOwnEntry(entry)) return this.#ownEntry(entry, prove)
    if (entry['type'] === 'reasoning.encrypted' && prove(entry)) return
    const merged = this.#merged(entry)
    if (!merged && !continues(this.#entries, entry)) this.#close()
    const words = readWords(entry)
    if (this.#open?.kind !== 'reasoning') this.#begin('reasoning', words === '')
    if (merged) this.#entries = merged
    else this.#entries.push(entry)
    if (words !== '' && this.#open) this.#cursor.delta(this.#open.key, words)
  }

  /** Joins pieces of one entry: same type and index. The signature comes in a piece without words. */
  #merged(entry: JsonObject): JsonObject[] | undefined {
    const last = this.#entries.at(-1)
    if (!last || this.#open?.kind !== 'reasoning' || entry['type'] === 'reasoning.encrypted')
      return undefined
    if (last['type'] !== entry['type'] || last['index'] !== entry['index']) return undefined
    if (textIn(last['signature']) !== '') return undefined
    const member = entry['type'] === 'reasoning.summary' ? 'summary' : 'text'
    const words = textIn(last[member]) + textIn(entry[member])
    const given = withoutNulls(entry)
    return [
      ...this.#entries.slice(0, -1),
      { ...last, ...given, ...(words !== '' && { [member]: words }) },
    ]
  }

  /** Reads an entry that another dragoman, behind the upstream, has made. It comes when its block ends. */
  #ownEntry(entry: JsonObject, prove: (entry: JsonObject) => boolean): void {
    const proof = readProofText(textIn(entry['signature']) || textIn(entry['data']))
    const kind = /^(thought|redacted|text)_/.exec(textIn(entry['id']))?.[1]
    if (entry['type'] === 'reasoning.encrypted' && kind === undefined) {
      prove(entry)
      return
    }
    const text = textIn(entry['text'])
    if (text !== '') this.#piece('reasoning', text)
    if (!proof && textIn(entry['signature']) === '') {
      if (entry['type'] === 'reasoning.text' && text === '') this.#close()
      return
    }
    const wanted = kind === 'text' ? 'text' : 'reasoning'
    const isEmpty = entry['type'] === 'reasoning.encrypted' && kind !== 'text'
    if (isEmpty || this.#open?.kind !== wanted || isBlank(entry))
      this.#begin(wanted, kind === 'redacted')
    this.#close(proof)
  }
}

/** Whether the entry stands for a text without a single character, whose proof belongs to no earlier block. */
function isBlank({ id }: JsonObject): boolean {
  const [, start, end] = /^text_(\d+)_(\d+)_/.exec(textIn(id)) ?? []
  return start !== undefined && start === end
}

interface Call {
  key: string
  raw: JsonObject
  id: string
  name: string
  index: number | undefined
  /** Arguments that came before the name did. */
  held: string
  /** All of its arguments. */
  text: string
  opened: boolean
  proof?: Proof | undefined
}

/**
 * Reads the calls of one reply from their deltas. A call is told by its index or by its id, because servers send
 * whole calls in one delta, leave out the index, send the id late, empty or null, or repeat the name.
 */
export class CallReader {
  readonly #cursor: Cursor
  readonly #names: ToolNames
  readonly #context: ReadReplyContext
  readonly #open: Call[] = []
  /** The same calls by index (the last one with it) and by id (the first one with it). */
  readonly #byIndex = new Map<number, Call>()
  readonly #byId = new Map<string, Call>()
  readonly #proofs = new Map<string, Proof>()
  count = 0

  constructor(cursor: Cursor, names: ToolNames, context: ReadReplyContext) {
    this.#cursor = cursor
    this.#names = names
    this.#context = context
  }

  delta(raw: JsonObject): void {
    const called = objectIn(raw['function'] ?? raw['custom'])
    const name = textIn(called['name'])
    const id = textIn(raw['id'])
    const index = numberIn(raw['index'])
    const call = this.#find(index, id, name) ?? this.#begin(index)
    this.#identify(call, id)
    call.name ||= name
    const { proof } = readExtraContent(raw['extra_content'])
    if (proof) call.proof = proof
    if (!call.opened) call.raw = together(call.raw, raw)
    if (!call.opened) this.#startNext()
    const given = called['arguments'] ?? called['input']
    if (!isAbsent(given))
      this.#extend(call, typeof given === 'string' ? given : argumentsText(given))
  }

  /** Calls begin in their order: one that is not known yet holds up those behind it. */
  #startNext(): void {
    for (;;) {
      const next = this.#open[this.#started]
      if (!next || next.name === '' || next.id === '') return
      this.#start(next)
      this.#started += 1
    }
  }
  /** How many of the open ones have begun. */
  #started = 0

  /** The one `function_call` from before there were tools. */
  legacy(called: JsonObject): void {
    this.delta({ index: 0, function: called })
  }

  /** The proof of a call, as an entry beside it: it may come before its call does. */
  prove(entry: JsonObject): boolean {
    const isOwn = isOwnEntry(entry)
    const id = isOwn ? callIdIn(textIn(entry['id'])) : textIn(entry['id'])
    const call = this.#byId.get(id)
    const proof = isOwn ? readProofText(textIn(entry['data'])) : toProof([entry])
    if (!proof || id === '') return false
    if (call) call.proof = proof
    // Gemini's entries stand before their calls (OpenRouter, Vercel); those of other services have ids of their own.
    else if (isOwn || textIn(entry['format']).startsWith('google')) this.#proofs.set(id, proof)
    else return false
    return true
  }

  /** Proofs of calls that never came. */
  unclaimed(): Proof[] {
    const proofs = [...this.#proofs.values()]
    this.#proofs.clear()
    return proofs
  }

  #claim(id: string): Proof | undefined {
    const proof = this.#proofs.get(id)
    this.#proofs.delete(id)
    return proof
  }

  /** Text follows, so the calls before it are complete. */
  pause(): void {
    if (this.#open.length === 0) return
    for (const call of this.#open.splice(0)) this.#close(call)
    this.#started = 0
    this.#byIndex.clear()
    this.#byId.clear()
  }

  end(): void {
    this.pause()
  }

  #find(index: number | undefined, id: string, name: string): Call | undefined {
    const last = this.#open.at(-1)
    // Without an index, an id or a name that differs begins a new call.
    if (index === undefined)
      return last && (id === '' || id === last.id) && (name === '' || id !== '') ? last : undefined
    const known = this.#byIndex.get(index)
    return known && (id === '' || known.id === '' || known.id === id) ? known : undefined
  }

  #begin(index: number | undefined): Call {
    const key = `call ${this.count}`
    const call: Call = { key, raw: {}, id: '', name: '', index, held: '', text: '', opened: false }
    this.count += 1
    this.#open.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    return call
  }

  #identify(call: Call, id: string): void {
    call.id ||= id
    if (call.id !== '' && !this.#byId.has(call.id)) this.#byId.set(call.id, call)
  }

  #start(call: Call): void {
    call.opened = true
    const id = call.id || this.#context.newId('call_')
    this.#identify(call, id)
    const read = readCall(call.raw, id)
    const tool = this.#names.fromWire(read.name)
    const isWrapped = tool.form === 'text' && read.form === 'json'
    // The proof may come twice: with the call, and as an entry beside it.
    const claimed = this.#claim(id)
    const proof = call.proof ?? claimed
    const form = read.form === 'text' ? { form: 'text' as const } : {}
    const opened = { ...read, ...tool, ...form, input: '', ...(proof && { proof }) }
    this.#cursor.open(call.key, opened, isWrapped ? raiseInput : undefined)
    if (proof) call.proof = undefined
    if (call.held !== '') this.#cursor.delta(call.key, call.held)
    call.held = ''
  }

  /** Whether the arguments of an open call are no whole JSON. */
  get isCut(): boolean {
    return this.#open.some(({ raw, text }) => !isObject(raw['custom']) && isCutJson(text))
  }

  #extend(call: Call, text: string): void {
    call.text = grown(call.text, text)
    if (call.opened) this.#cursor.delta(call.key, text)
    else call.held = grown(call.held, text)
  }

  /** Closes a call, also one whose name the model left out. */
  #close(call: Call): void {
    if (!call.opened) this.#start(call)
    this.#cursor.close(call.key, call.proof ? { proof: call.proof } : {})
  }
}

/** Whether arguments are no whole JSON; a call without any has none. */
export function isCutJson(text: string): boolean {
  try {
    if (text !== '') JSON.parse(text)
    return false
  } catch {
    return true
  }
}

/** Joins two pieces of one call; empty and null members of the later piece are ignored. */
function together(before: JsonObject, after: JsonObject): JsonObject {
  const said = Object.entries(after).filter(([, value]) => !isAbsent(value))
  const nested = ['function', 'custom'].flatMap((key): [string, JsonObject][] => {
    const given = Object.entries(objectIn(after[key])).filter(([, value]) => !isAbsent(value))
    const merged = { ...objectIn(before[key]), ...Object.fromEntries(given) }
    return Object.keys(merged).length > 0 ? [[key, merged]] : []
  })
  return { ...before, ...Object.fromEntries(said), ...Object.fromEntries(nested) }
}

/** The path of a piece of text in a chunk, and the delta with another text in its place. */
interface DeltaPiece {
  place: Path
  withText(text: string): JsonObject
}

const DELTA = ['choices', 0, 'delta']
const TEXTS = ['content', 'reasoning_content', 'reasoning', 'reasoning_text']
const PLACES = new Map(TEXTS.map((member): [string, Path] => [member, [...DELTA, member]]))
const ARGUMENTS = [...DELTA, 'tool_calls', 0, 'function', 'arguments']

/** Whether a delta brings a piece of the answer and nothing else. */
export const isOnlyContent = (delta: JsonObject): boolean =>
  Object.entries(delta).every(
    ([member, value]) => member === 'content' || member === 'role' || isAbsent(value),
  )

/** The first piece of text in a delta; undefined where there is none, or several calls. */
export function pieceOf(delta: JsonObject): DeltaPiece | undefined {
  for (const [member, place] of PLACES)
    if (typeof delta[member] === 'string')
      return { place, withText: (text) => ({ ...delta, [member]: text }) }
  const [call, ...others] = objectsIn(delta['tool_calls'])
  const called = objectIn(call?.['function'])
  if (others.length > 0 || typeof called['arguments'] !== 'string') return undefined
  const withText = (text: string) => ({
    ...delta,
    tool_calls: [{ ...call, function: { ...called, arguments: text } }],
  })
  return { place: ARGUMENTS, withText }
}
