import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { within } from '../../src/stream/time.ts'
import { never, proxyOf, sse, streamOf, type Chunk } from './proxy.ts'

const WORDS = 'Slow down, please.'

/** The error of each service, as an event of a stream and without its framing. */
const SAID: Record<Dialect, object> = {
  messages: { type: 'error', error: { type: 'rate_limit_error', message: WORDS } },
  responses: { error: { code: 'rate_limit_exceeded', message: WORDS, type: 'rate_limit_error' } },
  'generate-content': { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: WORDS } },
  'chat-completions': { error: { code: 'rate_limit_exceeded', message: WORDS, type: 'requests' } },
}

async function told(
  caller: Dialect,
  upstream: Dialect,
  stream: boolean,
  text: string,
  code = 429,
  behind: readonly Chunk[] = [],
) {
  const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: upstream } }
  const headers = new Headers({ 'content-type': 'text/event-stream', 'retry-after': '7' })
  const proxy = proxyOf(
    () => ({ status: code, headers, body: streamOf([text, ...behind]) }),
    change,
    {
      dialects,
    },
  )
  const { http, client } = kits[caller]
  const response = await proxy.fetch(http.path('m', stream), {
    body: http.body('m', stream, client.request('m', 'hi')),
    headers: { 'anthropic-version': '2023-06-01' },
  })
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('retry-after')).toBe('7')
  const { message } = ((await response.json()) as { error: { message: string } }).error
  return { status: response.status, message }
}

const pairs = DIALECTS.flatMap((caller) =>
  DIALECTS.flatMap((upstream) => [true, false].map((stream) => ({ caller, upstream, stream }))),
)

describe('an error status with events in its body', () => {
  it.each(pairs)(
    'is told in the words of the event: $caller over $upstream, stream $stream',
    async ({ caller, upstream, stream }) => {
      const answer = { status: 429, message: WORDS }
      const data = sse(SAID[upstream])
      for (const text of [
        `event: error\n${data}`,
        `: wait\n\nevent: ping\ndata: {"type":"ping"}\n\nevent: error\n${data}`,
        data.replaceAll('\n', '\r\n'),
        data.trimEnd(),
        `${data}data: [DONE]\n\n`,
        `event: error\ndata: {"error":\ndata: {"code":429,"message":"${WORDS}"}}\n\n`,
      ])
        expect(await told(caller, upstream, stream, text)).toEqual(answer)
    },
  )

  it.each(pairs)(
    'keeps a general status: $caller over $upstream, stream $stream',
    async ({ caller, upstream, stream }) => {
      const text = `event: error\ndata: {"message":"${WORDS}"}\n\n`
      const answer = { status: 500, message: WORDS }
      expect(await told(caller, upstream, stream, text, 500)).toEqual(answer)
    },
  )

  it.each(pairs)(
    'is told when the event is whole: $caller over $upstream, stream $stream',
    async ({ caller, upstream, stream }) => {
      const answer = { status: 429, message: WORDS }
      for (const said of [SAID[upstream], { message: WORDS }, { detail: WORDS }]) {
        const work = told(caller, upstream, stream, sse(said), 429, [never()])
        expect(await within(work, 1500)).toEqual(answer)
      }
    },
  )

  it('is not waited for long where nothing ends it', async () => {
    const answers = pairs.map(({ caller, upstream, stream }) =>
      told(caller, upstream, stream, JSON.stringify(SAID[upstream]), 429, [never()]),
    )
    for (const answer of answers)
      expect(await within(answer, 10_000)).toEqual({ status: 429, message: WORDS })
  })

  it('may tell of a response that failed', async () => {
    const error = { code: 'rate_limit_exceeded', message: WORDS }
    const text = sse({ type: 'response.failed', response: { status: 'failed', error } })
    for (const caller of DIALECTS) {
      const answer = await told(caller, 'responses', true, text)
      expect(answer).toEqual({ status: 429, message: WORDS })
    }
  })

  it('that are none of JSON is told in their words', async () => {
    const answer = await told('messages', 'chat-completions', true, 'error code: 1015')
    expect(answer).toEqual({ status: 429, message: 'error code: 1015' })
  })
})
