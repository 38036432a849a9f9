import { describe, expect, it } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { UPSTREAM_KEY } from '../sdk/proxy.ts'
import { call, said, text, type Dialect, type Wire } from '../sdk/script.ts'
import {
  eventsIn,
  jsonIn,
  lastWords,
  modelAt,
  ORDERED,
  stageOf,
  summing,
  SUMMARY,
} from './stage.ts'

const FOREIGN = othersThan('messages')
const ALL: readonly Dialect[] = ['messages', 'generate-content', 'responses', 'chat-completions']
const SUMMARIZE = { type: 'summarize' }
const TOOL = { name: 'read', input_schema: { type: 'object' } }

const asked = (dialect: Dialect, more: Wire = {}): Wire => ({
  model: modelAt(dialect),
  max_tokens: 1024,
  tools: [TOOL],
  messages: [{ role: 'user', content: 'Weigh the harbour.' }],
  compaction: SUMMARIZE,
  ...more,
})
const HEADERS = { 'anthropic-version': '2023-06-01', 'content-type': 'application/json' }

const ask = (proxy: ReturnType<typeof stageOf>, json: Wire, path = '/v1/messages') =>
  proxy.fetch(`http://proxy.test${path}`, {
    method: 'POST',
    headers: { ...HEADERS, 'x-api-key': 'caller-key-0-0123456789abcdef' },
    body: JSON.stringify(json),
  })

const COUNTED = {
  type: 'compaction',
  input_tokens: 36,
  cache_read_input_tokens: 64,
  output_tokens: 40,
}
const NOTHING = {
  input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  output_tokens: 0,
}

describe.each(FOREIGN)('a summary as a block, over %s', (dialect) => {
  it('is the whole reply, and its tokens stand apart (trap 17)', async () => {
    const proxy = stageOf()
    const reply = await jsonIn(await ask(proxy, asked(dialect)))
    expect(reply).toMatchObject({
      content: [
        {
          type: 'compaction',
          content: SUMMARY,
          encrypted_content: expect.stringContaining('4711'),
          tool_changes: null,
        },
      ],
      stop_reason: 'compaction',
      usage: { ...NOTHING, iterations: [COUNTED] },
    })
    expect(reply['content']).toHaveLength(1)
    const [sent] = proxy.got
    expect(sent && lastWords(sent)).toMatch(ORDERED)
    expect(proxy.log.at(-1)?.usage).toMatchObject({ input: 100, output: 40 })
  })

  it.each([false, true])('hides the key of the upstream, as a stream: %s', async (stream) => {
    const proxy = stageOf(summing(said([text(`The key is ${UPSTREAM_KEY}.`)])))
    const reply = await (await ask(proxy, asked(dialect, { stream }))).text()
    expect(reply).toContain('The key is ***.')
    expect(reply).not.toContain(UPSTREAM_KEY)
  })

  it('comes in one piece of a stream, and not beside anything else', async () => {
    const many = said([text('One.'), call('call_9', 'read', {}), text('Two.')], 'tool-call')
    const proxy = stageOf(summing(many))
    const events = await eventsIn(await ask(proxy, asked(dialect, { stream: true })))
    expect(events.map(({ type }) => type).filter((type) => type !== 'ping')).toEqual([
      'message_start',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    const block = events.find(({ type }) => type === 'content_block_start')?.['content_block']
    expect(block).toMatchObject({ type: 'compaction', content: 'One.\n\nTwo.' })
    expect(events.find(({ type }) => type === 'message_delta')).toMatchObject({
      delta: { stop_reason: 'compaction' },
      usage: { ...NOTHING, iterations: [{ type: 'compaction', output_tokens: 80 }] },
    })
  })

  it('takes the instructions of the caller in place of ours', async () => {
    const proxy = stageOf()
    const compaction = { ...SUMMARIZE, instructions: 'Only the numbers.' }
    await jsonIn(await ask(proxy, asked(dialect, { compaction })))
    const [sent] = proxy.got
    expect(sent && lastWords(sent)).toMatch(
      /replaced by a summary[^]*Only the numbers\.[^]*no tool/,
    )
    expect(sent && lastWords(sent)).not.toContain('short headings')
  })

  it('is refused, with the codes of its service, where there is nothing or a call waits', async () => {
    const proxy = stageOf()
    const waits = [
      { role: 'user', content: 'Weigh it.' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }],
      },
    ]
    for (const [messages, code] of [
      [[], 'compaction_nothing_to_summarize'],
      [waits, 'compaction_incomplete_turn'],
    ] as const) {
      const response = await ask(proxy, asked(dialect, { messages }))
      const { error } = (await response.json()) as { error: Wire }
      expect([response.status, error['type']]).toEqual([400, 'invalid_request_error'])
      if (messages.length > 0) expect(error['details']).toEqual({ error_code: code })
    }
    const never = stageOf(summing(said([text(' ')])))
    const response = await ask(never, asked(dialect))
    expect(response.status).toBe(529)
    expect(await response.json()).toMatchObject({
      error: { type: 'overloaded_error', details: { error_code: 'compaction_unavailable' } },
    })
  })

  it('trap 15: is told as too long in the words that agents know', async () => {
    const { overflow } = kits[dialect].scripted.refusals
    const proxy = stageOf(summing(overflow))
    const response = await ask(proxy, asked(dialect))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('prompt is too long')
    expect(proxy.got).toHaveLength(3)
  })
})

const block = async (): Promise<Wire> => {
  const { content } = await jsonIn(await ask(stageOf(), asked('chat-completions')))
  return (content as Wire[])[0] ?? {}
}
const after = (to: Dialect, said: Wire): Wire =>
  asked(to, {
    compaction: undefined,
    messages: [
      { role: 'user', content: 'Weigh it.' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'Before.' }, said, { type: 'text', text: 'Behind.' }],
      },
      { role: 'user', content: 'Which file?' },
    ],
  })

describe('a block that comes back', () => {
  it.each(ALL)('trap 12: stands where it stood, over %s', async (to) => {
    const proxy = stageOf()
    const response = await ask(proxy, after(to, await block()))
    expect(response.status).toBe(200)
    expect(response.headers.get('x-dragoman-losses') ?? '').not.toContain('compaction')
    const { turns } = kits[to].scripted.hear(proxy.got[0]?.body)
    const told = turns.map(({ role, pieces }) => [
      role,
      pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.kind)).join(),
    ])
    expect(told).toEqual([
      ['user', 'Weigh it.'],
      ['assistant', 'Before.'],
      ['user', expect.stringContaining(SUMMARY)],
      ['assistant', 'Behind.'],
      ['user', 'Which file?'],
    ])
  })

  it.each(ALL)('trap 11: is refused where its words were changed, over %s', async (to) => {
    const proxy = stageOf()
    const made = await block()
    const response = await ask(proxy, after(to, { ...made, content: 'Something else.' }))
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: Wire }
    expect(error['details']).toEqual({ error_code: 'compaction_content_mismatch' })
    expect(error['message']).toContain('messages.1.content.1')
    for (const content of [null, undefined])
      expect((await ask(stageOf(), after(to, { ...made, content }))).status).toBe(200)
    expect(proxy.got).toHaveLength(0)
  })

  it.each(ALL)('trap 9: is refused where it was damaged, over %s', async (to) => {
    const proxy = stageOf()
    const made = await block()
    const encrypted_content = String(made['encrypted_content']).slice(0, -1)
    const response = await ask(proxy, after(to, { ...made, encrypted_content }))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('messages.1.content.1')
    expect(proxy.got).toHaveLength(0)
  })

  it('trap 19: is counted with its words', async () => {
    const counts = stageOf((got) => ({ body: { input_tokens: got.text.length } }))
    const { max_tokens: ___, ...whole } = after('messages', await block())
    await ask(counts, whole, '/v1/messages/count_tokens')
    expect(counts.got[0]?.text).toContain('holds 4711')
    expect(counts.got[0]?.text).not.toContain('xseal1')
    for (const to of ['generate-content', 'responses', 'chat-completions'] as const) {
      const proxy = stageOf((got) => ({ status: 404, body: { error: { text: got.text } } }))
      const { max_tokens: _, ...rest } = after(to, await block())
      const { max_tokens: __, ...plain } = after(to, { type: 'text', text: '.' })
      const path = '/v1/messages/count_tokens'
      const [one, other] = [await ask(proxy, rest, path), await ask(proxy, plain, path)]
      const [told, less] = [await jsonIn(one), await jsonIn(other)]
      expect(Number(told['input_tokens'])).toBeGreaterThan(Number(less['input_tokens']) + 10)
    }
  })
})

describe('an end with a summary that nobody asked for', () => {
  const body = {
    ...kits.messages.scripted.body(said([text('Hello.')]), 'dragon-1'),
    content: [
      { type: 'compaction', content: 'They said hi.', encrypted_content: 'gA', tool_changes: null },
    ],
    stop_reason: 'compaction',
  }

  it('trap 13: is an end as any other to callers of other dialects', async () => {
    const proxy = stageOf(() => ({ body }))
    const model = modelAt('messages')
    const responses = await jsonIn(
      await proxy.ask('/v1/responses', { json: { model, input: 'Hi' } }),
    )
    expect(responses).toMatchObject({ status: 'completed', output: [{ type: 'compaction' }] })
    const withText = { ...body, content: [...body.content, { type: 'text', text: 'Hello.' }] }
    const speaking = stageOf(() => ({ body: withText }))
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
    const gemini = await speaking.ask(`/v1beta/models/${model}:generateContent`, {
      json: { contents },
    })
    expect(gemini.headers.get('x-dragoman-losses')).toContain('compaction')
    expect(await jsonIn(gemini)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] })
    const messages = [{ role: 'user', content: 'Hi' }]
    const chat = await speaking.ask('/v1/chat/completions', { json: { model, messages } })
    expect(await jsonIn(chat)).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
  })
})
