import { describe, expect, it } from 'vitest'
import { messages } from '../../adapters/messages/index.ts'
import { stringify } from '../../src/json/json.ts'
import { reportForeign } from '../../src/rules/foreign.ts'
import { lossList } from '../../src/model/loss.ts'
import { asking, fixture, fixtureNames, lookup, read, refusal, text, write } from './help.ts'

/** With a string for each list of one plain text, which says the same. */
function plain(value: object): object
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [only, ...others] = value
    const isText = others.length === 0 && Object.keys(only ?? {}).join() === 'type,text'
    return isText ? only.text : value.map(plain)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]))
}

describe('a request of the messages dialect', () => {
  it.each(fixtureNames('request'))('comes back as it was, without a loss: %s', (name) => {
    const { wire, losses } = write(read(fixture(`request/${name}`)))
    const { stream: _, ...expected } = JSON.parse(fixture(`request/${name}`))
    expect(losses).toEqual([])
    expect(plain(wire)).toMatchObject({ ...plain(expected), model: 'claude-sonnet-4-5' })
  })

  it('keeps what hosted tools did in the history, word by word', () => {
    const { wire, losses } = write(read(fixture('history/hosted.json')))
    expect(losses).toEqual([])
    expect(wire['messages']).toEqual(JSON.parse(fixture('history/hosted.json')).messages)
  })

  it('keeps the text of inputs and schemas: big integers, the order of keys, __proto__', () => {
    const input = '{"2":1,"1":2512292042121000001,"__proto__":{"a":1}}'
    const schema = '{"type":"object","properties":{"9":{},"1":{}}}'
    const body = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":${input}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}],"tools":[{"name":"f","input_schema":${schema}}]}`
    const request = read(body)
    expect(request.turns[1]?.blocks).toMatchObject([{ kind: 'tool-call', input }])
    expect(request.tools).toMatchObject([{ kind: 'function', schema }])
    const { text: written } = write(request)
    expect(written).toContain(`"input":${input}`)
    expect(written).toContain(`"input_schema":${schema}`)
  })

  it('reads a string as one text block', () => {
    expect(read(asking({ system: 'Be brief.' }))).toMatchObject({
      system: [text('Be brief.')],
      turns: [{ role: 'user', blocks: [text('Hello')] }],
    })
  })

  it('marks what was found also where the mark stands within it, and says whether it is to be cited', () => {
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const found = {
      type: 'search_result',
      source: 's',
      title: 't',
      content: [
        { type: 'text', text: 'a', ...mark },
        { type: 'text', text: 'b' },
      ],
      citations: { enabled: true },
    }
    const request = read(asking({ messages: [{ role: 'user', content: [found] }] }))
    const [block] = request.turns[0]?.blocks ?? []
    expect(block).toMatchObject({ text: 't\ns\na\nb', cache: { ttl: '1h' } })
    const { losses, lose } = lossList()
    reportForeign(request, 'responses', lose)
    const lost = losses.map(({ path }) => path)
    expect(lost).toEqual(['turns.0.blocks.0.search_result', 'turns.0.blocks.0.citations'])
    expect(write(request).wire['messages']).toEqual([{ role: 'user', content: [found] }])
  })

  it('keeps the accounting line of Claude Code for its own service', () => {
    const billing = 'x-anthropic-billing-header: cc_version=2.1; cch=71fea;'
    const system = [
      { type: 'text', text: billing },
      { type: 'text', text: 'Be brief.' },
    ]
    const request = read(asking({ system }))
    expect(request.system).toMatchObject([{ kind: 'opaque' }, text('Be brief.')])
    expect(write(request).wire['system']).toEqual(system)
  })

  it('finds the name of a result in the whole history', () => {
    const { turns } = read(
      asking({
        messages: [
          { role: 'user', content: 'a' },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1' }] },
        ],
      }),
    )
    expect(turns[2]?.blocks).toEqual([
      { kind: 'tool-result', callId: 't1', name: 'look', form: 'json', content: [] },
    ])
  })

  it('leaves instructions in the middle of the conversation where they are', () => {
    const { turns, system } = read(
      asking({
        messages: [
          { role: 'user', content: 'a' },
          { role: 'system', content: 'Be quick.' },
        ],
      }),
    )
    expect(system).toEqual([])
    expect(turns[1]).toEqual({ role: 'system', blocks: [text('Be quick.')] })
  })

  it('demands the version header, in either spelling', () => {
    expect(refusal(asking(), {})).toMatchObject({
      kind: 'invalid-request',
      message: expect.stringContaining('anthropic-version'),
    })
    expect(refusal(asking(), { 'provider-version': 'x' })).toBeUndefined()
  })

  it('sends a client that relies on a stored conversation back to full histories', () => {
    const problem = refusal(asking({ thread: { type: 'create' } }))
    expect(problem).toMatchObject({ param: 'thread' })
    const error = { details: { error_code: 'thread_unsupported_request' } }
    expect(problem && messages.caller.writeProblem(problem, 'req_1')).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', ...error }, request_id: 'req_1' },
    })
  })

  it.each<[string, Record<string, unknown>]>([
    ['model', { model: '' }],
    ['model', { model: 'x'.repeat(257) }],
    ['max_tokens', { max_tokens: undefined }],
    ['max_tokens', { max_tokens: '9' }],
    ['messages', { messages: 'Hello' }],
    ['messages.0.role', { messages: [{ role: 'tool', content: 'a' }] }],
    ['messages.0.content', { messages: [{ role: 'user' }] }],
    [
      'messages.0.content.0.text',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 1 }] }] },
    ],
    [
      'messages.0.content.0.source.data',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png' } }],
          },
        ],
      },
    ],
    [
      'messages.0.content.0.input',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: '1' }] },
        ],
      },
    ],
    [
      'messages.0.content.0',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
          { role: 'user', content: 'a' },
        ],
      },
    ],
    ['metadata.user_id', { metadata: { user_id: 'x'.repeat(257) } }],
    ['temperature', { temperature: 1.01 }],
    ['temperature', { temperature: -0.01 }],
    ['top_p', { top_p: 1.2 }],
    ['top_k', { top_k: 0 }],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 1023 } }],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 4096 } }],
    ['tools.0.name', { tools: [{ name: 'x'.repeat(129), input_schema: { type: 'object' } }] }],
    ['tools.0.input_schema', { tools: [{ name: 'f' }] }],
    ['tool_choice.name', { tool_choice: { type: 'tool' } }],
  ])('is refused with the path of what is wrong: %s', (path, members) => {
    const problem = refusal({ ...asking(), ...members })
    expect(problem).toMatchObject({ kind: 'invalid-request', param: path })
    expect(problem?.message).toContain(`${path}: `)
  })

  it('takes what touches the bounds', () => {
    for (const temperature of [0, 1]) expect(refusal(asking({ temperature }))).toBeUndefined()
    expect(refusal(asking({ max_tokens: 0 }))).toBeUndefined()
    expect(refusal(asking({ thinking: { type: 'enabled', budget_tokens: 4095 } }))).toBeUndefined()
    expect(refusal(asking({ metadata: { user_id: 'x'.repeat(256) } }))).toBeUndefined()
  })

  it('lets thinking between calls exceed the bound where the client asked for that', () => {
    const body = asking({ thinking: { type: 'enabled', budget_tokens: 9000 } })
    const beta = { 'anthropic-beta': 'interleaved-thinking-2025-05-14' }
    expect(refusal(body, { 'anthropic-version': '1', ...beta })).toBeUndefined()
  })

  it('needs no bound where tokens are only counted', () => {
    const { max_tokens: _, ...body } = asking()
    expect(refusal(body, undefined, 'count-tokens')).toBeUndefined()
    expect(refusal([1], undefined, 'count-tokens')).toMatchObject({ kind: 'invalid-request' })
  })

  it('keeps null for an option as little as an absent one', () => {
    const request = read(
      asking({
        temperature: null,
        tools: null,
        system: null,
        stop_sequences: null,
        thinking: null,
      }),
    )
    expect(request).toMatchObject({ sampling: {}, tools: [], system: [], limits: {} })
    expect(request.reasoning).toBeUndefined()
  })

  it('says that thoughts are wanted when a budget is given', () => {
    const { reasoning } = read(asking({ thinking: { type: 'enabled', budget_tokens: 2000 } }))
    expect(reasoning).toEqual({ mode: 'on', budget: 2000, visible: true })
  })

  it.each([
    [{ type: 'auto' }, { mode: 'auto' }],
    [{ type: 'any' }, { mode: 'required' }],
    [{ type: 'none' }, { mode: 'none' }],
    [
      { type: 'tool', name: 'f' },
      { mode: 'required', names: ['f'] },
    ],
  ])('reads the choice %j', (tool_choice, expected) => {
    expect(read(asking({ tool_choice })).toolChoice).toEqual(expected)
  })

  it('names a chosen hosted tool by what it can do', () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    const request = read(asking({ tools, tool_choice: { type: 'tool', name: 'web_search' } }))
    expect(request.toolChoice?.names).toEqual(['web-search'])
    expect(write(request).wire['tool_choice']).toEqual({ type: 'tool', name: 'web_search' })
  })
})

describe('the token counter', () => {
  it('gets the same request without what only generation needs', () => {
    const { lose } = lossList()
    const target = { model: 'claude-sonnet-4-5', defaultMaxOutputTokens: 8192, facts: {} }
    const request = read(fixture('request/tools.json'))
    const counted = messages.upstream.writeCountRequest(request, { target, lose })
    const body = JSON.parse(stringify(counted?.body ?? {}))
    expect(counted?.path).toBe('/v1/messages/count_tokens')
    expect(Object.keys(body).toSorted()).toEqual([
      'messages',
      'model',
      'system',
      'tool_choice',
      'tools',
    ])
    expect(messages.upstream.readTokenCount({ input_tokens: 12 })).toBe(12)
    expect(messages.upstream.readTokenCount('x')).toBeUndefined()
    expect(messages.caller.writeTokenCount(12)).toEqual({ input_tokens: 12 })
  })
})

const match = (method: string, path: string) =>
  messages.caller.match({ method, path, query: lookup({}) })

describe('the paths', () => {
  it('are two, and take POST only', () => {
    expect(match('POST', '/v1/messages')).toEqual({ operation: 'create' })
    expect(match('POST', '/v1/messages/count_tokens')).toEqual({ operation: 'count-tokens' })
    expect(match('GET', '/v1/messages')).toBeUndefined()
    expect(match('POST', '/v1/messages/batches')).toBeUndefined()
  })

  it('lists models as its clients expect', () => {
    const entry = { id: 'mouse-1', contextWindow: 200_000, maxOutputTokens: 64_000 }
    const unknown = {
      capabilities: null,
      lifecycle: 'active',
      line: null,
      deprecated_at: null,
      retires_at: null,
    }
    expect(messages.caller.writeModels([entry, { id: 'mouse-2' }], 0)).toEqual({
      data: [
        {
          type: 'model',
          id: 'mouse-1',
          display_name: 'mouse-1',
          created_at: '1970-01-01T00:00:00Z',
          max_input_tokens: 200_000,
          max_tokens: 64_000,
          ...unknown,
        },
        {
          type: 'model',
          id: 'mouse-2',
          display_name: 'mouse-2',
          created_at: '1970-01-01T00:00:00Z',
          max_input_tokens: null,
          max_tokens: null,
          ...unknown,
        },
      ],
      has_more: false,
      first_id: 'mouse-1',
      last_id: 'mouse-2',
    })
    expect(messages.caller.writeModels([], 0)).toMatchObject({ first_id: null, last_id: null })
  })
})

it('reads nothing but problems out of any JSON', () => {
  for (const body of ['null', '1', '"x"', '[]', '{}', '[[[]]]'])
    expect(refusal(body)).toMatchObject({ kind: 'invalid-request' })
})
