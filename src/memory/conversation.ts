import type { Json, JsonObject } from '../json/json.ts'
import type { Lookup, RequestHead } from '../model/lookup.ts'
import type { Key } from '../model/paths.ts'
import type { Problem } from '../model/problem.ts'
import type { Frame, Writer } from '../stream/codec.ts'
import type { WireEvent } from '../stream/wire-events.ts'

/** The references in the body of a request. */
export interface Ask {
  /** The exchange may be referred to later. */
  keep: boolean
  /** Id of an earlier reply that this request continues. */
  previous?: string
  /** Ids of items that stand for the items themselves. */
  references: readonly string[]
  /** Ids of items that an upstream with its own memory would complete from its store. */
  claims?: readonly string[]
  /** The same of thoughts that bring their words along, and can go on without an id. */
  spoken?: readonly string[]
  /** Id of a conversation that such an upstream keeps, with everything said in it. */
  conversation?: string
}

/** The stored exchanges to which a body refers. */
export interface ReferencedRecords {
  /** The exchanges before the request, the first one first. */
  chain: readonly JsonObject[]
  /** The exchanges that hold the referenced items, by the items' ids. */
  items: ReadonlyMap<string, JsonObject>
}

/** The items that a body adds to the conversation. `text`: the same as in the body, where it is known. */
export interface Fresh {
  items: readonly Json[]
  text?: string
}

/** A reply. `text`: the same as it came, where that is known. */
export interface ReplyText {
  reply: Json
  text?: string | undefined
}

/** A body with all its references written out. */
export interface Resolved {
  body: Json
  fresh: Fresh
}

/** An exchange as it is kept. */
export interface ExchangeRecord {
  /** Well-formed Unicode; only the dialect knows its structure. */
  text: string
  /** The ids of the items that the reply gave out. */
  items: readonly string[]
}

/** The request to be recorded, and the writer of its reply. */
export interface RecorderContext {
  readonly fresh: Fresh
  readonly writer: Pick<Writer, 'body'>
  newId(prefix: string): string
}

/** Records one exchange while its reply is written. */
export interface Recorder {
  /** Takes the events of a stream as they are written. For a reply in one body it is not called. */
  push(events: readonly WireEvent[]): void
  /** The approximate number of characters held. */
  readonly size: number
  /** The id by which the reply can be asked for, once it is known. */
  readonly id: string | undefined
  /** The exchange when its reply is over. `body`: the text of a reply that leaves as one. */
  record(body?: string): ExchangeRecord
  /** The exchange so far. `cancelled`: nothing more will come. */
  unfinished(cancelled?: boolean): ExchangeRecord
}

/** What can be done with a kept exchange over HTTP. */
export type StoredAction = 'read' | 'input' | 'cancel' | 'delete'

/** A path that names a kept exchange, and what each method does there. */
export interface StoredRoute {
  id: string
  actions: Readonly<Record<string, StoredAction>>
}

/** The answer about a stored exchange: one object, its text, or the frames of its stream. */
export type StoredAnswer = { body: JsonObject } | { text: string } | { frames: Frame[] }

/**
 * For a dialect whose callers refer to earlier exchanges instead of sending them again. Pure: the core stores the
 * records, and only this code knows their structure.
 */
export interface ConversationMemory {
  /** The top-level member of a body that is false when nothing of the exchange is to be kept. */
  readonly keepMember: string
  /** The top-level member of a body whose items are added to the conversation. */
  readonly inputMember: string
  /** A quick check of a body's text: false when it surely holds no reference. */
  mayRefer(text: string): boolean
  asks(body: Json): Ask
  /**
   * Reads the added items of a body without references; the body need not be valid. `input`: the text of that
   * member.
   */
  fresh(body: Json, input?: string): Fresh
  /** The items that a body adds, as text. `input`: the text of that member. */
  itemsText(input: string | undefined): string
  /** Throws ProblemError for a reference that is not found. */
  resolve(body: Json, findReferenced: ReferencedRecords, input?: string): Resolved
  /** Where each item stands that a chain of records brings into a conversation, in their order. */
  itemPlaces(chain: readonly JsonObject[]): readonly { record: number; path: readonly Key[] }[]
  recorder(context: RecorderContext): Recorder
  /** The record, whose proofs carry the mark of the account that made them. */
  marked(record: JsonObject, account: string): JsonObject
  /** Reads a record; throws SyntaxError for anything else. */
  read(text: string): JsonObject
  /** The id of a reply, in the first frame of its stream. Unless `always`: where it outlives that stream. */
  idIn(frame: Frame, always: boolean): string | undefined
  /** The whole reply, in the frame of a stream that brings it. */
  replyIn(frame: Frame): ReplyText | undefined
  /**
   * Makes the record of a reply that an upstream of this dialect gave; undefined when it has no id. `items`: the
   * items that its request added, as text. `whole`: no more of the reply will come.
   */
  replyRecord(
    items: string,
    reply: ReplyText,
  ): { id: string; record: ExchangeRecord; whole: boolean } | undefined
  match(head: RequestHead): StoredRoute | undefined
  /** The query parameters of those paths, for an upstream that keeps its own. */
  readonly query: readonly string[]
  /** `chain` as in `Recalled`, the exchange itself last. Throws ProblemError for what it cannot answer. */
  answer(action: StoredAction, chain: readonly JsonObject[], query: Lookup): StoredAnswer
  /** The text of the reply in a record's text, where only that is asked for and need not be parsed. */
  replyText(record: string, action: StoredAction, query: Lookup): string | undefined
  /** The error for an id under which this caller has stored nothing. */
  missing(what: 'previous' | 'item' | 'stored' | 'conversation', id: string): Problem
}
