import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { jsonReply, proxyOf, sse, sseReply } from '../exchange/proxy.ts'
import { kits } from '../dialects/index.ts'
import type { UpstreamResponse } from '../../src/ports.ts'

/** Errors that say their status in the body alone, as gateways send them behind a status 200. */
const LIMITED: readonly object[] = [
  { error: { code: 429, message: 'Slow down.' } },
  { error: { code: '429', message: 'Slow down.' } },
  { error: { status: 429, message: 'Slow down.' } },
  { error: { status_code: '429', message: 'Slow down.' } },
  { error: { code: 429, message: 'Slow down.', type: 'invalid_request_error' } },
  { type: 'error', status: 429, error: { message: 'Slow down.' } },
]

/** How a caller is told of a rate limit; what its clients take for a failure passes in the upstream's words. */
const TOLD: Record<Dialect, RegExp> = {
  messages: /"type":"rate_limit_error"/,
  responses: /"code":"rate_limit_exceeded"|"status":429/,
  'generate-content': /"status":"RESOURCE_EXHAUSTED"|"code":429/,
  'chat-completions': /"code":"rate_limit_exceeded"|"(?:code|status|status_code)":"?429/,
}

async function told(caller: Dialect, upstream: Dialect, answer: UpstreamResponse, stream: boolean) {
  const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: upstream } }
  const { http, client } = kits[caller]
  const proxy = proxyOf(() => answer, change, { dialects })
  const body = http.body('m', stream, client.request('m', 'hi'))
  const headers = { 'anthropic-version': '2023-06-01' }
  const response = await proxy.fetch(http.path('m', stream), { body, headers })
  return { status: response.status, text: await response.text(), log: proxy.log }
}

const pairs = DIALECTS.flatMap((caller) =>
  DIALECTS.flatMap((upstream) => LIMITED.map((said) => ({ caller, upstream, said }))),
)
const foreign = pairs.filter(({ caller, upstream }) => caller !== upstream)

const begun = (upstream: Dialect): string[] => kits[upstream].say.begun.map(sse)

describe('a status in the body of an error', () => {
  it.each(pairs)(
    'is told behind the beginning of a stream: $caller over $upstream, $said',
    async ({ caller, upstream, said }) => {
      const chunks = [...begun(upstream), sse(said)]
      const { status, text } = await told(caller, upstream, sseReply(chunks), true)
      expect(status).toBe(200)
      expect(text).toMatch(TOLD[caller])
      expect(text).toContain('Slow down.')
    },
  )

  it.each(foreign)(
    'is the status of a stream that says nothing else: $caller over $upstream, $said',
    async ({ caller, upstream, said }) => {
      const { status, text } = await told(caller, upstream, sseReply([sse(said)]), true)
      expect(status).toBe(429)
      expect(text).toMatch(TOLD[caller])
    },
  )

  it.each(foreign)(
    'is the status of a body that says nothing else: $caller over $upstream, $said',
    async ({ caller, upstream, said }) => {
      const { status, text } = await told(caller, upstream, jsonReply(said), false)
      expect(status).toBe(429)
      expect(text).toMatch(TOLD[caller])
    },
  )

  it.each(foreign)(
    'says enough without a word: $caller over $upstream',
    async ({ caller, upstream }) => {
      const said = { error: { code: 429 } }
      const { status, text } = await told(caller, upstream, sseReply([sse(said)]), true)
      expect(status).toBe(429)
      expect(text).toMatch(TOLD[caller])
    },
  )

  it.each(foreign.filter(({ upstream }) => upstream !== 'generate-content'))(
    'may be a name: $caller over $upstream',
    async ({ caller, upstream }) => {
      const error = { message: 'Slow down.', type: 'too_many_requests', code: 'too_many_requests' }
      const chunks = [...begun(upstream), sse({ error })]
      const { text } = await told(caller, upstream, sseReply(chunks), true)
      expect(text).toMatch(TOLD[caller])
    },
  )
})
