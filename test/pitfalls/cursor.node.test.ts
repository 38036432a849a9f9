import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { objectsOf, parseObject, type JsonObject } from '../../src/json/json.ts'
import { placing } from '../../src/extras/places/placing.ts'
import { framesIn } from '../line-reader.ts'
import { proxyOf } from '../memory/proxy.ts'
import { call, said, text, type Piece } from '../sdk/script.ts'

/**
 * Cursor with a base URL of one's own: requests of `responses` at the path of chat completions, whose replies it
 * reads (forum.cursor.com 159298, 153019; icebear0828/codex-proxy#708).
 */
const PATCH = '*** Begin Patch\n*** Add File: a "b"\n+c\n*** End Patch'
const TOOLS = [
  {
    type: 'function',
    name: 'Shell',
    description: 'Runs it.',
    parameters: { type: 'object', properties: { n: { type: 'integer' } } },
    strict: false,
  },
  { type: 'custom', name: 'ApplyPatch', description: 'Edits.', format: { type: 'text' } },
]
const SETTINGS = {
  user: 'u-1',
  stream: false,
  store: false,
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'medium', summary: 'auto' },
  stream_options: { include_usage: true },
}
const INPUT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'input_text', text: 'Add a file.' }] },
]

const asked = (model: string, input: unknown, more: object = {}) => ({
  model: `${model}-x`,
  input,
  tools: TOOLS,
  ...SETTINGS,
  ...more,
})
/** A body says what it is by its beginning. */
const inOrder = ({ model, user, input, ...others }: ReturnType<typeof asked>) => ({
  user,
  model,
  instructions: 'Say "yes".\n'.repeat(100),
  input,
  ...others,
})

function proxyWith(...pieces: Piece[]) {
  const proxy = proxyOf(() => said(pieces, 'tool-call'))
  const send = async (body: object) => {
    const answer = await proxy.ask('/v1/chat/completions', { json: body })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  return { proxy, send }
}

const messageIn = (reply: string): JsonObject => {
  const [choice] = objectsOf(parseObject(reply)?.['choices'])
  return (choice?.['message'] ?? {}) as JsonObject
}

describe.each(DIALECTS)('a request by Cursor over %s', (dialect) => {
  const patch = { ...call('call_1', 'ApplyPatch', {}), input: JSON.stringify({ input: PATCH }) }

  it('is heard whole', async () => {
    const { proxy, send } = proxyWith(text('Done.'))
    const { status, text: reply } = await send(inOrder(asked(dialect, INPUT)))
    expect(status).toBe(200)
    expect(messageIn(reply)).toMatchObject({ role: 'assistant', content: 'Done.' })
    const [got] = proxy.got
    for (const words of ['Be brief.', 'Add a file.', '"Shell"', 'Runs it.', '"ApplyPatch"'])
      expect(got?.text).toContain(words)
    // What is an option of chat completions is none of `responses`.
    if (dialect === 'responses') expect(got?.text).not.toContain('stream_options')
  })

  it('is answered in chat completions, in which free text is the arguments of a function', async () => {
    const { send } = proxyWith(text('So.'), call('call_0', 'Shell', { n: 1 }), patch)
    const { text: reply } = await send(inOrder(asked(dialect, INPUT)))
    const calls = [
      { type: 'function', function: { name: 'Shell', arguments: '{"n":1}' } },
      { type: 'function', function: { name: 'ApplyPatch', arguments: PATCH } },
    ]
    expect(messageIn(reply)['tool_calls']).toMatchObject(calls)
    const streamed = await send(inOrder(asked(dialect, INPUT, { stream: true })))
    const chunks = framesIn(streamed.text).map(({ data }) => parseObject(data))
    const parts = chunks.flatMap((chunk) =>
      objectsOf(chunk?.['choices']).flatMap(({ delta }) =>
        objectsOf((delta as JsonObject)['tool_calls']),
      ),
    )
    const told = (at: number) =>
      parts
        .filter(({ index }) => index === at)
        .map((part) => (part['function'] as JsonObject)['arguments'])
        .join('')
    expect([told(0), told(1)]).toEqual(['{"n":1}', PATCH])
    expect(chunks.at(-1)).toBeUndefined()
    expect(streamed.text).toMatch(/"prompt_tokens":\d+[\s\S]*data: \[DONE\]\s*$/)
  })

  it('brings the text of such a call back', async () => {
    const { proxy, send } = proxyWith(text('Done.'))
    const turns = [
      ...INPUT,
      { type: 'function_call', call_id: 'call_1', name: 'ApplyPatch', arguments: PATCH },
      { type: 'function_call_output', call_id: 'call_1', output: 'Applied.' },
    ]
    const { status, headers } = await send(inOrder(asked(dialect, turns)))
    expect(status).toBe(200)
    expect(headers.get('x-dragoman-losses') ?? '').not.toContain('turns.')
    const [got] = proxy.got
    const words = JSON.stringify(PATCH).slice(1, -1)
    expect(got?.text).toContain(dialect === 'responses' ? words : '*** Add File')
    expect(got?.text).toContain('Applied.')
    if (dialect === 'responses') expect(got?.text).toContain('"custom_tool_call_output"')
  })

  it('is refused in the words of chat completions', async () => {
    const { send } = proxyWith()
    const { status, text: reply } = await send(inOrder(asked(dialect, 7)))
    expect(status).toBe(400)
    expect(parseObject(reply)).toMatchObject({ error: { type: 'invalid_request_error' } })
  })
})

/** Other models get messages, and `ApplyPatch` in the words of `responses` among functions of chat completions. */
describe.each(DIALECTS.filter((dialect) => dialect !== 'chat-completions'))(
  'a custom tool among functions, over %s',
  (dialect) => {
    const [{ type, ...shell } = { type: '' }, patch] = TOOLS
    const tools = [{ type, function: shell }, patch]
    const history = [
      { role: 'user', content: 'Add a file.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_0', type: 'function', function: { name: 'ApplyPatch', arguments: PATCH } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_0', content: 'Applied.' },
    ]

    it('is called, answered and remembered as Cursor knows it', async () => {
      const free = { ...call('call_1', 'ApplyPatch', {}), input: JSON.stringify({ input: PATCH }) }
      const { proxy, send } = proxyWith(free)
      const {
        status,
        headers,
        text: reply,
      } = await send({
        model: `${dialect}-x`,
        messages: history,
        tools,
      })
      expect(status).toBe(200)
      expect(headers.get('x-dragoman-losses') ?? '').not.toContain('turns.')
      expect(messageIn(reply)['tool_calls']).toMatchObject([
        { type: 'function', function: { name: 'ApplyPatch', arguments: PATCH } },
      ])
      const [got] = proxy.got
      expect(got?.text).toContain('*** Add File')
      expect(got?.text).toContain('"ApplyPatch"')
      if (dialect === 'responses') expect(got?.text).toContain('"custom_tool_call"')
    })
  },
)

it('a schema of Cursor keeps its numbers, and a loss has its place in the body', async () => {
  const proxy = proxyOf(() => said([text('Done.')]), { ports: { placing } })
  const body = JSON.stringify(inOrder(asked('messages', INPUT, { seed: 1 })))
  const exact = body.replace('"integer"', '"integer","maximum":9007199254740993')
  await proxy.ask('/v1/chat/completions', { method: 'POST', body: exact })
  expect(proxy.got[0]?.text).toContain('"maximum":9007199254740993')
  const explained = await proxy.ask('/explain/v1/chat/completions', { method: 'POST', body: exact })
  expect(await explained.json()).toMatchObject({
    upstream: { dialect: 'messages' },
    losses: expect.arrayContaining([expect.objectContaining({ path: 'seed', field: '/seed' })]),
  })
})

it('what has messages is a request of chat completions, whatever else it has', async () => {
  const { proxy, send } = proxyWith(text('Done.'))
  const messages = [{ role: 'user', content: 'hi' }]
  const body = { model: 'chat-completions-x', messages, input: 'x' }
  expect((await send(body)).status).toBe(200)
  expect(proxy.got[0]?.body['messages']).toEqual(messages)
})
