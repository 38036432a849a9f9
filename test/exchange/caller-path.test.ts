import { describe, expect, it } from 'vitest'
import { createApp, ProblemError, translator } from '../../src/index.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { othersThan } from '../dialects/index.ts'

const text = { type: 'text', text: 'Read this.' }
const said = { type: 'input_text', text: 'Read this.' }
const document = { type: 'document', source: { type: 'file', file_id: 'file_1' } }

/** What no other service can be sent, and its place as the caller's own service would spell it. */
const REFUSED: readonly (readonly [Dialect, string, object, string])[] = [
  [
    'messages',
    '/v1/messages',
    { max_tokens: 9, messages: [{ role: 'user', content: [text, document] }] },
    'messages.0.content.1',
  ],
  [
    'responses',
    '/v1/responses',
    { input: [{ role: 'user', content: [said, { type: 'input_file', file_id: 'file-1' }] }] },
    'input[0].content[1]',
  ],
  [
    'chat-completions',
    '/v1/chat/completions',
    {
      messages: [{ role: 'user', content: [text, { type: 'file', file: { file_id: 'file-1' } }] }],
    },
    'messages[0].content[1]',
  ],
]
const CELLS = REFUSED.flatMap(([from, path, body, place]) =>
  othersThan(from).map((to) => ({ from, to, path, body: { model: 'm', ...body }, place })),
)

it('keeps the name of what stands there', () => {
  const program = { type: 'program', id: 'p_1', call_id: 'c_1', code: '1', fingerprint: 'f' }
  const { request } = translator({ from: 'responses', to: 'messages' })
  expect(() => request({ model: 'm', input: [{ role: 'user', content: 'Hi' }, program] })).toThrow(
    /^input\[1\] \(program\): only a service that speaks responses/,
  )
})

const hi = { role: 'user', content: 'Hi' }
const calling = { type: 'programmatic_tool_calling' }
const brought = { type: 'additional_tools', role: 'developer', tools: [calling] }
const summary = { type: 'compaction', encrypted_content: 'gAAA' }

it.each<[object, string]>([
  [{ input: [hi, summary, { type: 'compaction_trigger' }] }, 'input[1] (compaction)'],
  [{ input: [hi, brought, hi] }, 'input[1].tools[0] (programmatic_tool_calling)'],
  [{ input: [hi], tools: [{ type: 'shell' }, calling] }, 'tools[1] (programmatic_tool_calling)'],
])('finds the one among others that are no turns or come later: %j', (body, place) => {
  const { request } = translator({ from: 'responses', to: 'messages' })
  expect(() => request({ model: 'm', ...body })).toThrow(`${place}: only a service`)
})

it.each(['messages', 'responses'] as const)(
  'names a summary of another service that comes back to the dialect it was told in: %s',
  (from) => {
    const upstream = from === 'messages' ? 'responses' : 'messages'
    const { request, reply } = translator({ from, to: upstream, model: 'm' })
    request({ model: 'm', max_tokens: 9, messages: [hi], input: [hi] })
    const block = { ...summary, content: null }
    const { output, content } = reply({
      object: 'response',
      output: [summary],
      content: [block],
    }).body
    const again = translator({ from, to: from }).request
    const said = { role: 'assistant', content: content ?? [] }
    const input = [hi, ...(Array.isArray(output) ? output : [])]
    expect(() => again({ model: 'm', max_tokens: 9, messages: [hi, said], input })).toThrow(
      `${from === 'messages' ? 'messages.1.content.0' : 'input[1]'}: only the service`,
    )
  },
)

const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' })
const answer = { type: 'function_call_output', output: 'x' }
const wrong = { role: 'tool', content: 'x' }

it.each<[Dialect, object, string, string]>([
  ['responses', { input: [wrong] }, 'input[0].role', 'expected '],
  ['responses', { input: [{ type: 'item_reference', id: 'a' }] }, 'input[0]', 'items are not'],
  ['responses', { input: [answer] }, 'input[0].call_id', 'is required where no call is open'],
  [
    'responses',
    { input: [call('a'), call('b'), answer] },
    'input[2].call_id',
    'is required where several calls are open',
  ],
  ['responses', { input: 'x', temperature: 3 }, 'temperature', ''],
  ['chat-completions', { messages: [{ role: 'x' }] }, 'messages[0].role', ''],
  ['generate-content', { contents: [{ role: 'x' }] }, 'contents[0].role', ''],
  ['messages', { max_tokens: 9, messages: [wrong] }, 'messages.0.role', ''],
])('a refusal of what is read spells its place so too: %s, %j', (from, body, place, words) => {
  const to = from === 'messages' ? 'responses' : 'messages'
  const ask = () => translator({ from, to, model: 'm' }).request({ model: 'm', ...body })
  expect(ask).toThrow(`${place}: ${words}`)
  expect(ask).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ param: place }) }),
  )
})

describe.each(CELLS)('$from over $to: $place', ({ from, to, path, body, place }) => {
  it('is named as it stands in the body of the caller, over HTTP', async () => {
    const app = createApp(
      { upstreams: { u: { dialect: to, url: 'http://upstream.invalid' } }, callers: 'open' },
      { send: () => Promise.reject(new Error('Nothing should be sent.')), log: () => undefined },
    )
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await app.fetch(new Request(`http://localhost${path}`, request))
    expect(answer.status).toBe(400)
    const { error } = JSON.parse(await answer.text())
    expect(error.message.startsWith(`${place}: the file id`)).toBe(true)
    if (from !== 'messages') expect(error.param).toBe(place)
  })

  it('is named so by the bare translation', () => {
    const { request } = translator({ from, to })
    expect(() => request(body)).toThrow(ProblemError)
    expect(() => request(body)).toThrow(place)
  })
})
