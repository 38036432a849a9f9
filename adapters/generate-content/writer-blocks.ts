import type { JsonObject } from '../../src/json/json.ts'
import { grown } from '../../src/rules/growing.ts'
import { joinSilent } from './proofs.ts'

/** A text or thought that clients see as one, because nothing stands between its pieces. */
export interface WrittenRun {
  kind: 'text' | 'reasoning'
  part: JsonObject
  text: string
  /** The number of its part in the whole reply. */
  index: number
}

/**
 * The parts of a reply, whole for a JSON reply and in pieces for a stream. Every method returns the pieces that may go
 * out. Text goes out at once, because a person may be reading. Any other piece waits for the next one, because a proof
 * that comes at the end belongs on the last piece.
 */
export class Pieces {
  readonly parts: JsonObject[] = []
  #waiting: JsonObject | undefined
  /** The signatures of thoughts without words, kept until a part comes that they can stand on. */
  #silent: string[] = []
  #run: WrittenRun | undefined

  get run(): WrittenRun | undefined {
    return this.#run
  }

  /**
   * How many parts behind each of these places a client sees that returns no thoughts. Texts that become neighbours are
   * read as one. `places` are in order, so all are counted in one walk.
   */
  saidSince(places: readonly number[]): number[] {
    let [said, from, isText] = [0, this.parts.length, false]
    const counts = places.toReversed().map((place) => {
      for (const part of this.parts.slice(place, from).toReversed()) {
        if (part['thought']) continue
        if (!isText || !('text' in part)) said += 1
        isText = 'text' in part
      }
      from = place
      return said
    })
    return counts.toReversed()
  }

  /**
   * Takes more of a text; false where the caller has more to write than this piece: another kind of block, a waiting
   * piece, or signatures that are kept.
   */
  goOn(kind: WrittenRun['kind'], text: string): boolean {
    const run = this.#run
    if (kind !== 'text' || run?.kind !== kind || this.#waiting || this.#silent.length > 0)
      return false
    run.text = grown(run.text, text)
    run.part['text'] = run.text
    return true
  }

  say(kind: WrittenRun['kind'], text: string): JsonObject[] {
    const released = this.#add(kind, text)
    return kind === 'text' ? [...released, ...this.release()] : released
  }

  #add(kind: WrittenRun['kind'], text: string): JsonObject[] {
    const before = kind === 'reasoning' ? this.settle() : []
    const thought = thoughtMark(kind)
    if (this.#run?.kind !== kind) {
      const part: JsonObject = { text: '', ...thought }
      this.#run = { kind, part, text: '', index: this.parts.push(part) - 1 }
    }
    this.#run.text = grown(this.#run.text, text)
    this.#run.part['text'] = this.#run.text
    const released = this.#hold({ text, ...thought })
    const silent = this.#takeSilent()
    if (silent !== undefined) this.#sign(silent)
    return [...before, ...released]
  }

  /**
   * Writes a proof on the last piece, or on an empty piece where the text has gone out already. `isSilent`: there was
   * no text.
   */
  prove(kind: WrittenRun['kind'], signature: string, isSilent: boolean): JsonObject[] {
    const isTaken = this.#run?.part['thoughtSignature'] !== undefined
    if (isTaken) this.#run = undefined
    const released = isTaken || isSilent ? this.#add(kind, '') : []
    if (!this.#waiting) this.#hold({ text: '', ...thoughtMark(kind) })
    this.#sign(signature)
    this.#run = undefined
    return released
  }

  #sign(signature: string): void {
    if (this.#waiting) this.#waiting['thoughtSignature'] = signature
    if (this.#run) this.#run.part['thoughtSignature'] = signature
  }

  /** Writes a part in one piece. A call also takes the signature `repeated`, where it has none. */
  whole(part: JsonObject, repeated?: string): JsonObject[] {
    this.#run = undefined
    const carries = 'functionCall' in part && part['thoughtSignature'] === undefined
    const before = carries ? [] : this.settle()
    const signature = this.#takeSilent() ?? (carries ? repeated : undefined)
    const signed = { ...part, ...(signature !== undefined && { thoughtSignature: signature }) }
    this.parts.push(signed)
    return [...before, ...this.#hold({ ...signed })]
  }

  /**
   * Keeps the signature of a thought without words for the part that follows, where the service puts it too. Clients
   * rely on that: they drop a part without words and the whole turn with it (chats of Go's genai 1.77.0), or move its
   * signature.
   */
  keepBack(signature: string): void {
    this.#run = undefined
    this.#silent.push(signature)
  }

  /** All kept signatures as one. It is made only when a part takes it, because there may be thousands. */
  #takeSilent(): string | undefined {
    const kept = this.#silent
    if (kept.length === 0) return undefined
    this.#silent = []
    return joinSilent(kept)
  }

  /** Writes a part of its own for kept signatures that no other part has taken. */
  settle(): JsonObject[] {
    const signature = this.#takeSilent()
    if (signature === undefined) return []
    const part = { text: '', thought: true, thoughtSignature: signature }
    this.parts.push(part)
    return this.#hold({ ...part })
  }

  /** Lets the waiting piece go. */
  release(): JsonObject[] {
    const released = this.#waiting ? [this.#waiting] : []
    this.#waiting = undefined
    return released
  }

  #hold(part: JsonObject): JsonObject[] {
    const released = this.release()
    this.#waiting = part
    return released
  }
}

export const thoughtMark = (kind: WrittenRun['kind']): JsonObject =>
  kind === 'reasoning' ? { thought: true } : {}
