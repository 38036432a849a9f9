import { LateFrame } from '../../src/canonical/late-frame.ts'

/** Brings a piece of some text. In those of one row only it and the number are another. */
export class PieceFrame extends LateFrame {
  readonly row: unknown
  readonly text: string

  constructor(event: string, write: () => string, row: unknown, text: string) {
    super(event, write)
    this.row = row
    this.text = text
  }
}

/** Brings the response as it stands, all of it. */
export class ResponseFrame extends LateFrame {}
