import { describe, expect, it } from 'vitest'
import type { ModelFacts } from '../../adapters/contract.ts'
import type { Block, Request, Turn } from '../../src/model/request.ts'
import { assistant, call, request, result, text, turn, user, write } from './help.ts'

const object = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const many = (count: number, part: object) =>
  object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, part])))
const strings = (count: number) => ({ ...many(count, { type: 'string' }), required: [] })
const unions = (count: number) => many(count, { type: ['string', 'null'] })
const makeFormat = (schema: object) => ({
  type: 'json-schema' as const,
  schema: JSON.stringify(schema),
})
const wire = (members: Partial<Request>) => write(request(members)).wire
const losses = (members: Partial<Request>) => write(request(members)).losses
const writeMessages = (...turns: Request['turns']) => wire({ turns })['messages']

describe('a request for a messages upstream', () => {
  it('carries both spellings of the version and no beta', () => {
    const { path, headers } = write(request())
    expect(path).toBe('/v1/messages')
    expect(headers).toEqual({ 'anthropic-version': '2023-06-01', 'provider-version': '2023-06-01' })
  })

  it('fills in the bound that the dialect demands, and says so', () => {
    const written = write(request({ limits: {} }))
    expect(written.wire['max_tokens']).toBe(8192)
    expect(written.losses).toEqual(['defaulted limits.maxOutputTokens'])
  })

  it('keeps to the model cap', () => {
    const written = write(request({ limits: { maxOutputTokens: 32_000 } }), {
      maxOutputTokens: 16_384,
    })
    expect(written.wire['max_tokens']).toBe(16_384)
    expect(written.losses).toEqual(['approximated limits.maxOutputTokens'])
  })

  it('leaves out what a drop list names', () => {
    const written = write(request({ sampling: { temperature: 0.5 } }), { drop: ['temperature'] })
    expect(written.wire).not.toHaveProperty('temperature')
    expect(written.losses).toEqual(['dropped sampling.temperature'])
  })
})

const marked = (words: string): Block => ({ kind: 'text', text: words, cache: { ttl: '24h' } })

describe('turns for a messages upstream', () => {
  it('never hold an empty text, nor an empty message', () => {
    expect(writeMessages(user('a'), assistant('', call('t1')), user(result('t1', 'b')))).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'b' }] },
    ])
    expect(writeMessages(user('a'), assistant(' \n'), user('b'))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  it('put leading instructions on top and later ones into the text of the caller', () => {
    const written = write(
      request({
        system: [text('one')],
        turns: [
          turn('developer', ['two']),
          user('a'),
          turn('system', ['three']),
          assistant('b'),
          turn('developer', ['four']),
        ],
      }),
    )
    expect(written.wire['system']).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ])
    expect(written.wire['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: '<system>\nthree\n</system>' },
        ],
      },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: '<system>\nfour\n</system>' },
    ])
    expect(written.losses).toEqual(['approximated turns.2.role', 'approximated turns.4.role'])
  })

  it('are never none at all: behind instructions alone the user says that the model shall go on', () => {
    const written = write(request({ system: [text('one')], turns: [turn('developer', ['two'])] }))
    expect(written.wire).toMatchObject({
      system: [{ text: 'one' }, { text: 'two' }],
      messages: [{ role: 'user', content: 'Continue.' }],
    })
    expect(written.losses).toEqual(['defaulted turns'])
  })

  it('begin with all results of the calls before, in the order of the calls', () => {
    const written = write(
      request({
        turns: [
          user('a'),
          assistant(call('t1')),
          assistant(call('t2')),
          user('wait'),
          user(result('t2', 'two')),
        ],
      }),
    )
    expect(written.wire['messages']).toEqual([
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 't1', name: 'look', input: {} },
          { type: 'tool_use', id: 't2', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            content: '[no result: interrupted]',
            is_error: true,
          },
          { type: 'tool_result', tool_use_id: 't2', content: 'two' },
          { type: 'text', text: 'wait' },
        ],
      },
    ])
    expect(written.losses).toEqual(['reordered turns.3.blocks', 'defaulted turns.3.results'])
  })

  it('tell a result without its call in words', () => {
    const written = write(request({ turns: [user(result('t9', 'late')), user('a')] }))
    expect(written.text).not.toContain('tool_result')
    expect(written.text).toContain('late')
    expect(written.losses).toEqual(['approximated turns.0.results'])
  })

  it('keep pairs of unusual ids together and apart from each other', () => {
    const written = write(
      request({
        turns: [
          user('a'),
          assistant(call('a.b:0'), call('a_b_0')),
          user(result('a_b_0', 'y'), result('a.b:0', 'x')),
        ],
      }),
    )
    const [, model, caller] = JSON.parse(written.text).messages
    const ids = model.content.map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(caller.content).toMatchObject([
      { tool_use_id: 'a_b_0', content: 'y' },
      { tool_use_id: ids[0], content: 'x' },
    ])
  })

  it('take no input that is no object', () => {
    const broken = request({
      turns: [user('a'), assistant(call('t1', '{"a":'), call('t2', '')), user(result('t1', 'b'))],
    })
    const written = write(broken)
    expect(written.text).toContain('"id":"t1","name":"look","input":{}')
    expect(written.losses).toContain('approximated turns.1.blocks.0.input')
  })

  it('may be told to end with the caller', () => {
    const turns = [user('a'), assistant('b')]
    expect(write(request({ turns })).wire['messages']).toHaveLength(2)
    const written = write(request({ turns }), { prefill: false })
    expect(written.wire['messages']).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'Continue.' },
    ])
    expect(written.losses).toEqual(['approximated turns.1'])
  })

  it('do not end in white space when the model is to go on', () => {
    const written = write(request({ turns: [user('a'), assistant('b \n', 'c \n')] }))
    expect(written.wire['messages']).toEqual([
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'b \n' },
          { type: 'text', text: 'c' },
        ],
      },
    ])
    expect(written.losses).toEqual(['approximated turns.1'])
    expect(losses({ turns: [user('a'), assistant('b '), user('c')] })).toEqual([])
  })

  it('are not thought about when the model is to go on without its thoughts', () => {
    const reasoning = { mode: 'on', budget: 2000 } as const
    const turns = [user('a'), assistant('b')]
    const written = write(request({ turns, reasoning }))
    expect(written.wire).not.toHaveProperty('thinking')
    expect(written.losses).toEqual(['approximated reasoning.mode'])
    const asked = write(request({ turns, reasoning }), { prefill: false })
    expect(asked.wire).toMatchObject({ thinking: { type: 'enabled' } })
  })

  it('are the beginning of the next request', () => {
    const turns = [
      user('a'),
      assistant(call('t:1')),
      user(result('t:1', 'x')),
      turn('system', ['s']),
    ]
    const before = write(request({ turns })).wire['messages']
    const after = write(request({ turns: [...turns, assistant('b'), user('c')] })).wire['messages']
    const count = Array.isArray(before) ? before.length : 0
    expect(Array.isArray(after) && after.slice(0, count)).toEqual(before)
  })

  it('hold at most four cache marks, the newest', () => {
    const written = write(
      request({ system: [marked('s')], turns: [user(...['a', 'b', 'c', 'd'].map(marked))] }),
    )
    expect(written.text.match(/cache_control/g)).toHaveLength(4)
    expect(written.text).toContain('{"type":"text","text":"a"}')
    expect(written.losses).toEqual(['dropped cache', 'approximated cache.ttl'])
    expect(written.text.match(/"ttl":"1h"/g)).toHaveLength(4)
  })
})

const media = (mediaType: string, source: Extract<Block, { kind: 'media' }>['source']): Block => ({
  kind: 'media',
  mediaType,
  source,
})

const written = (block: Block) => {
  const { wire: body, losses: lost } = write(request({ turns: [user(block)] }))
  return { content: JSON.parse(JSON.stringify(body))['messages'][0].content, lost }
}

describe('media for a messages upstream', () => {
  it('knows images, PDFs and plain text', () => {
    expect(written(media('image/jpg', { data: 'AA' })).content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA' } },
    ])
    expect(written(media('application/pdf', { url: 'https://a.example/b' })).content).toEqual([
      { type: 'document', source: { type: 'url', url: 'https://a.example/b' } },
    ])
    expect(written(media('', { url: 'https://a.example/b.pdf?c' })).content).toMatchObject([
      { type: 'document' },
    ])
    expect(written(media('text/plain', { data: 'Z3LDvG4=' })).content).toEqual([
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'grün' } },
    ])
  })

  it('leaves a mark where something else was', () => {
    const { content, lost } = written(media('audio/wav', { data: 'AA' }))
    expect(content).toBe('[audio/wav left out]')
    expect(lost).toEqual(['dropped turns.0.blocks.0'])
    expect(written(media('image/*', { url: 'gs://a/b' })).content).toContain('gs://a/b')
  })

  it('refuses the file ids of another service', () => {
    expect(() => written(media('image/*', { fileId: 'file-abc' }))).toThrow(/file id/)
    const own = write(request({ turns: [user(media('', { fileId: 'file_1' }))] }))
    expect(own.headers['anthropic-beta']).toBe('files-api-2025-04-14')
    expect(own.headers['provider-beta']).toBe('files-api-2025-04-14')
  })

  it('stays in the result of a tool', () => {
    const shot = result('t1', 'done')
    if (shot.kind === 'tool-result') shot.content.push(media('image/png', { data: 'QUJD' }))
    const { text: body } = write(request({ turns: [user('a'), assistant(call('t1')), user(shot)] }))
    expect(body).toContain(
      '"content":[{"type":"text","text":"done"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]',
    )
  })
})

const thought = (proof?: { dialect: string; value: string }): Block => ({
  kind: 'reasoning',
  text: 'hm',
  ...(proof && { proof }),
})

describe('thoughts in the history for a messages upstream', () => {
  it('go back with their own proof only', () => {
    const own = thought({ dialect: 'messages', value: 'sig' })
    expect(writeMessages(user('a'), assistant(own, 'b'), user('c'))).toMatchObject([
      {},
      { content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }, { type: 'text' }] },
      {},
    ])
    const foreign = thought({ dialect: 'responses', value: 'enc' })
    const written = write(
      request({ turns: [user('a'), assistant(foreign, thought(), 'b'), user('c')] }),
    )
    expect(written.text).not.toContain('hm')
    expect(written.losses).toEqual([
      'dropped turns.1.blocks.0.seal',
      'dropped turns.1.blocks.0',
      'dropped turns.1.blocks.1',
    ])
  })

  it('may be a signature alone', () => {
    const bare: Block = { kind: 'reasoning', text: '', proof: { dialect: 'messages', value: 's' } }
    expect(writeMessages(user('a'), assistant(bare, 'b'), user('c'))).toMatchObject([
      {},
      { content: [{ type: 'thinking', thinking: '', signature: 's' }, {}] },
      {},
    ])
  })

  it('are not at the end when the model does not think', () => {
    const own = thought({ dialect: 'messages', value: 'sig' })
    const written = write(request({ turns: [user('a'), assistant(own, 'b')] }))
    expect(written.text).not.toContain('thinking')
    expect(written.losses).toEqual(['dropped turns.1'])
  })

  it('are nothing to go on from: Codex keeps those of a stream that broke off', () => {
    const reasoning = { mode: 'on', budget: 2000 } as const
    const own = thought({ dialect: 'messages', value: 'sig' })
    const send = (turns: Turn[], facts: ModelFacts = {}) =>
      write(request({ turns, reasoning }), facts)
    const alone = send([user('a'), assistant(own)])
    expect(alone.wire).toMatchObject({ thinking: { type: 'enabled' } })
    expect(alone.wire['messages']).toEqual([{ role: 'user', content: 'a' }])
    expect(alone.losses).toEqual(['dropped turns.1'])
    const behind = send([user('a'), assistant(own, 'b', own)])
    expect(behind.wire['messages']).toMatchObject([
      {},
      { content: [{ type: 'thinking' }, { type: 'text', text: 'b' }] },
    ])
    const answered = send([user('a'), assistant(own)], { prefill: false })
    expect(answered.wire['messages']).toMatchObject([
      {},
      { content: [{ type: 'thinking' }] },
      { content: 'Continue.' },
    ])
  })
})

const budget = (asked: number, maxOutputTokens: number) =>
  wire({ reasoning: { mode: 'on', budget: asked }, limits: { maxOutputTokens } })['thinking']

const on = (members: object = {}): Pick<Request, 'reasoning' | 'limits'> => ({
  reasoning: { mode: 'on', ...members },
  limits: { maxOutputTokens: 60_000 },
})

describe('thinking at a messages upstream', () => {
  it.each([
    ['minimal', 1024],
    ['low', 2048],
    ['medium', 8192],
    ['high', 16_384],
    ['xhigh', 24_576],
    ['max', 30_000],
  ] as const)('of effort %s costs %d tokens', (effort, budget_tokens) => {
    const written = write(request(on({ effort })))
    expect(written.wire['thinking']).toEqual({ type: 'enabled', budget_tokens })
    expect(written.losses).toEqual(['approximated reasoning.effort'])
  })

  it('says effort in words where the model decides for itself', () => {
    const written = write(request(on({ effort: 'high' })), {
      thinking: 'adaptive',
      efforts: ['high'],
    })
    expect(written.wire).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    })
    const taken = { thinking: 'adaptive', efforts: ['medium'] } as const
    const reckoned = write(request(on({ budget: 9000 })), taken)
    expect(reckoned.wire['output_config']).toEqual({ effort: 'medium' })
    expect(reckoned.losses).toContain('approximated reasoning.budget')
  })

  it('fits under the bound, is whole, or is not at all', () => {
    expect(budget(5000, 4000)).toEqual({ type: 'enabled', budget_tokens: 3999 })
    expect(budget(2000.7, 4000)).toEqual({ type: 'enabled', budget_tokens: 2000 })
    expect(budget(128, 4000)).toEqual({ type: 'enabled', budget_tokens: 1024 })
    expect(budget(5000, 900)).toBeUndefined()
    expect(
      losses({ reasoning: { mode: 'on', effort: 'high' }, limits: { maxOutputTokens: 900 } }),
    ).toEqual(['dropped reasoning'])
  })

  it('is off for effort none', () => {
    expect(wire(on({ effort: 'none' }))['thinking']).toEqual({ type: 'disabled' })
    expect(wire({ reasoning: { mode: 'off' } })['thinking']).toEqual({ type: 'disabled' })
  })

  it('takes no temperature, no top_k and no low top_p', () => {
    const written = write(
      request({ ...on({ budget: 2000 }), sampling: { temperature: 0.2, topP: 0.5, topK: 9 } }),
    )
    for (const name of ['temperature', 'top_p', 'top_k'])
      expect(written.wire).not.toHaveProperty(name)
    expect(written.losses).toEqual([
      'dropped sampling.topP',
      'dropped sampling.temperature',
      'dropped sampling.topK',
    ])
    const kept = wire({ ...on({ budget: 2000 }), sampling: { temperature: 1, topP: 0.95 } })
    expect(kept['top_p']).toBe(0.95)
  })

  const look = { kind: 'function', name: 'look' } as const

  it('gives way to a forced tool', () => {
    const forced = { ...on({ budget: 2000 }), tools: [look] }
    const written = write(request({ ...forced, toolChoice: { mode: 'required' } }))
    expect(written.wire).toMatchObject({ tool_choice: { type: 'any' } })
    expect(written.wire).not.toHaveProperty('thinking')
    expect(written.losses).toContain('approximated reasoning.mode')
  })

  it('stops in the middle of calls whose proof is not there', () => {
    const turns = [user('a'), assistant(call('t1')), user(result('t1', 'b'))]
    expect(wire({ ...on({ budget: 2000 }), tools: [look], turns })).not.toHaveProperty('thinking')
    const proof = { dialect: 'messages', value: 's' }
    const proven = [
      user('a'),
      assistant({ kind: 'reasoning', text: 'hm', proof }, call('t1')),
      user(result('t1', 'b')),
    ]
    expect(wire({ ...on({ budget: 2000 }), tools: [look], turns: proven })).toHaveProperty(
      'thinking',
    )
  })
})

describe('options for a messages upstream', () => {
  it('bring temperature into range and set only one of the two', () => {
    expect(wire({ sampling: { temperature: 1.5 } })['temperature']).toBe(1)
    expect(losses({ sampling: { temperature: 1.5 } })).toEqual([
      'approximated sampling.temperature',
    ])
    expect(wire({ sampling: { temperature: 0.5, topP: 0.5 } })).not.toHaveProperty('top_p')
    expect(losses({ sampling: { temperature: 0.5, topP: 0.5 } })).toEqual(['dropped sampling.topP'])
    expect(wire({ sampling: { temperature: 1, topP: 0.5 } })).toMatchObject({ top_p: 0.5 })
    // The default of the one says nothing beside the other.
    expect(wire({ sampling: { temperature: 0, topP: 1 } })).not.toHaveProperty('top_p')
    expect(losses({ sampling: { temperature: 0, topP: 1 } })).toEqual([])
    expect(wire({ sampling: { temperature: 1.5, topP: 0.5 } })).not.toHaveProperty('temperature')
  })

  it('report what has no place', () => {
    const sampling = { seed: 1, presencePenalty: 1, frequencyPenalty: 1, candidateCount: 2 }
    expect(
      losses({
        sampling: { ...sampling, logprobs: 3 },
        labels: { a: 'b' },
        cacheKey: 'k',
        tier: 'flex',
        previous: 'resp_1',
        format: { type: 'json' },
      }),
    ).toEqual([
      'approximated format',
      'dropped previous',
      'dropped labels',
      'dropped sampling.seed',
      'dropped sampling.presencePenalty',
      'dropped sampling.frequencyPenalty',
      'dropped sampling.logprobs',
      'dropped sampling.candidateCount',
      'dropped tier',
    ])
  })

  it('name no mail address and no telephone number, and shorten a long id', () => {
    expect(wire({ user: 'a.b@mail.example' })).not.toHaveProperty('metadata')
    expect(wire({ user: '+49 170 1234567' })).not.toHaveProperty('metadata')
    expect(wire({ user: '7f3a0c9e' })['metadata']).toEqual({ user_id: '7f3a0c9e' })
    const long = write(request({ user: 'u'.repeat(300) }))
    expect(JSON.parse(long.text).metadata.user_id).toHaveLength(256)
    expect(long.losses).toEqual(['approximated user'])
  })

  it('ask for a schema in the one place that there is', () => {
    const schema = '{"type":"object","properties":{"2":{},"1":{}},"additionalProperties":false}'
    const written = write(request({ format: { type: 'json-schema', schema } }))
    expect(written.text).toContain(
      `"output_config":{"format":{"type":"json_schema","schema":${schema}}}`,
    )
    expect(written.losses).toEqual([])
  })

  it('close a schema that is open, and put bounds into words: the service refuses others', () => {
    const page = { type: 'integer', minimum: 1, description: 'A page.' }
    const item = { type: 'object', properties: { page } }
    const schema = { type: 'object', properties: { a: { type: 'array', items: item } } }
    const written = write(
      request({ format: { type: 'json-schema', schema: JSON.stringify(schema) } }),
    )
    const closed = { additionalProperties: false }
    const told = { type: 'integer', description: 'A page. (minimum: 1)' }
    expect(written.wire['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: {
            a: { type: 'array', items: { type: 'object', properties: { page: told }, ...closed } },
          },
          ...closed,
        },
      },
    })
    expect(written.losses).toEqual(['approximated format.schema'])
  })

  it('puts into words what else of a schema the service does not know', () => {
    const [one, two] = [{ type: 'string', const: 'a' }, { type: 'null' }]
    const odd = { type: 'string', pattern: '^a', format: 'byte' }
    const schema = object({ odd, either: { oneOf: [one, two] } })
    const written = write(request({ format: makeFormat(schema) }))
    expect(JSON.parse(JSON.stringify(written.wire['output_config'])).format.schema).toEqual({
      ...schema,
      properties: {
        odd: { type: 'string', description: '(pattern: "^a"; format: "byte")' },
        either: { anyOf: [one, two] },
      },
    })
  })

  it('asks in words for a schema that is too much to be kept to', () => {
    for (const fitting of [strings(24), unions(16)])
      expect(wire({ format: makeFormat(fitting) })).toHaveProperty('output_config')
    const endless = object({ again: { anyOf: [{ $ref: '#' }, { type: 'null' }] } })
    for (const great of [strings(25), unions(17), endless]) {
      const written = write(request({ format: makeFormat(great) }))
      expect(written.wire).not.toHaveProperty('output_config')
      expect(written.wire['system']).toContain(JSON.stringify(great))
      expect(written.losses).toEqual(['approximated format'])
    }
  })

  it('is strict with as many tools as the service takes', () => {
    const tools = Array.from({ length: 21 }, (_, at) => ({
      kind: 'function' as const,
      name: `t${at}`,
      schema: JSON.stringify(object({})),
      strict: true,
    }))
    const written = write(request({ tools }))
    expect(JSON.stringify(written.wire['tools']).match(/"strict":true/g)).toHaveLength(20)
    expect(written.losses).toEqual(['dropped tools.t20.strict'])
  })
})
