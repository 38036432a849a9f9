import type {
  FailoverSettings,
  LimitSettings,
  RetentionSettings,
  StoreBounds,
  TimeoutSettings,
} from './settings.ts'

const KIB = 1024
const MIB = 1024 * KIB
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

/** Limits for a process of its own. They keep its resident memory below twice the bytes in flight plus 300 MB. */
export const PROCESS_LIMITS: LimitSettings = {
  bodyBytes: 32 * MIB,
  inFlightBytes: 256 * MIB,
  depth: 200,
  nodes: 250_000,
  eventBytes: 16 * MIB,
  replyBytes: 64 * MIB,
  streamBytes: 512 * MIB,
  streams: 2000,
  connections: 4000,
  headersMs: 15 * SECOND_MS,
  bodyMs: 120 * SECOND_MS,
  heartbeatMs: 15 * SECOND_MS,
  gatherMs: 0,
  drainMs: 25 * SECOND_MS,
  lingerMs: 0,
  sockets: 1000,
  socketMs: 60 * MINUTE_MS,
  socketBytes: 64 * MIB,
}

/**
 * Limits for a Workers isolate, which has 128 MB. A request with the most values takes 32 MB while it is translated
 * (measured: 210 bytes for each of 144,000); beside it are the bytes in flight and the program, and further ones wait.
 */
export const ISOLATE_LIMITS: LimitSettings = {
  ...PROCESS_LIMITS,
  bodyBytes: 16 * MIB,
  inFlightBytes: 16 * MIB,
  nodes: 150_000,
  eventBytes: 8 * MIB,
  replyBytes: 16 * MIB,
  streamBytes: 64 * MIB,
  socketBytes: 8 * MIB,
  gatherMs: 60,
}

export const TIMEOUTS: TimeoutSettings = {
  connectMs: 10 * SECOND_MS,
  firstByteMs: 120 * SECOND_MS,
  jsonMs: 600 * SECOND_MS,
  idleMs: 120 * SECOND_MS,
  totalMs: 60 * MINUTE_MS,
}

const DAY_MS = 24 * 60 * MINUTE_MS

/** For a process that has its memory to itself. */
export const STORE_BOUNDS: StoreBounds = {
  entryBytes: 16 * MIB,
  ownerBytes: 64 * MIB,
  totalBytes: 256 * MIB,
}

/** A Workers isolate has 128 MB in all, and Workers KV takes values of up to 25 MiB. */
export const WORKER_STORE_BOUNDS: StoreBounds = {
  entryBytes: 4 * MIB,
  ownerBytes: 16 * MIB,
  totalBytes: 32 * MIB,
}

/** For the last requests of sessions: the next request of a session repeats most of its last one. */
export const RECALL_BYTES = { process: 64 * MIB, isolate: 8 * MIB } as const

/** 30 days, as OpenAI keeps responses. */
export const DEFAULT_RETENTION: RetentionSettings = {
  ...STORE_BOUNDS,
  ttlMs: 30 * DAY_MS,
  proofs: false,
}

/** The statuses at which the official client libraries repeat a request by themselves. */
export const DEFAULT_FAILOVER: FailoverSettings = {
  hops: 2,
  budgetMs: 30 * SECOND_MS,
  waitMs: 0,
  on: [408, 409, 429, 500, 502, 503, 504, 529],
  unknown: false,
  sticky: 'prefer',
  stickySeconds: 3600,
}

export const BEFORE = { timeoutMs: SECOND_MS, onError: 'refuse' } as const

export const RECORD = { maxBytes: 1024 * MIB, bodies: true }

export const MAX_OUTPUT_TOKENS = 8192

/** Shorter keys can be guessed. Longer ones would never match, because a caller may not present them. */
export const MIN_CALLER_KEY_CHARACTERS = 16
export const MAX_CALLER_KEY_CHARACTERS = 512
/** Tokens of clouds have thousands of characters. Node takes no more than this of all headers together. */
export const MAX_SECRET_CHARACTERS = 16 * KIB
/** A file of a secret may end in lines without words. */
export const MAX_SECRET_FILE_BYTES = 64 * KIB

/** The origin of in-process upstreams; `.invalid` is a name that no name server resolves (RFC 2606, section 2). */
export const DEMO_ORIGIN = 'http://demo.invalid'
