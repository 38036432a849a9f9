import { describe, expect, it } from 'vitest'
import { parse, stringify, type JsonObject } from '../../src/json/json.ts'
import { writeEnvelope } from '../../src/model/proof.ts'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { createApp } from '../../src/index.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { kits, othersThan } from '../dialects/index.ts'
import { said, text as spoken, thinking } from '../sdk/script.ts'
import { translator } from '../../src/named-translator.ts'

const EDIT = { type: 'compact_20260112', trigger: { type: 'input_tokens', value: 90_000 } }

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

const THRESHOLD = [{ type: 'compaction', compact_threshold: 90_000 }]

describe('a summary that is asked for', () => {
  it.each([
    ['messages', messages({ compaction: { type: 'summarize' } })],
    [
      'responses',
      responses({ input: [{ role: 'user', content: 'Hi' }, { type: 'compaction_trigger' }] }),
    ],
  ] as const)('is a turn of its own, from %s to any other', (from, asked) => {
    for (const to of othersThan(from)) {
      const speaker = translator({ from, to, model: 'm' })
      const { text, losses } = speaker.request(asked)
      expect(text).toMatch(/Hi.*will be replaced by a summary/)
      expect(text).not.toMatch(/compaction/)
      expect(losses.map(({ code, path }) => `${code} ${path}`)).toEqual(['approximated compaction'])
      const { scripted } = kits[to]
      const whole = said([thinking('Hm.', ''), spoken('They said hi.')])
      const { body } = speaker.reply(scripted.body(whole, 'm'))
      const shown = from === 'messages' ? body['content'] : body['output']
      expect(shown).toMatchObject([
        { type: 'compaction', encrypted_content: expect.stringContaining('They said hi.') },
      ])
      expect(shown).toHaveLength(1)
      expect(() => speaker.reply(scripted.body(said([thinking('Hm.', '')]), 'm'))).toThrow(
        'There is no summary',
      )
    }
  })

  it('is asked of a service of its own dialect in its own words', () => {
    const item = { type: 'compaction_trigger' }
    const asked = responses({ input: [{ role: 'user', content: 'Hi' }, item] })
    expect(translator({ from: 'responses', to: 'responses' }).request(asked).body).toEqual(asked)
    const block = messages({ compaction: { type: 'summarize', instructions: 'Numbers.' } })
    expect(translator({ from: 'messages', to: 'messages' }).request(block).body).toEqual(block)
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

describe('what is not carried', () => {
  it.each([
    ['messages', messages({ context_management: { edits: [EDIT] } })],
    ['responses', responses({ context_management: THRESHOLD })],
  ] as const)('one for later is a loss, and the turn goes on: %s', async (from, body) => {
    for (const to of othersThan(from)) {
      const { losses, text } = translator({ from, to }).request(body)
      expect(losses.map(({ code, path, field }) => [code, path, field])).toContainEqual([
        'dropped',
        'compaction.threshold',
        expect.stringMatching(/^.context_management/),
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

  it('is brought from a caller of another dialect to any upstream, also to its own', () => {
    // As it was given out for a block of messages.
    const envelope = writeEnvelope({ dialect: 'messages', value: JSON.stringify(block) }, 'self')
    const item = { type: 'compaction', id: 'cmp_1', encrypted_content: envelope }
    const input = [item, { role: 'user', content: 'And now?' }]
    for (const to of DIALECTS) {
      const { text, losses } = translator({ from: 'responses', to, model: 'm' }).request(
        responses({ input }),
      )
      expect(text).toContain('They said hi. It is Tuesday.')
      expect(text).not.toMatch(/xseal1|compaction/)
      expect(losses.filter(({ code }) => code !== 'defaulted')).toEqual([])
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
