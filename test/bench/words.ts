/** What each dialect has to say for the benchmark: the same in all of them. */

export interface Step {
  id: string
  said: string
  tool: string
  input: { [name: string]: unknown }
  result: string
}

export interface Tool {
  name: string
  description: string
  schema: object
}

export type Body = { [member: string]: unknown }

/** The session of an agent, to be written down in the words of a dialect. */
export interface Session {
  steps: readonly Step[]
  tools: readonly Tool[]
  system: string
  task: string
}

/** What an upstream says in the words of its dialect, with all that real ones put into an event. */
export interface BenchReply {
  /** A whole JSON body of about 1 KB. */
  json: string
  /** The events of a stream: what comes before the first delta, a delta, what comes after the last. */
  opening: readonly string[]
  delta(text: string, index: number): string
  closing(deltas: number): readonly string[]
}

export interface BenchWords {
  /** Requests without model and stream: of 1 KB, with an image, and of a long session. */
  small(words: { rules: string; question: string }): Body
  image(words: { data: string; question: string }): Body
  history(session: Session): Body
  reply: BenchReply
  /** What a whole answer has somewhere. */
  ending: { json: string; stream: string }
}

/** The last words of every reply, whatever dialect it is in. */
export const LAST_WORDS = 'and that is all.'

const SENTENCE = 'A proxy reads what one side says and writes what the other one understands. '
export const TEXT = SENTENCE.repeat(6) + LAST_WORDS

export const data = (event: object): string => `data: ${JSON.stringify(event)}`
export const named = (event: { type: string; [member: string]: unknown }): string =>
  `event: ${event.type}\n${data(event)}\n\n`
