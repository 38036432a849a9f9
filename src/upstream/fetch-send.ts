import { isObject } from '../json/json.ts'
import { wholeBytes } from '../json/bytes.ts'
import { ConnectError, type Send, type UpstreamRequest } from '../ports.ts'

/** Sends with the runtime's own `fetch`, which also pools connections. */
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

/** Codes of errors that come before anything is sent; not every runtime tells them. */
const CONNECT_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

const describeReason = (error: Error): string =>
  messageOf(error.cause instanceof Error ? error.cause : error)

/** Where a host has several addresses, Node says of each why it failed, and nothing beside. */
export const messageOf = (error: Error): string =>
  error instanceof AggregateError
    ? error.errors.map(({ message }: Error) => message).join('; ')
    : error.message

function isConnectFailure(error: unknown): error is Error {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof AggregateError || (isObject(cause) && CONNECT_CODES.has(cause['code']))
}
