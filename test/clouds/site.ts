import { wholeBytes } from '../../src/json/bytes.ts'
import { objectIn, type JsonObject } from '../../src/json/json.ts'
import { type Config, createApp } from '../../src/index.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import type { Send, UpstreamRequest, UpstreamResponse } from '../../src/ports.ts'

/** One request as a cloud was sent it. */
export interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  text: string
  body: JsonObject
}

export interface CloudSite {
  fetch(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  sent: Sent[]
  log: LogEntry[]
}

export type Upstream = NonNullable<Config['upstreams']>[string]

/** What a stand-in answers; a status, a body and headers. */
export type Answers = (sent: Sent, index: number) => UpstreamResponse | Promise<UpstreamResponse>

export const answer = (
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): UpstreamResponse => ({
  status,
  headers: new Headers({ 'content-type': 'application/json', ...headers }),
  body: new Response(typeof body === 'string' ? body : JSON.stringify(body)).body,
})

export const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
}

export const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-5.4',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
}

export const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-5.4',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'hello', annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
}

export const CONTENT = {
  candidates: [
    { index: 0, content: { role: 'model', parts: [{ text: 'hello' }] }, finishReason: 'STOP' },
  ],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  modelVersion: 'gemini-3-pro',
}

interface Surroundings {
  environment?: Record<string, string>
  now?: () => number
}

/** A proxy in front of upstreams of which each is played by `answers`. */
export function cloudSite(
  upstreams: Record<string, Upstream>,
  answers: Answers,
  config: Config = {},
  { environment = {}, now }: Surroundings = {},
): CloudSite {
  const sent: Sent[] = []
  const log: LogEntry[] = []
  const send: Send = async (request) => {
    const taken = await takenFrom(request)
    sent.push(taken)
    return answers(taken, sent.length - 1)
  }
  const app = createApp(
    { callers: 'open', ...config, upstreams },
    { send, log: (entry) => log.push(entry), ...(now && { now }) },
    environment,
  )
  return {
    sent,
    log,
    fetch: async (path, body, headers = {}) =>
      app.fetch(
        new Request(`http://proxy.example${path}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'anthropic-version': '2023-06-01',
            ...headers,
          },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
  }
}

async function takenFrom({ method, url, headers, body }: UpstreamRequest): Promise<Sent> {
  const whole = body === undefined || body instanceof ReadableStream ? body : wholeBytes(body)
  const text = await new Response(whole as ConstructorParameters<typeof Response>[0]).text()
  return {
    method,
    url,
    headers,
    text,
    body: text.startsWith('{') ? objectIn(JSON.parse(text)) : {},
  }
}

export const ASKED = {
  model: 'claude-sonnet-4-5@20250929',
  max_tokens: 16,
  messages: [{ role: 'user' as const, content: 'hi' }],
}
