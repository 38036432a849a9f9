import { describe, expect, it } from 'vitest'
import { kits } from '../dialects/index.ts'
import { adapters } from '../../adapters/index.ts'
import type { Json } from '../../src/json/json.ts'
import { readFrames } from '../laws/exchange.ts'
import { EMPTY } from '../replay/replies.ts'
import { lossesOf, PAIRS, refusal, sent } from './translate.ts'

describe('a request without a conversation', () => {
  it.each(PAIRS)('is refused before it is sent: %s to %s', (from, to) => {
    expect(refusal([from, to], kits[from].ask.nothing)).toMatchObject({
      kind: 'invalid-request',
      message: expect.stringContaining('nothing of a conversation'),
    })
  })
})

describe('instructions without a word of the user', () => {
  it.each(PAIRS)('are sent with a conversation, or become one: %s to %s', (from, to) => {
    const request = sent([from, to], kits[from].ask.instructions('Tell a joke.'))
    const said = JSON.stringify(request.body[kits[to].ask.history])
    expect(JSON.stringify(request.body)).toContain('Tell a joke.')
    expect(said).not.toBe('[]')
    const isMoved = said.includes('Tell a joke.') && !said.includes('"role":"system"')
    expect(lossesOf(request).includes('approximated system')).toBe(isMoved)
  })
})

describe('the result of a call that is no longer in the conversation', () => {
  it.each(['responses', 'chat-completions', 'generate-content'] as const)(
    'is no word of the user, over %s',
    (to) => {
      for (const content of ['said', [{ type: 'text', text: 'said' }], undefined]) {
        const result = { type: 'tool_result', tool_use_id: 'toolu_1', content }
        const messages = [{ role: 'user', content: [result] }]
        const { text } = sent(['messages', to], { model: 'm', max_tokens: 9, messages })
        expect(text).toMatch(/\[result of (?:an earlier tool call, )?toolu_1\]/)
        expect(text.includes('said')).toBe(content !== undefined)
      }
    },
  )
})

describe('towards messages', () => {
  it('a tool is strict only where the service can keep the model to its schema', () => {
    const closed = { type: 'object', additionalProperties: false, required: ['n'] }
    const ask = (n: object) => {
      const parameters = { ...closed, properties: { n } }
      const tools = [{ type: 'function', name: 'f', parameters, strict: true }]
      return sent(['responses', 'messages'], { input: 'x', tools })
    }
    expect(ask({ type: 'integer' }).body['tools']).toMatchObject([{ strict: true }])
    const bounded = ask({ type: 'integer', minimum: 1 })
    expect(bounded.text).toContain('"minimum":1')
    expect(bounded.text).not.toContain('"strict"')
    expect(lossesOf(bounded)).toContain('dropped tools.f.strict')
  })

  it('no two tools have one name', () => {
    const tools = [{ googleSearch: {} }, { googleSearchRetrieval: {} }]
    const contents = [{ role: 'user', parts: [{ text: 'x' }] }]
    const request = sent(['generate-content', 'messages'], { contents, tools })
    expect(request.body['tools']).toHaveLength(1)
    expect(lossesOf(request)).toContain('dropped tools.web_search')
  })
})

const searching = (excludeDomains: Json) => ({
  contents: [{ role: 'user', parts: [{ text: 'x' }] }],
  tools: [{ googleSearch: { excludeDomains } }],
})

describe('domains that a search leaves out', () => {
  it('are left out over messages, too', () => {
    const request = sent(['generate-content', 'messages'], searching(['a.example']))
    expect(request.body['tools']).toMatchObject([
      { name: 'web_search', blocked_domains: ['a.example'] },
    ])
    expect(lossesOf(request)).toEqual(['defaulted limits.maxOutputTokens'])
  })
  it('are reported over responses, which have no word for them', () => {
    const losses = lossesOf(sent(['generate-content', 'responses'], searching(['a.example'])))
    expect(losses).toContain('dropped tools.web-search.blockedDomains')
  })
  it('that are no words are reported as they came', () => {
    const losses = lossesOf(sent(['generate-content', 'messages'], searching('a.example')))
    expect(losses).toContain('dropped tools.web-search.excludeDomains')
  })
})

describe('media that responses have no part for', () => {
  it.each(['video/mp4', 'audio/ogg'])('leave a word where they were: %s', (mimeType) => {
    const contents = [{ role: 'user', parts: [{ inlineData: { mimeType, data: 'AAAA' } }] }]
    const request = sent(['generate-content', 'responses'], { contents })
    expect(request.text).toContain(`[${mimeType} left out]`)
    expect(lossesOf(request)).toEqual(['dropped turns.0.blocks.0'])
  })
})

describe('a summary that stands for what was said before', () => {
  const summary = { type: 'compaction', content: 'They met.' }
  const messages = [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: [summary] },
    { role: 'user', content: 'q' },
  ]
  it.each(['generate-content', 'responses'] as const)(
    'is told to %s as words of the user',
    (to) => {
      const request = sent(['messages', to], { messages })
      expect(request.text).toContain('<summary>\\nThey met.\\n</summary>')
      expect(request.text).not.toMatch(/"role":"(?:model|assistant)"/)
      expect(lossesOf(request)).toContain('approximated turns.1.blocks.0.compaction')
    },
  )
  it('goes back as it came', () => {
    expect(sent(['messages', 'messages'], { messages }).text).toContain(JSON.stringify(summary))
  })
})

const frame = (event: object) => ({ data: JSON.stringify(event) })

describe('a piece of a stream that nobody knows', () => {
  const odd: [string, string, object[]][] = [
    [
      'messages',
      'dropped reply.hologram_delta',
      [
        { type: 'message_start', message: { id: 'm', model: 'm' } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'hologram_delta', x: 1 } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
        { type: 'message_stop' },
      ],
    ],
    [
      'responses',
      'dropped reply.hologram.delta',
      [
        { type: 'response.created', response: { id: 'r', model: 'm' } },
        { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' },
        { type: 'response.hologram.delta', output_index: 1, delta: 'x' },
        { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } },
      ],
    ],
  ]
  it.each(odd)('is reported, and ends nothing: %s', (dialect, expected, events) => {
    const upstream = adapters.find((adapter) => adapter.dialect === dialect)
    const read = upstream && readFrames(upstream, EMPTY, events.map(frame))
    expect(read?.losses.map(({ code, path }) => `${code} ${path}`)).toEqual([expected])
    expect(read?.reply).toMatchObject({ blocks: [{ text: 'Hi' }], finish: 'stop' })
  })
})

describe('what generate-content says to be unspecified', () => {
  it.each(['messages', 'responses'] as const)('is neither asked of %s nor lost', (to) => {
    const generationConfig = {
      mediaResolution: 'MEDIA_RESOLUTION_UNSPECIFIED',
      responseModalities: ['MODALITY_UNSPECIFIED'],
      thinkingConfig: { thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' },
    }
    const contents = [{ parts: [{ text: 'x' }] }]
    const plain = sent(['generate-content', to], { contents })
    const request = sent(['generate-content', to], { contents, generationConfig })
    expect(request.text).toBe(plain.text)
    expect(request.losses).toEqual(plain.losses)
  })
})

describe('a mode of calling that nobody knows', () => {
  it.each(['messages', 'responses'] as const)('is reported on the way to %s', (to) => {
    const functionCallingConfig = { mode: 'FUTURE', allowedFunctionNames: ['f'] }
    const request = sent(['generate-content', to], {
      contents: [{ parts: [{ text: 'x' }] }],
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { functionCallingConfig },
    })
    expect(lossesOf(request)).toContain('dropped toolConfig.functionCallingConfig.mode')
    expect(request.text).not.toContain('FUTURE')
  })
})

describe('a picture that a model drew', () => {
  it('is there when a responses caller sends it back to who drew it', () => {
    const drawing = { type: 'image_generation_call', id: 'ig_1', status: 'completed' }
    const input = [
      { role: 'user', content: 'Draw.' },
      { ...drawing, result: 'AAAA' },
      { role: 'user', content: 'Now in red.' },
    ]
    const { text } = sent(['responses', 'generate-content'], { input })
    expect(text).toContain('"inlineData":{"mimeType":"image/png","data":"AAAA"}')
    expect(sent(['responses', 'responses'], { input }).text).toContain('"result":"AAAA"')
  })
})

describe('an error in a shape of its own', () => {
  const shapes: [string, Json][] = [
    ['a list of what is wrong', { detail: [{ loc: ['body'], msg: 'wrong', type: 'missing' }] }],
    ['several errors', { errors: [{ code: 1000, message: 'wrong' }] }],
    ['an error within an error', { error: { error: { message: 'wrong' } } }],
    ['a problem document', { type: 'about:blank', title: 'wrong', status: 400 }],
    ['a name besides', { error: 'Bad Request', message: 'wrong', statusCode: 400 }],
    ['just a text', 'wrong'],
  ]
  it.each(shapes)('is understood by every dialect: %s', (_, body) => {
    for (const { upstream } of adapters)
      expect(upstream.readProblem(400, body)).toMatchObject({
        kind: 'invalid-request',
        message: 'wrong',
      })
  })
})

describe('a status of a gateway that its body calls a bad request', () => {
  it.each([501, 520, 524, 599])('is a failure of the server to every dialect: %s', (status) => {
    const error = { message: 'wrong', type: 'invalid_request_error', status: 'INVALID_ARGUMENT' }
    for (const { upstream } of adapters)
      expect(upstream.readProblem(status, { type: 'error', error })).toMatchObject({
        kind: 'bad-upstream',
        message: 'wrong',
      })
  })
})

describe('the cause that OpenRouter puts beside an error', () => {
  const raw = '{"error":{"message":"Too hot."}}'
  const error = { code: 400, message: 'Provider returned error', metadata: { raw } }

  it('is told by every dialect', () => {
    for (const { upstream } of adapters)
      expect(upstream.readProblem(400, { type: 'error', error })).toMatchObject({
        message: 'Provider returned error: Too hot.',
      })
  })

  it('is no member of the metadata that a caller gave', () => {
    const body = { error: { message: 'wrong', code: 'server_error' }, metadata: { raw: 'mine' } }
    for (const { upstream } of adapters)
      expect(upstream.readProblem(500, body)).toMatchObject({ message: 'wrong' })
  })
})

describe('JSON without a schema', () => {
  const asked: Record<string, object> = {
    responses: { input: 'x', text: { format: { type: 'json_object' } } },
    'generate-content': {
      contents: [{ parts: [{ text: 'x' }] }],
      generationConfig: { responseMimeType: 'application/json' },
    },
  }
  it.each(['responses', 'generate-content'] as const)(
    'is asked for in words where there is no other way: %s to messages',
    (from) => {
      const request = sent([from, 'messages'], asked[from] ?? {})
      expect(request.body['system']).toMatch(/JSON and nothing else/)
      expect(lossesOf(request)).toContain('approximated format')
    },
  )
})

describe('towards generate-content', () => {
  const user = { role: 'user', content: 'q' }
  it('contents of one side are one where nothing is left between them', () => {
    const input = [
      user,
      { role: 'assistant', content: 'Looking.' },
      { type: 'tool_search_call', call_id: 'c', arguments: {} },
      { type: 'tool_search_output', call_id: 'c', tools: [] },
      { role: 'assistant', content: 'Found.' },
      user,
    ]
    const { body } = sent(['responses', 'generate-content'], { input })
    expect(body['contents']).toMatchObject([{ role: 'user' }, { role: 'model' }, { role: 'user' }])
  })

  it('no two functions have one name', () => {
    const tools = [{ type: 'function', name: 'f', parameters: {}, strict: false }]
    const input = [user, { type: 'additional_tools', role: 'developer', tools }]
    const request = sent(['responses', 'generate-content'], { input, tools })
    expect(request.text.match(/"name":"f"/g)).toHaveLength(1)
    expect(lossesOf(request)).toContain('dropped tools.f')
  })

  it('an answer by a schema is asked for in words beside tools, from whoever it comes', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false }
    const request = sent(['messages', 'generate-content'], {
      messages: [user],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      output_config: { format: { type: 'json_schema', schema } },
    })
    expect(request.text).not.toContain('responseMimeType')
    expect(request.text).toContain('JSON and nothing else')
  })
})

describe('types that come as numbers', () => {
  it('are the types that they stand for', () => {
    const parameters = { type: 6, properties: { a: { type: 5, items: { type: 1 } } } }
    const { text } = sent(['generate-content', 'messages'], {
      contents: [{ parts: [{ text: 'x' }] }],
      tools: [{ functionDeclarations: [{ name: 'f', parameters }] }],
    })
    const a = { type: 'array', items: { type: 'string' } }
    expect(text).toContain(JSON.stringify({ type: 'object', properties: { a } }))
  })
})

describe('code that was run', () => {
  it('has its pictures reported where they have no place', () => {
    const outputs = [
      { type: 'logs', logs: '1' },
      { type: 'image', url: 'https://i.example' },
    ]
    const input = [
      { role: 'user', content: 'q' },
      { type: 'code_interpreter_call', id: 'ci_1', code: 'draw()', container_id: 'c', outputs },
      { role: 'user', content: 'q' },
    ]
    const request = sent(['responses', 'generate-content'], { input })
    expect(request.text).toContain('"output":"1"')
    expect(lossesOf(request)).toContain('dropped turns.1.blocks.1.outputs')
  })
})
