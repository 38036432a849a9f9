import { describe, expect, it } from 'vitest'
import { objectsOf, parse, stringify, type JsonObject } from '../../src/json/json.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { createApp } from '../../src/index.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { kits } from '../dialects/index.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { translator } from '../../src/named-translator.ts'

const EDIT = { type: 'compact_20260112', trigger: { type: 'input_tokens', value: 90_000 } }
const CLEARED = { type: 'clear_thinking_20251015', keep: 'all' }

const messages = (more: JsonObject): JsonObject => ({
  model: 'm',
  max_tokens: 99,
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
})
const responses = (more: JsonObject): JsonObject => ({
  model: 'm',
  input: [{ role: 'user', content: 'Hi' }],
  ...more,
})

const toResponses = () => translator({ from: 'messages', to: 'responses', model: 'm' })
const toMessages = () => translator({ from: 'responses', to: 'messages', model: 'm' })

const THRESHOLD = [{ type: 'compaction', compact_threshold: 90_000 }]

describe('a summary above a number of tokens', () => {
  it('is asked of a service that writes one, whatever else is to be cleared', () => {
    const asked = messages({ context_management: { edits: [CLEARED, EDIT] } })
    const { body, losses } = toResponses().request(asked)
    expect(body).toMatchObject({ context_management: THRESHOLD })
    expect(losses).toEqual([{ code: 'dropped', path: 'context_management' }])
  })

  it('is asked with the names of its features', () => {
    const { body, headers, losses } = toMessages().request(
      responses({ context_management: THRESHOLD }),
    )
    expect(body).toMatchObject({ context_management: { edits: [EDIT] } })
    expect(headers['anthropic-beta']).toBe('context-management-2025-06-27,compact-2026-01-12')
    expect(losses.filter(({ path }) => path.startsWith('comp'))).toEqual([])
  })

  it('comes at the least that the service takes', () => {
    const asked = responses({ context_management: [{ type: 'compaction', compact_threshold: 9 }] })
    const { body, losses } = toMessages().request(asked)
    expect(body).toMatchObject({
      context_management: { edits: [{ trigger: { type: 'input_tokens', value: 50_000 } }] },
    })
    expect(losses).toContainEqual({ code: 'approximated', path: 'context_management' })
  })
})

describe('a summary that is asked for', () => {
  const trigger = { type: 'compaction_trigger' }

  it('comes as a block, and goes back as the item that it was', () => {
    const speaker = toResponses()
    const { body } = speaker.request(messages({ compaction: { type: 'summarize' } }))
    expect(body['input']).toMatchObject([{ role: 'user' }, trigger])
    const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' }
    const reply = speaker.reply({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'm',
      output: [item],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    })
    expect(reply.losses).toEqual([])
    expect(reply.body).toMatchObject({
      content: [{ type: 'compaction', content: expect.any(String) }],
      stop_reason: 'compaction',
    })
    const content = reply.body['content'] ?? null
    const next = messages({
      messages: [
        { role: 'assistant', content },
        { role: 'user', content: 'And now?' },
      ],
    })
    const again = toResponses().request(next)
    expect(again.losses).toEqual([])
    expect(again.body['input']).toMatchObject([item, { role: 'user' }])
    for (const to of ['generate-content', 'chat-completions', 'messages'] as const)
      expect(() => translator({ from: 'messages', to }).request(next)).toThrow(ProblemError)
  })

  it('comes as an item, and goes back as the block that it was', () => {
    const speaker = toMessages()
    const asked = speaker.request(responses({ input: [{ role: 'user', content: 'Hi' }, trigger] }))
    expect(asked.body).toMatchObject({
      compaction: { type: 'summarize' },
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(asked.headers['anthropic-beta']).toBe('compact-2026-09-04')
    const block = { type: 'compaction', content: 'They said hi.', signature: 's', tool_changes: [] }
    const reply = speaker.reply({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [block],
      stop_reason: 'compaction',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    })
    expect(reply.losses).toEqual([])
    expect(reply.body).toMatchObject({ status: 'completed', output: [{ type: 'compaction' }] })
    const input = [...objectsOf(reply.body['output']), { role: 'user', content: 'And now?' }]
    const again = toMessages().request(responses({ input }))
    expect(again.body).toMatchObject({
      messages: [
        { role: 'assistant', content: [block] },
        { role: 'user', content: 'And now?' },
      ],
    })
  })
})

/** The answer under `losses: "reject"`. */
async function refusedBy(from: Dialect, to: Dialect, body: JsonObject): Promise<string> {
  const app = createApp({
    upstreams: { one: { dialect: to, url: 'https://one.example', key: 'key-of-the-test' } },
    routes: [{ model: '*', upstream: 'one' }],
    callers: 'open',
    losses: 'reject',
  })
  const response = await app.fetch(
    new Request(`http://localhost${kits[from].http.path('m', false)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
    }),
  )
  expect(response.status).toBe(400)
  return response.text()
}

describe('where no summary is written', () => {
  it.each([
    ['messages', messages({ compaction: { type: 'summarize' } })],
    [
      'responses',
      responses({ input: [{ role: 'user', content: 'Hi' }, { type: 'compaction_trigger' }] }),
    ],
  ] as const)('one that is asked for is refused: %s', (from, body) => {
    for (const to of ['generate-content', 'chat-completions'] as const)
      expect(() => translator({ from, to }).request(body)).toThrow('compaction: ')
  })

  it.each([
    ['messages', messages({ context_management: { edits: [EDIT] } })],
    ['responses', responses({ context_management: THRESHOLD })],
  ] as const)('one for later is a loss, and the turn goes on: %s', async (from, body) => {
    for (const to of ['generate-content', 'chat-completions'] as const) {
      const { losses, text } = translator({ from, to }).request(body)
      expect(losses.map(({ code, path, field }) => [code, path, field])).toEqual([
        ['dropped', 'compaction.threshold', expect.stringMatching(/^.context_management/)],
      ])
      expect(text).not.toMatch(/compact|90000/)
      expect(await refusedBy(from, to, body)).toMatch(/compaction\.threshold/)
    }
  })

  it.each(['compaction', 'compaction_summary', 'context_compaction'])(
    'an older one of another service is refused, for nobody could read it: %s',
    (type) => {
      const item = { type, id: 'cmp_1', encrypted_content: 'gAAA' }
      const body = responses({ input: [item, { role: 'user', content: 'Hi' }] })
      for (const to of ['messages', 'generate-content', 'chat-completions'] as const)
        expect(() => translator({ from: 'responses', to }).request(body)).toThrow('summary')
    },
  )

  it('the place of one that Codex has no text of is left out', () => {
    const body = responses({
      input: [{ type: 'context_compaction' }, { role: 'user', content: 'Hi' }],
    })
    for (const to of ['messages', 'generate-content', 'chat-completions'] as const) {
      const { losses } = translator({ from: 'responses', to }).request(body)
      expect(losses.map(({ path }) => path)).toContain('turns.0.blocks.0.context_compaction')
    }
  })
})

/** A conversation with this among the words of the model. */
const conversation = (content: JsonObject): JsonObject =>
  messages({
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [content, { type: 'text', text: 'Hello.' }] },
      { role: 'user', content: 'Which day is it?' },
    ],
  })

describe('a summary that anybody can read', () => {
  const words = 'They said hi. It is Tuesday.'
  const block = { type: 'compaction', content: words, encrypted_content: 'gAAA' }
  const SUMMED =
    /^The conversation before this was summed up:\n<summary>\nThey said hi\. It is Tuesday\.\n<\/summary>$/

  it.each(['responses', 'generate-content', 'chat-completions'] as const)(
    'goes on as the words of the user, over %s',
    (to) => {
      const { body, losses } = translator({ from: 'messages', to, model: 'm' }).request(
        conversation(block),
      )
      const turns = adapterOf(to).caller.readRequest(parse(stringify(body)), {
        route: { operation: 'create', model: 'm' },
        headers: new Headers(),
        newId: (prefix) => `${prefix}1`,
      }).turns
      const said = turns.flatMap(({ role, blocks }) =>
        blocks.map((each) => [role, each.kind === 'text' ? each.text : each.kind]),
      )
      expect(said).toEqual([
        ['user', 'Hi'],
        ['user', expect.stringMatching(SUMMED)],
        ['assistant', 'Hello.'],
        ['user', 'Which day is it?'],
      ])
      expect(losses.map(({ code, path, field }) => [code, path, field])).toContainEqual([
        'approximated',
        'turns.1.blocks.0.compaction',
        '/messages/1/content/0',
      ])
    },
  )

  it('is brought from a caller of another dialect to any upstream', () => {
    const speaker = toMessages()
    speaker.request(
      responses({ input: [{ role: 'user', content: 'Hi' }, { type: 'compaction_trigger' }] }),
    )
    const { body } = speaker.reply({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [block],
      stop_reason: 'compaction',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    })
    const input = [...objectsOf(body['output']), { role: 'user', content: 'And now?' }]
    for (const to of ['responses', 'generate-content', 'chat-completions'] as const) {
      const { text, losses } = translator({ from: 'responses', to, model: 'm' }).request(
        responses({ input }),
      )
      expect(text).toContain('They said hi. It is Tuesday.')
      expect(text).not.toMatch(/xseal1|compaction/)
      expect(losses.map(({ code, path }) => `${code} ${path}`)).toContain(
        'approximated turns.0.blocks.0.compaction',
      )
    }
  })

  it('is refused where it is sealed, and no summary where none could be made', () => {
    for (const to of ['responses', 'generate-content', 'chat-completions'] as const) {
      const ask = (content: JsonObject) => () =>
        translator({ from: 'messages', to, model: 'm' }).request(conversation(content))
      expect(ask({ ...block, content: null })).toThrow('can read this summary')
      const { losses } = ask({ type: 'compaction', content: null, encrypted_content: null })()
      expect(losses.map(({ code, path }) => `${code} ${path}`)).toContain(
        'dropped turns.1.blocks.0.compaction',
      )
    }
  })

  it('goes back to its own service as it was', () => {
    const same = translator({
      from: 'messages',
      to: 'messages',
      profile: { unprovenThoughts: true },
    })
    expect(same.request(conversation(block)).body).toEqual(conversation(block))
  })
})
