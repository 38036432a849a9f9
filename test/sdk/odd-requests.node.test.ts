import { describe, expect, test } from 'vitest'
import { ODD_REQUESTS, type OddRequest } from './odd-requests.ts'
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

async function send({ caller, body, check, losses }: OddRequest, upstream: Dialect): Promise<void> {
  const staged = stage(upstream, says(upstream, said([text('Fine.')])))
  const response = await staged.fetch(BASE + PATHS[caller], {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...HEADERS[caller] },
    body: JSON.stringify(body),
  })
  const answer = await response.text()
  expect(answer).toContain('Fine.')
  expect(response.status).toBe(200)
  check?.(staged.heard(0), upstream)
  expect(staged.heard(0).turns.length).toBeGreaterThan(0)
  const lost = losses?.[upstream]
  if (lost) expect(response.headers.get('x-dragoman-losses')).toMatch(lost)
}

describe.each(DIALECTS)('an upstream of %s accepts from', (upstream) => {
  const foreign = ODD_REQUESTS.filter(({ caller }) => caller !== upstream)
  test.each(foreign)('$caller $name', (odd) => send(odd, upstream))
})
