import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { within } from '../../src/stream/time.ts'
import { jsonReply, KEY, never, proxyOf, sse, sseReply, type Chunk } from './proxy.ts'

/** Failures as services of a dialect tell them, but with status 200, as routers before several services do. */
const FAILURES = {
  messages: {
    status: 529,
    body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded', more: 1 } },
  },
  'generate-content': {
    status: 429,
    body: { error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED', more: 1 } },
  },
  responses: {
    status: 429,
    body: {
      error: {
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        message: 'Slow down',
        param: null,
        more: 1,
      },
    },
  },
  'chat-completions': {
    status: 429,
    body: { error: { code: 429, message: 'Rate limited upstream', metadata: { provider: 'x' } } },
  },
} as const

describe.each(DIALECTS)('a failure with status 200, between two of %s', (dialect) => {
  const { http, ask } = kits[dialect]
  const told = async (reply: object, code = 200) => {
    const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect } }
    const proxy = proxyOf(() => jsonReply(reply, code), change, { dialects })
    const answer = await proxy.fetch(http.path('m', false), {
      headers: { 'anthropic-version': '2023-06-01' },
      body: http.body('m', false, { ...ask.needed, ...ask.text('hi') }),
    })
    return { status: answer.status, text: await answer.text(), log: proxy.log }
  }

  it('is told with its own status, in the words of its upstream', async () => {
    const { status, body } = FAILURES[dialect]
    const answer = await told(body)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toEqual(body)
    expect(answer.log).toMatchObject([{ status, error: body.error.message }])
  })

  it('hides the key that the upstream repeats', async () => {
    const { body } = FAILURES[dialect]
    const answer = await told({ ...body, error: { ...body.error, message: `for ${KEY}` } })
    expect(answer.text).not.toContain(KEY)
    expect(answer.status).toBe(FAILURES[dialect].status)
  })

  // Of 407 `fetch` gives its caller nothing, and 421 it repeats by itself: both are about the connection to here.
  it.each([407, 421])('is told as one of the gateway where its status is %d', async (code) => {
    const answer = await told(FAILURES[dialect].body, code)
    expect([502, FAILURES[dialect].status]).toContain(answer.status)
    expect(answer.text).toContain(FAILURES[dialect].body.error.message)
  })

  it('stays a reply where a response says that it has failed', async () => {
    if (dialect !== 'responses') return
    const reply = {
      id: 'resp_1',
      object: 'response',
      status: 'failed',
      output: [],
      ...FAILURES.responses.body,
    }
    const answer = await told(reply)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toEqual(reply)
  })

  it('stays what it is where the body is something else', async () => {
    const answer = await told({ novel: true, error: null })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toEqual({ novel: true, error: null })
  })
})

const WORDS = 'The engine has stopped.'

/** Failures that come as a success, in the words of servers and of gateways in between. */
const WORDED: Record<string, object> = {
  'a detail': { detail: WORDS },
  'a list of details': { detail: [{ loc: ['body'], msg: WORDS, type: 'x' }] },
  'a message and a code': { message: WORDS, code: 1113 },
  'no success': { success: false, msg: WORDS },
  'an error that is null': { error: null, message: WORDS },
  'the type': { type: 'error', message: WORDS },
  'the object': { object: 'error', message: WORDS, type: 'BadRequestError', code: 500 },
  'a list': { errors: [{ message: WORDS }] },
  'a number': { error_code: 17, error_msg: WORDS },
  'a state': { base_resp: { status_code: 1004, status_msg: WORDS } },
  'no choices': { id: 'x', choices: null, message: WORDS },
}

const pairs = DIALECTS.flatMap((caller) =>
  DIALECTS.flatMap((upstream) => [true, false].map((stream) => ({ caller, upstream, stream }))),
)
type Pair = (typeof pairs)[number]

async function answerOf({ caller, upstream, stream }: Pair, chunks: Chunk[], type: string) {
  const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: upstream } }
  const proxy = proxyOf(() => sseReply(chunks, { 'content-type': type }), change, { dialects })
  const { http, client } = kits[caller]
  const response = await proxy.fetch(http.path('m', stream), {
    body: http.body('m', stream, client.request('m', 'hi')),
    headers: { 'anthropic-version': '2023-06-01' },
  })
  return { status: response.status, text: await response.text() }
}

const messageIn = (text: string): unknown =>
  (JSON.parse(text) as { error: { message: unknown } }).error.message

describe.each(pairs)('a success: $caller over $upstream, stream $stream', (pair) => {
  it.each(Object.entries(WORDED))(
    'that only tells of a failure with %s is one',
    async (_, said) => {
      const { status, text } = await answerOf(pair, [JSON.stringify(said)], 'application/json')
      expect(status).toBeGreaterThanOrEqual(500)
      expect(messageIn(text)).toBe(WORDS)
    },
  )

  it.each(['{}', '[]'])('that is %s is none', async (body) => {
    const { status } = await answerOf(pair, [body], 'application/json')
    expect(status).toBe(502)
  })

  // A state is told beside a reply, too.
  it.each(Object.entries(WORDED).filter(([name]) => name !== 'a state'))(
    'that tells of a failure with %s in an event ends with it',
    async (_, said) => {
      const begun = kits[pair.upstream].say.begun.map((event) => sse(event))
      const { text } = await answerOf(pair, [...begun, sse(said)], 'text/event-stream')
      expect(text).toContain(WORDS)
      expect(text).not.toContain('complete.')
    },
  )

  it('that only tells of a failure in an event ends with it', async () => {
    const chunks = [`event: error\n${sse(kits[pair.upstream].say.failure(WORDS).body)}`, never()]
    const answer = within(answerOf(pair, chunks, 'text/event-stream'), 2500)
    expect(JSON.stringify(await answer)).toContain(WORDS)
  })
})

describe.each(DIALECTS.filter((dialect) => kits[dialect].http.count))(
  'a count of tokens between two of %s',
  (dialect) => {
    it.each([
      [{ detail: WORDS }, [500, 502]],
      [{ code: 429, msg: WORDS }, [429]],
      [{ error: { code: 429, message: WORDS } }, [429]],
    ])('that only tells of a failure is one: %j', async (said, statuses) => {
      const { http, ask } = kits[dialect]
      const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect } }
      const proxy = proxyOf(() => jsonReply(said), change, { dialects })
      const response = await proxy.fetch(http.count?.path('m') ?? '', {
        body: http.body('m', false, ask.text('hi')),
        headers: { 'anthropic-version': '2023-06-01' },
      })
      expect(statuses).toContain(response.status)
      expect(messageIn(await response.text())).toBe(WORDS)
    })
  },
)

describe('a stream of generate-content as a list', () => {
  const begun = '[{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]}'
  const failed = `\n,\n${JSON.stringify(FAILURES['generate-content'].body)}`

  it.each([
    ['ends', []],
    ['ends behind a comma', ['\n,\n']],
    ['breaks', [new Error('reset')]],
    ['stays open', [never()]],
    ['ends as it should', ['\n]\n']],
  ] as [string, Chunk[]][])('is a list also where it %s behind its failure', async (_, behind) => {
    const upstream = { dialect: 'generate-content' }
    const change = { routes: [{ model: '*', upstream: 'plain' }], upstream }
    const type = { 'content-type': 'application/json' }
    const proxy = proxyOf(() => sseReply([begun, failed, ...behind], type), change, { dialects })
    const response = await proxy.fetch('/v1beta/models/m:streamGenerateContent', {
      body: kits['generate-content'].ask.text('hi'),
    })
    expect(JSON.parse(await response.text())).toEqual(JSON.parse(`${begun + failed}]`))
  })
})
