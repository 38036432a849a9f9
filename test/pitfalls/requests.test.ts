import { describe, expect, it } from 'vitest'
import { kits } from '../dialects/index.ts'
import { lossesOf, PAIRS, refusal, sent, type Pair } from './translate.ts'

const IMAGE = 'aW1hZ2UgaW1hZ2UgaW1hZ2U='
const DATA_URL = `data:image/png;base64,${IMAGE}`
/** By value: beside its type, or behind it in an address. */
const shownAs = (type: string): RegExp =>
  new RegExp(`(?=.*"${type}").*"data":"${IMAGE}"|data:${type};base64,${IMAGE}`)
const FROM_RESPONSES = PAIRS.filter(([from]) => from === 'responses')

describe.each(PAIRS)('%s to %s', (...pair) => {
  it('sends no half of a character inside of a call', () => {
    const { text } = sent(
      pair,
      kits[pair[0]].ask.called('{"a":"x\\ud83d","b":"\\ud83d\\ude00"}', 'y\ude00'),
    )
    expect(text).not.toMatch(/\\u(?:d83d"|de00$)/i)
    expect(text).toContain('x\ufffd')
    expect(text).toContain('y\ufffd')
  })
})

const content = (part: object) => ({ input: [{ role: 'user', content: [part] }] })

describe.each(FROM_RESPONSES)('%s to %s', (...pair) => {
  it.each([
    ['a text', { type: 'input_image', image_url: DATA_URL }],
    ['an object', { type: 'input_image', image_url: { url: DATA_URL } }],
    ['the part of a chat', { type: 'image_url', image_url: { url: DATA_URL, detail: 'low' } }],
    ['a bare image', { type: 'image', image: { url: DATA_URL } }],
    ['capitals', { type: 'input_image', image_url: `DATA:image/png;BASE64,${IMAGE}` }],
    ['a character set', { type: 'input_image', image_url: `data:image/png;a=b;base64,${IMAGE}` }],
  ])('takes an image that is spelled as %s', (_, part) => {
    const { text } = sent(pair, content(part))
    expect(text).toMatch(shownAs('image/png'))
  })

  it.each([
    [
      'here',
      [
        { type: 'input_text', text: 'see' },
        { type: 'input_image', image_url: DATA_URL },
      ],
    ],
    [
      'in a chat',
      [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: DATA_URL } },
      ],
    ],
  ])('unwraps an output that is the text of its parts, as they are spelled %s', (_, parts) => {
    const { text } = sent(pair, kits.responses.ask.called('{}', JSON.stringify(parts)))
    expect(text).toMatch(shownAs('image/png'))
    expect(text).toContain('"see"')
  })

  it('tells the model the grammar of a free-form tool', () => {
    const tool = {
      type: 'custom',
      name: 'patch',
      description: 'Patches.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    }
    const written = sent(pair, { input: 'q', tools: [tool] })
    expect(written.text).toContain('Patches.\\n\\nThe input must match this lark grammar:')
    expect(lossesOf(written)).toContain('approximated tools.patch.format')
  })
})

describe('a file id of another service is refused', () => {
  it.each<[Pair, object]>([
    ...FROM_RESPONSES.map((pair): [Pair, object] => [
      pair,
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }] },
    ]),
    ...FROM_RESPONSES.map((pair): [Pair, object] => [
      pair,
      kits.responses.ask.called('{}', [{ type: 'input_image', file_id: 'file-1' }]),
    ]),
    ...(['responses', 'generate-content'] as const).map((to): [Pair, object] => {
      const source = { type: 'file', file_id: 'file_1' }
      return [
        ['messages', to],
        { messages: [{ role: 'user', content: [{ type: 'document', source }] }] },
      ]
    }),
  ])('%s', (pair, body) => {
    expect(refusal(pair, body)).toMatchObject({
      kind: 'invalid-request',
      message: expect.stringContaining('file'),
    })
  })
})

const written = (input_schema: object, strict?: boolean) => {
  const tool = { name: 'f', input_schema, ...(strict !== undefined && { strict }) }
  const messages = [{ role: 'user', content: 'q' }]
  const request = sent(['messages', 'responses'], { messages, tools: [tool] })
  const { tools } = JSON.parse(request.text)
  return { tool: tools[0], losses: lossesOf(request) }
}

describe('the strictness of a tool', () => {
  const open = { type: 'object', properties: { a: { type: 'string' } } }
  const closed = { ...open, required: ['a'], additionalProperties: false }
  const nested = (inner: object) => ({ ...closed, properties: { a: inner } })
  it.each([
    ['a closed one', closed],
    ['one in a list', nested({ type: 'array', items: closed })],
    ['alternatives', nested({ anyOf: [closed, { type: 'null' }] })],
  ])('stays with a schema that complies: %s', (_, schema) => {
    expect(written(schema, true)).toEqual({
      tool: { type: 'function', name: 'f', parameters: schema, strict: true },
      losses: [],
    })
  })
  it.each([
    ['an open one', open],
    ['an optional member', { ...closed, required: [] }],
    ['an open one inside', nested(open)],
    ['an open one in a list', nested({ type: 'array', items: open })],
    ['an object or nothing', nested({ type: ['object', 'null'] })],
    ['all of several', nested({ allOf: [closed] })],
  ])('goes where the schema does not comply, which stays as it is: %s', (_, schema) => {
    expect(written(schema, true)).toEqual({
      tool: { type: 'function', name: 'f', parameters: schema, strict: false },
      losses: ['dropped tools.f.strict'],
    })
  })
  it('is never assumed', () => {
    expect(written(closed).tool).toMatchObject({ strict: false })
  })
})

it('reports the bound of a schema that is beyond what a number can hold', () => {
  const input_schema = '{"type":"object","properties":{"n":{"type":"integer","maximum":MAX}}}'
  const losses = (max: string) => {
    const tools = `[{"name":"f","input_schema":${input_schema.replace('MAX', max)}}]`
    const messages = [{ role: 'user', content: 'q' }]
    const body = { messages, tools: JSON.parse(tools) }
    return lossesOf(sent(['messages', 'generate-content'], body))
  }
  expect(losses('2512292042121000001')).toEqual(['approximated tools.f.schema'])
  expect(losses('9007199254740991')).toEqual([])
})
