import {
  type Json,
  type JsonObject,
  isObject,
  parseObject,
  stringify,
} from '../../src/json/json.ts'
import { type ProofSlot, isEnvelope, readEnvelope, writeEnvelope } from '../../src/model/proof.ts'
import type { Proof, ReasoningBlock, Turn } from '../../src/model/request.ts'
import {
  DIALECT,
  factsOf,
  textIn,
  objectIn,
  objectsIn,
  isAbsent,
  type WriteContext,
} from './dialect.ts'

/**
 * Proofs travel as entries of `reasoning_details`, which clients of OpenRouter bring back whole. One that was made
 * here says by its id where in the message its block stands, or which call it is of: clients keep text, calls and
 * entries apart. Clients throw away an entry without a format (pi) and one with a format that they do not know
 * (@openrouter/ai-sdk-provider 3.1), and of several with one index all but the last (Cline); of the pieces of a
 * text they keep the members of the first, so that all have its id.
 */
export const FORMAT = 'unknown'

/** What was made here says so: by its id, or by its proof, where a client has dropped that. */
export const isOwnEntry = (entry: JsonObject): boolean =>
  OWN_ID.test(textIn(entry['id'])) ||
  isEnvelope(textIn(entry['signature']) || textIn(entry['data'])) ||
  entry['format'] === FORMAT_BEFORE

const OWN_ID = /^(?:for_.|(?:thought|redacted|text)_\d{1,9}_\d{1,9}_\d{1,9}$)/
/** Histories may be older than this one. */
const FORMAT_BEFORE = 'dragoman-v1'

/** The id of the entry that proves a call. */
export const entryIdOf = (call: string): string => `for_${call}`
export const callIdIn = (entry: string): string => entry.replace(/^for_/, '')

/** What of a message an entry belongs to: a thought, one without a text, a text. Calls have ids of their own. */
export type PlaceKind = 'thought' | 'redacted' | 'text'

/** Where a block stands: from and to which character of the content, and behind how many calls. */
export interface Place {
  start: number
  end: number
  calls: number
}

export const placeId = (kind: PlaceKind, { start, end, calls }: Place): string =>
  `${kind}_${start}_${end}_${calls}`

const PLACE = /^(thought|redacted|text)_(\d{1,9})_(\d{1,9})_(\d{1,9})$/

function readPlace(id: string): { kind: PlaceKind; at: Place } | undefined {
  const [, kind, ...places] = PLACE.exec(id) ?? []
  if (kind !== 'thought' && kind !== 'redacted' && kind !== 'text') return undefined
  const [start = 0, end = 0, calls = 0] = places.map(Number)
  return { kind, at: { start, end, calls } }
}

/** A proof of this dialect goes as it is, any other in a carrier. */
export const proofText = (proof: Proof, slot: ProofSlot): string =>
  proof.dialect === DIALECT ? proof.value : writeEnvelope(proof, slot)

/** What a message says of thoughts and proofs. */
export type Thought =
  | { kind: 'thought'; text: string; redacted?: boolean; proof?: Proof; at?: Place }
  | { kind: 'text'; proof?: Proof; at: Place }
  | { kind: 'call'; id: string; proof: Proof }

export interface Thoughts {
  list: Thought[]
  /** Something that was meant to be a proof of another dialect came back changed. */
  damaged: boolean
}

/** The value of a proof that was made here; none when it is damaged. */
export function readProofText(value: string): Proof | undefined {
  if (!isEnvelope(value)) return value === '' ? undefined : { dialect: DIALECT, value }
  return readEnvelope(value)?.proof
}

/** `isCall`: whether an id is that of a call of the same message. */
export function readDetails(value: Json | undefined, isCall: (id: string) => boolean): Thoughts {
  const list: Thought[] = []
  let damaged = false
  let group: JsonObject[] = []
  const settle = () => {
    if (group.length > 0) list.push(thoughtOf(group))
    group = []
  }
  for (const entry of whole(objectsIn(value))) {
    const id = textIn(entry['id'])
    if (isOwnEntry(entry)) {
      settle()
      const read = readOwn(entry)
      damaged ||= read.damaged
      list.push(...read.list)
    } else if (isSealed(entry) && isCall(id)) {
      settle()
      list.push({ kind: 'call', id, proof: proofOf([entry]) })
    } else {
      if (!continues(group, entry)) settle()
      group.push(entry)
    }
  }
  settle()
  return { list, damaged }
}

/** Clients may bring the pieces of one of our texts back as they came. */
function whole(entries: JsonObject[]): JsonObject[] {
  const list: JsonObject[] = []
  for (const entry of entries) {
    const last = list.at(-1)
    const isMore = last && entry['type'] === 'reasoning.text' && OWN_ID.test(textIn(entry['id']))
    if (
      isMore &&
      last['type'] === entry['type'] &&
      last['id'] === entry['id'] &&
      !last['signature']
    )
      list[list.length - 1] = { ...entry, text: textIn(last['text']) + textIn(entry['text']) }
    else list.push(entry)
  }
  return list
}

function readOwn(entry: JsonObject): Thoughts {
  const text = textIn(entry['text'])
  const value = textIn(entry['signature']) || textIn(entry['data'])
  const proof = readProofText(value)
  const damaged = value !== '' && !proof
  const id = textIn(entry['id'])
  const place = readPlace(id)
  if (!place && entry['type'] === 'reasoning.encrypted')
    return { list: proof ? [{ kind: 'call', id: callIdIn(id), proof }] : [], damaged }
  const proven = proof ? { proof } : {}
  if (place?.kind === 'text') return { list: [{ kind: 'text', ...proven, at: place.at }], damaged }
  if (text === '' && !proof) return { list: [], damaged }
  const redacted = place?.kind === 'redacted' ? { redacted: true } : {}
  return {
    list: [{ kind: 'thought', text, ...redacted, ...proven, ...(place && { at: place.at }) }],
    damaged,
  }
}

const isSealed = (entry: JsonObject): boolean => entry['type'] === 'reasoning.encrypted'

/** A thought is its text or its summary, and what proves it; behind the proof another one begins. */
export function continues(group: readonly JsonObject[], entry: JsonObject): boolean {
  const last = group.at(-1)
  if (!last || isSealed(last) || textIn(last['signature']) !== '') return false
  if (isSealed(entry)) return true
  return last['type'] === entry['type'] && last['index'] === entry['index']
}

/** The words of an entry, in the member that its type has for them. */
export const wordsOf = (entry: JsonObject): string =>
  textIn(entry['text']) || textIn(entry['summary'])

function thoughtOf(group: JsonObject[]): Thought {
  const text = group.map(wordsOf).join('')
  const redacted = text === '' ? { redacted: true } : {}
  return { kind: 'thought', text, ...redacted, ...(isProven(group) && { proof: proofOf(group) }) }
}

/** Whether entries hold what only their provider can read. */
export const isProven = (group: readonly JsonObject[]): boolean =>
  group.some((entry) => isSealed(entry) || textIn(entry['signature']) !== '')

/** The entries themselves, to be given back as they came. */
export const proofOf = (entries: JsonObject[]): Proof => ({
  dialect: DIALECT,
  value: stringify(entries),
})

/** What a proof of this dialect is: entries, members of a call or of a message, or a text of our own making. */
export type OwnProof = { entries: JsonObject[] } | { members: JsonObject } | { text: string }

export function readOwnProof({ value }: Proof): OwnProof {
  if (value.startsWith('[')) {
    const entries = listOfObjects(value)
    if (entries) return { entries }
  }
  const members = parseObject(value)
  return members ? { members } : { text: value }
}

function listOfObjects(text: string): JsonObject[] | undefined {
  try {
    const value: Json = JSON.parse(text)
    return Array.isArray(value) && value.length > 0 && value.every(isObject)
      ? objectsIn(value)
      : undefined
  } catch {
    return undefined
  }
}

/** Where Gemini's compatibility puts its proof, and clients of the AI SDK and Continue bring it back. */
export const extraContent = (signature: string): JsonObject => ({
  extra_content: { google: { thought_signature: signature } },
})

/** The proof of a call, made here or by the service itself. `damaged`: it was made here, and came back changed. */
export function readExtraContent(call: JsonObject): { proof?: Proof; damaged: boolean } {
  const extra = call['extra_content']
  if (!isObject(extra)) return { damaged: false }
  const signature = textIn(objectIn(extra['google'])['thought_signature'])
  if (isEnvelope(signature)) {
    const proof = readProofText(signature)
    return proof ? { proof, damaged: false } : { damaged: true }
  }
  if (signature === '') return { damaged: false }
  return { proof: { dialect: DIALECT, value: stringify({ extra_content: extra }) }, damaged: false }
}

/** A thought of an earlier turn, on its way back. */
interface Spoken {
  text: string
  path: string
  /** Its provider's own entries are there. */
  proven: boolean
}

/**
 * Thoughts and proofs of earlier turns, as the server wants them back: which of them, and in which member. What
 * is told of a turn depends on nothing behind it, so that caches of prompts hit.
 */
export class Replayed {
  readonly #context: WriteContext
  /** The model has called a tool, in this turn or before. */
  #hasCalled = false
  #thoughts: Spoken[] = []
  #details: JsonObject[] = []
  #members: JsonObject = {}
  #index = 0
  #turn: Turn | undefined

  constructor(context: WriteContext) {
    this.#context = context
  }

  begin(turn: Turn): void {
    this.#turn = turn
    this.#thoughts = []
    this.#details = []
    this.#members = {}
    this.#index = 0
  }

  think(block: ReasoningBlock, place: Place, path: string): void {
    const { text, proof, redacted } = block
    const kind = redacted ? 'redacted' : 'thought'
    const proven = proof !== undefined && this.prove(proof, kind, place, path, text)
    if (text !== '') this.#thoughts.push({ text, path, proven })
    else if (!proof) this.#context.lose('dropped', path)
  }

  /** Whether the proof goes along; that of another dialect does not. */
  prove(proof: Proof, kind: PlaceKind, place: Place, path: string, text = ''): boolean {
    if (proof.dialect !== DIALECT) {
      this.#context.lose('dropped', `${path}.seal`)
      return false
    }
    const own = readOwnProof(proof)
    if ('members' in own) {
      this.#members = { ...this.#members, ...own.members }
      return false
    }
    if ('entries' in own) this.#details.push(...own.entries)
    else this.#entry(own.text, text, placeId(kind, place))
    return true
  }

  /** The proof of a call, or its members that hold it. */
  proveCall(proof: Proof, id: string, path: string): JsonObject {
    if (proof.dialect !== DIALECT) return this.#context.lose('dropped', `${path}.seal`) ?? {}
    const own = readOwnProof(proof)
    if ('members' in own) return own.members
    if ('entries' in own) this.#details.push(...own.entries)
    else this.#entry(own.text, '', entryIdOf(id))
    return {}
  }

  /** A proof of our own making: another proxy like this one is behind the upstream. */
  #entry(value: string, text: string, id: string): void {
    const head = { format: FORMAT, index: this.#index, id }
    this.#index += 1
    if (text === '') this.#details.push({ type: 'reasoning.encrypted', data: value, ...head })
    else this.#details.push({ type: 'reasoning.text', text, signature: value, ...head })
  }

  /** The members of the message that hold what was thought. */
  end(calls: boolean): JsonObject {
    this.#hasCalled ||= calls
    const { server } = this.#context
    const details = this.#details.length > 0 ? { reasoning_details: this.#details } : {}
    const plain = this.#thoughts.filter(({ proven }) => !proven)
    return { ...details, ...this.#members, ...this.#plain(plain, server.reasoningField ?? 'both') }
  }

  #plain(thoughts: readonly Spoken[], field: string): JsonObject {
    const { server, own } = this.#context
    const text = thoughts.map((thought) => thought.text).join('')
    const isWanted = this.#isWanted()
    if (text === '' || !isWanted || field === 'none') {
      if (text !== '')
        for (const { path } of thoughts) this.#context.lose('dropped', path, 'not taken back')
      return this.#filled(
        own ? factsOf(this.#turn)['reasoning_content'] : undefined,
        server.reasoningFiller,
      )
    }
    switch (field) {
      case 'reasoning_content':
        return { reasoning_content: text }
      case 'reasoning':
        return { reasoning: text }
      case 'details':
        return {
          reasoning_details: [
            ...this.#details,
            { type: 'reasoning.text', text, format: 'unknown', index: this.#index },
          ],
        }
      case 'both':
        return { reasoning_content: text, reasoning: text }
      default:
        return {}
    }
  }

  /** DeepSeek refuses a turn with calls without the member, also where another model made the call. */
  #filled(spelling: unknown, filler: string | undefined): JsonObject {
    if (typeof spelling === 'string') return { reasoning_content: spelling }
    return filler !== undefined && this.#isWanted() ? { reasoning_content: filler } : {}
  }

  #isWanted(): boolean {
    const { server, own } = this.#context
    const replay = server.reasoningReplay ?? (own ? 'all' : 'with-tools')
    return replay === 'all' || (replay === 'with-tools' && this.#hasCalled)
  }

  /** Two servers want thoughts inside of the content: as parts, or in the tags that they came in. */
  content(said: JsonObject[] | string | null): JsonObject[] | string | null {
    const { reasoningField } = this.#context.server
    const text = this.#thoughts.map((thought) => thought.text).join('')
    if (text === '' || !this.#isWanted()) return said
    if (reasoningField === 'tags')
      return `<think>${text}</think>${typeof said === 'string' ? said : ''}`
    if (reasoningField !== 'content-parts') return said
    const parts = typeof said === 'string' ? [{ type: 'text', text: said }] : (said ?? [])
    return [{ type: 'thinking', thinking: [{ type: 'text', text }], closed: true }, ...parts]
  }
}

export { isAbsent, textIn }
