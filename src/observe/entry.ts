import type { Loss } from '../model/loss.ts'
import type { FinishReason, Usage } from '../model/request.ts'

/** What is known of one exchange when it is over. Never a body, never a credential. */
export interface LogEntry {
  id: string
  method: string
  /** The path without its query. */
  path: string
  caller?: string
  upstream?: string
  upstreamDialect?: string
  route?: string
  model?: string
  sentModel?: string
  stream?: boolean
  status: number
  firstByteMs?: number
  totalMs: number
  usage?: Usage
  finish?: FinishReason
  losses?: readonly Loss[]
  bytesIn?: number
  bytesOut?: number
  /** What the caller was told. */
  error?: string
  /** What the caller need not know: why no connection to the upstream came about, or why it broke. */
  reason?: string
}
