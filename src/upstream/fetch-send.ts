import { wholeBytes } from '../json/bytes.ts'
import { ConnectError, type Send, type UpstreamRequest } from '../ports.ts'

/** By the runtime's own fetch. Pools are its business, and mostly also what counts as no connection. */
export const fetchSend: Send = async ({ url, method, headers, signal, body }) => {
  const init = {
    method,
    headers,
    signal,
    redirect: 'manual',
    body: toFetchBody(body),
  } as RequestInit
  const duplex = body instanceof ReadableStream ? { duplex: 'half' as const } : {}
  try {
    const response = await fetch(url, { ...init, ...duplex })
    return { status: response.status, headers: response.headers, body: response.body }
  } catch (error) {
    throw isConnectFailure(error) ? new ConnectError(describeReason(error)) : error
  }
}

const toFetchBody = (body: UpstreamRequest['body']): ReadableStream | Uint8Array | null =>
  body === undefined || body instanceof ReadableStream ? (body ?? null) : wholeBytes(body)

/** Where a runtime says so at all: these come before anything is sent. */
const CONNECT_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

const describeReason = ({ cause, message }: Error): string =>
  cause instanceof Error ? cause.message : message

function isConnectFailure(error: unknown): error is Error {
  const cause = error instanceof Error ? error.cause : undefined
  return (
    typeof cause === 'object' && cause !== null && 'code' in cause && CONNECT_CODES.has(cause.code)
  )
}
