import { has, hello, message, wordsOf, type OddRequest } from './odd-request.ts'
import { PIXEL } from './scene.ts'
import type { Wire } from './script.ts'

const messages = (list: Wire[], rest: Wire = {}): Wire => ({
  model: 'claude-opus-4-8',
  max_tokens: 1000,
  messages: list,
  ...rest,
})
const use = (id: string, name = 'look', input: unknown = {}): Wire => ({
  type: 'tool_use',
  id,
  name,
  input,
})
const got = (id: string, content: unknown = 'done'): Wire => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})
const LOOK = { name: 'look', input_schema: { type: 'object' } }
const PDF = 'JVBERi0xLjQKJeLjz9MKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c+PgplbmRvYmoK'

/** What real schemas hold, and what the Schema of content generation does not know. */
const RICH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { Point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
  properties: {
    at: { $ref: '#/$defs/Point' },
    either: { oneOf: [{ type: 'string', const: 'a' }, { type: ['integer', 'null'] }] },
    list: { type: 'array', items: { type: 'string', pattern: '^a' }, uniqueItems: true },
    count: { type: 'integer', exclusiveMinimum: 0, multipleOf: 2, default: 2 },
    free: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['at'],
  additionalProperties: false,
}

export const FROM_MESSAGES: OddRequest[] = [
  { name: 'a bound of one token', body: messages([hello], { max_tokens: 1 }) },
  {
    name: 'a prefilled answer',
    body: messages([hello, message('assistant', 'Well,')]),
  },
  {
    name: 'two messages by the user in a row',
    body: messages([hello, message('user', 'Are you there?')]),
  },
  {
    name: 'a tool whose result is empty',
    body: messages([hello, message('assistant', [use('t1')]), message('user', [got('t1', [])])], {
      tools: [LOOK],
    }),
  },
  {
    name: 'a result without content',
    body: messages(
      [
        hello,
        message('assistant', [use('t1')]),
        message('user', [{ type: 'tool_result', tool_use_id: 't1' }]),
      ],
      { tools: [LOOK] },
    ),
  },
  {
    name: 'words after the results',
    body: messages(
      [
        hello,
        message('assistant', [use('t1'), use('t2')]),
        message('user', [got('t1'), got('t2'), { type: 'text', text: 'Go on.' }]),
      ],
      { tools: [LOOK] },
    ),
  },
  {
    name: 'a long and odd id',
    body: messages(
      [hello, message('assistant', [use('x'.repeat(90))]), message('user', [got('x'.repeat(90))])],
      { tools: [LOOK] },
    ),
  },
  {
    name: 'a call that was never answered',
    body: messages([hello, message('assistant', [use('t1')]), message('user', 'Never mind.')], {
      tools: [LOOK],
    }),
  },
  {
    name: 'a result of a call that is gone',
    body: messages([message('user', [got('t9', 'forty-two')])], { tools: [LOOK] }),
  },
  {
    name: 'a PDF and an image',
    body: messages([
      message('user', [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Plain.' } },
        { type: 'text', text: 'Compare.' },
      ]),
    ]),
  },
  {
    name: 'thinking of a service that is not this one',
    body: messages(
      [
        hello,
        message('assistant', [{ type: 'thinking', thinking: 'Hm', signature: 'EqQB' }, use('t1')]),
        message('user', [got('t1')]),
      ],
      { tools: [LOOK], thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048 },
    ),
    losses: { responses: /turns\.1\.blocks\.0/, 'generate-content': /turns\.1\.blocks\.0/ },
  },
  {
    name: 'bounds that only this dialect has',
    body: messages([hello], { top_k: 5, stop_sequences: ['A', 'B', 'C', 'D', 'E', 'F'] }),
    losses: { responses: /sampling\.topK.*limits\.stop|limits\.stop.*sampling\.topK/ },
  },
  {
    name: 'an empty message by the assistant',
    body: messages([hello, message('assistant', ''), message('user', 'Hello?')]),
  },
  {
    name: 'integers beyond what JavaScript counts, in their order',
    body: `{"model":"m","max_tokens":99,"tools":[{"name":"look","input_schema":{"type":"object"}}],"messages":[
      {"role":"user","content":"Hi"},
      {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"look","input":{"2":1,"1":12345678901234567890,"__proto__":{"a":1}}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]}]}`,
    check(_heard, upstream, sent) {
      const json = '{"2":1,"1":12345678901234567890,"__proto__":{"a":1}}'
      has(sent, /^(?:responses|chat-completions)$/.test(upstream) ? JSON.stringify(json) : json)
    },
  },
  {
    name: 'a schema with everything in it',
    body: messages([hello], { tools: [{ name: 'look', input_schema: RICH_SCHEMA }] }),
    check(heard) {
      has(JSON.stringify(heard.tools[0]?.schema), '"at"', '"either"', '"list"')
    },
  },
  {
    name: 'long names with odd letters',
    body: messages([hello], {
      tools: [
        { name: `mcp__files__${'x'.repeat(52)}`, input_schema: { type: 'object' } },
        { name: '1st-tool', input_schema: { type: 'object' } },
      ],
      tool_choice: { type: 'tool', name: '1st-tool' },
    }),
    check(heard) {
      if (heard.choice !== heard.tools[1]?.name) throw new Error(`the choice is ${heard.choice}`)
    },
  },
  {
    name: 'blocks that only their own service understands',
    body: messages([
      hello,
      message('assistant', [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        { type: 'container_upload', file_id: 'file_1' },
        { type: 'text', text: 'Nothing found.' },
      ]),
      message('user', 'Sad.'),
    ]),
    losses: { responses: /container_upload/, 'generate-content': /container_upload/ },
    check: (heard) => has(wordsOf(heard), 'Nothing found.', 'Sad.'),
  },
  {
    name: 'white space and empty texts',
    body: messages(
      [
        message('user', [
          { type: 'text', text: '' },
          { type: 'text', text: '  ' },
          { type: 'text', text: 'Hi' },
        ]),
      ],
      { system: [] },
    ),
    check: (heard) => has(wordsOf(heard), 'Hi'),
  },
  {
    name: 'a passage that the caller found',
    body: messages([
      message('user', [
        {
          type: 'search_result',
          source: 'https://a.example',
          title: 'Tea',
          content: [{ type: 'text', text: 'Tea is hot.' }],
          citations: { enabled: true },
        },
        { type: 'text', text: 'Is it?' },
      ]),
    ]),
    check: (heard) => has(wordsOf(heard), 'Tea is hot.', 'Is it?'),
  },
  {
    name: 'a forced tool and a user that is nobody else',
    body: messages([hello], {
      tools: [LOOK],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      metadata: { user_id: 'u'.repeat(200) },
      service_tier: 'auto',
    }),
    check(heard) {
      if (heard.choice !== 'required') throw new Error(`the choice is ${heard.choice}`)
    },
  },
  {
    name: 'a file that another service keeps',
    body: messages([
      message('user', [
        { type: 'image', source: { type: 'file', file_id: 'file_011' } },
        { type: 'text', text: 'What is it?' },
      ]),
    ]),
    refused: 'file_011',
  },
]
