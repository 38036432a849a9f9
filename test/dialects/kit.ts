import type { BenchWords } from '../bench/words.ts'
import type { JsonObject } from '../../src/json/json.ts'
import type { Grammar } from '../grammar/grammar.ts'
import type { Entry } from '../replay/noop.ts'
import type { Client } from './client.ts'
import type { Scripted } from './scripted.ts'
import type { Voice } from './voice.ts'
import type { WildSession } from './wild-session.ts'

/** Everything that the suites have to know of a dialect, written by hand and without its adapter. */
export interface Kit {
  http: Http
  ask: Ask
  say: Say
  /** What a program does that talks over several turns. */
  client: Client
  /** The members of a prompt in the order in which its service caches them. `marked`: only up to marks. */
  cached: { members: readonly string[]; marked?: true }
  /** Both ends of one short exchange as texts, for faults that cut and change them. */
  voice: Voice
  /** The upstream that official clients are driven against. */
  scripted: Scripted
  /** What the strictest client accepts of a reply, and a stream that it accepts. */
  grammar: Grammar
  correctStream: CorrectStream
  /** What of a request, and of a reply, says nothing to another dialect. */
  noOps: { request: Entry[]; reply: Entry[] }
  /** A session in the words of this dialect alone. */
  wildSession: WildSession
  /** A model of its service, by whose name the adapter knows what it takes. */
  model: string
  bench: BenchWords
}

/** Where a request goes, and what goes with it. */
export interface Http {
  /** With its query. A stream is asked for as server-sent events. */
  path(model: string, stream: boolean): string
  /** A body with the model and whether to stream, where the path does not say them. */
  body(model: string, stream: boolean, rest: object): JsonObject
  /** Whether a request that arrived asks for a stream. */
  streams(path: string, body: Readonly<Record<string, unknown>>): boolean
  /** The headers of a client with this key. */
  credentials(key: string): Record<string, string>
  /** The key, where an upstream looks for it. */
  keyIn(headers: Headers): string | null
  /** The upstream's own counter of tokens: where it is, and what it answers. */
  count?: { path(model: string): string; reply(tokens: number): object }
}

/** A function that a request offers. `strict`: said only where the dialect has a word for it. */
export interface Offer {
  name: string
  schema: unknown
  strict?: boolean
}

/** Requests, and members of them to be put together. None has the model in it, nor whether to stream. */
export interface Ask {
  /** What every request has to have besides its conversation; the model is `m`. */
  needed: object
  /** The top-level member that grows from turn to turn. */
  history: string
  /** Members that a model's facts may not drop: no request can do without them, or the proxy decides them. */
  indispensable: readonly string[]
  /** Names of parameters that may be refused by a model in words of the dialect, beside the canonical ones. */
  namesOfTopP: readonly string[]
  /** One turn of the user. */
  text(words: string): object
  /** A request that says nothing of a conversation, and one that has instructions only. */
  nothing: object
  instructions(words: string): object
  offer(tools: readonly Offer[]): object
  /** The answer as JSON after a schema. */
  answerIn(schema: unknown): object
  /** Schemas at every place for one. */
  everySchema(schema: JsonObject): object
  bounds(temperature: number, maxOutputTokens: number): object
  /** A conversation in which the tool `f` was called once, and answered. `input` is JSON text. */
  called(input: string, output: unknown): object
  /** A session of so many turns with these tools; a function of the first of them is called in each. */
  session(turns: number, tools: readonly Offer[], result: string): object
  /** The user shows an image that is to be found at an address. */
  image(url: string): object
  /**
   * A conversation of `hi`, `yes` with a proof, and `go on`; with something in it that a translation to and from
   * the same dialect would not leave as it is, where there is such a thing.
   */
  proven: { body(proof: string): object; own?: object }
  /** A block, part or item that no other dialect knows. */
  opaque: JsonObject
}

/** Replies. */
export interface Say {
  /** `hello`, as a body and as the events of a stream: 5 tokens in, 7 out, of the model `own`. */
  hello: { body: object; events: readonly object[] }
  /** A call with these arguments, which are JSON text; so is the reply. */
  call(name: string, input: string): string
  /** A picture, in base64. */
  picture(data: string): JsonObject
  /** A stream that has begun well. */
  begun: readonly object[]
  /** An error in general words, with the message `m`. */
  generalError: object
  /** A failure in the dialect's own words: as an event of a stream, with its lines, and as a body. */
  failure(words: string): { event: string; body: object }
  /** What its clients take for a failure themselves as the first event of a stream. */
  ownFailure?: RegExp
  /** A reply with whatever the service may say besides, and a member of it that no other dialect knows. */
  full: { body: JsonObject; only: string }
  /** A reply that has nothing which another dialect has words for. */
  unheard: JsonObject
  /** The file with a plain reply, in the folder of its fixtures. */
  plainFixture: string
}

/** A stream without fault, and which of its events may be missing or come twice by the rules. */
export interface CorrectStream {
  events: readonly JsonObject[]
  /** Whether an event has a line with its name. */
  named: boolean
  mayBeMissing(event: JsonObject): boolean
  mayComeTwice(event: JsonObject): boolean
}
