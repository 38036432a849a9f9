import { describe, expect, it } from 'vitest'
import { hmacSha256Hex } from '../../src/json/sha256.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { cachedShare } from '../../src/observe/entry.ts'
import { siteOf, type Site } from './exchange.ts'

const USER = JSON.stringify({ device_id: 'd-1', account_uuid: 'a-1', session_id: 's-1' })
const claude = (more: object = {}) => ({
  max_tokens: 9,
  metadata: { user_id: USER },
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
})
const askForKey = async (site: Site, body: object, headers?: Record<string, string>) => {
  await site.ask('m', body, headers)
  return site.sent.at(-1)?.['prompt_cache_key']
}
const toResponses = () => siteOf({ caller: 'messages', upstream: 'responses' })

describe('the key by which prompts are cached', () => {
  it('is a hash of the session, and nothing that the caller said of itself leaves', async () => {
    const site = toResponses()
    const key = await askForKey(site, claude())
    expect(key).toMatch(/^[\w-]{32,64}$/)
    const text = JSON.stringify(site.sent)
    for (const word of ['d-1', 'a-1', 's-1', 'user_id', '"user":', 'caller-key'])
      expect(text).not.toContain(word)
  })
  it('stays the same while the conversation grows, and in another process', async () => {
    const site = toResponses()
    const first = await askForKey(site, claude())
    const grown = claude({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'yes' },
        { role: 'user', content: 'go on' },
      ],
    })
    expect(await askForKey(site, grown)).toBe(first)
    expect(await askForKey(toResponses(), claude())).toBe(first)
  })
  it('is another one for another caller, and for another session', async () => {
    const site = toResponses()
    const first = await askForKey(site, claude())
    expect(await askForKey(site, claude(), { 'x-api-key': 'another-caller-key-0' })).not.toBe(first)
    expect(await askForKey(site, claude(), { 'x-claude-code-session-id': 's-2' })).not.toBe(first)
  })
  it.each<[string, object, Record<string, string>]>([
    ['Claude Code, by its header', { metadata: undefined }, { 'x-claude-code-session-id': 's-1' }],
    ['Claude Code before 2.1', { metadata: { user_id: 'user_a_account_b_session_01234567' } }, {}],
    ['opencode', { metadata: undefined }, { 'x-session-affinity': 's-1' }],
  ])('is made for %s', async (_, more, headers) => {
    expect(await askForKey(toResponses(), claude(more), headers)).toMatch(/^[\w-]{32,64}$/)
  })
  it('is absent where no session is told', async () => {
    const site = toResponses()
    expect(await askForKey(site, claude({ metadata: { user_id: 'someone' } }))).toBeUndefined()
    expect(await askForKey(site, claude({ metadata: undefined }))).toBeUndefined()
    expect(site.sent.every((body) => !Object.hasOwn(body, 'prompt_cache_key'))).toBe(true)
  })
  it('is the caller’s own where there is one', async () => {
    const site = siteOf({ caller: 'chat-completions', upstream: 'responses' })
    const body = { messages: [{ role: 'user', content: 'hi' }], prompt_cache_key: 'mine' }
    expect(await askForKey(site, body, { 'session-id': 's-1' })).toBe('mine')
  })
  it('is made as RFC 2104 says', () => {
    // The second case of RFC 4231, and a key that is longer than a block.
    expect(hmacSha256Hex('Jefe', 'what do ya want for nothing?')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
    expect(hmacSha256Hex('k'.repeat(200), 'text ü')).toBe(
      'd676aaabdf8e69b1a5d277fe69d289e71e1331b2a415888c9ef528f301b1b799',
    )
  })
})

const TOOLS = ['a', 'b'].map((name) => ({
  type: 'function',
  name,
  parameters: { type: 'object', properties: {} },
}))
const turn = (role: string, text: string, more: object = {}) => ({
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text, ...more }],
})
const SESSION = [turn('user', 'one'), turn('assistant', 'two'), turn('user', 'three')]
const MARK = 'prompt_cache_breakpoint'

/** The places that are marked, and with what. */
function marks(value: Json | undefined, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => marks(entry, `${at}.${index}`))
  if (!isObject(value)) return []
  const { cache_control: mark, ...rest } = value
  const found = isObject(mark) ? [`${at} ${String(mark['ttl'] ?? '5m')}`] : []
  return [...found, ...Object.entries(rest).flatMap(([key, each]) => marks(each, `${at}.${key}`))]
}

const toMessages = async (
  body: object,
  route: NonNullable<Parameters<typeof siteOf>[0]['route']> = {},
  headers?: Record<string, string>,
): Promise<JsonObject> => {
  const site = siteOf({ caller: 'responses', upstream: 'messages', route })
  const response = await site.ask('m', body, headers)
  expect(response.status).toBe(200)
  return site.sent[0] ?? {}
}

describe('marks for a messages upstream', () => {
  const whole = { instructions: 'Be brief.', tools: TOOLS, input: SESSION }
  it('stand at the end of tools, instructions and the last two turns', async () => {
    expect(marks(await toMessages(whole))).toEqual([
      '.system.0 5m',
      '.messages.0.content.0 5m',
      '.messages.2.content.0 5m',
      '.tools.1 5m',
    ])
  })
  it('are not set where one question is all that will come', async () => {
    const once = { input: 'hi', instructions: 'Be brief.' }
    expect(marks(await toMessages(once))).toEqual([])
    const form = { ...once, tools: TOOLS, tool_choice: { type: 'function', name: 'a' } }
    expect(marks(await toMessages(form))).toEqual([])
    expect(marks(await toMessages(once, {}, { 'session-id': 's-1' }))).toHaveLength(2)
    expect(marks(await toMessages({ ...once, tools: TOOLS }))).toHaveLength(3)
  })
  it('live as long as the caller asks', async () => {
    const long = { ...whole, prompt_cache_options: { mode: 'implicit', ttl: '12h' } }
    expect(marks(await toMessages(long)).every((mark) => mark.endsWith('1h'))).toBe(true)
    const day = { ...whole, prompt_cache_retention: '24h' }
    expect(marks(await toMessages(day)).every((mark) => mark.endsWith('1h'))).toBe(true)
  })
  it('are the caller’s own where it has any, and none beside', async () => {
    const [first, ...others] = SESSION
    const own = turn('user', 'one', { [MARK]: { mode: 'explicit', ttl: '12h' } })
    expect(first && marks(await toMessages({ ...whole, input: [own, ...others] }))).toEqual([
      '.messages.0.content.0 1h',
    ])
    const explicit = { ...whole, prompt_cache_options: { mode: 'explicit' } }
    expect(marks(await toMessages(explicit))).toEqual([])
  })
  it('are four at most, the newest, and no long one behind a short one', async () => {
    const lifetimes = ['30m', '12h', '30m', '12h', '30m', '12h']
    const input = lifetimes.map((ttl) => turn('user', 'x', { [MARK]: { mode: 'explicit', ttl } }))
    const found = marks(await toMessages({ input }))
    expect(found).toHaveLength(4)
    expect(found.join(' ')).not.toMatch(/5m.* 1h/)
    expect(found.at(-1)).toContain('.5')
  })
  it('are not derived where the route only carries, and never set where it is off', async () => {
    expect(marks(await toMessages(whole, { cache: 'carry' }))).toEqual([])
    const own = [...SESSION, turn('user', 'four', { [MARK]: { mode: 'explicit' } })]
    expect(marks(await toMessages({ ...whole, input: own }, { cache: 'carry' }))).toHaveLength(1)
    expect(marks(await toMessages({ ...whole, input: own }, { cache: 'off' }))).toEqual([])
  })
  it('are set in no body of the same dialect', async () => {
    const site = siteOf({ caller: 'messages', upstream: 'messages' })
    await site.ask('m', claude({ tools: [{ name: 'a', input_schema: { type: 'object' } }] }))
    expect(marks(site.sent[0])).toEqual([])
  })
})

const marked = (text: string, ttl?: string) => ({
  type: 'text',
  text,
  cache_control: { type: 'ephemeral', ...(ttl && { ttl }) },
})
const send = async (model: string, more: object) => {
  const site = toResponses()
  const response = await site.ask(model, claude(more))
  return { body: site.sent[0] ?? {}, losses: response.headers.get('x-dragoman-losses') ?? '' }
}

describe('breakpoints for a responses upstream', () => {
  it('stand where the caller has its marks, and its instructions become words of the developer', async () => {
    const { body, losses } = await send('gpt-5.6-sol', {
      system: [marked('S', '1h')],
      messages: [
        { role: 'user', content: 'U1' },
        { role: 'assistant', content: 'A1' },
        { role: 'user', content: [marked('U2')] },
      ],
    })
    expect(body).not.toHaveProperty('instructions')
    expect(body['input']).toEqual([
      {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: 'S', [MARK]: { mode: 'explicit' } }],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'U1' }] },
      expect.objectContaining({ role: 'assistant' }),
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'U2', [MARK]: { mode: 'explicit' } }],
      },
    ])
    expect(losses).toContain('approximated cache.ttl')
    expect(losses).not.toContain('dropped cache')
  })
  it('are three at most, the newest, beside the one that the service sets', async () => {
    const { body } = await send('gpt-6', {
      messages: [{ role: 'user', content: ['a', 'b', 'c', 'd'].map((text) => marked(text)) }],
    })
    const text = JSON.stringify(body['input'])
    expect(text.split(MARK)).toHaveLength(4)
    expect(text).toContain('{"type":"input_text","text":"a"}')
  })
  it('are none for a model that does not know them', async () => {
    const { body } = await send('gpt-5.1', { system: [marked('S')] })
    expect(body).toHaveProperty('instructions', 'S')
    expect(JSON.stringify(body)).not.toContain(MARK)
  })
})

describe('the cached share', () => {
  it('is what was read of the whole prompt', () => {
    expect(cachedShare({ input: 200, cacheRead: 150 })).toBe(0.75)
    expect(cachedShare({ input: 0 })).toBeUndefined()
    expect(cachedShare({ input: 1, cacheRead: 5 })).toBe(1)
  })
})
