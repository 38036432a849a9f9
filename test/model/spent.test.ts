import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { jsonReply, proxyOf } from '../exchange/proxy.ts'
import { kits } from '../dialects/index.ts'

const anthropic = (type: string, message: string, details?: object) => ({
  type: 'error',
  error: { type, message, ...(details && { details }) },
})
const google = (message: string, details: object[] = []) => ({
  error: { code: 429, status: 'RESOURCE_EXHAUSTED', message, details },
})
const TYPE = 'type.googleapis.com/google.rpc.'
const retryIn = { '@type': `${TYPE}RetryInfo`, retryDelay: '34s' }
const quotaOf = (quotaId: string) => ({ '@type': `${TYPE}QuotaFailure`, violations: [{ quotaId }] })
const QUOTA = 'You exceeded your current quota, please check your plan and billing details.'

/** What services say when money is used up, each in its own words. */
const SPENT: readonly (readonly [Dialect, number, object])[] = [
  ['messages', 429, anthropic('billing_error', 'Your monthly cap is reached.')],
  [
    'messages',
    429,
    anthropic('rate_limit_error', 'no', { error_code: 'workspace_spend_limit_reached' }),
  ],
  ['messages', 400, anthropic('invalid_request_error', 'Your credit balance is too low to go on.')],
  [
    'responses',
    429,
    { error: { message: QUOTA, type: 'insufficient_quota', code: 'insufficient_quota' } },
  ],
  ['responses', 429, { error: { message: QUOTA, type: 'rate_limit_error', code: null } }],
  ['generate-content', 429, google('Your prepayment credits are depleted.')],
  ['generate-content', 429, google(QUOTA)],
  [
    'chat-completions',
    429,
    { error: { message: 'suspended', type: 'exceeded_current_quota_error' } },
  ],
  ['chat-completions', 403, { error: { message: 'Your team has run out of available credits.' } }],
  ['chat-completions', 400, { error: { message: 'Over budget', type: 'budget_exceeded' } }],
  ['chat-completions', 402, { error: { message: 'Insufficient Balance' } }],
]

const LIMITED: readonly (readonly [Dialect, number, object])[] = [
  ['messages', 429, anthropic('rate_limit_error', 'Too many requests for your organization.')],
  ['responses', 429, { error: { message: 'Slow down.', code: 'rate_limit_exceeded' } }],
  ['generate-content', 429, google(QUOTA, [retryIn, quotaOf('RequestsPerMinutePerProject')])],
  ['chat-completions', 429, { error: { message: `${QUOTA} Please retry in 7s.` } }],
]

const BILLING: Record<Dialect, string> = {
  messages: '"type":"billing_error"',
  responses: '"type":"insufficient_quota"',
  'generate-content': '"status":"PERMISSION_DENIED"',
  'chat-completions': '"type":"insufficient_quota"',
}

async function told(caller: Dialect, upstream: Dialect, status: number, said: object) {
  const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: upstream } }
  const proxy = proxyOf(() => jsonReply(said, status), change, { dialects })
  const { http, client } = kits[caller]
  const body = http.body('m', false, client.request('m', 'hi'))
  const headers = { 'anthropic-version': '2023-06-01' }
  const response = await proxy.fetch(http.path('m', false), { body, headers })
  return {
    status: response.status,
    retry: response.headers.get('x-should-retry'),
    text: await response.text(),
  }
}

describe.each(DIALECTS)('a caller of %s', (caller) => {
  const others = (cases: typeof SPENT) => cases.filter(([upstream]) => upstream !== caller)

  it.each(others(SPENT))(
    'is told that money is used up, and not to try again: %s %d %j',
    async (upstream, status, said) => {
      const { text, retry, ...answer } = await told(caller, upstream, status, said)
      expect(text).toContain(BILLING[caller])
      expect(retry).toBe('false')
      if (caller === 'generate-content') expect(answer.status).toBe(403)
    },
  )
  it.each(others(LIMITED))('is told of a rate limit: %s %d %j', async (upstream, status, said) => {
    const { text, retry, ...answer } = await told(caller, upstream, status, said)
    expect(text).not.toContain(BILLING[caller])
    expect(retry).toBeNull()
    expect(answer.status).toBe(429)
  })
  it('is told not to wait for a quota of a day, whatever wait stands beside it', async () => {
    const said = google(QUOTA, [retryIn, quotaOf('GenerateRequestsPerDayPerProjectPerModel')])
    expect(await told(caller, 'generate-content', 429, said)).toMatchObject({ retry: 'false' })
  })
})
