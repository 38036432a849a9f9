import type { LogEntry } from '../observe/entry.ts'
import type { HttpRequest } from '../ports.ts'
import type { Door } from './admission/guard.ts'

export type ClientOf = (request: HttpRequest) => Pick<LogEntry, 'address' | 'userAgent'>

/** An IPv4 address of a socket that takes both kinds. */
const MAPPED = /^::ffff:(?=\d+\.)/i

/**
 * Who has sent a request, for the log: the other end of the connection. Headers that name another address can be
 * written by anybody; on Workers there is no connection, and Cloudflare sets this one itself.
 */
export const clientReader =
  ({ kind }: Door): ClientOf =>
  ({ address, headers }) => {
    const from = kind === 'isolate' ? headers.get('cf-connecting-ip') : address
    return {
      address: from?.replace(MAPPED, '') ?? undefined,
      userAgent: headers.get('user-agent') ?? undefined,
    }
  }
