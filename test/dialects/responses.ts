import { responses as grammar } from '../grammar/responses.ts'
import type { Ask, Http, Kit, Say } from './kit.ts'
import { bench } from './responses/bench.ts'
import { client } from './responses/client.ts'
import { correctStream } from './responses/correct-stream.ts'
import { fullReply } from './responses/full-reply.ts'
import { replyNoOps } from './responses/reply-noops.ts'
import { requestNoOps } from './responses/request-noops.ts'
import { scripted } from './responses/scripted.ts'
import { voice } from './responses/voice.ts'
import { wildSession } from './responses/wild-session.ts'
import { responsesItems, responsesReply } from './responses/reply.ts'

const PATH = '/v1/responses'

const http: Http = {
  path: () => PATH,
  body: (model, stream, rest) => ({ model, ...rest, ...(stream && { stream }) }),
  streams: (_, body) => body['stream'] === true,
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  keyIn: (headers) => headers.get('authorization')?.replace(/^Bearer /, '') ?? null,
  count: {
    path: () => `${PATH}/input_tokens`,
    reply: (input_tokens) => ({ object: 'response.input_tokens', input_tokens }),
  },
}

const user = (content: unknown) => ({ role: 'user', content })

const ask: Ask = {
  needed: { model: 'm' },
  history: 'input',
  indispensable: ['model', 'input', 'stream', 'instructions'],
  namesOfTopP: ['top_p'],
  text: (input) => ({ input }),
  nothing: { input: [] },
  instructions: (instructions) => ({ input: '', instructions }),
  offer: (tools) => ({
    tools: tools.map(({ name, schema, strict }) => ({
      type: 'function',
      name,
      parameters: schema,
      ...(strict !== undefined && { strict }),
    })),
  }),
  answerIn: (schema) => ({
    text: { format: { type: 'json_schema', name: 'r', schema, strict: false } },
  }),
  everySchema: (schema) => ({
    model: 'm',
    input: 'Go',
    tools: [
      { type: 'function', name: 'free', strict: false, parameters: schema },
      { type: 'function', name: 'bound', strict: true, parameters: schema },
    ],
    text: { format: { type: 'json_schema', name: 'reply', schema } },
  }),
  bounds: (temperature, max_output_tokens) => ({ temperature, max_output_tokens }),
  called: (input, output) => ({
    input: [
      user('q'),
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: input },
      { type: 'function_call_output', call_id: 'call_1', output },
    ],
  }),
  session: (turns, tools, output) => ({
    model: 'm',
    tools: tools.map(({ name, schema }) => ({ type: 'function', name, parameters: schema })),
    input: Array.from({ length: turns }, (_, turn) => [
      {
        type: 'function_call',
        call_id: `call_${turn}`,
        name: tools[0]?.name,
        arguments: '{"path":"x"}',
      },
      { type: 'function_call_output', call_id: `call_${turn}`, output },
    ]).flat(),
  }),
  image: (image_url) => ({ input: [user([{ type: 'input_image', image_url }])] }),
  proven: {
    body: (encrypted_content) => ({
      model: 'own',
      input: [
        user('hi'),
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content },
        { role: 'assistant', content: 'yes' },
        user('go on'),
      ],
    }),
  },
  opaque: { type: 'compaction', id: 'cmp_1', encrypted_content: 'AAAA' },
}

const hello = { ...responsesReply('hello'), model: 'own' }

const say: Say = {
  hello: { body: hello, events: [{ type: 'response.completed', response: hello }] },
  call: (name, input) =>
    JSON.stringify(
      responsesItems({
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name,
        status: 'completed',
        arguments: input,
      }),
    ),
  picture: (result) => ({
    status: 'completed',
    output: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result }],
  }),
  begun: [
    { type: 'response.created', response: { id: 'resp_1', model: 'm', output: [] } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'a' },
  ],
  generalError: { error: { message: 'm', type: 'server_error', code: 'server_error' } },
  failure(message) {
    const event = { type: 'error', code: 'server_error', message, param: null }
    return {
      event: `event: error\ndata: ${JSON.stringify(event)}\n\n`,
      body: {
        id: 'resp_1',
        object: 'response',
        status: 'failed',
        error: { code: 'x', message },
        output: [],
      },
    }
  },
  ownFailure: /^data: {"type":"error"/,
  full: { body: fullReply, only: 'moderation' },
  unheard: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [{ type: 'program', id: 'p', call_id: 'c', code: '1', fingerprint: 'f' }],
  },
  plainFixture: 'text',
}

export const responses: Kit = {
  http,
  ask,
  say,
  client,
  cached: { members: ['tools', 'instructions', 'input'] },
  voice,
  scripted,
  grammar,
  correctStream: {
    events: correctStream,
    named: true,
    // A second snapshot of the beginning.
    mayBeMissing: (event) => event['type'] === 'response.in_progress',
    mayComeTwice: () => false,
  },
  noOps: { request: requestNoOps, reply: replyNoOps },
  wildSession,
  model: 'gpt-5.6',
  bench,
}
