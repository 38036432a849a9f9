import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { kits, othersThan } from '../dialects/index.ts'
import { call, said, text, thinking, type Dialect, type Wire } from '../sdk/script.ts'
import {
  answered,
  called,
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
const ALL: readonly Dialect[] = ['messages', 'generate-content', 'responses', 'chat-completions']
const COMPACT = '/v1/responses/compact'
const PICTURE = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }

const words = (output: unknown): string => JSON.stringify(output)
const problem = async (response: Response): Promise<Wire> => {
  const { error } = (await response.json()) as { error: Wire }
  return { status: response.status, ...error }
}

describe.each(FOREIGN)('a summary over %s', (dialect) => {
  const model = modelAt(dialect)

  it('trap 1: the path wants a model, and never answers with a stream', async () => {
    const { ask, got } = stageOf()
    const unnamed = await problem(await ask(COMPACT, { json: { input: 'Hi' } }))
    expect(unnamed).toMatchObject({ status: 400, param: 'model' })
    const nothing = await problem(await ask(COMPACT, { json: { model } }))
    expect(nothing).toMatchObject({ status: 400, param: 'input' })
    expect(got).toHaveLength(0)
    const streamed = await ask(COMPACT, { json: { model, input: 'Hi', stream: true } })
    expect(await jsonIn(streamed)).toMatchObject({ object: 'response.compaction' })
  })

  it('trap 2: what is kept is summed up by its id alone', async () => {
    const { ask, got } = stageOf()
    const first = await jsonIn(await ask('/v1/responses', { json: { model, input: 'Weigh it.' } }))
    const json = { model, previous_response_id: first['id'] }
    const { output } = await jsonIn(await ask(COMPACT, { json }))
    expect(output).toMatchObject([
      { role: 'user', content: [{ type: 'input_text', text: 'Weigh it.' }] },
      { type: 'compaction' },
    ])
    expect(got).toHaveLength(2)
    expect(got[1]?.text).toContain('Go on.')
    const unknown = { model, previous_response_id: 'resp_0123456789abcdef00000001' }
    for (const path of [COMPACT, '/v1/responses'])
      expect(
        await problem(await ask(path, { json: { ...unknown, input: [TRIGGER] } })),
      ).toMatchObject({ status: 400, code: 'previous_response_not_found' })
    expect(got).toHaveLength(2)
  })

  it('trap 3: what the path answers is JSON, and is accepted as an input everywhere', async () => {
    const { ask, got } = stageOf()
    const response = await ask(COMPACT, { json: { model, input: [...WORKED, user('And then?')] } })
    expect(response.headers.get('content-type')).toBe('application/json')
    const { output, ...reply } = await jsonIn(response)
    expect(reply).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: 'response.compaction',
      created_at: expect.any(Number),
      usage: { input_tokens_details: {}, output_tokens_details: {} },
    })
    for (const item of output as Wire[]) expect(item['id']).toEqual(expect.any(String))
    for (const other of ALL) {
      const input = [...(output as Wire[]), user('Which file?')]
      const next = await ask('/v1/responses', { json: { model: modelAt(other), input } })
      expect(next.status).toBe(200)
      expect(got.at(-1)?.text).toContain('/srv/tide.txt holds 4711')
      expect(got.at(-1)?.text).not.toMatch(/xseal1|"compaction"/)
    }
  })

  it.each([true, false])(
    'trap 4: one item and an end, whatever came (stream: %s)',
    async (stream) => {
      const many = said(
        [thinking('Hm.', ''), text('One.'), call('call_9', 'read', {}), text('Two.')],
        'tool-call',
      )
      const { ask, got } = stageOf(summing(many))
      const json = { model, input: [...WORKED, TRIGGER], tools: [TOOL], stream }
      const response = await ask('/v1/responses', { json })
      expect(response.status).toBe(200)
      expect(got).toHaveLength(2)
      if (!stream) {
        const item = itemOf(await jsonIn(response))
        expect(item['encrypted_content']).toMatch(/One\..*Two\./)
        return
      }
      const events = await eventsIn(response)
      expect(events.map(({ type }) => type)).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.output_item.done',
        'response.completed',
      ])
      const { item } = events[3] as unknown as { item: Wire }
      expect(item).toMatchObject({ type: 'compaction', id: expect.stringMatching(/^cmp_/) })
      expect(events[2]).toMatchObject({ item })
      expect(events[4]).toMatchObject({ response: { status: 'completed', output: [item] } })
    },
  )

  it('trap 5: an order that is not last, or comes twice, is refused with its place', async () => {
    const { ask, got } = stageOf()
    for (const input of [
      [user('Hi'), TRIGGER, user('Go on')],
      [user('Hi'), TRIGGER, TRIGGER],
    ]) {
      const refused = await problem(await ask('/v1/responses', { json: { model, input } }))
      expect(refused).toMatchObject({ status: 400, param: 'input[1]' })
    }
    expect(got).toHaveLength(0)
  })

  it('trap 5: an order in what is kept has been carried out', async () => {
    const { ask, got } = stageOf()
    const first = await trigger({ ask } as Parameters<typeof trigger>[0], dialect)
    const json = { model, input: 'Which file?', previous_response_id: first['id'] }
    const next = await jsonIn(await ask('/v1/responses', { json }))
    expect(words(next['output'])).toContain('Go on.')
    const [, sent] = got
    expect(sent && isSummaryTurn(sent)).toBe(false)
    expect(sent?.text).toContain('/srv/tide.txt holds 4711')
    expect(sent?.text).not.toContain('Weigh the harbour.')
  })

  it('trap 6: comes behind a result and behind the user, and not within open calls', async () => {
    const { ask, got } = stageOf()
    const inputs = [WORKED, [...WORKED, user('And?')], [user('Hi')]]
    for (const input of inputs) itemOf(await trigger({ ask } as never, dialect, {}, input))
    expect(got).toHaveLength(3)
    for (const each of got) expect(lastWords(each)).toMatch(ORDERED)
    const open = [user('Hi'), called('call_1'), called('call_2'), answered('call_1')]
    for (const input of [open, open.slice(0, 2)]) {
      const json = { model, input: [...input, TRIGGER], tools: [TOOL] }
      const refused = await problem(await ask('/v1/responses', { json }))
      expect(refused).toMatchObject({ status: 400 })
      expect(refused['param']).toBe(input.length > 2 ? 'input[2]' : 'input[1]')
    }
    expect(got).toHaveLength(3)
  })

  it('trap 9: one that cannot be opened is refused with its place', async () => {
    const proxy = stageOf()
    const { ask, got } = proxy
    const item = itemOf(await trigger(proxy, dialect))
    const sealed = String(item['encrypted_content'])
    const broken = [
      sealed.slice(0, -1),
      sealed.slice(1),
      sealed.replace('xseal1', 'xseal2'),
      'gAAA',
    ]
    for (const encrypted_content of broken) {
      const input = [user('Hi'), { ...item, encrypted_content }, user('Go on')]
      const refused = await problem(await ask('/v1/responses', { json: { model, input } }))
      expect([encrypted_content.slice(0, 9), refused['status']]).toEqual([expect.any(String), 400])
      expect(refused['param']).toMatch(/^input\[1\]/)
    }
    expect(got).toHaveLength(1)
  })

  it('trap 14: a second try where it was cut, empty, or a call; a refusal is told', async () => {
    const good = said([text(SUMMARY)])
    const bad = [
      said([text('Task: wei')], 'length'),
      said([text('  ')]),
      said([thinking('I think.', '')]),
      said([call('call_9', 'read', {})], 'tool-call'),
    ]
    for (const first of bad) {
      const proxy = stageOf(summing(first, good))
      const item = itemOf(await trigger(proxy, dialect))
      expect(item['encrypted_content']).toContain('4711')
      expect(proxy.got).toHaveLength(2)
    }
    const cut = stageOf(summing(said([text('Task: wei')], 'length')))
    expect(itemOf(await trigger(cut, dialect))['encrypted_content']).toContain('Task: wei')
    expect(cut.got).toHaveLength(2)
    const worse = stageOf(summing(said([text('Task: wei')], 'length'), said([text(' ')])))
    expect(itemOf(await trigger(worse, dialect))['encrypted_content']).toContain('Task: wei')
    expect(worse.got).toHaveLength(3)
    for (const never of [said([text(' ')]), said([thinking('I think.', '')])]) {
      const { ask, got } = stageOf(summing(never))
      const response = await ask('/v1/responses', { json: { model, input: [user('Hi'), TRIGGER] } })
      expect(await problem(response)).toMatchObject({ status: 503, message: /no summary/ as never })
      expect(got).toHaveLength(3)
    }
  })

  it('trap 15: a conversation that is too long is shortened twice, then told as too long', async () => {
    const { overflow } = kits[dialect].scripted.refusals
    const long = [
      user('Weigh the harbour.'),
      ...Array.from({ length: 9 }, (_, index) => [
        called(`call_${index}`),
        answered(`call_${index}`, `begin${index} ${'x'.repeat(20_000)} end${index}`),
      ]).flat(),
      user('And now?'),
    ]
    const proxy = stageOf(summing(overflow, overflow, said([text(SUMMARY)])))
    const reply = await trigger(proxy, dialect, {}, long)
    expect(itemOf(reply)['encrypted_content']).toContain('4711')
    const sizes = proxy.got.map((each) => each.text.length)
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one))
    expect(new Set(sizes).size).toBe(3)
    const [, second] = proxy.got
    expect(second?.text).toMatch(
      /begin0 x{1,2500}\\n\[\d+ characters were left out here\.\]\\nx{1,2500} end0/,
    )
    expect(second?.text).toContain(`begin8 ${'x'.repeat(20_000)} end8`)
    for (const each of proxy.got) expect(each.text).toContain('Weigh the harbour.')
    const never = stageOf(summing(overflow))
    const json = { model, input: [...long, TRIGGER], tools: [TOOL] }
    const refused = await problem(await never.ask('/v1/responses', { json }))
    expect(refused).toMatchObject({ status: 400, code: 'context_length_exceeded' })
    expect(never.got).toHaveLength(3)
  })

  it('trap 16: pictures of the user come back, and are shown for the summary', async () => {
    const { ask, got } = stageOf()
    const message = { role: 'user', content: [{ type: 'input_text', text: 'See.' }, PICTURE] }
    const json = { model, input: [message, user('And?')] }
    const { output } = await jsonIn(await ask(COMPACT, { json }))
    expect(output).toMatchObject([{ content: [{ text: 'See.' }, PICTURE] }, {}, {}])
    expect(got[0]?.text).toContain('iVBORw0KGgo=')
  })

  it('trap 17: its tokens are told once', async () => {
    const proxy = stageOf()
    const reply = await trigger(proxy, dialect)
    expect(reply['usage']).toMatchObject({ input_tokens: 100, output_tokens: 40 })
    expect(proxy.log.at(-1)?.usage).toMatchObject({ input: 100, output: 40 })
    const twice = stageOf(summing(said([text(' ')]), said([text(SUMMARY)])))
    const both = await trigger(twice, dialect)
    expect(both['usage']).toMatchObject({ input_tokens: 200, output_tokens: 80 })
  })

  it('trap 18: is refused with the list where nothing may be lost', async () => {
    const { ask, got } = stageOf(summing(), { change: { losses: 'reject' } })
    for (const [path, input] of [
      ['/v1/responses', [user('Hi'), TRIGGER]],
      [COMPACT, [user('Hi')]],
    ] as const) {
      const refused = await problem(await ask(path, { json: { model, input } }))
      expect(refused).toMatchObject({ status: 400, code: 'losses_rejected' })
      expect(refused['message']).toContain('approximated compaction')
    }
    expect(got).toHaveLength(0)
  })

  it('trap 20: what is kept of it is the item as it was given', async () => {
    const { ask } = stageOf()
    const reply = await trigger({ ask } as never, dialect)
    const kept = await jsonIn(await ask(`/v1/responses/${String(reply['id'])}`))
    expect(itemOf(kept)).toEqual(itemOf(reply))
    const next = await jsonIn(
      await ask('/v1/responses', { json: { model, input: [itemOf(reply), user('Go on')] } }),
    )
    const list = await jsonIn(
      await ask(`/v1/responses/${String(next['id'])}/input_items?order=asc`),
    )
    expect((list['data'] as Wire[])[0]).toEqual(itemOf(reply))
  })
})

describe('what a summary becomes', () => {
  it.each(ALL)('trap 7: a summary at the very end is the turn of the user, over %s', async (to) => {
    const proxy = stageOf()
    const item = itemOf(await trigger(proxy, 'chat-completions'))
    const json = { model: modelAt(to), input: [...WORKED, user('And?'), item], tools: [TOOL] }
    const response = await proxy.ask('/v1/responses', { json })
    expect(response.status).toBe(200)
    const sent = proxy.got.at(-1)
    const { turns } = kits[to].scripted.hear(sent?.body)
    expect(turns.at(-1)?.role).toBe('user')
    expect(sent && lastWords(sent)).toContain('holds 4711')
  })

  it.each(ALL)('trap 8: two summaries are told in their order, over %s', async (to) => {
    const first = itemOf(await trigger(stageOf(summing(said([text('First.')]))), 'messages'))
    const second = itemOf(await trigger(stageOf(summing(said([text('Second.')]))), 'messages'))
    const { ask, got } = stageOf()
    const input = [user('Hi'), first, user('So'), second, user('Go on')]
    const response = await ask('/v1/responses', { json: { model: modelAt(to), input } })
    expect(response.status).toBe(200)
    expect(got[0]?.text).toMatch(/Hi.*First\..*So.*Second\..*Go on/)
  })

  it('trap 10: goes from each upstream to each other one, in any process, to the byte', async () => {
    for (const from of FOREIGN) {
      const item = itemOf(await trigger(stageOf(), from))
      for (const to of ALL) {
        // Another process, with a store of its own.
        const { ask, got } = stageOf(summing(), { store: memoryStore(STORE_BOUNDS) })
        const input = [user('Hi'), item, user('Go on')]
        const response = await ask('/v1/responses', { json: { model: modelAt(to), input } })
        expect([from, to, response.status]).toEqual([from, to, 200])
        const [sent] = got
        const heard = sent && kits[to].scripted.hear(sent.body)
        expect(words(heard?.turns)).toContain(JSON.stringify(SUMMARY).slice(1, -1))
      }
    }
  })

  it.each(ALL)('trap 19: is counted with its words, over %s', async (to) => {
    const item = itemOf(await trigger(stageOf(), 'messages'))
    const counts = stageOf((got) => {
      const { count } = kits[got.dialect].http
      return count && got.url.pathname === count.path('dragon-1')
        ? { body: count.reply(got.text.includes('holds 4711') ? 777 : 1) }
        : { status: 404, body: { error: {} } }
    })
    const path = '/v1/responses/input_tokens'
    const withIt = { model: modelAt(to), input: [user('Hi'), item] }
    const told = await jsonIn(await counts.ask(path, { json: withIt }))
    const without = await jsonIn(
      await counts.ask(path, { json: { ...withIt, input: [user('Hi')] } }),
    )
    expect(Number(told['input_tokens'])).toBeGreaterThan(Number(without['input_tokens']) + 10)
  })
})
