import { LONG_BYTES, sizeOf, wholeBytes, type Bytes } from '../../json/bytes.ts'
import type { JsonObject } from '../../json/json.ts'
import { holdsLiterals } from '../../json/large-literals.ts'
import { ScannedBody } from '../../json/scanned-body.ts'
import type { Structure } from '../../json/structure.ts'
import { LEAST_BYTES, writeBody } from '../../json/written-body.ts'
import type { BodyRules, Recall, RecalledRequest } from '../../ports.ts'
import { commonPrefix, commonSuffix, isSameByte, type IsSame } from './common-prefix.ts'
import type { NativeReading } from './passing-body.ts'
import { growBody } from './grown-body.ts'
import { gapIn, learnBody, type Gap, type KnownBody } from './known-body.ts'
import { turnEndsOf, MOST_UNLIKELY, SessionStore, type RecalledSession } from './session-store.ts'

/** A larger body is mostly pictures, which are not text, and it would push out many sessions. */
const MOST_BYTES = 4 * 1024 * 1024

export interface RecallOptions {
  /** How much may be kept. */
  readonly bytes: number
  readonly leastBytes?: number
  /** A quicker way to compare bytes than that of the language. */
  readonly isSame?: IsSame
  /** Where the platform has none of it, bodies are read as texts. */
  readonly native?: NativeReading | undefined
}

export const createRecall = (options: RecallOptions): Recall => new Sessions(options)

class Sessions implements Recall {
  readonly #store: SessionStore
  readonly #known: Pick<RequestContext, 'isSame' | 'native'>
  readonly #leastBytes: number

  constructor({ bytes, leastBytes = LEAST_BYTES, isSame = isSameByte, native }: RecallOptions) {
    this.#store = new SessionStore(bytes)
    this.#known = { isSame, native }
    this.#leastBytes = leastBytes
  }

  get held(): number {
    return this.#store.held
  }

  bound(bytes: number): void {
    this.#store.bound(bytes)
  }

  request(
    owner: string,
    dialect: string,
    rules: BodyRules,
    size: number,
  ): RecalledRequest | undefined {
    const store = this.#store
    if (store.isOff || size < this.#leastBytes) return undefined
    return new Request({ ...this.#known, store, owner: `${dialect}\0${owner}`, rules })
  }
}

interface RequestContext {
  readonly store: SessionStore
  readonly owner: string
  readonly rules: BodyRules
  readonly isSame: IsSame
  readonly native: NativeReading | undefined
}

class Request implements RecalledRequest {
  readonly #context: RequestContext
  #session: RecalledSession | undefined
  /** Whether a body has come that opens as this one does, once that was asked. */
  #isSeen: boolean | undefined

  constructor(context: RequestContext) {
    this.#context = context
  }

  get isKept(): boolean {
    return this.#session !== undefined && this.#context.store.hasRoom(this.#session)
  }

  scanned(received: Bytes): ScannedBody | undefined {
    const { isSame } = this.#context
    if (sizeOf(received) > MOST_BYTES) return undefined
    const bytes = wholeBytes(received)
    const [session, before] = this.#closest(bytes)
    if (!session) return undefined
    const { known } = session
    const behind = commonSuffix(known.bytes, bytes, isSame)
    if (2 * (before + behind) < known.bytes.length) return undefined
    const growth = bytes.length - known.bytes.length
    const gap = gapIn(known, { before, behind, growth })
    const grown = gap && isMost(known, gap) ? growBody(known, gap, bytes, this.#context) : undefined
    if (!grown) return undefined
    this.#session = this.#kept(session, grown.known)
    return grown
  }

  fresh(received: Bytes): ScannedBody | undefined {
    const { native, rules } = this.#context
    // The text of a longer body is counted.
    if (!native || sizeOf(received) > LONG_BYTES) return undefined
    const fresh = native.readFresh(wholeBytes(received), rules, native)
    if (!fresh) return undefined
    this.#keptIfSeen(fresh.known)
    return fresh
  }

  first(received: Bytes): ScannedBody | undefined {
    const { native, owner, rules, store } = this.#context
    if (!native || sizeOf(received) > LONG_BYTES) return undefined
    const bytes = wholeBytes(received)
    const passing = native.readPassing(bytes, rules, native)
    if (!passing) return undefined
    this.#isSeen = store.noteOpening(owner, bytes, passing.firstEnds)
    return this.#isSeen ? undefined : passing.body
  }

  learned(received: Bytes, text: string, structure: Structure): ScannedBody {
    const known = this.#learn(received, text, structure)
    return new ScannedBody(text, structure, { ...(known && { known }) })
  }

  written(body: JsonObject): Uint8Array | undefined {
    const session = this.#session
    if (!session) return undefined
    session.written = writeBody(body, session.written)
    this.#context.store.weigh(session)
    return session.written.bytes
  }

  #learn(received: Bytes, text: string, structure: Structure): KnownBody | undefined {
    if (sizeOf(received) > MOST_BYTES) return undefined
    const bytes = wholeBytes(received)
    // What was not left out this time may be the next.
    const known = holdsLiterals(bytes)
      ? undefined
      : learnBody(bytes, text, structure, this.#context.rules.turns)
    if (known) this.#keptIfSeen(known)
    return known
  }

  /** The session whose last body begins as this one does for the longest. */
  #closest(bytes: Uint8Array): [RecalledSession | undefined, number] {
    const { isSame, owner, rules, store } = this.#context
    const sessions = store.similar(owner, bytes, rules.limits)
    const likely = sessions.filter(({ known }) => isLikely(known, bytes, isSame))
    let [closest, most]: [RecalledSession | undefined, number] = [undefined, 0]
    for (const session of likely.length > 0 ? likely : sessions.slice(-MOST_UNLIKELY)) {
      const { bytes: other } = session.known
      // A session can only win if it also agrees at the best length found so far.
      if (other[most] !== bytes[most]) continue
      const before = commonPrefix(other, bytes, isSame)
      if (before > most) [closest, most] = [session, before]
    }
    return [closest, most]
  }

  /**
   * Many a session has no second request. Bytes that are kept of a first one cost a fifth of an exchange that passes,
   * so that only its opening is noted.
   */
  #keptIfSeen(known: KnownBody): void {
    const { owner, store } = this.#context
    const isSeen = this.#isSeen ?? store.noteOpening(owner, known.bytes, turnEndsOf(known))
    if (isSeen) this.#kept(undefined, known)
  }

  #kept(session: RecalledSession | undefined, known: KnownBody): RecalledSession {
    const { owner, rules, store } = this.#context
    return store.keep(session, owner, known, rules.limits)
  }
}

const PROBE_BYTES = 4096

/** Whether a body has the same bytes in the midst of the turns, where sessions differ that begin alike. */
function isLikely(known: KnownBody, other: Uint8Array, isSame: IsSame): boolean {
  const { bytes } = known
  const ends = known.isLaidOut ? known.layout.turns?.ends : undefined
  const end = ends?.[ends.length >> 1] ?? bytes.length >> 1
  if (end > other.length) return false
  const start = Math.max(0, end - PROBE_BYTES)
  return isSame(bytes.subarray(start, end), other.subarray(start, end))
}

/** Whether most of a known body comes again: otherwise it is quicker to read the new one as a whole. */
const isMost = ({ bytes }: KnownBody, { from, to }: Gap): boolean => 2 * (to - from) < bytes.length
