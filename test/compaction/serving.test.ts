import { describe, expect, it, vi } from 'vitest'
import type { Settings, UpstreamSettings } from '../../src/config/settings.ts'
import { kits, othersThan } from '../dialects/index.ts'
import { settings } from '../memory/proxy.ts'
import { MODEL, said, text, type Dialect, type Wire } from '../sdk/script.ts'
import {
  eventsIn,
  isSummaryTurn,
  itemOf,
  jsonIn,
  lastWords,
  modelAt,
  ORDERED,
  stageOf,
  summing,
  SUMMARY,
  TOOL,
  TRIGGER,
  trigger,
  user,
  WORKED,
} from './stage.ts'

const FOREIGN = othersThan('responses')
const COMPACT = '/v1/responses/compact'

/** One upstream with other settings. */
const changed = (dialect: Dialect, change: Partial<UpstreamSettings>): Partial<Settings> => ({
  upstreams: new Map(
    [...settings().upstreams].map(([name, upstream]) => [
      name,
      name === dialect ? { ...upstream, ...change } : upstream,
    ]),
  ),
})

const boundOf = (dialect: Dialect, body: unknown) => kits[dialect].scripted.hear(body).maxTokens

describe.each(FOREIGN)('a summary turn over %s', (dialect) => {
  const model = modelAt(dialect)

  it('begins with the turn before it, to the byte, and calls no tool', async () => {
    const { ask, got } = stageOf()
    const settled = {
      model,
      tools: [TOOL],
      instructions: 'Be exact.',
      reasoning: { effort: 'low' },
    }
    const input = [
      ...WORKED,
      { type: 'message', role: 'assistant', content: 'It is 4711.' },
      user('So?'),
    ]
    await ask('/v1/responses', { json: { ...settled, input } })
    const spoken = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Go on.' }],
    }
    const json = { ...settled, input: [...input, spoken, TRIGGER], tool_choice: 'required' }
    await ask('/v1/responses', { json })
    const [before, summary] = got
    const { members } = kits[dialect].cached
    for (const member of members) {
      const [one, other] = [before?.body[member], summary?.body[member]].map((value) =>
        JSON.stringify(value ?? null).replaceAll(/,"cache_control":\{[^}]*\}/g, ''),
      )
      const isGrowing =
        Array.isArray(before?.body[member]) && member !== 'tools' && member !== 'system'
      if (isGrowing) expect(other?.startsWith(one?.slice(0, -2) ?? '?')).toBe(true)
      else expect([member, other]).toEqual([member, one])
    }
    expect(summary && lastWords(summary)).toMatch(ORDERED)
    const heard = kits[dialect].scripted.hear(summary?.body)
    expect(heard.tools.map(({ name }) => name)).toEqual(['read'])
    expect(heard.choice).toBe(dialect === 'messages' ? '' : 'none')
    expect(heard.schema).toBeUndefined()
  })

  it('has a bound of its own, within that of the model', async () => {
    for (const [change, bound] of [
      [{}, 8192],
      [{ compaction: { maxOutputTokens: 2000 } }, 2000],
      [{ models: new Map([['*', { maxOutputTokens: 1500 }]]) }, 1500],
    ] as const) {
      const proxy = stageOf(summing(), { change: changed(dialect, change) })
      await trigger(proxy, dialect, { max_output_tokens: 64, temperature: 0.5 })
      expect(boundOf(dialect, proxy.got[0]?.body)).toBe(bound)
    }
  })

  it('can be refused by configuration, for all or for one', async () => {
    const refused = { compaction: { refused: true as const } }
    const rows = [
      [{ change: refused }, 400],
      [{ change: changed(dialect, refused) }, 400],
      [{ change: { ...refused, ...changed(dialect, { compaction: {} }) } }, 200],
    ] as const
    for (const [options, status] of rows)
      for (const [path, json] of [
        ['/v1/responses', { model, input: [user('Hi'), TRIGGER] }],
        [COMPACT, { model, input: 'Hi' }],
      ] as const) {
        const { ask, got } = stageOf(summing(), options)
        const response = await ask(path, { json })
        expect(response.status).toBe(status)
        expect(got).toHaveLength(status === 200 ? 1 : 0)
        if (status === 400) expect(await response.text()).toContain('"refuse\\"')
      }
  })

  it('keeps its stream alive, and asks once more behind the beginning', async () => {
    const heard = Promise.withResolvers<void>()
    const slow = {
      events: kits[dialect].scripted.events(said([text(' ')]), MODEL),
      silence: () => heard.promise,
    }
    const proxy = stageOf(summing(slow, said([text(SUMMARY)])), {
      change: { limits: { ...settings().limits, heartbeatMs: 20 } },
    })
    const json = { model, input: [user('Hi'), TRIGGER], stream: true }
    const response = await proxy.ask('/v1/responses', { json })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let words = ''
    for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
      words += read.value
      if (/^:/m.test(words)) heard.resolve()
    }
    expect(words.match(/^event: response\.output_item\.done$/gm)).toHaveLength(1)
    expect(words).toContain('response.completed')
    expect(proxy.got).toHaveLength(2)
  })

  it('ends its stream with the failure of an upstream that breaks off', async () => {
    const [first = ''] = kits[dialect].scripted.events(said([text(SUMMARY)]), MODEL)
    const { ask } = stageOf(summing({ events: [first], cut: true }))
    const json = { model, input: [user('Hi'), TRIGGER], stream: true }
    const response = await ask('/v1/responses', { json })
    expect(response.status).toBe(502)
  })

  it('takes its request along when the caller leaves, and makes no further one', async () => {
    const hold: { cancelled?: boolean } = {}
    const [first = ''] = kits[dialect].scripted.events(said([text(' ')]), MODEL)
    const proxy = stageOf(summing({ events: [first], hold }), {
      change: { limits: { ...settings().limits, heartbeatMs: 10 } },
    })
    const json = { model, input: [user('Hi'), TRIGGER], stream: true }
    const response = await proxy.ask('/v1/responses', { json })
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await vi.waitFor(() => expect(hold.cancelled).toBe(true))
    await vi.waitFor(() => expect(proxy.log).toHaveLength(1))
    expect(proxy.got).toHaveLength(1)
    expect(proxy.log[0]?.status).toBe(499)
  })

  it('goes to another member where one fails', async () => {
    const { overloaded } = kits[dialect].scripted.refusals
    const [upstream] = [settings().upstreams.get(dialect)]
    if (!upstream) throw new Error('no upstream')
    const other = { ...upstream, name: 'other' }
    const change = {
      upstreams: new Map([...settings().upstreams, ['other', other] as const]),
      routes: [
        {
          model: '*',
          upstream: dialect,
          as: MODEL,
          pool: [
            { name: dialect, weight: 1 },
            { name: 'other', weight: 1 },
          ],
        },
      ],
    }
    const proxy = stageOf(summing(overloaded, said([text(SUMMARY)])), { change })
    const item = itemOf(await trigger(proxy, dialect))
    expect(item['encrypted_content']).toContain('4711')
    expect(proxy.got).toHaveLength(2)
  })

  it('is taken by the routes for its class', async () => {
    const routes = [
      { model: '*', upstream: dialect, as: 'small-1', class: ['compaction' as const] },
      { model: '*', upstream: dialect, as: MODEL },
    ]
    const proxy = stageOf(summing(), { routes })
    const first = await jsonIn(await proxy.ask('/v1/responses', { json: { model, input: 'Hi' } }))
    await trigger(proxy, dialect)
    await proxy.ask(COMPACT, { json: { model, input: 'Hi' } })
    const kept = { model, previous_response_id: first['id'], input: [TRIGGER] }
    expect((await proxy.ask('/v1/responses', { json: kept })).status).toBe(200)
    const named = proxy.got.map(({ body, url }) => body['model'] ?? url.pathname)
    expect(named.map((name) => String(name).includes('small-1'))).toEqual([false, true, true, true])
    expect(proxy.got.slice(1).every(isSummaryTurn)).toBe(true)
  })

  it('goes on by its id from the summary alone, and is read again', async () => {
    const proxy = stageOf()
    const first = await jsonIn(
      await proxy.ask('/v1/responses', { json: { model, input: 'Weigh it.' } }),
    )
    const json = { model, input: [TRIGGER], previous_response_id: first['id'], stream: true }
    const events = await eventsIn(await proxy.ask('/v1/responses', { json }))
    const { response } = events.at(-1) as unknown as { response: Wire }
    expect(proxy.got[1]?.text).toContain('Weigh it.')
    const next = { model, input: 'Which file?', previous_response_id: response['id'] }
    expect((await proxy.ask('/v1/responses', { json: next })).status).toBe(200)
    expect(proxy.got[2]?.text).toContain('holds 4711')
    expect(proxy.got[2]?.text).not.toContain('Weigh it.')
    const kept = await jsonIn(await proxy.ask(`/v1/responses/${String(response['id'])}`))
    expect(kept['output']).toEqual(response['output'])
    const items = await jsonIn(
      await proxy.ask(`/v1/responses/${String(response['id'])}/input_items?order=asc`),
    )
    expect((items['data'] as Wire[]).map(({ type }) => type)).toContain('compaction_trigger')
  })
})

describe('over a service of its own dialect', () => {
  const model = modelAt('responses')
  const compacted = {
    id: 'resp_68af',
    object: 'response.compaction',
    created_at: 1_786_000_000,
    output: [{ type: 'compaction', id: 'cmp_68af', encrypted_content: 'gAAAA' }],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }

  it('passes, and what was made here is opened on the way', async () => {
    const item = itemOf(await trigger(stageOf(), 'messages'))
    const { ask, got } = stageOf(() => ({ body: compacted }))
    const input = [user('Hi'), item, user('And?')]
    expect(await jsonIn(await ask(COMPACT, { json: { model, input } }))).toEqual(compacted)
    expect(got[0]?.url.pathname).toBe(COMPACT)
    expect(got[0]?.body['input']).toMatchObject([
      user('Hi'),
      { role: 'user', content: [{ text: expect.stringContaining(SUMMARY) }] },
      user('And?'),
    ])
    const unnamed = await ask(COMPACT, { json: { input } })
    expect(unnamed.status).toBe(400)
  })

  it('is sent what is kept here, without a word that its path does not know', async () => {
    const { ask, got } = stageOf((each) =>
      each.url.pathname === COMPACT ? { body: compacted } : said([text('Go on.')]),
    )
    const there = { model: modelAt('messages'), input: 'Weigh it.' }
    const first = await jsonIn(await ask('/v1/responses', { json: there }))
    const json = { model, previous_response_id: first['id'] }
    expect(await jsonIn(await ask(COMPACT, { json }))).toEqual(compacted)
    const sent = got.at(-1)
    expect(sent?.url.pathname).toBe(COMPACT)
    expect(Object.keys(sent?.body ?? {}).toSorted()).toEqual(['input', 'model'])
    expect(sent?.text).toMatch(/Weigh it\..*Go on\./)
  })

  it('passes to a server that writes summaries, whatever else it takes', async () => {
    const server = { otherItems: false, compacts: true }
    const proxy = stageOf(() => ({ body: compacted }), { change: changed('responses', { server }) })
    await proxy.ask('/v1/responses', { json: { model, input: [user('Hi'), TRIGGER] } })
    await proxy.ask(COMPACT, { json: { model, input: 'Hi' } })
    expect(proxy.got[0]?.body['input']).toEqual([user('Hi'), TRIGGER])
    expect(proxy.got[1]?.url.pathname).toBe(COMPACT)
  })

  it.each([{ otherItems: false }, { state: false }, { compacts: false }])(
    'is written here for a server that speaks a part of it: %o',
    async (server) => {
      const change = changed('responses', { server })
      const proxy = stageOf(summing(), { change })
      expect(itemOf(await trigger(proxy, 'responses'))['encrypted_content']).toContain('4711')
      const reply = await jsonIn(await proxy.ask(COMPACT, { json: { model, input: 'Hi' } }))
      expect(reply).toMatchObject({ object: 'response.compaction' })
      expect(proxy.got.map(({ url }) => url.pathname)).toEqual(['/v1/responses', '/v1/responses'])
      expect(proxy.got.every(isSummaryTurn)).toBe(true)
    },
  )
})

describe('an explanation', () => {
  it('shows the turn that would be sent, and what is lost', async () => {
    for (const dialect of FOREIGN) {
      const { ask, got } = stageOf()
      const json = { model: modelAt(dialect), input: [user('Hi'), TRIGGER] }
      const told = await jsonIn(await ask('/explain/v1/responses', { json }))
      expect(JSON.stringify(told['upstream'])).toMatch(/Hi.*replaced by a summary/)
      expect(told['losses']).toMatchObject([{ code: 'approximated', path: 'compaction' }])
      expect(got).toHaveLength(0)
    }
  })
})
