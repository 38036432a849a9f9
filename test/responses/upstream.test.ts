import { describe, expect, it } from 'vitest'
import type { ModelFacts } from '../../adapters/contract.ts'
import type { Block, MediaSource, ToolChoice } from '../../src/model/request.ts'
import { assistant, foreign, list, text, user, write, type Written } from './exchange.ts'

const failed = (content: string) =>
  list(
    write(
      foreign([
        assistant({ kind: 'tool-call', id: 'a', name: 'f', form: 'json', input: '{}' }),
        user({
          kind: 'tool-result',
          callId: 'a',
          name: 'f',
          form: 'json',
          isError: true,
          content: [text(content)],
        }),
      ]),
    ).body['input'],
  )[1]?.['output']

const media = (mediaType: string, source: MediaSource) =>
  write(foreign([user(text('a'), { kind: 'media', mediaType, source })]))

const secondPart = ({ body }: Written) => list(list(body['input'])[0]?.['content'])[1]

const shortened = () => write(foreign([user(text('a'))], { user: 'u'.repeat(150) })).body['user']

const called = (id: string): Block => ({
  kind: 'tool-call',
  id,
  name: 'f',
  form: 'json',
  input: '{}',
})
const given = (callId: string): Block => ({
  kind: 'tool-result',
  callId,
  name: 'f',
  form: 'json',
  content: [text(callId)],
})

describe('a request of another dialect', () => {
  it('stores nothing and asks for proofs where there may be some', () => {
    const { body } = write(
      foreign([user(text('hi'))], { reasoning: { mode: 'on', effort: 'high' } }),
    )
    expect(body).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'high' },
    })
    expect(write(foreign([user(text('hi'))])).body).not.toHaveProperty('include')
  })

  it('puts instructions in the middle where they are, in the words of a developer', () => {
    const { body } = write(
      foreign([
        user(text('a')),
        { role: 'system', blocks: [text('b')] },
        assistant(text('c')),
        user(text('d')),
      ]),
    )
    const roles = list(body['input']).map((item) => item['role'])
    expect(roles).toEqual(['user', 'developer', 'assistant', 'user'])
  })

  it('gives calls no id of their own and shortens call ids alike on both sides', () => {
    const long = 'x'.repeat(80)
    const { body } = write(
      foreign([
        assistant(
          { kind: 'tool-call', id: `${long}1`, name: 'f', form: 'json', input: '' },
          { kind: 'tool-call', id: `${long}2`, name: 'f', form: 'json', input: '{}' },
        ),
        user(
          {
            kind: 'tool-result',
            callId: `${long}1`,
            name: 'f',
            form: 'json',
            content: [text('1')],
          },
          {
            kind: 'tool-result',
            callId: `${long}2`,
            name: 'f',
            form: 'json',
            content: [text('2')],
          },
        ),
      ]),
    )
    const [first, second, one, two] = list(body['input'])
    expect(first).toMatchObject({ type: 'function_call', arguments: '{}' })
    expect(first).not.toHaveProperty('id')
    expect(first?.['call_id']).toHaveLength(64)
    expect(first?.['call_id']).not.toBe(second?.['call_id'])
    expect(one?.['call_id']).toBe(first?.['call_id'])
    expect(two?.['call_id']).toBe(second?.['call_id'])
  })

  it('says of every function whether it is strict', () => {
    const { body } = write(
      foreign([user(text('a'))], {
        tools: [
          { kind: 'function', name: 'a' },
          {
            kind: 'function',
            name: 'mcp.b c',
            schema: '{"type":"object","additionalProperties":false}',
            strict: true,
          },
        ],
      }),
    )
    expect(list(body['tools'])[0]).toEqual({
      type: 'function',
      name: 'a',
      parameters: { type: 'object', properties: {} },
      strict: false,
    })
    expect(list(body['tools'])[1]).toMatchObject({ strict: true })
    expect(list(body['tools'])[1]?.['name']).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })

  it('answers a call that was never answered, and reads an answer to nothing as text', () => {
    const { body, losses } = write(
      foreign([
        user({ kind: 'tool-result', callId: 'z', name: '', form: 'json', content: [text('lost')] }),
        assistant({ kind: 'tool-call', id: 'a', name: 'f', form: 'json', input: '{}' }),
        user(text('go on')),
      ]),
    )
    expect(body['input']).toMatchObject([
      { type: 'message', role: 'user' },
      { type: 'function_call', call_id: 'a' },
      { type: 'function_call_output', call_id: 'a', output: '[no result: interrupted]' },
      { type: 'message', role: 'user' },
    ])
    expect(losses).toEqual(['approximated turns.0.blocks.0', 'defaulted turns.1.results'])
  })

  it('answers it beside the results of its neighbours, also when the model has gone on since', () => {
    const before = [assistant(called('a'), called('b')), user(given('a'))]
    const after = [...before, assistant(text('so'), called('c')), user(given('c'))]
    const [short, long] = [before, after].map((turns) => list(write(foreign(turns)).body['input']))
    expect(short).toHaveLength(4)
    expect(long).toHaveLength(7)
    expect(long?.slice(0, 4)).toEqual(short)
  })

  it('marks a failed result in words, once', () => {
    expect(failed('no such file')).toBe('Error: no such file')
    expect(failed('Error: no such file')).toBe('Error: no such file')
  })

  it('sends an image of a result as an image', () => {
    const { body } = write(
      foreign([
        assistant({ kind: 'tool-call', id: 'a', name: 'f', form: 'json', input: '{}' }),
        user({
          kind: 'tool-result',
          callId: 'a',
          name: 'f',
          form: 'json',
          content: [
            text('shot'),
            { kind: 'media', mediaType: 'image/png', source: { data: 'AAAA' } },
          ],
        }),
      ]),
    )
    expect(list(body['input'])[1]?.['output']).toEqual([
      { type: 'input_text', text: 'shot' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
    ])
  })

  it('gives a document a file name and refuses what it has no part for', () => {
    expect(secondPart(media('application/pdf', { data: 'JVBE' }))).toEqual({
      type: 'input_file',
      file_data: 'data:application/pdf;base64,JVBE',
      filename: 'document.pdf',
    })
    expect(secondPart(media('image/*', { url: 'https://a.example/b' }))).toEqual({
      type: 'input_image',
      image_url: 'https://a.example/b',
      detail: 'auto',
    })
    expect(media('video/mp4', { data: 'AAAA' }).losses).toEqual(['dropped turns.0.blocks.1'])
    expect(media('image/*', { fileId: 'f' }).losses).toEqual(['dropped turns.0.blocks.1'])
  })

  it('reports what it cannot say', () => {
    const { losses } = write(
      foreign([user({ kind: 'text', text: 'a', cache: { ttl: '1h' } })], {
        system: [{ kind: 'text', text: 's', cache: {} }],
        sampling: { topK: 1, seed: 2, candidateCount: 2, logprobs: 1 },
        limits: { stop: ['x'], maxOutputTokens: 1 },
        reasoning: { mode: 'on', budget: 9000 },
        tools: [
          { kind: 'hosted', capability: 'web-fetch' },
          { kind: 'hosted', capability: 'web-search', maxUses: 2 },
        ],
        toolChoice: { mode: 'required', names: ['web-fetch'] },
        user: 'u'.repeat(150),
        tier: 'moon',
      }),
      { cacheBreakpoints: true },
    )
    expect(losses.toSorted()).toEqual(
      [
        'approximated cache.ttl',
        'dropped sampling.topK',
        'dropped sampling.seed',
        'dropped sampling.candidateCount',
        'dropped sampling.logprobs',
        'dropped limits.stop',
        'approximated limits.maxOutputTokens',
        'approximated reasoning.budget',
        'dropped tools.web-fetch',
        'dropped tools.web-search.maxUses',
        'approximated toolChoice',
        'approximated user',
        'dropped tier',
      ].toSorted(),
    )
  })

  it('shortens the id of a user to the same one every time', () => {
    expect(shortened()).toHaveLength(64)
    expect(shortened()).toBe(shortened())
  })

  it.each<[string, ToolChoice, unknown]>([
    ['none', { mode: 'none' }, 'none'],
    ['auto', { mode: 'auto' }, 'auto'],
    ['required', { mode: 'required' }, 'required'],
    ['one', { mode: 'required', names: ['a'] }, { type: 'function', name: 'a' }],
    ['nothing', { mode: 'auto', names: [] }, 'none'],
    ['undeclared', { mode: 'required', names: ['z'] }, 'auto'],
    [
      'some',
      { mode: 'auto', names: ['a', 'b'] },
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'a' },
          { type: 'custom', name: 'b' },
        ],
      },
    ],
  ])('chooses tools: %s', (_, toolChoice, expected) => {
    const { body } = write(
      foreign([user(text('x'))], {
        tools: [
          { kind: 'function', name: 'a' },
          { kind: 'text', name: 'b' },
        ],
        toolChoice: {
          ...toolChoice,
          ...('names' in toolChoice && { names: [...toolChoice.names] }),
        },
      }),
    )
    expect(body['tool_choice']).toEqual(expected)
  })

  it('leaves out what the configuration says the model refuses', () => {
    const request = foreign([user(text('a'))], { sampling: { temperature: 0.5 } })
    const { body, losses } = write(request, { drop: ['temperature'] })
    expect(body).not.toHaveProperty('temperature')
    expect(losses).toEqual(['dropped sampling.temperature'])
  })

  it('ends with the user where the model needs it', () => {
    const request = foreign([user(text('a')), assistant(text('b'))])
    expect(list(write(request, { prefill: false }).body['input']).at(-1)).toMatchObject({
      role: 'user',
    })
    expect(list(write(request).body['input']).at(-1)).toMatchObject({ role: 'assistant' })
  })
})

const marked = (model: string, facts: ModelFacts = {}) => {
  const { body, losses } = write(
    foreign([user({ kind: 'text', text: 'a', cache: {} })]),
    facts,
    model,
  )
  const [part] = list(list(body['input'])[0]?.['content'])
  return { mark: part?.['prompt_cache_breakpoint'], losses }
}

describe('a mark of what to cache', () => {
  const mark = { mode: 'explicit' }

  it.each(['gpt-5.6', 'gpt-5.6-sol', 'gpt-5.10', 'openai/gpt-6.1-sol', 'gpt-6-luna', 'gpt-10'])(
    'reaches %s',
    (model) => expect(marked(model)).toEqual({ mark, losses: [] }),
  )

  it.each(['gpt-5', 'gpt-5.5-2026-04-23', 'gpt-4o', 'gpt-4.1-mini', 'o3', 'llama-4', 'my-gpt-5.6'])(
    'is left out for %s, and that is told',
    (model) => expect(marked(model)).toEqual({ mark: undefined, losses: ['dropped cache'] }),
  )

  it('is written as the configuration says of the model', () => {
    expect(marked('llama-4', { cacheBreakpoints: true })).toEqual({ mark, losses: [] })
    expect(marked('gpt-6', { cacheBreakpoints: false })).toEqual({
      mark: undefined,
      losses: ['dropped cache'],
    })
  })
})
