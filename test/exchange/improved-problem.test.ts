import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { proxyOf, sseReply } from './proxy.ts'

/** The words of vLLM's templates, inside of a stream: its status has been said by then. */
const refusal = {
  message: 'System message must be at the beginning.',
  type: 'BadRequestError',
  param: 'messages[2].role',
  code: 400,
}
const BEGUN = { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'so' } }] }

/** What a caller sees of a stream of chat completions that holds these events. */
async function told(from: Dialect, events: readonly object[], profile?: string) {
  const { http, ask } = kits[from]
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const change = {
    routes: [{ model: '*', upstream: 'plain' }],
    upstream: { dialect: 'chat-completions', ...(profile !== undefined && { profile }) },
  }
  const proxy = proxyOf(() => sseReply([body]), change, { dialects })
  const answer = await proxy.fetch(http.path('m', true), {
    headers: { 'anthropic-version': '2023-06-01' },
    body: http.body('m', true, { ...ask.needed, ...ask.text('hi') }),
  })
  return { status: answer.status, text: await answer.text() }
}

const HINT = /must be at the beginning\. \(this server [^)]*\\"profile\\": \\"vllm\\"\)/

describe.each(DIALECTS)('a refusal inside a stream, for a caller of %s', (from) => {
  it('names the profile that cures it, before anything was said and after that', async () => {
    const first = await told(from, [{ error: refusal }])
    expect(first.text).toMatch(HINT)
    const later = await told(from, [BEGUN, { error: refusal }])
    expect(later.status).toBe(200)
    expect(later.text).toMatch(HINT)
    // Clients of the same dialect read the first of two errors.
    if (from === 'chat-completions') expect(later.text.split('"error"')).toHaveLength(2)
  })

  it('says nothing of a profile that is there already', async () => {
    const { text } = await told(from, [{ error: refusal }], 'vllm')
    expect(text).toContain('must be at the beginning.')
    expect(text).not.toContain('profile')
  })
})

it('names the member at fault as its caller does', async () => {
  const named = await told('responses', [{ error: refusal }])
  expect(named.text).toContain('"param":"input"')
  const own = await told('chat-completions', [BEGUN, { error: refusal }])
  expect(own.text).toContain('"param":"messages[2].role"')
})
