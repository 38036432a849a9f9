import type { Answer, Heard, Said, Stop, Wire } from '../sdk/script.ts'

/** How an upstream refuses, in words that were seen on the wire. */
export interface Refusals {
  invalid: Answer
  key: Answer
  rate: Answer
  overloaded: Answer
  overflow: Answer
  broken: Answer
}

/** A page that a provider's own search found, and what was said of it. */
export interface Finding {
  query: string
  url: string
  title: string
  words: string
}

/** The scripted upstream of a dialect: what it understands, and what it says. */
export interface Scripted {
  /** A request, read as strictly as the real service reads it. */
  hear(body: unknown): Heard
  body(reply: Said, model: string): Wire
  /** The events of a stream, with their line ends. */
  events(reply: Said, model: string): string[]
  /** Whether it proves its thoughts and wants the proofs back; they are in its own alphabet. */
  proves: boolean
  proofs: readonly [string, string]
  /** Ids of calls as it makes them, and how they begin; empty where it makes none. */
  ids: readonly [string, string]
  idPrefix: string
  /** Whether it takes back the words of a thought, or its proof alone, on the part that had it. */
  hearsThoughts: boolean
  /** Whether a request tells a thought that is withheld from one whose words are not shown. */
  tellsWithheld: boolean
  /** Whether neighbouring texts of a reply are one where only a silent thought stands between them. */
  joinsTexts: boolean
  /** How a caller of the dialect hears why a reply ended. */
  stops: Record<Stop, Stop>
  refusals: Refusals
  failureInStream: string
  /** The status by which it says that it is overloaded, and the one for a wrong key. */
  statuses: { overloaded: number; key: number }
  /** A reply of a model that searched the web, and how the tool is asked for. */
  found(finding: Finding): Wire
  searchTool: RegExp
  /** The model that searches, where not every one does. */
  searchModel?: string
  /** Says what was found, and not that there was a search. */
  hidesSearch?: boolean
}

/** How most dialects say why a reply ended: a stop sequence is told from another end by some. */
export const stopsOf = (sequence: Stop): Record<Stop, Stop> => ({
  stop: 'stop',
  'tool-call': 'tool-call',
  length: 'length',
  refusal: 'refusal',
  'stop-sequence': sequence,
})
