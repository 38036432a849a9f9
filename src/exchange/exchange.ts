import type { Adapter, RequestHead, Route } from '../../adapters/contract.ts'
import type { Lookup } from '../model/lookup.ts'
import type { Dialects } from '../../adapters/index.ts'
import type { Lease } from '../stream/budget.ts'
import type { Journal } from './journal.ts'
import type { Memories } from '../memory/records.ts'
import type { Ports } from '../ports.ts'
import type { ByteSource } from '../stream/source.ts'
import type { Body } from './body.ts'
import type { Settings } from '../config/settings.ts'

/** One exchange: who asks what, in which dialect, and what is to be remembered of it. */
export interface Exchange {
  readonly settings: Settings
  readonly dialects: Dialects
  readonly ports: Ports
  readonly caller: Adapter
  readonly route: Route
  readonly head: RequestHead
  readonly headers: Lookup
  readonly body: Body
  /** What the caller presented, for upstreams whose key it is. */
  readonly credential: string | undefined
  /** Whose memory it is; absent where nothing tells one caller from another. */
  readonly identity?: string | undefined
  /** Absent where nothing is kept. */
  readonly memories?: Memories | undefined
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  readonly journal: Journal
  /** What it has of the bytes that may be in flight. */
  readonly lease: Lease
  newId(prefix: string): string
}

/** An HTTP reply, before it is one. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | ByteSource | null
  /** To be told when a whole body has been taken, or never will be: until then it is in flight. */
  gone?(): void
}

/** 128 random bits as 32 hexadecimal digits. */
export const randomId = (): string => crypto.randomUUID().replaceAll('-', '')

const SEED_CHARACTERS = 16

/** Ids of an exchange: unlike those of any other, and the same position by position. */
export function idSource(random: () => string): (prefix: string) => string {
  let seed: string | undefined
  let count = 0
  return (prefix) => {
    seed ??= random().slice(0, SEED_CHARACTERS)
    count += 1
    return prefix + seed + count.toString(16).padStart(8, '0')
  }
}
