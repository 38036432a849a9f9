import { chatCompletions as grammar } from '../grammar/chat-completions.ts'
import { bench } from './chat-completions/bench.ts'
import { client } from './chat-completions/client.ts'
import { correctStream } from './chat-completions/correct-stream.ts'
import { fullReply } from './chat-completions/full-reply.ts'
import { replyNoOps } from './chat-completions/reply-noops.ts'
import { requestNoOps } from './chat-completions/request-noops.ts'
import { scripted } from './chat-completions/scripted.ts'
import { voice } from './chat-completions/voice.ts'
import { wildSession } from './chat-completions/wild-session.ts'
import type { Ask, Http, Kit, Offer, Say } from './kit.ts'

const PATH = '/v1/chat/completions'

const http: Http = {
  path: () => PATH,
  body: (model, stream, rest) => ({ model, ...rest, ...(stream && { stream }) }),
  streams: (_, body) => body['stream'] === true,
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  keyIn: (headers) => headers.get('authorization')?.replace(/^Bearer /, '') ?? null,
}

const user = (content: unknown) => ({ role: 'user', content })
const offered = ({ name, schema, strict }: Offer) => ({
  type: 'function',
  function: { name, parameters: schema, ...(strict !== undefined && { strict }) },
})
const call = (id: string, name: string, input: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: input } }],
})

const ask: Ask = {
  needed: { model: 'm' },
  history: 'messages',
  indispensable: ['model', 'messages', 'stream', 'stream_options'],
  namesOfTopP: ['top_p'],
  text: (text) => ({ messages: [user(text)] }),
  nothing: { messages: [] },
  instructions: (text) => ({ messages: [{ role: 'system', content: text }] }),
  offer: (tools) => ({ tools: tools.map(offered) }),
  answerIn: (schema) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'r', schema, strict: false } },
  }),
  everySchema: (schema) => ({
    model: 'm',
    messages: [user('Go')],
    tools: [offered({ name: 'free', schema }), offered({ name: 'bound', schema, strict: true })],
    response_format: { type: 'json_schema', json_schema: { name: 'reply', schema } },
  }),
  bounds: (temperature, max_tokens) => ({ temperature, max_tokens }),
  called: (input, output) => ({
    messages: [
      user('q'),
      call('call_1', 'f', input),
      { role: 'tool', tool_call_id: 'call_1', content: output },
    ],
  }),
  session: (turns, tools, output) => ({
    model: 'm',
    tools: tools.map(offered),
    messages: Array.from({ length: turns }, (_, turn) => [
      call(`call_${turn}`, tools[0]?.name ?? '', '{"path":"x"}'),
      { role: 'tool', tool_call_id: `call_${turn}`, content: output },
    ]).flat(),
  }),
  image: (url) => ({ messages: [user([{ type: 'image_url', image_url: { url } }])] }),
  proven: {
    body: (proof) => ({
      model: 'own',
      messages: [
        user('hi'),
        {
          role: 'assistant',
          content: 'yes',
          reasoning_details: [
            {
              type: 'reasoning.encrypted',
              data: proof,
              id: 'redacted_0_0_0',
              format: 'dragoman-v1',
              index: 0,
            },
          ],
        },
        user('go on'),
      ],
    }),
  },
  opaque: { type: 'video_url', video_url: { url: 'https://a.example/b.mp4' } },
}

const makeReply = (message: object, finish_reason: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'own',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
})
const makeChunk = (delta: object, finish_reason: string | null, rest = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'own',
  choices: [{ index: 0, delta, finish_reason }],
  ...rest,
})
const hello = makeReply({ content: 'hello' }, 'stop')

const say: Say = {
  hello: {
    body: hello,
    events: [
      makeChunk({ role: 'assistant', content: 'hello' }, null),
      makeChunk({}, 'stop', { usage: hello.usage }),
    ],
  },
  call: (name, input) =>
    JSON.stringify(
      makeReply(
        {
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: input } }],
        },
        'tool_calls',
      ),
    ),
  picture: (data) => ({
    ...makeReply(
      {
        content: '',
        images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }],
      },
      'stop',
    ),
  }),
  begun: [makeChunk({ role: 'assistant', content: '' }, null), makeChunk({ content: 'a' }, null)],
  generalError: { error: { message: 'm', type: 'server_error', param: null, code: null } },
  failure(message) {
    const body = { error: { message, type: 'server_error', param: null, code: null } }
    return { event: `data: ${JSON.stringify(body)}\n\n`, body }
  },
  ownFailure: /^data: {[^\n]*"error":{[^\n]*"message"/,
  full: { body: fullReply, only: 'provider' },
  unheard: makeReply(
    { content: [{ type: 'video_url', video_url: { url: 'https://a.example/b.mp4' } }] },
    'stop',
  ),
  plainFixture: 'text',
}

export const chatCompletions: Kit = {
  http,
  ask,
  say,
  client,
  cached: { members: ['tools', 'messages'] },
  voice,
  scripted,
  grammar,
  correctStream: {
    events: correctStream,
    named: false,
    // A piece of a text or of arguments is like any other; nothing counts them here.
    mayBeMissing: (event) => event === correctStream[1] || event === correctStream[3],
    mayComeTwice: (event) => event === correctStream[1] || event === correctStream[3],
  },
  noOps: { request: requestNoOps, reply: replyNoOps },
  wildSession,
  model: 'm',
  bench,
}
