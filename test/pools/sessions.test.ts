import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/type.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { allKits } from '../dialects/index.ts'
import { jsonReply, never, sse, sseReply } from '../exchange/proxy.ts'
import {
  DIALECTS,
  good,
  key,
  refusing,
  SIGNED,
  siteOf,
  voiceOf,
  type MemberScript,
  type Site,
} from './site.ts'

const upstream = (dialect: string, name: string, account?: string) => ({
  dialect: dialect as 'messages',
  url: `https://${name}.example`,
  key: key(name),
  ...(account !== undefined && { account }),
})

/** Upstreams in this order, with their accounts, behind every model. */
const makePool = (
  dialect: string,
  accounts: Readonly<Record<string, string>>,
  more: Partial<Config> = {},
): Config => ({
  upstreams: Object.fromEntries(
    Object.entries(accounts).map(([name, account]) => [name, upstream(dialect, name, account)]),
  ),
  routes: [{ model: '*', upstream: Object.keys(accounts) }],
  ...more,
})

const askedOf = (site: Site) => site.sent.map((sent) => sent.key.slice(2).replace(/0.*/, ''))
const session = (id: string) => ({ headers: { 'session-id': id } })

/** What a member says, as long as the test does not say otherwise. */
function switched(script: MemberScript): { script: MemberScript; now(next: MemberScript): void } {
  let current = script
  return { script: (sent, nth) => current(sent, nth), now: (next) => (current = next) }
}

describe('a session', () => {
  it('stays where it went, and a new one begins at the first (trap 17)', async () => {
    const one = switched(good('messages'))
    const site = siteOf(makePool('messages', { one: 'a', two: 'b' }), {
      one: one.script,
      two: good('messages'),
    })
    await site.ask(session('s'))
    one.now(refusing(529))
    await site.ask(session('s'))
    one.now(good('messages'))
    await site.ask(session('s'))
    await site.ask(session('t'))
    expect(askedOf(site)).toEqual(['one', 'one', 'two', 'two', 'one'])
    site.pass(3_600_001)
    await site.ask(session('s'))
    expect(askedOf(site).at(-1)).toBe('one')
  })
  it('goes on in its account before it goes to another', async () => {
    const one = switched(good('messages'))
    const scripts = { one: one.script, two: good('messages'), three: good('messages') }
    const site = siteOf(makePool('messages', { one: 'a', two: 'b', three: 'a' }), scripts)
    await site.ask(session('s'))
    one.now(refusing(529))
    await site.ask(session('s'))
    expect(askedOf(site)).toEqual(['one', 'one', 'three'])
  })
  const signed = { messages: SIGNED }
  it.each([
    ['prefer', 200, ['one', 'two']],
    ['strict', 529, ['one']],
  ] as const)('with proofs in it, %s: %d', async (sticky, status, asked) => {
    const pool = makePool('messages', { one: 'a', two: 'b' }, { failover: { sticky } })
    const site = siteOf(pool, { one: refusing(529, { 'retry-after': '9' }), two: good('messages') })
    expect((await site.ask({ body: signed })).status).toBe(status)
    expect(askedOf(site)).toEqual(asked)
  })
  it('is refused where it may go nowhere else, and the other account is not asked', async () => {
    const pool = makePool('messages', { one: 'a', two: 'b' }, { failover: { sticky: 'strict' } })
    const site = siteOf(pool, { one: refusing(529, { 'retry-after': '9' }), two: good('messages') })
    await site.ask({ body: signed })
    const response = await site.ask({ body: signed })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('9')
    expect(askedOf(site)).toEqual(['one'])
  })
  const ID = '0c7d4f1e-5b7a-4b2e-9c3d-1f2a3b4c5d6e'
  const user = JSON.stringify({ device_id: 'd', account_uuid: 'a', session_id: ID })
  it.each([
    [
      'Claude Code',
      [
        { headers: { 'x-claude-code-session-id': ID } },
        { body: { metadata: { user_id: user } } },
        { body: { metadata: { user_id: `user_x_account_y_session_${ID}` } } },
      ],
    ],
    [
      'Codex',
      [
        { headers: { 'session-id': ID, 'thread-id': ID, 'x-client-request-id': ID } },
        { headers: { session_id: ID } },
      ],
    ],
    ['opencode', [{ headers: { 'x-session-id': ID } }, { headers: { 'x-session-affinity': ID } }]],
  ] as const)('is known by what %s sends (trap 20)', async (_, ways) => {
    const site = siteOf(makePool('messages', { one: 'a', two: 'b' }), { one: good('messages') })
    for (const way of ways) await site.ask({ ...way })
    const keys = new Set(site.log.map((entry) => entry.session))
    expect(keys.size).toBe(1)
    expect([...keys][0]).toMatch(/^[0-9a-f]{16}$/)
    expect(JSON.stringify(site.log)).not.toContain(ID)
  })
  it('is not known by a user agent (trap 20)', async () => {
    const site = siteOf(makePool('messages', { one: 'a', two: 'b' }), { one: good('messages') })
    const headers = { 'user-agent': 'claude-cli/0.24.4' }
    const say = (content: string) => ({ headers, body: { messages: [{ role: 'user', content }] } })
    await site.ask(say('One thing'))
    await site.ask(say('Another'))
    expect(new Set(site.log.map((entry) => entry.session)).size).toBe(2)
  })
  it('without an id is known by how it begins', async () => {
    const site = siteOf(makePool('messages', { one: 'a', two: 'b' }), { one: good('messages') })
    await site.ask({ body: { messages: signed.messages.slice(0, 1) } })
    await site.ask({ body: signed })
    expect(new Set(site.log.map((entry) => entry.session)).size).toBe(1)
  })
  it.each(allKits.map(({ ask, voice }) => [voice.dialect, ask, voice] as const))(
    'without an id is known by how it begins while it grows: %s',
    async (dialect, { history, text, called }, voice) => {
      const site = siteOf(makePool(dialect, { one: 'a', two: 'b' }), { one: good(dialect) })
      const turns = (body: object) => [Object.entries(body).find(([name]) => name === history)?.[1]]
      const more = turns(called('{}', 'done')).flat()
      for (const words of ['One thing', 'Another one', `Long ${'word '.repeat(2000)}`])
        for (const later of [[], more.slice(1)])
          await site.ask({ voice, body: { [history]: [...turns(text(words)).flat(), ...later] } })
      const keys = site.log.map((entry) => entry.session)
      expect(keys.every((each) => each !== undefined)).toBe(true)
      expect(keys.map((each) => keys.indexOf(each))).toEqual([0, 0, 2, 2, 4, 4])
    },
  )
  it('is spread by weight, and stays where its hash puts it', async () => {
    const site = siteOf(
      {
        ...makePool('messages', { one: 'a', two: 'b' }),
        routes: [{ model: '*', pick: 'weighted', upstream: ['one', { name: 'two', weight: 3 }] }],
        failover: { sticky: 'off' },
      },
      { one: good('messages'), two: good('messages') },
    )
    for (let id = 0; id < 200; id += 1) await site.ask(session(`s${id % 100}`))
    const asked = askedOf(site)
    expect(asked.slice(100)).toEqual(asked.slice(0, 100))
    expect(asked.filter((name) => name === 'two').length).toBeGreaterThan(120)
  })
})

/** An upstream of `responses` that seals its reasoning with its own name. */
const sealing =
  (name: string): MemberScript =>
  ({ body }, nth) =>
    jsonReply({
      ...JSON.parse(voiceOf('responses').whole),
      id: `resp_${name}${nth}`,
      output: [
        {
          id: `rs_${name}${nth}`,
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'Hm.' }],
          encrypted_content: `sealed-by-${name}-${nth}`,
        },
        {
          id: `msg_${name}${nth}`,
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: `${name} ${body.length}`, annotations: [] }],
        },
      ],
    })

describe('proofs of reasoning', () => {
  it('reach nobody but the account that made them (trap 16)', async () => {
    let chance = 1
    const random = () => (chance = (chance * 48_271) % 2_147_483_647) / 2_147_483_647
    const flaky =
      (name: string): MemberScript =>
      (sent, nth) =>
        random() < 0.15 ? refusing(529)(sent, nth) : sealing(name)(sent, nth)
    const site = siteOf(makePool('responses', { one: 'a', two: 'b', three: 'a' }), {
      one: flaky('one'),
      two: flaky('two'),
      three: flaky('three'),
    })
    const accounts: Record<string, string> = { one: 'a', two: 'b', three: 'a' }
    let [foreign, sealed, reported, turns] = [0, 0, 0, 0]
    for (let id = 0; id < 60; id += 1) {
      const messages: object[] = [{ role: 'user', content: `Hello ${id}` }]
      for (let turn = 0; turn < 10; turn += 1) {
        site.pass(1000)
        const from = site.sent.length
        const response = await site.ask({
          body: { messages, max_tokens: 5000, thinking: { type: 'enabled', budget_tokens: 2000 } },
          headers: { 'session-id': `s${id}` },
        })
        turns += 1
        for (const { key: to, body } of site.sent.slice(from)) {
          const account = accounts[to.slice(2).replace(/0.*/, '')]
          for (const [, by = ''] of body.matchAll(/sealed-by-(\w+)-/g)) {
            sealed += 1
            if (accounts[by] !== account) foreign += 1
          }
        }
        if (response.headers.get('x-dragoman-losses')?.includes('.seal')) reported += 1
        if (response.status !== 200) continue
        const { content } = (await response.json()) as { content: object[] }
        messages.push({ role: 'assistant', content }, { role: 'user', content: 'More' })
      }
    }
    expect(turns).toBe(600)
    expect(foreign).toBe(0)
    expect(sealed).toBeGreaterThan(500)
    expect(reported).toBeGreaterThan(0)
  })
  it.each([
    ['another service', {}, false],
    ['one of the same host', { url: 'https://one.example/other' }, true],
    ['one of the same account', { account: 'a' }, true],
  ])('go to %s behind another route only where it reads them', async (_, change, isRead) => {
    const two = { ...upstream('responses', 'two'), ...change }
    const config: Config = {
      upstreams: { one: upstream('responses', 'one', 'a'), two },
      routes: ['one', 'two'].map((name) => ({ model: name, upstream: name })),
    }
    const site = siteOf(config, { one: sealing('one'), two: sealing('two') })
    const messages: object[] = [{ role: 'user', content: 'Hello' }]
    const ask = async (model: string) => {
      const thinking = { type: 'enabled', budget_tokens: 2000 }
      const response = await site.ask({ model, body: { messages, max_tokens: 5000, thinking } })
      const { content } = (await response.json()) as { content: object[] }
      messages.push({ role: 'assistant', content }, { role: 'user', content: 'More' })
      return response.headers.get('x-dragoman-losses') ?? ''
    }
    await ask('one')
    const losses = await ask('two')
    await ask('one')
    const seals = site.sent.map(({ body }) => body.match(/sealed-by-\w+-\d/g) ?? [])
    expect(losses.includes('dropped turns.1.blocks.0.seal')).toBe(!isRead)
    const one = 'sealed-by-one-0'
    expect(seals).toEqual(isRead ? [[], [one], [one, 'sealed-by-two-0']] : [[], [], [one]])
  })
  it('find their account without a memory of the session', async () => {
    const pool = makePool('responses', { one: 'a', two: 'b' })
    const thinking = { max_tokens: 5000, thinking: { type: 'enabled', budget_tokens: 2000 } }
    const first = siteOf(pool, { one: refusing(529), two: sealing('two') })
    const { content } = (await (await first.ask({ body: thinking })).json()) as { content: object }
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content },
      { role: 'user', content: 'More' },
    ]
    const another = siteOf(pool, { one: sealing('one'), two: sealing('two') })
    await another.ask({ body: { ...thinking, messages } })
    expect(askedOf(another)).toEqual(['two'])
    expect(another.sent[0]?.body).toContain('sealed-by-two-')
  })
  it('are not left out where nothing may be lost', async () => {
    const pool = makePool('responses', { one: 'a', two: 'b' }, { losses: 'reject' })
    const one = switched(sealing('one'))
    const site = siteOf(pool, { one: one.script, two: sealing('two') })
    const ask = (messages: object[]) =>
      site.ask({ body: { messages, max_tokens: 5000 }, headers: { 'session-id': 's' } })
    const start = { role: 'user', content: 'Hello' }
    const reply = await ask([start])
    expect(reply.status, await reply.clone().text()).toBe(200)
    const { content } = (await reply.json()) as { content: object }
    one.now(refusing(529))
    const answer = await ask([
      start,
      { role: 'assistant', content },
      { role: 'user', content: 'x' },
    ])
    expect(answer.status).toBe(529)
    expect(askedOf(site)).toEqual(['one', 'one'])
  })
})

/** An upstream that keeps what it said, and knows nothing of others'. */
const stored = (name: string): MemberScript => {
  const made = new Set<string>()
  return ({ request, body }, nth) => {
    if (request.method === 'POST' && !/cancel/.test(request.url)) {
      const previous = /"previous_response_id":"(\w+)"/.exec(body)?.[1]
      if (previous !== undefined && !made.has(previous))
        return jsonReply({ error: { message: 'gone' } }, 404)
      made.add(`resp_${name}${nth}`)
      return sealing(name)({ key: '', body, request }, nth)
    }
    const id = /resp_\w+/.exec(request.url)?.[0] ?? ''
    return made.has(id)
      ? jsonReply({ id, object: 'response' })
      : jsonReply({ error: { message: 'gone' } }, 404)
  }
}

describe('what an upstream keeps', () => {
  const voice = voiceOf('responses')
  it('is asked of the member that gave it out (trap 19)', async () => {
    const store = memoryStore(STORE_BOUNDS)
    const one = switched(refusing(529))
    const pool = makePool('responses', { one: 'a', two: 'b' })
    const site = siteOf(
      { ...pool, callers: { keys: ['caller-one-0123456789', 'caller-two-0123456789'] } },
      { one: one.script, two: stored('two') },
      { store },
    )
    const mine = { authorization: 'Bearer caller-one-0123456789' }
    const first = await site.ask({ voice, headers: mine, body: { store: true } })
    const { id } = (await first.json()) as { id: string }
    one.now(stored('one'))
    const next = { voice, headers: { ...mine, 'session-id': 'new' } }
    const again = await site.ask({ ...next, body: { store: true, previous_response_id: id } })
    expect(again.status, await again.text()).toBe(200)
    const cancelled = await site.ask({ ...next, path: `/v1/responses/${id}/cancel` })
    expect(cancelled.status).toBe(200)
    const read = { path: `/v1/responses/${id}`, method: 'GET' }
    expect((await site.ask({ ...next, ...read })).status).toBe(200)
    expect(askedOf(site)).toEqual(['one', 'two', 'two', 'two', 'two'])
    const theirs = { authorization: 'Bearer caller-two-0123456789' }
    const other = await site.ask({ voice, headers: theirs, ...read })
    const nothing = await site.ask({
      voice,
      headers: theirs,
      path: '/v1/responses/resp_none',
      method: 'GET',
    })
    expect(other.status).toBe(404)
    expect((await other.text()).replaceAll(id, '')).toBe(
      (await nothing.text()).replaceAll('resp_none', ''),
    )
    expect(site.sent).toHaveLength(5)
  })

  it('goes on at another account without the proofs of the first, which is told', async () => {
    const one = switched(stored('one'))
    const two = switched(stored('two'))
    const pool = makePool('responses', { one: 'a', two: 'b' }, { failover: { sticky: 'off' } })
    const store = memoryStore(STORE_BOUNDS)
    const site = siteOf(pool, { one: one.script, two: two.script }, { store })
    let previous: string | undefined
    const say = async (input: unknown) => {
      site.pass(1_000_000)
      const body = { store: true, input, ...(previous && { previous_response_id: previous }) }
      const answer = await site.ask({ voice, body })
      const text = await answer.text()
      expect(answer.status, text).toBe(200)
      previous = /"id":"(resp_\w+)"/.exec(text)?.[1]
      const sent = site.sent.at(-1)?.body ?? ''
      return [sent.match(/sealed-by-\w+-\d/g), answer.headers.get('x-dragoman-losses') ?? '']
    }
    await say('One.')
    one.now(refusing(529))
    expect(await say('Two.')).toEqual([null, expect.stringContaining('dropped turns.1.blocks.0')])
    // Each reads its own again, and those of no other.
    two.now(good('responses'))
    expect((await say('Three.'))[0]).toEqual(['sealed-by-two-0'])
    two.now(refusing(529))
    one.now(good('responses'))
    expect((await say('Four.'))[0]).toEqual(['sealed-by-one-0'])
  })

  it('goes on at another key of one account with its proofs', async () => {
    const one = switched(stored('one'))
    const pool = makePool('responses', { one: 'a', two: 'a' })
    const store = memoryStore(STORE_BOUNDS)
    const site = siteOf(pool, { one: one.script, two: stored('two') }, { store })
    const first = await site.ask({ voice, body: { store: true } })
    const { id } = (await first.json()) as { id: string }
    one.now(refusing(529))
    await site.ask({ voice, body: { store: true, previous_response_id: id } })
    expect(askedOf(site)).toEqual(['one', 'one', 'two'])
    expect(site.sent.at(-1)?.body).toContain('sealed-by-one-0')
  })

  it('is asked of that member also by a client that left a stream in the background', async () => {
    const first = { id: 'resp_two0', object: 'response', status: 'in_progress', background: true }
    const begun = [sse({ type: 'response.created', response: first }), voice.opening]
    const over = { ...first, status: 'completed', output: [] }
    const two: MemberScript = ({ request }) =>
      request.method === 'POST'
        ? sseReply([...begun, never()])
        : sseReply([sse({ type: 'response.completed', response: over })])
    const pool = makePool('responses', { one: 'a', two: 'b' })
    const site = siteOf(
      { ...pool, callers: { keys: ['caller-one-0123456789'] } },
      { one: refusing(529), two },
      { store: memoryStore(STORE_BOUNDS) },
    )
    const headers = { authorization: 'Bearer caller-one-0123456789' }
    const left = await site.ask({
      voice,
      headers,
      stream: true,
      body: { store: true, background: true },
    })
    const reader = left.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    const path = `/v1/responses/${first.id}?stream=true&starting_after=0`
    const back = await site.ask({ voice, headers, method: 'GET', path })
    expect(await back.text()).toContain('response.completed')
    expect(askedOf(site)).toEqual(['one', 'two', 'two'])
  })

  describe.each(DIALECTS.filter((dialect) => dialect !== 'responses'))('over %s', (dialect) => {
    const voice = voiceOf('responses')
    const scripts = { one: good(dialect), two: good(dialect) }
    const say = async (site: Site, stream: boolean, body: object) => {
      const answer = await site.ask({ voice, stream, body: { store: true, ...body } })
      expect(answer.status).toBe(200)
      return /"id":"(resp_\w+)"/.exec(await answer.text())?.[1]
    }
    const talk = async (site: Site, stream: boolean) => {
      const first = await say(site, stream, { input: `Conversation ${site.sent.length}` })
      const next = { input: 'More', previous_response_id: first }
      await say(site, stream, { input: 'Yes', previous_response_id: await say(site, stream, next) })
    }

    it.each([false, true])('goes on where it was answered (stream: %s)', async (stream) => {
      const pool = makePool(dialect, { one: 'a', two: 'b' })
      const routes = [{ model: '*', upstream: ['one', 'two'], pick: 'weighted' as const }]
      const site = siteOf({ ...pool, routes }, scripts, { store: memoryStore(STORE_BOUNDS) })
      for (let count = 0; count < 12; count += 1) await talk(site, stream)
      const asked = askedOf(site)
      for (let at = 0; at < asked.length; at += 3)
        expect(new Set(asked.slice(at, at + 3)).size, asked.join()).toBe(1)
      expect(new Set(asked).size).toBe(2)
    })

    it.each([
      ['prefer', 'two'],
      ['off', 'one'],
    ] as const)('goes on where it went after a failure, %s: %s', async (sticky, last) => {
      const one = switched(refusing(529))
      const pool = makePool(dialect, { one: 'a', two: 'b' }, { failover: { sticky } })
      const store = memoryStore(STORE_BOUNDS)
      const site = siteOf(pool, { ...scripts, one: one.script }, { store })
      const first = await say(site, false, { input: 'Hello' })
      one.now(good(dialect))
      await say(site, false, { input: 'More', previous_response_id: first })
      expect(askedOf(site)).toEqual(['one', 'two', last])
    })
  })

  it('is not looked for in a body that is no JSON, which is refused as anywhere else', async () => {
    const pool = makePool('responses', { one: 'a', two: 'b' })
    const scripts = { one: stored('one'), two: stored('two') }
    const site = siteOf(pool, scripts, { store: memoryStore(STORE_BOUNDS) })
    const body = String.raw`{"model":"m","previous_response_id":"resp_one0","input":"\x"}`
    const answer = await site.fetch('https://proxy.example/v1/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(await answer.json()).toMatchObject({ error: { message: 'The body is not valid JSON.' } })
    expect(answer.status).toBe(400)
  })
})
