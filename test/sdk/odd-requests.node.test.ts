import { describe, expect, test } from 'vitest'
import { FROM_CONTENTS } from './odd-generate-content.ts'
import { FROM_MESSAGES } from './odd-messages.ts'
import type { OddRequest } from './odd-request.ts'
import { FROM_RESPONSES } from './odd-responses.ts'
import { stage } from './proxy.ts'
import { DIALECTS, said, text, type Dialect } from './script.ts'
import { BASE, CALLER_KEY, says } from './stage.ts'

const PATHS: Record<Dialect, string> = {
  messages: '/v1/messages',
  'generate-content': '/v1beta/models/gemini-3-pro:generateContent',
  responses: '/v1/responses',
}
const HEADERS: Record<Dialect, Record<string, string>> = {
  messages: { 'x-api-key': CALLER_KEY, 'anthropic-version': '2023-06-01' },
  'generate-content': { 'x-goog-api-key': CALLER_KEY },
  responses: { authorization: `Bearer ${CALLER_KEY}` },
}

const ODD_REQUESTS: Record<Dialect, OddRequest[]> = {
  messages: FROM_MESSAGES,
  'generate-content': FROM_CONTENTS,
  responses: FROM_RESPONSES,
}

async function send(caller: Dialect, upstream: Dialect, odd: OddRequest): Promise<void> {
  const { body, check, losses, refused } = odd
  const staged = stage(upstream, says(upstream, said([text('Fine.')])))
  const response = await staged.fetch(BASE + PATHS[caller], {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...HEADERS[caller] },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const answer = await response.text()
  if (refused !== undefined) {
    expect(response.status).toBe(400)
    expect(answer).toContain(refused)
    return
  }
  expect(answer).toContain('Fine.')
  expect(response.status).toBe(200)
  check?.(staged.heard(0), upstream, staged.received[0]?.text ?? '')
  expect(staged.heard(0).turns.length).toBeGreaterThan(0)
  const lost = losses?.[upstream]
  if (lost) expect(response.headers.get('x-dragoman-losses')).toMatch(lost)
}

const PAIRS = DIALECTS.flatMap((caller) =>
  DIALECTS.filter((upstream) => upstream !== caller).map((upstream) => ({ caller, upstream })),
)

describe.each(PAIRS)('$upstream accepts from $caller', ({ caller, upstream }) => {
  test.each(ODD_REQUESTS[caller])('$name', (odd) => send(caller, upstream, odd))
})
