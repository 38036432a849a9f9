import { describe, expect, it } from 'vitest'
import { jsonReply, sse, sseReply } from '../exchange/proxy.ts'
import { DIALECTS, good, key, siteOf, twoUpstreams, voiceOf, type MemberScript } from './site.ts'

/** Money that is used up is told alike, whether an upstream says it with a status or with the first event of a stream. */

const QUOTA = 'You exceeded your current quota, please check your plan and billing details.'
const NO_CREDIT = 'Your credit balance is too low to go on.'
const TYPE = 'type.googleapis.com/google.rpc.'

interface Said {
  status: number
  body: object
  /** The event in which the same is said. */
  event: string
}

const anthropic = (status: number, type: string, message: string): Said => {
  const body = { type: 'error', error: { type, message } }
  return { status, body, event: `event: error\n${sse(body)}` }
}
const plain = (status: number, error: object): Said => ({
  status,
  body: { error },
  event: sse({ error }),
})
const openai = { message: QUOTA, type: 'insufficient_quota', code: 'insufficient_quota' }
const failed = { id: 'resp_1', object: 'response', status: 'failed', error: openai, output: [] }
const disabled = [{ '@type': `${TYPE}ErrorInfo`, reason: 'BILLING_DISABLED' }]

const SPENT: readonly (readonly [string, Said])[] = [
  ['messages', anthropic(402, 'billing_error', 'Your monthly cap is reached.')],
  ['messages', anthropic(429, 'billing_error', 'Your monthly cap is reached.')],
  ['messages', anthropic(400, 'invalid_request_error', NO_CREDIT)],
  [
    'responses',
    { ...plain(429, openai), event: sse({ type: 'response.failed', response: failed }) },
  ],
  ['responses', { ...plain(429, openai), event: sse({ ...openai, type: 'error' }) }],
  ['generate-content', plain(429, { code: 429, status: 'RESOURCE_EXHAUSTED', message: QUOTA })],
  [
    'generate-content',
    plain(403, { code: 403, status: 'PERMISSION_DENIED', message: 'off', details: disabled }),
  ],
  ['chat-completions', plain(429, openai)],
  ['chat-completions', plain(402, { message: 'Insufficient credits', code: 402 })],
  ['chat-completions', plain(400, { message: 'Over budget', type: 'budget_exceeded' })],
]

const ways = ({ status, body, event }: Said): MemberScript[] => [
  () => jsonReply(body, status),
  () => sseReply([event]),
]

const rows = SPENT.flatMap(([upstream, said]) =>
  DIALECTS.map((caller) => [caller, upstream, said.status, said] as const),
)

const alone = (upstream: string) => ({
  upstreams: {
    a: { dialect: upstream as 'messages', url: 'https://a.example', key: key('one') },
  },
  routes: [{ model: '*', upstream: 'a' }],
})

const told = async (config: ReturnType<typeof alone>, caller: string, script: MemberScript) => {
  const site = siteOf(config, { one: script, two: script, own: script })
  const headers = { authorization: `Bearer ${key('own')}` }
  const response = await site.ask({ voice: voiceOf(caller), stream: true, headers })
  const text = await response.text()
  const header = (name: string) => response.headers.get(name)
  return {
    status: response.status,
    retry: header('x-should-retry'),
    attempts: header('x-dragoman-attempts')?.replaceAll(/=\d+/g, ''),
    text: text.replaceAll(/req_\w+|[0-9a-f]{32}/g, 'id'),
  }
}

describe.each(rows)('money that is used up, %s over %s, %d', (caller, upstream, _, said) => {
  it.runIf(caller !== upstream)(
    'is told as one status to a caller of another dialect',
    async () => {
      const [first, second] = await Promise.all(
        ways(said).map((script) => told(alone(upstream), caller, script)),
      )
      const status = caller === 'generate-content' ? 403 : 402
      expect(first).toMatchObject({ status, retry: 'false' })
      expect(second).toMatchObject({ status, retry: 'false' })
    },
  )
  it('leads to the next key, however it is said', async () => {
    for (const script of ways(said)) {
      const site = siteOf(twoUpstreams(upstream, [key('one'), key('two')]), {
        one: script,
        two: good(upstream),
      })
      for (let count = 0; count < 2; count += 1) {
        const headers = { 'session-id': `s${count}` }
        const response = await site.ask({ voice: voiceOf(caller), stream: true, headers })
        expect(response.status, await response.text()).toBe(200)
      }
      // The first key is not asked again.
      expect(site.sent).toHaveLength(3)
    }
  })
  it('is the proxy’s where no key has any left, however it is said', async () => {
    const config = twoUpstreams(upstream, [key('one'), key('two')])
    const [first, second] = await Promise.all(
      ways(said).map((script) => told(config as never, caller, script)),
    )
    expect(first).toMatchObject({ status: 502, retry: 'false', attempts: 'a, b' })
    expect(second).toEqual(first)
  })
  it('is the caller’s own where the key is', async () => {
    const config = twoUpstreams(upstream, ['caller', 'caller'])
    for (const script of ways(said)) {
      const { status, retry, attempts } = await told(config as never, caller, script)
      expect([retry, attempts]).toEqual(['false', undefined])
      expect(status).toBeGreaterThanOrEqual(400)
    }
  })
})
