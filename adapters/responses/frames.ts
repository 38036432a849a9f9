import { LateFrame } from '../../src/canonical/late-frame.ts'

/** Brings the response as it stands, all of it; several frames may bring the same text. */
export class ResponseFrame extends LateFrame {
  constructor(type: string, response: () => string, number: number) {
    super(type, () => headOf(type) + response() + tailOf(number))
  }
}

/** What stands before the response, and behind it. */
export const headOf = (type: string): string => `{"type":"${type}","response":`
export const tailOf = (number: number): string => `,"sequence_number":${number}}`
