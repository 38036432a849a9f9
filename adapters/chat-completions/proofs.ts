import {
  type Json,
  type JsonObject,
  isObject,
  parseObject,
  stringify,
} from '../../src/json/json.ts'
import {
  type ProofSlot,
  fingerprint,
  isEnvelope,
  readEnvelope,
  writeEnvelope,
} from '../../src/model/proof.ts'
import { lossesIn, type LoseOf, type NotedPlace } from '../../src/model/loss.ts'
import type { Proof, ReasoningBlock, Turn } from '../../src/model/request.ts'
import { DIALECT, factsOf, textIn, objectIn, objectsIn, type WriteContext } from './dialect.ts'

/**
 * Proofs travel as entries of `reasoning_details`, which clients of OpenRouter bring back whole. The id of an entry
 * made here says where in the message its block stands, or which call it belongs to, because clients keep text,
 * calls and entries apart. Clients drop entries: pi those without a format, @openrouter/ai-sdk-provider 3.1 those
 * with an unknown format, Cline all but the last with the same index. Of the pieces of one text clients keep the
 * members of the first piece, so all pieces carry the id.
 */
export const FORMAT = 'unknown'

/** Whether this proxy made the entry: its id tells, or its proof where a client has dropped the id. */
export const isOwnEntry = (entry: JsonObject): boolean =>
  isOwnId(textIn(entry['id'])) ||
  isEnvelope(textIn(entry['signature']) || textIn(entry['data'])) ||
  entry['format'] === FORMAT_BEFORE

const isOwnId = (id: string): boolean => /^for_./.test(id) || PLACE.test(id)
/** The format of entries in histories from before `FORMAT` changed. */
const FORMAT_BEFORE = 'dragoman-v1'

/** The id of the entry that proves a call. */
export const toEntryId = (call: string): string => `for_${call}`
export const callIdIn = (entry: string): string => entry.replace(/^for_/, '')

/** What an entry belongs to: a thought, a redacted thought, or a text. Entries of calls have ids of their own. */
export type PlaceKind = 'thought' | 'redacted' | 'text'

/** Where a block stands: where it begins and ends in the content, and how many calls stand before it. */
export interface TextSpan {
  start: number
  end: number
  calls: number
}

export const placeId = (kind: PlaceKind, { start, end, calls }: TextSpan): string =>
  `${kind}_${start}_${end}_${calls}`

/**
 * The id may be repeated at its end: `chat.completions.stream` of openai 2.54 for Python joins the ids of all pieces.
 */
const PLACE = /^(thought|redacted|text)_(\d{1,9})_(\d{1,9})_(\d{1,9})(?:thought_[\d_]+)*$/

function readPlace(id: string): { kind: PlaceKind; at: TextSpan } | undefined {
  const [, kind, ...places] = PLACE.exec(id) ?? []
  if (kind !== 'thought' && kind !== 'redacted' && kind !== 'text') return undefined
  const [start = 0, end = 0, calls = 0] = places.map(Number)
  return { kind, at: { start, end, calls } }
}

/** The text of a proof: as it is for this dialect, in an envelope for any other. */
export const proofText = (proof: Proof, slot: ProofSlot): string =>
  proof.dialect === DIALECT ? proof.value : writeEnvelope(proof, slot)

/** A thought, or a proof, as a message holds it. */
export type Thought =
  | { kind: 'thought'; text: string; redacted?: boolean; proof?: Proof; at?: TextSpan }
  | { kind: 'text'; proof?: Proof; at: TextSpan }
  | { kind: 'call'; id: string; proof: Proof }

export interface Thoughts {
  list: Thought[]
  /** An entry that was made here for another dialect's proof came back changed. */
  damaged: boolean
}

/** The proof in an entry that was made here; undefined when it is damaged. */
export function readProofText(value: string): Proof | undefined {
  if (!isEnvelope(value)) return value === '' ? undefined : { dialect: DIALECT, value }
  return readEnvelope(value)?.proof
}

/** `isCall`: whether an id is that of a call of the same message. */
function readDetails(value: Json | undefined, isCall: (id: string) => boolean): Thoughts {
  const list: Thought[] = []
  let damaged = false
  let group: JsonObject[] = []
  const settle = () => {
    if (group.length > 0) list.push(joinThought(group))
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
      list.push({ kind: 'call', id, proof: toProof([entry]) })
    } else {
      if (!continues(group, entry)) settle()
      group.push(entry)
    }
  }
  settle()
  return { list, damaged }
}

/** Joins the pieces of a text made here, which clients may bring back one by one. */
function whole(entries: JsonObject[]): JsonObject[] {
  const list: JsonObject[] = []
  for (const entry of entries) {
    const last = list.at(-1)
    const isMore = last && entry['type'] === 'reasoning.text' && isOwnId(textIn(entry['id']))
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

/** Whether the entry continues the thought: a thought is text or summaries and ends with its proof. */
export function continues(group: readonly JsonObject[], entry: JsonObject): boolean {
  const last = group.at(-1)
  if (!last || isSealed(last) || textIn(last['signature']) !== '') return false
  if (isSealed(entry)) return true
  return last['type'] === entry['type'] && last['index'] === entry['index']
}

/** The words of an entry, in the member that its type has for them. */
export const readWords = (entry: JsonObject): string =>
  textIn(entry['text']) || textIn(entry['summary'])

function joinThought(group: JsonObject[]): Thought {
  const text = group.map(readWords).join('')
  const redacted = text === '' ? { redacted: true } : {}
  return { kind: 'thought', text, ...redacted, ...(isProven(group) && { proof: toProof(group) }) }
}

/** Whether the entries hold an encrypted text or a signature, which only their provider can read. */
export const isProven = (group: readonly JsonObject[]): boolean =>
  group.some((entry) => isSealed(entry) || textIn(entry['signature']) !== '')

/** The entries as a proof, to be given back as they came. */
export const toProof = (entries: JsonObject[]): Proof => ({
  dialect: DIALECT,
  value: stringify(entries),
})

/** A proof of this dialect: entries, members of a call or of a message, or a text made here. */
export type OwnProof = { entries: JsonObject[] } | { members: JsonObject } | { text: string }

function readOwnProof({ value }: Proof): OwnProof {
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

/** Gemini's compatible API has its proofs in this member. Clients built on the AI SDK, and Continue, bring it back. */
const extraContent = (signature: string): JsonObject => ({
  extra_content: { google: { thought_signature: signature } },
})

/**
 * The members of `extra_content` in which Gemini's compatible API and that of Vertex AI (pi#6733) have their proofs.
 */
const SIGNERS = ['google', 'vertex']

/** What `extra_content` holds besides proofs. */
export const unsigned = (extra: Json | undefined): JsonObject =>
  Object.fromEntries(Object.entries(objectIn(extra)).filter(([key]) => !SIGNERS.includes(key)))

/** The signature in the `extra_content` of a call or a message. */
export const signatureIn = (extra: Json | undefined): string =>
  SIGNERS.map((signer) => textIn(objectIn(objectIn(extra)[signer])['thought_signature'])).find(
    Boolean,
  ) ?? ''

/**
 * The proof of a call, or of the text of a message, made here or by the service itself. `damaged`: it was made here,
 * and came back changed.
 */
export function readExtraContent(extra: Json | undefined): {
  proof?: Proof
  damaged: boolean
} {
  const signature = signatureIn(extra)
  if (isEnvelope(signature)) {
    const proof = readProofText(signature)
    if (!proof) return { damaged: true }
    return proof.dialect === DIALECT ? { damaged: false } : { proof, damaged: false }
  }
  if (!isObject(extra) || signature === '') return { damaged: false }
  return { proof: { dialect: DIALECT, value: stringify({ extra_content: extra }) }, damaged: false }
}

/**
 * A proof of what stands before a call. `@ai-sdk/openai-compatible` 3.0 brings back nothing but the text of all
 * thoughts and the `extra_content` of calls, so a call carries a list of such proofs, in an envelope of this dialect.
 * `words`: where in that text the proven words stand, and their fingerprint, because a proof is worth nothing for other
 * words.
 */
export interface Carried {
  id: string
  data: string
  words: [from: number, to: number, sum: string]
}

export const carried = (id: string, data: string, before: number, text = ''): Carried => ({
  id,
  data,
  words: [before, before + text.length, fingerprint(text)],
})

/** The `extra_content` of a call: its own proof, and those of what stands before it. */
export function besideCall(before: readonly Carried[], proof: Proof | undefined, id: string) {
  const data = proof && proofText(proof, 'self')
  if (before.length === 0) return data === undefined ? {} : extraContent(data)
  const own = data === undefined ? [] : [{ id: toEntryId(id), data }]
  const value = stringify([...before.map((one) => ({ ...one })), ...own])
  return extraContent(writeEnvelope({ dialect: DIALECT, value }, 'previous'))
}

/** Inverse of `besideCall`, for all calls of a message, whose thoughts have this text. */
function readCarried(calls: readonly JsonObject[], text: string): Thoughts {
  const list: Thought[] = []
  let damaged = false
  let until = 0
  const tellUpTo = (to: number) => {
    const plain = text.slice(until, to)
    if (plain !== '') list.push({ kind: 'thought', text: plain })
    until = Math.max(until, to)
  }
  for (const { id = null, data = null, words } of calls.flatMap(carriedBy)) {
    const [from = until, to = from, sum] = Array.isArray(words) ? words : []
    if (typeof from !== 'number' || typeof to !== 'number' || from < until) continue
    const said = text.slice(from, to)
    const isSame = sum === undefined || sum === fingerprint(said)
    // A client that deletes all thoughts may still bring back `extra_content`.
    damaged ||= !isSame && text !== ''
    if (!isSame) continue
    tellUpTo(from)
    const read = readOwn({ type: 'reasoning.encrypted', id, data, text: said })
    damaged ||= read.damaged
    list.push(...read.list)
    until = to
  }
  if (list.length > 0) tellUpTo(text.length)
  return { list, damaged }
}

/** The thoughts and proofs of a message: by its entries, or by what its calls carry where a client keeps no entries. */
export function readProven(
  details: Json | undefined,
  isCall: (id: string) => boolean,
  calls: readonly JsonObject[],
  text: string,
): Thoughts {
  return Array.isArray(details) ? readDetails(details, isCall) : readCarried(calls, text)
}

function carriedBy({ extra_content }: JsonObject): JsonObject[] {
  const proof = readEnvelope(signatureIn(extra_content))?.proof
  return proof?.dialect === DIALECT ? (listOfObjects(proof.value) ?? []) : []
}

/** A thought of an earlier turn, to be sent back. */
interface Spoken {
  text: string
  place: NotedPlace
  /** Its proof is sent as an entry, which has the words, too. */
  proven: boolean
}

/**
 * Gathers the thoughts and proofs of an earlier turn, to be sent back in all members that servers have for them.
 * Fitting leaves the members that the server knows (`fit-history.ts`).
 */
export class Replayed {
  readonly #context: WriteContext
  readonly #turn: Turn
  readonly #thoughts: Spoken[] = []
  readonly #details: JsonObject[] = []
  #members: JsonObject = {}
  #index = 0

  constructor(turn: Turn, context: WriteContext) {
    this.#turn = turn
    this.#context = context
  }

  think(block: ReasoningBlock, span: TextSpan, lose: LoseOf): void {
    const { text, proof, redacted } = block
    const kind = redacted ? 'redacted' : 'thought'
    const proven = proof !== undefined && this.prove(proof, kind, span, lose, text)
    if (text !== '') this.#thoughts.push({ text, place: lose.place(), proven })
    else if (!proof) lose('dropped', '')
  }

  /**
   * Sends the proof back. True where it became an entry; members go with the message, and foreign proofs are left
   * out.
   */
  prove(proof: Proof, kind: PlaceKind, span: TextSpan, lose: LoseOf, text = ''): boolean {
    if (proof.dialect !== DIALECT) {
      lose('dropped', '.seal')
      return false
    }
    const own = readOwnProof(proof)
    if ('members' in own) {
      this.#members = { ...this.#members, ...own.members }
      return false
    }
    if ('entries' in own) this.#details.push(...own.entries)
    else this.#entry(own.text, text, placeId(kind, span))
    return true
  }

  /** The members of a call that hold its proof; none where the proof becomes an entry. */
  proveCall(proof: Proof, id: string, lose: LoseOf): JsonObject {
    if (proof.dialect !== DIALECT) return lose('dropped', '.seal') ?? {}
    const own = readOwnProof(proof)
    if ('members' in own) return own.members
    if ('entries' in own) this.#details.push(...own.entries)
    else this.#entry(own.text, '', toEntryId(id))
    return {}
  }

  /** An entry for a proof made here: the upstream is another dragoman. */
  #entry(value: string, text: string, id: string): void {
    const head = { format: FORMAT, index: this.#index, id }
    this.#index += 1
    if (text === '') this.#details.push({ type: 'reasoning.encrypted', data: value, ...head })
    else this.#details.push({ type: 'reasoning.text', text, signature: value, ...head })
  }

  /** The places of the thoughts that go as plain text, because no entry proves them. */
  get places(): readonly NotedPlace[] {
    return this.#plain().map(({ place }) => place)
  }

  /**
   * The members of the message that hold what was thought. Servers refuse a message of thoughts alone (`isEmpty`), as
   * is left of a turn that was broken off.
   */
  members(isEmpty: boolean): JsonObject {
    const details = this.#details.length > 0 ? { reasoning_details: this.#details } : {}
    if (!isEmpty) return { ...details, ...this.#members, ...this.#plainMembers() }
    const at = lossesIn(this.#context.lose)
    for (const { place } of this.#thoughts) at(place)('dropped', '', 'not taken back')
    return {}
  }

  #plain(): Spoken[] {
    return this.#thoughts.filter(({ proven }) => !proven)
  }

  #plainMembers(): JsonObject {
    const text = this.#plain()
      .map((thought) => thought.text)
      .join('')
    if (text !== '') return { reasoning_content: text, reasoning: text }
    // DeepSeek requires the member even when it is empty.
    const spelled = this.#context.own ? factsOf(this.#turn).reasoning_content : undefined
    return spelled === undefined ? {} : { reasoning_content: spelled }
  }
}
