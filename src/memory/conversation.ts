import type { Json, JsonObject } from '../json/json.ts'
import type { Lookup, RequestHead } from '../model/lookup.ts'
import type { Problem } from '../model/problem.ts'
import type { Frame, Writer } from '../stream/codec.ts'
import type { WireEvent } from '../stream/wire-events.ts'

/** What the body of a request asks of what was said before. */
export interface Ask {
  /** What comes of it may be referred to later. */
  keep: boolean
  /** Id of an earlier reply that this request continues. */
  previous?: string
  /** Ids of items that stand for the items themselves. */
  references: readonly string[]
  /** Ids of items that an upstream with a memory of its own would complete by them. */
  claims?: readonly string[]
  /** Id of a conversation that such an upstream keeps, with all that was ever said in it. */
  conversation?: string
}

/** What a body refers to, as it was kept. */
export interface ReferencedRecords {
  /** The exchanges that led to the request, the first one first. */
  chain: readonly JsonObject[]
  /** The exchanges that the items referred to are from, by the ids of the items. */
  items: ReadonlyMap<string, JsonObject>
}

/** What a body adds to the conversation. `text`: the same in the words of the body, where that is known. */
export interface Fresh {
  items: readonly Json[]
  text?: string
}

/** A reply. `text`: the same as it came, where that is known. */
export interface Told {
  reply: Json
  text?: string | undefined
}

/** A body with everything written out that it referred to. */
export interface Resolved {
  body: Json
  fresh: Fresh
}

/** An exchange as it is kept. */
export interface ExchangeRecord {
  /** Well-formed, and otherwise the dialect's own business. */
  text: string
  /** The ids of the items that the reply gave out. */
  items: readonly string[]
}

/** What is recorded: a request, and the writer of its reply. */
export interface RecorderContext {
  readonly fresh: Fresh
  readonly writer: Pick<Writer, 'body'>
  newId(prefix: string): string
}

/** Takes down one exchange while its reply is written. */
export interface Recorder {
  /** The events of a stream, each time as they are written. A reply that leaves as one body needs none. */
  push(events: readonly WireEvent[]): void
  /** About how many characters are held. */
  readonly size: number
  /** The id by which the reply can be asked for, once it is known. */
  readonly id: string | undefined
  /** The exchange when its reply is over. `body`: the text of a reply that leaves as one. */
  record(body?: string): ExchangeRecord
  /** The exchange as far as it came. `cancelled`: it will come no further. */
  unfinished(cancelled?: boolean): ExchangeRecord
}

/** What can be done with a kept exchange over HTTP. */
export type StoredAction = 'read' | 'input' | 'cancel' | 'delete'

/** A path that names a kept exchange, and what each method does there. */
export interface StoredRoute {
  id: string
  actions: Readonly<Record<string, StoredAction>>
}

/** What a kept exchange answers: one object, the text of one, or the frames of its stream. */
export type StoredAnswer = { body: JsonObject } | { text: string } | { frames: Frame[] }

/**
 * For a dialect whose callers refer to earlier exchanges instead of sending them again. Pure: the gateway
 * keeps what is recorded and brings it back; what it looks like is known here alone.
 */
export interface ConversationMemory {
  /** The top-level member of a body that is false when nothing of the exchange is to be kept. */
  readonly keepMember: string
  /** The top-level member of a body that adds to the conversation. */
  readonly inputMember: string
  /** A quick look at the text of a body: false when it surely refers to nothing. */
  mayRefer(text: string): boolean
  asks(body: Json): Ask
  /** For a body that refers to no items, which need not be a valid one. `input`: the text of that member. */
  fresh(body: Json, input?: string): Fresh
  /** The items that a body adds, as text. `input`: the text of that member. */
  itemsText(input: string | undefined): string
  /** Throws ProblemError for a reference that leads nowhere. */
  resolve(body: Json, findReferenced: ReferencedRecords, input?: string): Resolved
  recorder(context: RecorderContext): Recorder
  /** A kept exchange, from the text of its record; throws SyntaxError for anything else. */
  read(text: string): JsonObject
  /** The id of a reply, in the first frame of its stream. */
  idIn(frame: Frame): string | undefined
  /** The whole reply, in the frame of a stream that brings it. */
  replyIn(frame: Frame): Told | undefined
  /**
   * The same as a recorder's, of a reply that an upstream of this dialect gave; undefined when it has no id.
   * `items`: those that its request added, as text. `whole`: no more of it will come.
   */
  memoOf(
    items: string,
    told: Told,
  ): { id: string; record: ExchangeRecord; whole: boolean } | undefined
  match(head: RequestHead): StoredRoute | undefined
  /** The query parameters of those paths, for an upstream that keeps its own. */
  readonly query: readonly string[]
  /** `chain` as in `Recalled`, the exchange itself last. Throws ProblemError for what it cannot answer. */
  answer(action: StoredAction, chain: readonly JsonObject[], query: Lookup): StoredAnswer
  /** The text of the reply in that of a record, where it is all that is asked for and need not be read. */
  replyText(record: string, action: StoredAction, query: Lookup): string | undefined
  /** The words for an id under which this caller has nothing. */
  missing(what: 'previous' | 'item' | 'stored' | 'conversation', id: string): Problem
}
