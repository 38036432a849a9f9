import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { readRequest, writeRequest } from '../laws/exchange.ts'

/** A call, and this as its result. */
const ASKED: Record<Dialect, (result: string) => JsonObject> = {
  messages: (content) => ({
    model: 'm',
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content }] },
    ],
  }),
  responses: (output) => ({
    model: 'm',
    input: [
      { role: 'user', content: 'Hi' },
      { type: 'function_call', call_id: 't', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 't', output },
    ],
  }),
  'generate-content': (result) => ({
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: JSON.parse(result) } }] },
    ],
  }),
  'chat-completions': (content) => ({
    model: 'm',
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 't', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 't', content },
    ],
  }),
}

const pairs = DIALECTS.flatMap((from) => DIALECTS.map((to) => ({ from, to })))

describe.each(pairs)('a result that is an object, from $from to $to', ({ from, to }) => {
  it.each(['{}', '{"a":{}}', '{"output":{}}', '{"result":[]}', '{"error":{"a":1},"b":2}'])(
    'stays what it is: %s',
    (result) => {
      const request = readRequest(adapterOf(from), stringify(ASKED[from](result)))
      const { body } = writeRequest(adapterOf(to), request)
      const { turns } = readRequest(adapterOf(to), stringify(body))
      const results = turns.flatMap(({ blocks }) =>
        blocks.flatMap((block) => (block.kind === 'tool-result' ? [block] : [])),
      )
      expect(results).toMatchObject([{ content: [{ kind: 'text', text: result }] }])
      expect(results[0]?.isError).toBeUndefined()
      if (to === 'generate-content') expect(stringify(body)).toContain(`"response":${result}`)
    },
  )
})
