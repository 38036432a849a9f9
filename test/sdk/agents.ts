import { expect } from 'vitest'
import type { Dialect, Wire } from './script.ts'
import { BASE, type Stage } from './stage.ts'

/** Ids as each upstream makes them; generate-content makes none. */
export const IDS: Record<Dialect, [string, string]> = {
  messages: ['toolu_01A09q90qw90lq917835lq9', 'toolu_01B19x55zz11aa22bb33cc4'],
  'generate-content': ['', ''],
  responses: ['call_MkzhR5UKwMZxG9Ud4RkTWSLX', 'call_a7Fq21bVh0dQmPz8XnC4yTeK'],
}
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
