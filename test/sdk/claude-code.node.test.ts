import { describe, expect, test } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { eventsOf, post, PROOF } from './agents.ts'
import { broken } from './failures.ts'
import { stage } from './proxy.ts'
import { call, COUNTS, said, text, thinking, type Wire } from './script.ts'
import { BASE, CALLER_KEY, says, type Stage } from './stage.ts'

const BETAS = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'prompt-caching-scope-2026-01-05',
  'mid-conversation-system-2026-04-07',
  'effort-2025-11-24',
  'advanced-tool-use-2025-11-20',
  'fine-grained-tool-streaming-2025-05-14',
]
const cached = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const schema = (properties: Wire): Wire => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties,
  additionalProperties: false,
})

const claudeCodeRequest = (messages: Wire[]): Wire => ({
  model: 'claude-opus-4-8',
  max_tokens: 64_000,
  stream: true,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.329; cch=71fea;' },
    { type: 'text', text: 'You are Claude Code.', ...cached },
    { type: 'text', text: 'Be careful.', ...cached },
  ],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>Today is Saturday.</system-reminder>' },
        { type: 'text', text: 'List the files.', cache_control: { type: 'ephemeral' } },
      ],
    },
    ...messages,
  ],
  tools: [
    {
      name: 'Bash',
      description: 'Runs a command.',
      input_schema: schema({ command: { type: 'string' }, timeout: { type: 'number' } }),
    },
    {
      name: 'Read',
      description: 'Reads a file.',
      input_schema: schema({
        file_path: { type: 'string' },
        limit: { type: 'integer', exclusiveMinimum: 0 },
      }),
      ...cached,
    },
  ],
  metadata: { user_id: '{"device_id":"d3","account_uuid":"","session_id":"5a"}' },
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high' },
})

const claudeCode = {
  'x-api-key': CALLER_KEY,
  'anthropic-version': '2023-06-01',
  'anthropic-beta': BETAS.join(','),
  'anthropic-dangerous-direct-browser-access': 'true',
  'x-app': 'cli',
}

/** Claude Code builds blocks from their start and deltas; an input given whole at the start is lost on it. */
async function claudeCodeTurn(
  staged: Stage,
  messages: Wire[],
): Promise<{ blocks: Wire[]; end: Wire }> {
  const path = '/v1/messages?beta=true'
  const sent = await eventsOf(await post(staged, path, claudeCode, claudeCodeRequest(messages)))
  expect(sent.every(({ event, data }) => event === data['type'])).toBe(true)
  expect(sent[0]?.event).toBe('message_start')
  expect(sent.at(-1)?.event).toBe('message_stop')
  const blocks: Wire[] = []
  let end: Wire = {}
  for (const { event, data } of sent) {
    if (event === 'content_block_start') blocks.push(data['content_block'] as Wire)
    if (event === 'content_block_delta') grow(blocks.at(-1), data['delta'] as Wire)
    if (event === 'message_delta') end = data
  }
  return { blocks: blocks.map(settle), end }
}

function grow(block: Wire | undefined, delta: Wire): void {
  if (!block) return
  const add = (member: string, from: string) =>
    (block[member] = String(block[member] ?? '') + String(delta[from]))
  if (delta['type'] === 'text_delta') add('text', 'text')
  if (delta['type'] === 'thinking_delta') add('thinking', 'thinking')
  if (delta['type'] === 'signature_delta') add('signature', 'signature')
  if (delta['type'] === 'input_json_delta') add('json', 'partial_json')
}

const settle = ({ json, ...block }: Wire): Wire =>
  block['type'] === 'tool_use' ? { ...block, input: JSON.parse(String(json ?? '{}')) } : block

describe.each(othersThan('messages'))('a Claude Code session over %s', (upstream) => {
  test('runs tools in parallel and keeps what it said', async () => {
    const [first, second] = kits[upstream].scripted.ids
    const staged = stage(
      upstream,
      says(
        upstream,
        said(
          [
            thinking('List, then read.', PROOF),
            text('I will look.'),
            call(first, 'Bash', { command: 'ls' }),
            call(second, 'Read', { file_path: '/a.txt' }),
          ],
          'tool-call',
        ),
        said([text('Two files.')]),
      ),
    )
    const one = await claudeCodeTurn(staged, [])
    expect(one.end).toMatchObject({
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: {
        input_tokens: COUNTS.input - COUNTS.cached,
        cache_read_input_tokens: COUNTS.cached,
        output_tokens: COUNTS.output,
      },
    })
    const calls = one.blocks.filter(({ type }) => type === 'tool_use')
    expect(calls).toMatchObject([
      { name: 'Bash', input: { command: 'ls' } },
      { name: 'Read', input: { file_path: '/a.txt' } },
    ])
    const two = await claudeCodeTurn(staged, [
      { role: 'assistant', content: one.blocks },
      {
        role: 'user',
        content: calls.map(({ id }, index) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: index === 0 ? 'a.txt b.txt' : [{ type: 'text', text: 'hello' }],
          ...(index === 1 && { cache_control: { type: 'ephemeral' } }),
        })),
      },
      { role: 'system', content: '<system-reminder>The user is watching.</system-reminder>' },
    ])
    expect(two.blocks).toMatchObject([{ type: 'text', text: 'Two files.' }])
    const heard = staged.heard(1)
    expect(heard.tools.map(({ name }) => name)).toEqual(['Bash', 'Read'])
    expect(heard.system).toMatch(/You are Claude Code\.\n+Be careful\./)
    expect(heard.turns[1]?.pieces.filter(({ kind }) => kind === 'call')).toMatchObject([
      { name: 'Bash', input: '{"command":"ls"}' },
      { name: 'Read', input: '{"file_path":"/a.txt"}' },
    ])
    expect(heard.turns[1]?.pieces).toContainEqual(
      expect.objectContaining({ kind: 'thinking', proof: PROOF }),
    )
    expect(JSON.stringify(heard.turns)).toContain('The user is watching.')
    expect(heard.turns[2]?.pieces.slice(0, 2)).toMatchObject([
      { output: 'a.txt b.txt' },
      { output: 'hello' },
    ])
  })

  test('has its answer in the last block, which is what it prints', async () => {
    const [id] = kits[upstream].scripted.ids
    const staged = stage(
      upstream,
      says(
        upstream,
        said([thinking('', PROOF), text('Look.'), call(id, 'Bash', {})], 'tool-call'),
        said([thinking('', PROOF), text('Done.')]),
      ),
    )
    const one = await claudeCodeTurn(staged, [])
    const { id: used } = one.blocks.find(({ type }) => type === 'tool_use') ?? {}
    const two = await claudeCodeTurn(staged, [
      { role: 'assistant', content: one.blocks },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: used, content: 'a' }] },
    ])
    expect(two.blocks.at(-1)).toEqual({ type: 'text', text: 'Done.' })
    const proof = { kind: 'thinking', proof: PROOF }
    expect(staged.heard(1).turns[1]?.pieces).toContainEqual(expect.objectContaining(proof))
  })

  test('a failure in the middle is an error and no end of a message', async () => {
    const staged = stage(upstream, broken(upstream, true))
    const path = '/v1/messages?beta=true'
    const sent = await eventsOf(await post(staged, path, claudeCode, claudeCodeRequest([])))
    expect(sent.at(-1)).toMatchObject({ event: 'error', data: { type: 'error' } })
    expect(sent.map(({ event }) => event)).not.toContain('message_stop')
  })

  test('says what of its request was lost', async () => {
    const staged = stage(upstream, says(upstream, said([text('Hi.')])))
    const response = await post(staged, '/v1/messages?beta=true', claudeCode, claudeCodeRequest([]))
    expect(response.headers.get('x-dragoman-losses')).toContain('context_management')
    await response.text()
  })
})

test('a Claude Code request passes to its own dialect with its betas in both spellings', async () => {
  const staged = stage('messages', says('messages', said([text('Hi.')])))
  await claudeCodeTurn(staged, [])
  const [request] = staged.received
  expect(request?.headers.get('anthropic-beta')).toBe(BETAS.join(','))
  expect(request?.headers.get('provider-beta')).toBe(BETAS.join(','))
  expect(request?.headers.get('anthropic-version')).toBe('2023-06-01')
  expect(request?.headers.get('provider-version')).toBe('2023-06-01')
  expect(request?.headers.has('authorization')).toBe(false)
  expect(request?.body).toEqual({ ...claudeCodeRequest([]), model: 'dragon-1' })
})

test.each(['/', '/api/hello'])('the probe HEAD %s is answered', async (path) => {
  const staged = stage('responses', says('responses'))
  const response = await staged.fetch(`${BASE}${path}`, { method: 'HEAD' })
  expect(response.status).toBe(200)
  expect(staged.received).toHaveLength(0)
})
