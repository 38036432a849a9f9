import type { Template } from './template.ts'

/**
 * A frame whose data is serialised when it is read, which must be before the next event is written.
 * Of a reply that leaves as one body none is read.
 */
export class LateFrame {
  readonly event: string | undefined
  readonly #write: () => string
  #data: string | undefined

  constructor(event: string | undefined, write: () => string) {
    this.event = event
    this.#write = write
  }

  get data(): string {
    return (this.#data ??= this.#write())
  }
}

/** Brings a piece of something longer. Frames of one row differ in it and in their number, if they have one. */
export class PieceFrame {
  readonly event: string | undefined
  readonly row: Template
  readonly text: string
  readonly number: number

  constructor(event: string | undefined, row: Template, text: string, number = 0) {
    this.event = event
    this.row = row
    this.text = text
    this.number = number
  }

  get data(): string {
    return this.row.write(this.text, this.number)
  }
}

/** A list that is made with one member takes a fraction of the room of one that grows, and most have one. */
export const added = <T>(list: T[], member: T): T[] => {
  if (list.length === 0) return [member]
  list.push(member)
  return list
}
