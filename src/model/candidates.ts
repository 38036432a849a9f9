import type { Json } from '../json/json.ts'
import type { Cursor } from './cursor.ts'
import type { Event } from './events.ts'
import type { Lose } from './loss.ts'
import type { Request } from './request.ts'

/** Reads a candidate as if it were the only answer. */
interface CandidateReader {
  body(json: Json): Event[]
  push(event: { readonly data: Json }): Event[]
  end(): Event[]
}

/**
 * The candidates of a reply beside the first, each with a reader of its own. Only those that the caller asked for are
 * read: the others could not be told, and an upstream must not make readers without a bound.
 */
export class OtherCandidates {
  readonly #cursor: Cursor
  readonly #asked: number
  readonly #lose: Lose
  readonly #make: () => CandidateReader
  readonly #readers = new Map<number, CandidateReader>()

  constructor(
    cursor: Cursor,
    { request, lose }: { request: Request; lose: Lose },
    make: () => CandidateReader,
  ) {
    this.#cursor = cursor
    this.#asked = request.sampling.candidateCount ?? 1
    this.#lose = lose
    this.#make = make
  }

  /** A piece of a stream, with the candidate as the first. */
  push(index: number, data: Json): void {
    const reader = this.#at(index)
    if (reader) this.#cursor.candidate(index, reader.push({ data }))
  }

  /** A whole reply, with the candidate as the first. */
  body(index: number, json: Json): void {
    const reader = this.#at(index)
    if (reader) this.#cursor.candidate(index, reader.body(json))
  }

  /** `mark`: the end mark of the stream, where it came. */
  end(mark?: Json): void {
    for (const [index, reader] of this.#readers) {
      const last = mark === undefined ? [] : reader.push({ data: mark })
      this.#cursor.candidate(index, [...last, ...reader.end()])
    }
  }

  #at(index: number): CandidateReader | undefined {
    if (!Number.isInteger(index) || index < 1 || index >= this.#asked)
      return this.#lose('dropped', 'reply.candidates')
    const reader = this.#readers.get(index) ?? this.#make()
    this.#readers.set(index, reader)
    return reader
  }
}
