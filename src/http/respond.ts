import { stringify, type JsonObject } from '../canonical/json.ts'
import type { Answer } from '../gateway/exchange.ts'

export const jsonAnswer = (body: JsonObject, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: stringify(body),
})

type ResponseBody = ConstructorParameters<typeof Response>[0]

/** Clients look for the id of an exchange under either name. */
export function responseOf({ status, headers, body }: Answer, id: string): Response {
  const named = { ...headers, 'x-request-id': id, 'request-id': id }
  // The types of the two runtimes disagree about which arrays of bytes make a body.
  return new Response(body as ResponseBody, { status, headers: named })
}
