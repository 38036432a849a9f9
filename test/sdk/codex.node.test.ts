import { describe, expect, test } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { eventsOf, post, PROOF } from './agents.ts'
import { broken } from './failures.ts'
import { stage } from './proxy.ts'
import { issued } from './scene.ts'
import { call, COUNTS, DIALECTS, said, text, thinking, type Wire } from './script.ts'
import { BASE, CALLER_KEY, says, type Stage } from './stage.ts'
import { CODEX_OPTIONS, CODEX_PERMISSIONS } from '../dialects/responses/codex.ts'

const PATCH = 'const answer = "42";\nconsole.log(answer)'
const codexRequest = (input: Wire[]): Wire => ({
  ...CODEX_OPTIONS,
  input: [
    {
      type: 'additional_tools',
      role: 'developer',
      tools: [
        {
          type: 'namespace',
          name: 'functions',
          description: 'Tools of the harness.',
          tools: [
            {
              type: 'custom',
              name: 'exec',
              description: 'Runs JavaScript.',
              format: {
                type: 'grammar',
                syntax: 'lark',
                definition: 'start: SOURCE\nSOURCE: /.+/s',
              },
            },
            {
              type: 'function',
              name: 'wait',
              description: 'Waits for a cell.',
              strict: false,
              parameters: {
                type: 'object',
                properties: { cell_id: { type: 'string' } },
                required: ['cell_id'],
                additionalProperties: false,
              },
            },
          ],
        },
      ],
    },
    CODEX_PERMISSIONS,
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say 42.' }] },
    ...input,
  ],
  client_metadata: { 'x-codex-installation-id': '3f5d' },
})

/** Codex takes whole items from `output_item.done` and the counts from `response.completed`, no more. */
async function codexTurn(staged: Stage, input: Wire[]): Promise<{ items: Wire[]; usage: Wire }> {
  const headers = { authorization: `Bearer ${CALLER_KEY}`, originator: 'codex_exec' }
  const sent = await eventsOf(await post(staged, '/v1/responses', headers, codexRequest(input)))
  const [completed] = sent.filter(({ event }) => event === 'response.completed')
  const response = completed?.data['response'] as Wire
  return {
    items: sent
      .filter(({ event }) => event === 'response.output_item.done')
      .map(({ data }) => data['item'] as Wire),
    usage: response['usage'] as Wire,
  }
}

describe.each(othersThan('responses'))('a Codex session over %s', (upstream) => {
  test('reads whole items, and gets its free-form tool in its namespace', async () => {
    const [first, second] = kits[upstream].scripted.ids
    const staged = stage(
      upstream,
      says(
        upstream,
        said(
          [
            thinking('Run it.', PROOF),
            call(first, 'functions__exec', { input: PATCH }),
            call(second, 'functions__wait', { cell_id: '7' }),
          ],
          'tool-call',
        ),
        said([text('42.')]),
      ),
    )
    const one = await codexTurn(staged, [])
    const [reasoning] = one.items
    const [exec, wait] = one.items.filter(({ type }) => type !== 'reasoning')
    expect(reasoning).toMatchObject({ type: 'reasoning', summary: [{ text: 'Run it.' }] })
    expect(exec).toMatchObject({
      type: 'custom_tool_call',
      name: 'exec',
      namespace: 'functions',
      input: PATCH,
    })
    expect(wait).toMatchObject({
      type: 'function_call',
      name: 'wait',
      namespace: 'functions',
      arguments: '{"cell_id":"7"}',
    })
    expect(one.usage).toMatchObject({ input_tokens: COUNTS.input, output_tokens: COUNTS.output })
    const two = await codexTurn(staged, [
      ...one.items,
      { type: 'custom_tool_call_output', call_id: exec?.['call_id'], output: '42' },
      { type: 'function_call_output', call_id: wait?.['call_id'], output: 'ended' },
    ])
    expect(two.items).toMatchObject([{ type: 'message', content: [{ text: '42.' }] }])
    const heard = staged.heard(1)
    expect(heard.tools.map(({ name }) => name)).toEqual(['functions__exec', 'functions__wait'])
    expect(heard.system).toBe('You are a coding agent.\n<permissions>all</permissions>')
    expect(issued(heard.turns, upstream).slice(1)).toMatchObject([
      {
        role: 'assistant',
        pieces: [
          { kind: 'thinking', proof: PROOF },
          { kind: 'call', name: 'functions__exec', input: { input: PATCH } },
          { kind: 'call', name: 'functions__wait' },
        ],
      },
      { role: 'user', pieces: [{ output: '42' }, { output: 'ended' }] },
    ])
  })

  test('a failure ends with response.failed, the only one it believes', async () => {
    const staged = stage(upstream, broken(upstream, true))
    const headers = { authorization: `Bearer ${CALLER_KEY}` }
    const response = await post(staged, '/v1/responses', headers, codexRequest([]))
    const types = (await eventsOf(response)).map(({ event }) => event)
    expect(types.at(-1)).toBe('response.failed')
    expect(types).not.toContain('error')
    expect(types).not.toContain('response.completed')
  })
})

test.each(DIALECTS)(
  'the WebSocket that Codex tries first is refused with 426 where none can be opened, over %s',
  async (upstream) => {
    const staged = stage(upstream, says(upstream))
    const response = await staged.fetch(`${BASE}/v1/responses`, {
      headers: {
        authorization: `Bearer ${CALLER_KEY}`,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    })
    expect(response.status).toBe(426)
  },
)
