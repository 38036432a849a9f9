import { stringify, type JsonObject } from '../../src/json/json.ts'
import { LateFrame } from '../../src/stream/late-frame.ts'

/** Brings the response as it stands, all of it; several frames may bring the same text. */
export class ResponseFrame extends LateFrame {
  /** What stands behind the response. */
  readonly tail: string

  /** `error`: that of the response, in the event that says that it failed. */
  constructor(type: string, response: () => string, number: number, error?: JsonObject) {
    const tail = eventTail(number, error)
    super(type, () => eventHead(type) + response() + tail)
    this.tail = tail
  }
}

/** What stands before the response. */
export const eventHead = (type: string): string => `{"type":"${type}","response":`

/**
 * A failure is told in one event, and beside its response once more: LangChain (@langchain/openai 1.5.8) knows
 * nothing of `response.failed` and would end on it as on a success, but the library below it (openai 6 and 7)
 * throws at an event with this member. An `error` event in front would be a second failure.
 */
const eventTail = (number: number, error: JsonObject | undefined): string =>
  `${error ? `,"error":${stringify(error)}` : ''},"sequence_number":${number}}`
