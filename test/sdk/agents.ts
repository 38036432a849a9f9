import { expect } from 'vitest'
import type { Wire } from './script.ts'
import { BASE, type Stage } from './stage.ts'

export const PROOF = 'c2lnbmVkLWJ5LXRoZS11cHN0cmVhbS0wMQ=='

export interface Sent {
  event: string
  data: Wire
}

export async function post(
  staged: Stage,
  path: string,
  headers: Wire,
  body: Wire,
): Promise<Response> {
  return staged.fetch(`${BASE}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
    body: JSON.stringify(body),
  })
}

/** Reads events as an agent does that trusts the framing: one `event:` line, one `data:` line. */
export async function eventsOf(response: Response): Promise<Sent[]> {
  expect(response.status).toBe(200)
  const text = await response.text()
  return text.split('\n\n').flatMap((part) => {
    const match = /^event: (.+)\ndata: (.+)$/.exec(part)
    return match ? [{ event: match[1] ?? '', data: JSON.parse(match[2] ?? '') }] : []
  })
}
