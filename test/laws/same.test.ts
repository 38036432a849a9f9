import { describe, expect, it } from 'vitest'
import type { Adapter, SameEdits } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { editedText } from '../../src/json/edit.ts'
import { isObject, parse, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { slicesAt } from '../../src/json/slices.ts'
import { lossList, type Loss } from '../../src/model/loss.ts'
import { writeEnvelope } from '../../src/model/proof.ts'
import { anyRequest } from './arbitrary-requests.ts'
import { spellingOf, writeRequest } from './exchange.ts'
import { always } from './law.ts'
import { spelled } from './spelling.ts'

const REQUESTS = import.meta.glob('../../fixtures/{*/request,full}/*.json', {
  query: '?raw',
  eager: true,
  import: 'default',
})

/** What no parser gives back as it was: it is there afterwards only where nobody has written it anew. */
const ODD = '"future" : {"n":1.0, "n":12345678901234567890,"":[ 1E5 ]}'

const withOdd = (text: string): string => text.replace(/\s*\}\s*$/, `,\n ${ODD}}`)

const NOTHING: SameEdits = { facts: {}, foreign: false }

interface Edited {
  text: string
  json: JsonObject
  isSame: boolean
  losses: readonly Loss[]
}

function edited({ caller, same }: Adapter, text: string, edits: SameEdits): Edited {
  const before = parse(text, caller.verbatim)
  if (!isObject(before)) throw new Error('no object')
  const { lose, losses } = lossList()
  const after = same.edit(before, edits, lose)
  const written = editedText(text, before, after)
  const json: Json = JSON.parse(written)
  expect(json).toEqual(JSON.parse(stringify(after)))
  if (!isObject(json)) throw new Error('no object')
  return { text: written, json, isSame: after === before, losses }
}

/** The top-level members that are not said in the very same words. */
function changedMembers(before: string, after: string): string[] {
  const names = new Set([...Object.keys(JSON.parse(before)), ...Object.keys(JSON.parse(after))])
  return [...names].filter((name) => wordsOf(before, name) !== wordsOf(after, name))
}

const wordsOf = (text: string, name: string): string =>
  slicesAt(text, [name])
    .map(({ start, end }) => text.slice(start, end))
    .join('\n')

/** What each edit may change, at the top level of a body of any dialect. */
const EDITS: readonly (readonly [SameEdits, readonly string[]])[] = [
  [NOTHING, []],
  [{ ...NOTHING, foreign: true }, []],
  [{ ...NOTHING, model: 'other' }, ['model']],
  [{ ...NOTHING, facts: { contextWindow: 1 } }, []],
  [
    { ...NOTHING, facts: { maxOutputTokens: 1 } },
    [
      'max_tokens',
      'thinking',
      'output_config',
      'max_output_tokens',
      'generationConfig',
      'max_completion_tokens',
    ],
  ],
  [{ ...NOTHING, facts: { prefill: false } }, ['messages', 'contents']],
  [{ ...NOTHING, facts: { cacheBreakpoints: false } }, ['input']],
  [{ ...NOTHING, facts: { fetchesUrls: false } }, []],
  [{ ...NOTHING, facts: { mixesTools: true } }, ['toolConfig']],
  [{ ...NOTHING, facts: { mixesTools: false } }, ['tools']],
  [
    { ...NOTHING, facts: { thinking: 'level' } },
    ['thinking', 'output_config', 'generationConfig', 'contents'],
  ],
  [
    { ...NOTHING, facts: { thinking: 'budget' } },
    ['thinking', 'output_config', 'generationConfig'],
  ],
  [
    { ...NOTHING, facts: { thinking: 'adaptive' } },
    ['thinking', 'output_config', 'generationConfig'],
  ],
  [{ ...NOTHING, facts: { drop: ['temperature'] } }, ['temperature', 'generationConfig']],
  [{ ...NOTHING, resolved: true }, ['previous_response_id', 'store']],
]

function onlyAsSaid(adapter: Adapter, text: string): void {
  for (const [edits, members] of EDITS) {
    const after = edited(adapter, text, edits)
    expect(after.text).toContain(ODD)
    expect(members).toEqual(expect.arrayContaining(changedMembers(text, after.text)))
    if (after.isSame) {
      expect(after.text).toBe(text)
      expect(after.losses).toEqual([])
    }
  }
}

describe.each(adapters.map((adapter) => [adapter.dialect, adapter] as const))(
  'the same dialect, %s',
  (dialect, adapter) => {
    const written = Object.entries(REQUESTS).filter(
      ([path]) => path.includes(`/${dialect}/request/`) || path.endsWith(`/full/${dialect}.json`),
    )
    it('has requests', () => expect(written.length).toBeGreaterThan(1))

    it.each(written)('is sent with the edits and nothing else: %s', (_, text) =>
      onlyAsSaid(adapter, withOdd(text)),
    )

    it('is sent with the edits and nothing else, whatever is asked', () => {
      always(
        anyRequest,
        (request) => {
          const { body } = writeRequest(adapter, request)
          onlyAsSaid(adapter, withOdd(spelled(stringify(body), spellingOf(request))))
        },
        200,
      )
    })
  },
)

const FOREIGN = writeEnvelope({ dialect: 'elsewhere', value: 'p' }, 'self')

interface Case {
  dialect: string
  what: string
  edits?: Partial<SameEdits>
  body: JsonObject
  /** The same body, as it is sent. */
  sent: JsonObject
  losses: string[]
}

const user = { role: 'user', content: 'hi' }
const called = { type: 'tool_use', id: 'call_1', name: 'f', input: {} }
const thought = (signature: string): JsonObject => ({ type: 'thinking', thinking: 'hm', signature })
const own = (dialect: string): string => writeEnvelope({ dialect, value: 'p' }, 'self')
const NO_ENVELOPE = btoa('xseal1, but another')
const part = { text: 'yes' }
/** A call with what stands in for a proof. */
const STOOD_IN_FOR = {
  functionCall: { name: 'f' },
  thoughtSignature: 'skip_thought_signature_validator',
}
const minted = (prefix: string): string => `${prefix}_0123456789abcdef00000001`

const CASES: Case[] = [
  {
    dialect: 'messages',
    what: "another service's thoughts, and thinking that cannot go on without",
    body: {
      thinking: { type: 'enabled', budget_tokens: 2000 },
      messages: [user, { role: 'assistant', content: [thought(FOREIGN), called] }, user],
    },
    sent: { messages: [user, { role: 'assistant', content: [called] }, user] },
    losses: [
      'dropped turns.1.blocks.0.seal',
      'dropped turns.1.blocks.0',
      'approximated reasoning.mode',
    ],
  },
  {
    dialect: 'messages',
    what: 'a message that held nothing else',
    body: { messages: [user, { role: 'assistant', content: [thought(FOREIGN)] }, user] },
    sent: { messages: [user, user] },
    losses: ['dropped turns.1.blocks.0.seal', 'dropped turns.1.blocks.0'],
  },
  {
    dialect: 'messages',
    what: 'its own proof in an envelope',
    body: { messages: [user, { role: 'assistant', content: [thought(own('messages')), called] }] },
    sent: { messages: [user, { role: 'assistant', content: [thought('p'), called] }] },
    losses: [],
  },
  {
    dialect: 'messages',
    what: 'envelopes that a client has spelled in base64, and nothing that only begins like one',
    body: {
      messages: [
        user,
        {
          role: 'assistant',
          content: [thought(btoa(own('messages'))), thought(btoa(FOREIGN)), thought(NO_ENVELOPE)],
        },
      ],
    },
    sent: {
      messages: [user, { role: 'assistant', content: [thought('p'), thought(NO_ENVELOPE)] }],
    },
    losses: ['dropped turns.1.blocks.1.seal', 'dropped turns.1.blocks.1'],
  },
  {
    dialect: 'messages',
    what: 'citations of another service',
    body: {
      messages: [
        {
          role: 'assistant',
          content: [
            thought(FOREIGN),
            {
              type: 'text',
              text: 'a',
              citations: [{ type: 'web_search_result_location', url: 'u' }],
            },
          ],
        },
      ],
    },
    sent: { messages: [{ role: 'assistant', content: [{ type: 'text', text: 'a' }] }] },
    losses: [
      'dropped turns.0.blocks.0.seal',
      'dropped turns.0.blocks.0',
      'dropped turns.0.blocks.1.citations',
    ],
  },
  {
    dialect: 'messages',
    what: 'a budget for a model that decides itself',
    edits: { facts: { thinking: 'adaptive' } },
    body: { thinking: { type: 'enabled', budget_tokens: 2000 }, output_config: { x: 1 } },
    sent: {
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { x: 1, effort: 'low' },
    },
    losses: ['approximated reasoning.budget'],
  },
  {
    dialect: 'messages',
    what: 'words that the model does not continue',
    edits: { facts: { prefill: false } },
    body: { messages: [user, { role: 'assistant', content: 'So' }] },
    sent: {
      messages: [
        user,
        { role: 'assistant', content: 'So' },
        { role: 'user', content: 'Continue.' },
      ],
    },
    losses: ['approximated turns.1'],
  },
  {
    dialect: 'generate-content',
    what: "another service's proofs, in any spelling",
    body: {
      contents: [
        { role: 'model', parts: [{ text: '', thought_signature: btoa(FOREIGN) }] },
        { role: 'user', parts: part },
        { role: 'model', parts: { ...part, thoughtSignature: btoa(FOREIGN) } },
      ],
    },
    sent: {
      contents: [
        { role: 'user', parts: part },
        { role: 'model', parts: part },
      ],
    },
    losses: ['dropped turns.0.blocks.0.seal', 'dropped turns.2.blocks.0.seal'],
  },
  {
    dialect: 'generate-content',
    what: "another service's proof of a call, for a model that wants one by its name",
    edits: { model: 'gemini-3-pro' },
    body: {
      contents: [
        {
          role: 'model',
          parts: [{ functionCall: { name: 'f' }, thoughtSignature: btoa(FOREIGN) }],
        },
      ],
    },
    sent: {
      contents: [
        {
          role: 'model',
          parts: [STOOD_IN_FOR],
        },
      ],
    },
    losses: ['dropped turns.0.blocks.0.seal', 'defaulted turns.0.seal'],
  },
  {
    dialect: 'generate-content',
    what: 'its own proof in an envelope',
    body: {
      contents: [
        { role: 'model', parts: [{ ...part, thoughtSignature: btoa(own('generate-content')) }] },
      ],
    },
    sent: { contents: [{ role: 'model', parts: [{ ...part, thoughtSignature: 'p' }] }] },
    losses: [],
  },
  {
    dialect: 'generate-content',
    what: 'a budget, and a call, for a model with levels',
    edits: { facts: { thinking: 'level' } },
    body: {
      contents: [{ role: 'model', parts: [{ functionCall: { name: 'f' } }] }],
      generation_config: { thinking_config: { thinking_budget: 0 } },
    },
    sent: {
      contents: [
        {
          role: 'model',
          parts: [STOOD_IN_FOR],
        },
      ],
      generation_config: { thinking_config: { thinkingLevel: 'MINIMAL' } },
    },
    losses: ['defaulted turns.0.seal', 'approximated reasoning.mode'],
  },
  {
    dialect: 'generate-content',
    what: 'the model of a request that is counted',
    edits: { model: 'm', facts: { drop: ['temperature'] } },
    body: {
      generateContentRequest: {
        model: 'models/alias',
        generationConfig: { temperature: 1 },
        contents: [],
      },
    },
    sent: { generateContentRequest: { model: 'models/m', contents: [] } },
    losses: ['dropped sampling.temperature'],
  },
  {
    dialect: 'responses',
    what: "another service's thoughts, and ids that were made here",
    body: {
      input: [
        user,
        { type: 'reasoning', id: minted('rs'), summary: [], encrypted_content: FOREIGN },
        { type: 'reasoning', id: minted('rs'), summary: [{ type: 'summary_text', text: 'hm' }] },
        { type: 'reasoning', id: minted('rs'), summary: [], encrypted_content: 'p' },
        { type: 'message', id: minted('msg'), role: 'assistant', content: 'yes' },
        { type: 'web_search_call', id: minted('ws'), status: 'completed' },
        { type: 'function_call', id: 'fc_1', call_id: minted('call'), name: 'f', arguments: '{}' },
      ],
    },
    sent: {
      input: [
        user,
        { type: 'reasoning', summary: [], encrypted_content: 'p' },
        { type: 'message', role: 'assistant', content: 'yes' },
        { type: 'function_call', id: 'fc_1', call_id: minted('call'), name: 'f', arguments: '{}' },
      ],
    },
    losses: [
      'dropped turns.1.blocks.0.seal',
      'dropped turns.1.blocks.1',
      'dropped turns.1.blocks.4',
    ],
  },
  {
    dialect: 'responses',
    what: 'marks that the model does not take',
    edits: { facts: { cacheBreakpoints: false } },
    body: {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
          ],
        },
      ],
    },
    sent: { input: [{ role: 'user', content: [{ type: 'input_text', text: 'a' }] }] },
    losses: ['dropped cache'],
  },
]

describe('what an upstream of the same dialect is not sent', () => {
  it.each(CASES)('$dialect: $what', ({ dialect, edits, body, sent, losses }) => {
    const adapter = adapters.find((one) => one.dialect === dialect)
    if (!adapter) throw new Error(dialect)
    const text = withOdd(JSON.stringify({ model: 'm', ...body }, undefined, 2))
    const after = edited(adapter, text, { ...NOTHING, foreign: true, ...edits })
    const { future: _, model: __, ...rest } = after.json
    expect(rest).toEqual(sent)
    expect(after.text).toContain(ODD)
    expect(after.losses.map(({ code, path }) => `${code} ${path}`)).toEqual(losses)
  })
})
