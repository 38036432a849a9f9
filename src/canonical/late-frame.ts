/**
 * A frame whose data is serialised when somebody reads it, which must be before the next event is written.
 * Of a reply that leaves as one body nobody reads any.
 */
export class LateFrame {
  readonly event: string
  readonly #write: () => string
  #data: string | undefined

  constructor(event: string, write: () => string) {
    this.event = event
    this.#write = write
  }

  get data(): string {
    return (this.#data ??= this.#write())
  }
}
