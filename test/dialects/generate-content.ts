import { generateContent as grammar } from '../grammar/generate-content.ts'
import { bench } from './generate-content/bench.ts'
import { client } from './generate-content/client.ts'
import { correctStream } from './generate-content/correct-stream.ts'
import { fullReply } from './generate-content/full-reply.ts'
import { replyNoOps } from './generate-content/reply-noops.ts'
import { requestNoOps } from './generate-content/request-noops.ts'
import { scripted } from './generate-content/scripted.ts'
import { voice } from './generate-content/voice.ts'
import { wildSession } from './generate-content/wild-session.ts'
import type { Ask, Http, Kit, Say } from './kit.ts'

const http: Http = {
  path: (model, stream) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (_model, _stream, rest) => ({ ...rest }),
  streams: (path) => path.includes(':streamGenerateContent'),
  credentials: (key) => ({ 'x-goog-api-key': key }),
  keyIn: (headers) => headers.get('x-goog-api-key'),
  count: {
    path: (model) => `/v1beta/models/${model}:countTokens`,
    reply: (totalTokens) => ({
      totalTokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }],
    }),
  },
}

const user = (...parts: object[]) => ({ role: 'user', parts })
const model = (...parts: object[]) => ({ role: 'model', parts })

/** Of a kind that is sent for no other caller. */
const OWN_DATA = { mimeType: 'application/x-own', data: 'AAAA' }

const ask: Ask = {
  needed: {},
  history: 'contents',
  indispensable: ['contents', 'systemInstruction'],
  namesOfTopP: [],
  text: (text) => ({ contents: [user({ text })] }),
  nothing: { contents: [] },
  instructions: (text) => ({
    contents: [{ parts: [{ text: '' }] }],
    systemInstruction: { parts: [{ text }] },
  }),
  offer: (tools) => ({
    tools: [
      {
        functionDeclarations: tools.map(({ name, schema }) => ({
          name,
          parametersJsonSchema: schema,
        })),
      },
    ],
  }),
  answerIn: (schema) => ({
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
  }),
  everySchema: (schema) => ({
    contents: [user({ text: 'Go' })],
    tools: [{ functionDeclarations: [{ name: 'free', parametersJsonSchema: schema }] }],
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
  }),
  bounds: (temperature, maxOutputTokens) => ({
    generationConfig: { temperature, maxOutputTokens },
  }),
  called: (input, output) => ({
    contents: [
      user({ text: 'q' }),
      model({ functionCall: { name: 'f', args: JSON.parse(input) } }),
      user({ functionResponse: { name: 'f', response: { output } } }),
    ],
  }),
  session(turns, tools, output) {
    const name = tools[0]?.name
    return {
      tools: [
        {
          functionDeclarations: tools.map((tool) => ({
            name: tool.name,
            description: tool.name,
            parameters: tool.schema,
          })),
        },
      ],
      contents: Array.from({ length: turns }, (_, turn) => [
        user(turn === 0 ? { text: 'Go' } : { functionResponse: { name, response: { output } } }),
        model({ functionCall: { name, args: { path: 'x' } } }),
      ]).flat(),
    }
  },
  image: (url) => ({ contents: [user({ fileData: { fileUri: url, mimeType: 'image/png' } })] }),
  proven: {
    body: (proof) => ({
      contents: [
        user({ text: 'hi' }, { inlineData: OWN_DATA }),
        model({ text: 'yes', thoughtSignature: btoa(proof) }),
        user({ text: 'go on' }),
      ],
    }),
    own: OWN_DATA,
  },
  opaque: { toolCall: { toolType: 'GOOGLE_SEARCH_WEB', id: 's-1', args: {} } },
}

const hello = {
  candidates: [{ content: model({ text: 'hello' }), finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
  modelVersion: 'own',
}

const say: Say = {
  hello: { body: hello, events: [hello] },
  call: (name, input) =>
    JSON.stringify({
      ...hello,
      candidates: [
        {
          content: model({ functionCall: { name, args: '<input>' } }),
          finishReason: 'STOP',
          index: 0,
        },
      ],
    }).replace('"<input>"', () => input),
  picture: (data) => ({
    candidates: [
      {
        content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] },
        finishReason: 'STOP',
      },
    ],
  }),
  begun: [{ candidates: [{ content: model({ text: 'a' }) }] }],
  generalError: { error: { code: 500, message: 'm', status: 'INTERNAL' } },
  failure(message) {
    const body = { error: { code: 503, message, status: 'UNAVAILABLE' } }
    return { event: `data: ${JSON.stringify(body)}\n\n`, body }
  },
  ownFailure: /^data: {"error":{"code":503/,
  full: { body: fullReply, only: 'promptFeedback' },
  unheard: {
    candidates: [
      { content: { role: 'model', parts: [{ invention: { a: 1 } }] }, finishReason: 'STOP' },
    ],
  },
  plainFixture: 'text',
}

export const generateContent: Kit = {
  http,
  ask,
  say,
  client,
  cached: { members: ['tools', 'systemInstruction', 'contents'] },
  voice,
  scripted,
  grammar,
  correctStream: {
    events: correctStream,
    named: false,
    // A text before a call may be missing, and said twice.
    mayBeMissing: (event) => event === correctStream[0],
    mayComeTwice: (event) => event === correctStream[0],
  },
  noOps: { request: requestNoOps, reply: replyNoOps },
  wildSession,
  model: 'gemini-3-pro',
  bench,
}
