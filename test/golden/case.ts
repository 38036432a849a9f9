import type { Frame } from '../../adapters/contract.ts'
import type { Json, JsonObject } from '../../src/json/json.ts'

/** The same thing in the words of each dialect, written by hand. */
export type InEach<T> = Record<'messages' | 'generate-content' | 'responses', T>

/** How an upstream answers: with a reply, an error, or a stream that breaks. */
export type Answer =
  | { body: JsonObject }
  | { status: number; error: JsonObject }
  | { frames: Frame[] }

export interface Case {
  name: string
  request: InEach<JsonObject>
  answer: InEach<Answer>
}

export const MODEL = 'model-1'

/** Requests: the conversation, and what else is asked for. */
export const messagesRequest = (messages: Json[], options: JsonObject = {}): JsonObject => ({
  model: MODEL,
  max_tokens: 1024,
  messages,
  ...options,
})
export const generateRequest = (contents: Json[], options: JsonObject = {}): JsonObject => ({
  contents,
  ...options,
})
export const responsesRequest = (input: Json[], options: JsonObject = {}): JsonObject => ({
  model: MODEL,
  input,
  ...options,
})

/** The simplest request, for cases that are about the reply. */
export const hello: InEach<JsonObject> = {
  messages: messagesRequest([{ role: 'user', content: 'Hello' }]),
  'generate-content': generateRequest([{ role: 'user', parts: [{ text: 'Hello' }] }]),
  responses: responsesRequest([{ role: 'user', content: 'Hello' }]),
}

export const messagesReply = (
  content: Json[],
  stop: string = 'end_turn',
  extra: JsonObject = {},
): Answer => ({
  body: {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 20 },
    ...extra,
  },
})
export const generateReply = (
  parts: Json[],
  finish: string = 'STOP',
  extra: JsonObject = {},
  metadata: JsonObject = {},
): Answer => ({
  body: {
    candidates: [{ content: { role: 'model', parts }, finishReason: finish, index: 0, ...extra }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 },
    modelVersion: MODEL,
    responseId: 'reply-01',
    ...metadata,
  },
})
export const responsesReply = (output: Json[], extra: JsonObject = {}): Answer => ({
  body: {
    id: 'resp_01',
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: MODEL,
    output,
    error: null,
    incomplete_details: null,
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 30,
    },
    ...extra,
  },
})

export const outputMessage = (...content: Json[]): JsonObject => ({
  id: 'msg_01',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content,
})
export const outputText = (text: string, annotations: Json[] = []): JsonObject => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
})

/** Replies that say one text. */
export const says = (text: string): InEach<Answer> => ({
  messages: messagesReply([{ type: 'text', text }]),
  'generate-content': generateReply([{ text }]),
  responses: responsesReply([outputMessage(outputText(text))]),
})
