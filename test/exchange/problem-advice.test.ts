import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { dialects, type Dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { jsonReply, proxyOf, sse, sseReply } from './proxy.ts'

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

const asArray = (elements: readonly object[]) =>
  `[${elements.map((e) => JSON.stringify(e)).join(',\r\n')}\n]`

/** Chunks of generate-content, as they come without `alt=sse`. Its own servers have no profile, so one is made up. */
describe('a refusal inside of a JSON array', () => {
  const error = { code: 400, message: refusal.message, status: 'INVALID_ARGUMENT' }
  const chunk = { candidates: [{ content: { role: 'model', parts: [{ text: 'so' }] } }] }
  const profiles = [
    {
      name: 'vllm' as const,
      facts: {},
      refusals: [{ words: /must be at the beginning/, says: 'needs what it says' }],
    },
  ]
  const generate = dialects.of('generate-content')
  const profiled = generate && {
    ...generate,
    upstream: { ...generate.upstream, profiles },
  }
  const made: Dialects = {
    ...dialects,
    list: profiled ? [profiled] : [],
    of: (name) => (name === 'generate-content' ? profiled : dialects.of(name)),
  }

  async function toldInArray(body: string, dialect: Dialect, contentType: string) {
    const change = {
      routes: [{ model: '*', upstream: 'plain', as: 'real' }],
      upstream: { dialect },
    }
    const headers = { 'content-type': contentType }
    const proxy = proxyOf(() => ({ ...sseReply([body]), headers: new Headers(headers) }), change, {
      dialects: made,
    })
    const { ask } = kits['generate-content']
    const answer = await proxy.fetch('/v1beta/models/m:streamGenerateContent', {
      body: { ...ask.needed, ...ask.text('hi') },
    })
    const text = await answer.text()
    return { status: answer.status, text, json: JSON.parse(text) }
  }

  it('names the profile for a caller without alt=sse', async () => {
    const first = await toldInArray(
      sse({ error: refusal }),
      'chat-completions',
      'text/event-stream',
    )
    expect(first.text).toMatch(HINT)
    const text = sse(BEGUN) + sse({ error: refusal })
    const later = await toldInArray(text, 'chat-completions', 'text/event-stream')
    expect(later.json).toMatchObject([{}, { error: { message: expect.stringMatching('vllm') } }])
  })

  it('names the profile of an upstream that streams an array', async () => {
    const first = await toldInArray(asArray([{ error }]), 'generate-content', 'application/json')
    expect(first.text).toMatch(HINT)
    const text = asArray([chunk, { error }])
    const later = await toldInArray(text, 'generate-content', 'application/json')
    expect(later.json).toEqual([
      chunk,
      {
        error: {
          ...error,
          message: `${error.message} (this server needs what it says: "profile": "vllm")`,
        },
      },
    ])
  })

  it('is told once where it came in foreign words', async () => {
    const text = asArray([chunk, { error: 'No more today' }])
    const { json } = await toldInArray(text, 'generate-content', 'application/json')
    const told = { code: expect.any(Number), message: 'No more today' }
    expect(json).toMatchObject([chunk, { error: told }])
  })
})

it.each([{ error: refusal }, { object: 'error', ...refusal }])(
  'names the profile in a whole body that tells of a failure with status 200: %o',
  async (failure) => {
    const change = {
      routes: [{ model: '*', upstream: 'plain' }],
      upstream: { dialect: 'chat-completions' },
    }
    const proxy = proxyOf(() => jsonReply(failure), change, { dialects })
    for (const { http, ask } of Object.values(kits)) {
      const answer = await proxy.fetch(http.path('m', false), {
        headers: { 'anthropic-version': '2023-06-01' },
        body: http.body('m', false, { ...ask.needed, ...ask.text('hi') }),
      })
      expect(await answer.text()).toMatch(HINT)
      expect(answer.status).toBe(400)
    }
  },
)

it('names the member at fault as its caller does', async () => {
  const named = await told('responses', [{ error: refusal }])
  expect(named.text).toContain('"param":"input"')
  const own = await told('chat-completions', [BEGUN, { error: refusal }])
  expect(own.text).toContain('"param":"messages[2].role"')
})
