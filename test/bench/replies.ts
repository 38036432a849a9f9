import { type Dialect, LAST_WORDS } from './shared.ts'

/** What an upstream says in the words of its dialect, with all that real ones put into an event. */
export interface Reply {
  /** A whole JSON body of about 1 KB. */
  json: string
  /** The events of a stream: what comes before the first delta, a delta, what comes after the last. */
  opening: readonly string[]
  delta(text: string, index: number): string
  closing(deltas: number): readonly string[]
}

const SENTENCE = 'A proxy reads what one side says and writes what the other one understands. '
const TEXT = SENTENCE.repeat(6) + LAST_WORDS

const data = (event: object): string => `data: ${JSON.stringify(event)}`
const named = (event: { type: string; [member: string]: unknown }): string =>
  `event: ${event.type}\n${data(event)}\n\n`

const message = {
  id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
  type: 'message',
  role: 'assistant',
  model: 'bench-messages',
  content: [{ type: 'text', text: TEXT }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 214,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 120,
    service_tier: 'standard',
  },
}

const textDelta = (text: string) =>
  named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })

const messages: Reply = {
  json: JSON.stringify(message),
  opening: [
    named({ type: 'message_start', message: { ...message, content: [], stop_reason: null } }),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    named({ type: 'ping' }),
  ],
  delta: textDelta,
  closing: (deltas) => [
    textDelta(LAST_WORDS),
    named({ type: 'content_block_stop', index: 0 }),
    named({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: deltas },
    }),
    named({ type: 'message_stop' }),
  ],
}

const generated = (text: string, tokens: number, finishReason?: string) => ({
  candidates: [
    {
      content: { parts: [{ text }], role: 'model' },
      ...(finishReason && { finishReason }),
      index: 0,
    },
  ],
  usageMetadata: {
    promptTokenCount: 214,
    candidatesTokenCount: tokens,
    totalTokenCount: 214 + tokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 214 }],
  },
  modelVersion: 'bench-generate-content',
  responseId: 'kQ4DacHnGr6_kdUPsYmRoAI',
})

const generateContent: Reply = {
  json: JSON.stringify(generated(TEXT, 120, 'STOP'), undefined, 1),
  opening: [],
  delta: (text, index) => `${data(generated(text, index + 1))}\r\n\r\n`,
  closing: (deltas) => [`${data(generated(LAST_WORDS, deltas, 'STOP'))}\r\n\r\n`],
}

const ITEM = 'msg_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b'
const content = (text: string) => ({ type: 'output_text', annotations: [], logprobs: [], text })
const item = (status: string, parts: object[]) => ({
  id: ITEM,
  type: 'message',
  status,
  content: parts,
  role: 'assistant',
})

const response = (status: string, output: object[], tokens?: number) => ({
  id: 'resp_68af4030baa48193b0b43b4c2a176a1a0000000000000000',
  object: 'response',
  created_at: 1_756_315_696,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  model: 'bench-responses',
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  usage: tokens && {
    input_tokens: 214,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 214 + tokens,
  },
  metadata: {},
})

const place = { item_id: ITEM, output_index: 0, content_index: 0 }
const RESPONSES_OPENING = 4

/** The service pads its deltas, so that their lengths tell nothing to those who listen. */
const padding = (text: string): string => 'k7Zq2mXw9LtBv4Rc'.slice(text.length % 16)

const outputDelta = (delta: string, index: number) =>
  named({
    type: 'response.output_text.delta',
    sequence_number: RESPONSES_OPENING + index,
    ...place,
    delta,
    logprobs: [],
    obfuscation: padding(delta),
  })

function responsesClosing(deltas: number): string[] {
  const next = RESPONSES_OPENING + deltas + 1
  const text = LAST_WORDS.repeat(Math.ceil((deltas * 5) / LAST_WORDS.length))
  const whole = item('completed', [content(text)])
  return [
    outputDelta(LAST_WORDS, deltas),
    named({
      type: 'response.output_text.done',
      sequence_number: next,
      ...place,
      text,
      logprobs: [],
    }),
    named({
      type: 'response.content_part.done',
      sequence_number: next + 1,
      ...place,
      part: content(text),
    }),
    named({
      type: 'response.output_item.done',
      sequence_number: next + 2,
      output_index: 0,
      item: whole,
    }),
    named({
      type: 'response.completed',
      sequence_number: next + 3,
      response: response('completed', [whole], deltas),
    }),
  ]
}

const responses: Reply = {
  json: JSON.stringify(
    response('completed', [item('completed', [content(TEXT)])], 120),
    undefined,
    1,
  ),
  opening: [
    { type: 'response.created', response: response('in_progress', []) },
    { type: 'response.in_progress', response: response('in_progress', []) },
    { type: 'response.output_item.added', output_index: 0, item: item('in_progress', []) },
    { type: 'response.content_part.added', ...place, part: content('') },
  ].map((event, index) => named({ ...event, sequence_number: index })),
  delta: outputDelta,
  closing: responsesClosing,
}

export const REPLIES: Readonly<Record<Dialect, Reply>> = {
  messages,
  'generate-content': generateContent,
  responses,
}

const WORDS = [
  ' a',
  ' proxy',
  ' reads',
  ' what',
  ' is',
  ' said',
  ',',
  ' and',
  ' "writes"',
  ' it.\n',
]

export const wordAt = (index: number): string => WORDS[index % WORDS.length] ?? ' a'

const ENDINGS: Readonly<Record<Dialect, { json: string; stream: string }>> = {
  messages: { json: '"end_turn"', stream: 'event: message_stop' },
  'generate-content': { json: '"candidates"', stream: '"finishReason":"STOP"' },
  responses: { json: '"output_text"', stream: 'event: response.completed' },
}

/** What is wrong with an answer in a dialect, if anything: it has to be a whole one. */
export function faultIn(text: string, dialect: Dialect, stream: boolean): string | undefined {
  const ending = ENDINGS[dialect][stream ? 'stream' : 'json']
  if (!text.includes(LAST_WORDS)) return `the last words are missing in: ${text.slice(-200)}`
  if (!text.includes(ending)) return `there is no ${ending} in: ${text.slice(-200)}`
  return undefined
}
