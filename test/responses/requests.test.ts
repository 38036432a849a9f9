import { describe, expect, it } from 'vitest'
import { list, read, write } from './exchange.ts'

const REQUESTS = import.meta.glob('../../fixtures/responses/request/*.json', {
  query: '?raw',
  eager: true,
  import: 'default',
})

describe('a request of this dialect', () => {
  // A service of this dialect is sent the body as it came: see the edits of the same dialect.
  it.each(Object.entries(REQUESTS))('written and read again is the same one: %s', (_, raw) => {
    const request = read(raw)
    const written = write(request)
    expect({ ...read(written.text), model: request.model }).toEqual(request)
    expect(written.losses).toEqual([])
  })

  it('keeps arguments and schemas to the letter', () => {
    const schema =
      '{"type":"object","properties":{"2":{"const":2512292042121000001},"__proto__":{}}}'
    const raw =
      '{"model":"m","input":[{"type":"function_call","call_id":"c","name":"a",' +
      '"arguments":"{ \\"id\\" : 2512292042121000001 }"}],"tools":[{"type":"function","name":"a",' +
      `"parameters":${schema}}]}`
    const request = read(raw)
    expect(request.tools[0]).toMatchObject({ schema })
    expect(write(request).text).toContain(`"parameters":${schema}`)
    expect(list(write(request).body['input'])[0]?.['arguments']).toBe(
      '{ "id" : 2512292042121000001 }',
    )
  })

  it('takes neighbours of one side as one turn with at most one message', () => {
    const { turns } = read({
      model: 'm',
      input: [
        { role: 'user', content: 'a' },
        { type: 'reasoning', summary: [], encrypted_content: 'p' },
        { role: 'assistant', content: 'b' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { role: 'assistant', content: 'c' },
        { type: 'function_call_output', call_id: 'c', output: 'd' },
        { role: 'user', content: 'e' },
      ],
    })
    const kinds = turns.map(({ role, blocks }) =>
      [role, ...blocks.map(({ kind }) => kind)].join(' '),
    )
    expect(kinds).toEqual([
      'user text',
      'assistant reasoning text tool-call',
      'assistant text',
      'user tool-result text',
    ])
  })

  it('fills the name of a call into its output, however far back the call is', () => {
    const { turns } = read({
      model: 'm',
      input: [
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { role: 'user', content: 'wait' },
        { type: 'function_call_output', call_id: 'c', output: 'd' },
      ],
    })
    expect(turns.at(-1)?.blocks.at(-1)).toMatchObject({
      kind: 'tool-result',
      name: 'f',
      form: 'json',
    })
  })

  it('finds images in an output that a client wrote as the text of its array', () => {
    const output = '[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]'
    const { turns } = read({
      model: 'm',
      input: [{ type: 'function_call_output', call_id: 'c', output }],
    })
    expect(turns[0]?.blocks[0]).toMatchObject({
      content: [{ kind: 'media', mediaType: 'image/png', source: { data: 'AAAA' } }],
    })
  })

  it('joins tools that are declared in the conversation to the others', () => {
    const tools = [{ type: 'namespace', name: 'ns', tools: [{ type: 'custom', name: 'exec' }] }]
    const { tools: all } = read({
      model: 'm',
      input: [{ type: 'additional_tools', role: 'developer', tools }],
      tools: [{ type: 'function', name: 'a', parameters: {} }],
    })
    expect(all).toMatchObject([
      { kind: 'function', name: 'a' },
      { kind: 'text', name: 'exec', namespace: 'ns' },
    ])
  })

  it('takes a request to count without a model or an input', () => {
    expect(read({}, 'count-tokens')).toMatchObject({ model: '', turns: [] })
  })

  it('takes a summary as the wish for thoughts at the usual effort', () => {
    const { reasoning } = read({ model: 'm', input: 'x', reasoning: { summary: 'auto' } })
    expect(reasoning).toMatchObject({ mode: 'on', effort: 'medium', visible: true })
  })
})

const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' })
const custom = { type: 'custom_tool_call', call_id: 'c', name: 'g', input: 'x' }
const output = (more: object = {}) => ({ type: 'function_call_output', output: 'x', ...more })
const answered = (input: object[]) =>
  read({ model: 'm', input }).turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'tool-result' ? [block] : [])),
  )
describe('an output without an id', () => {
  it.each<[object[], string[]]>([
    [[call('a'), output()], ['a']],
    [[call('a'), output({ call_id: null })], ['a']],
    [
      [call('a'), call('b'), output({ call_id: 'a' }), output()],
      ['a', 'b'],
    ],
    [
      [call('a'), output(), call('b'), output()],
      ['a', 'b'],
    ],
    [[custom, call('b'), output()], ['b']],
  ])('answers the only function call that is open: %j', (input, ids) => {
    expect(answered(input)).toMatchObject(ids.map((callId) => ({ callId, name: 'f' })))
  })

  it.each<{ input: object[] }>([
    { input: [output()] },
    { input: [call('a'), call('b'), output()] },
    { input: [call('a'), output(), output()] },
  ])('is refused where there is none, or several: %j', ({ input }) => {
    expect(() => answered(input)).toThrow('call_id: is required')
  })
})
