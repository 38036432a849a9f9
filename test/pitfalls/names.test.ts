import { describe, expect, it } from 'vitest'
import { translator } from '../../src/translator.ts'
import { PAIRS, sent, type Dialect } from './translate.ts'

/** As long as those that callers bring from tool servers, and alike in the part that others have room for. */
const NAMES = ['one', 'two'].map((end) => `server_${'x'.repeat(60)}_${end}`)

const schema = { type: 'object', properties: {} }
const asked: Record<Dialect, object> = {
  messages: {
    messages: [{ role: 'user', content: 'q' }],
    tools: NAMES.map((name) => ({ name, input_schema: schema })),
  },
  'generate-content': {
    contents: [{ role: 'user', parts: [{ text: 'q' }] }],
    tools: [{ functionDeclarations: NAMES.map((name) => ({ name, parameters: schema })) }],
  },
  responses: {
    input: 'q',
    tools: NAMES.map((name) => ({ type: 'function', name, parameters: schema })),
  },
}

/** What an upstream says that calls a tool. */
const calling: Record<Dialect, (name: string) => object> = {
  messages: (name) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'tool_use', id: 'toolu_1', name, input: {} }],
    stop_reason: 'tool_use',
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  'generate-content': (name) => ({
    candidates: [
      { content: { role: 'model', parts: [{ functionCall: { name } }] }, finishReason: 'STOP' },
    ],
  }),
  responses: (name) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name, arguments: '{}' }],
  }),
}

/** The names of tools in a request, in their order. */
const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/"name":"(server_[^"]*)"/g)].map(([, name = '']) => name)),
]

describe.each(PAIRS)('%s to %s', (from, to) => {
  it('tells tools with long names apart, and calls them by the names that the caller gave', () => {
    const names = namesIn(sent([from, to], asked[from]).text)
    expect(names).toHaveLength(2)
    for (const name of names) expect(name).toMatch(/^[A-Za-z_][\w-]{0,63}$/)
    for (const [index, name] of names.entries()) {
      const between = translator({ from, to })
      between.request(JSON.stringify({ model: 'm', max_tokens: 9, ...asked[from] }))
      expect(JSON.stringify(between.reply(JSON.stringify(calling[to](name))))).toContain(
        NAMES[index],
      )
    }
  })
})
