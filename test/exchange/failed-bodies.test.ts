import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { jsonReply, KEY, proxyOf } from './proxy.ts'

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
  const told = async (reply: object) => {
    const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect } }
    const proxy = proxyOf(() => jsonReply(reply), change, { dialects })
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
