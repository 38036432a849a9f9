import type { Json, JsonObject } from '../json/json.ts'
import type { Problem } from '../model/problem.ts'

/** A message of the caller, which was scanned within its limits. */
export interface SocketMessage {
  readonly members: ReadonlyMap<string, unknown>
  memberText(name: string): string | undefined
  parsed(): Json
}

/** A message of the caller, as far as the connection goes by it. `lane`: undefined is the lane without a name. */
export type Order = CreateOrder | RefusedOrder | AnsweredOrder

/** Asks for a reply, as a request over HTTP does. */
export interface CreateOrder {
  kind: 'create'
  lane: string | undefined
  /** The reply that it continues. */
  previous: string | undefined
  /** Nothing is to be generated: the input is taken in, and can be continued. */
  warms: boolean
  /** Others than this connection may refer to the reply later. */
  keeps: boolean
  /** The members that an HTTP request has too, as they were written, but for those that the connection sets. */
  members: string
  /** The text of its input. */
  input: string | undefined
}

/** Cannot be taken. */
export interface RefusedOrder {
  kind: 'refused'
  lane: string | undefined
  problem: Problem
}

/** Is answered with one event, and needs nothing else. */
export interface AnsweredOrder {
  kind: 'answered'
  lane: string | undefined
  event: JsonObject
}

/** What a request continues: a reply that others can find, and the items behind it, or all items. */
export interface Continued {
  base?: string | undefined
  items: readonly Uint8Array[]
}

/** Calls in a list of items, by their ids: those that were made, and those whose output is there. */
export interface Calls {
  made: readonly string[]
  answered: readonly string[]
}

/** An answer over HTTP that refuses. */
export interface RefusingAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  body: Json | undefined
}

/** How events of a reply are told in a lane. `previous`: what was continued without the service's knowledge. */
export interface LaneContext {
  lane: string | undefined
  previous: string | undefined
}

/** The words of a dialect whose callers may stay connected. Pure: what a connection does, it does for all of them. */
export interface SocketMode {
  /** `message`: undefined for what is no JSON object. */
  read(message: SocketMessage | undefined): Order
  /** A header of the opening, as far as requests over HTTP have it. */
  header(name: string, value: string): string | null
  /** The body of the request over HTTP, around the items that it continues. */
  body(order: CreateOrder, continued: Continued | undefined): { head: string; tail: string }
  calls(items: string): Calls
  /** The items of a reply that go on in a conversation. */
  goOn(reply: JsonObject): Json[]
  /** Whether a reply has ended well enough to be continued. */
  isWhole(reply: JsonObject): boolean
  /** An event of a stream over HTTP, as it is told here; undefined for none. */
  event(data: string, context: LaneContext): string | undefined
  refusal(answer: RefusingAnswer, lane: string | undefined): JsonObject
  problems: {
    noCall(id: string): Problem
    lanes(most: number): Problem
    /** The connection is too old. */
    expired(minutes: number): Problem
    unreadable: Problem
  }
}
