import { messages as grammar } from '../grammar/messages.ts'
import type { Ask, Http, Kit, Say } from './kit.ts'
import { bench } from './messages/bench.ts'
import { client } from './messages/client.ts'
import { correctStream } from './messages/correct-stream.ts'
import { fullReply } from './messages/full-reply.ts'
import { replyNoOps } from './messages/reply-noops.ts'
import { requestNoOps } from './messages/request-noops.ts'
import { scripted } from './messages/scripted.ts'
import { voice } from './messages/voice.ts'
import { wildSession } from './messages/wild-session.ts'
import { messagesReply } from './messages/reply.ts'

const PATH = '/v1/messages'

const http: Http = {
  path: () => PATH,
  body: (model, stream, rest) => ({ model, ...rest, ...(stream && { stream }) }),
  streams: (_, body) => body['stream'] === true,
  credentials: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  keyIn: (headers) => headers.get('x-api-key'),
  count: { path: () => `${PATH}/count_tokens`, reply: (input_tokens) => ({ input_tokens }) },
}

const user = (content: unknown) => ({ role: 'user', content })

const ask: Ask = {
  needed: { model: 'm', max_tokens: 9000 },
  history: 'messages',
  indispensable: ['model', 'messages', 'max_tokens', 'stream', 'system'],
  namesOfTopP: ['top_p'],
  text: (words) => ({ messages: [user(words)] }),
  nothing: { messages: [] },
  instructions: (system) => ({ messages: [], system }),
  offer: (tools) => ({
    tools: tools.map(({ name, schema, strict }) => ({
      name,
      input_schema: schema,
      ...(strict && { strict }),
    })),
  }),
  answerIn: (schema) => ({ output_config: { format: { type: 'json_schema', schema } } }),
  everySchema: (schema) => ({
    model: 'm',
    max_tokens: 9,
    messages: [user('Go')],
    tools: [
      { name: 'free', input_schema: schema },
      { name: 'bound', strict: true, input_schema: schema },
    ],
    output_config: { format: { type: 'json_schema', schema } },
  }),
  bounds: (temperature, max_tokens) => ({ temperature, max_tokens }),
  called: (input, content) => ({
    messages: [
      user('q'),
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: JSON.parse(input) }],
      },
      user([{ type: 'tool_result', tool_use_id: 'call_1', content }]),
    ],
  }),
  session: (turns, tools, result) => ({
    model: 'm',
    max_tokens: 9,
    tools: tools.map(({ name, schema }) => ({ name, description: name, input_schema: schema })),
    messages: Array.from({ length: turns }, (_, turn) => [
      user(
        turn === 0
          ? 'Go'
          : [{ type: 'tool_result', tool_use_id: `toolu_${turn - 1}`, content: result }],
      ),
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: `toolu_${turn}`, name: tools[0]?.name, input: { path: 'x' } },
        ],
      },
    ]).flat(),
  }),
  image: (url) => ({ messages: [user([{ type: 'image', source: { type: 'url', url } }])] }),
  proven: {
    body: (signature) => ({
      model: 'own',
      max_tokens: 10,
      // With a schema that is completed for no caller of the dialect.
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      messages: [
        user('hi'),
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature },
            { type: 'text', text: 'yes' },
          ],
        },
        user('go on'),
      ],
    }),
    own: { name: 'f', input_schema: { type: 'object' } },
  },
  opaque: { type: 'container_upload', file_id: 'file_1' },
}

const hello = { ...messagesReply('hello'), model: 'own' }
const textDelta = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
})
const textStart = {
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'text', text: '' },
}

const say: Say = {
  hello: {
    body: hello,
    events: [
      { type: 'message_start', message: { ...hello, content: [], stop_reason: null } },
      textStart,
      textDelta('hello'),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ],
  },
  call: (name, input) =>
    JSON.stringify({
      ...hello,
      content: [{ type: 'tool_use', id: 'toolu_1', name, input: '<input>' }],
      stop_reason: 'tool_use',
    }).replace('"<input>"', () => input),
  picture: (data) => ({
    content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
    stop_reason: 'end_turn',
  }),
  begun: [
    { type: 'message_start', message: { id: 'msg_1', model: 'm', content: [], usage: {} } },
    textStart,
    textDelta('a'),
  ],
  generalError: { type: 'error', error: { type: 'api_error', message: 'm' } },
  failure(message) {
    const event = { type: 'error', error: { type: 'overloaded_error', message } }
    return {
      event: `event: error\ndata: ${JSON.stringify(event)}\n\n`,
      body: { type: 'error', error: { type: 'api_error', message } },
    }
  },
  full: { body: fullReply, only: 'container' },
  unheard: {
    ...messagesReply(''),
    content: [{ type: 'container_upload', file_id: 'file_1' }],
  },
  plainFixture: 'plain',
}

export const messages: Kit = {
  http,
  ask,
  say,
  client,
  cached: { members: ['tools', 'system', 'messages'], marked: true },
  voice,
  scripted,
  grammar,
  correctStream: {
    events: correctStream,
    named: true,
    mayBeMissing: (event) => JSON.stringify(event).includes('input_json_delta'),
    mayComeTwice: () => false,
  },
  noOps: { request: requestNoOps, reply: replyNoOps },
  wildSession,
  model: 'claude-opus-5-5',
  bench,
}
