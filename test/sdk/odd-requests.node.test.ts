import { describe, expect, test } from 'vitest'
import { kits, PAIRS } from '../dialects/index.ts'
import { officials } from '../dialects/official/index.ts'
import type { OddRequest } from './odd-request.ts'
import { stage } from './proxy.ts'
import { said, text, type Dialect } from './script.ts'
import { BASE, CALLER_KEY, says } from './stage.ts'

async function send(caller: Dialect, upstream: Dialect, odd: OddRequest): Promise<void> {
  const { http } = kits[caller]
  const { body, check, losses, refused } = odd
  const staged = stage(upstream, says(upstream, said([text('Fine.')])))
  const response = await staged.fetch(BASE + http.path('gemini-3-pro', false), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...http.credentials(CALLER_KEY) },
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

describe.each(PAIRS)('%s to %s', (caller, upstream) => {
  test.each(officials[caller].oddRequests)('$name', (odd) => send(caller, upstream, odd))
})
