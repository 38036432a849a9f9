import { LAST_WORDS, TEXT, named, type BenchReply, type BenchWords } from '../../bench/words.ts'

const history: BenchWords['history'] = ({ steps, system, task, tools }) => ({
  instructions: system,
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: task }] },
    ...steps.flatMap(({ id, said, tool, input, result }) => [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] },
      { type: 'function_call', call_id: id, name: tool, arguments: JSON.stringify(input) },
      { type: 'function_call_output', call_id: id, output: result },
    ]),
  ],
  tools: tools.map(({ name, description, schema }) => ({
    type: 'function',
    name,
    description,
    parameters: schema,
    strict: false,
  })),
  max_output_tokens: 8192,
  store: false,
})

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

const reply: BenchReply = {
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

export const bench: BenchWords = {
  small: ({ rules, question }) => ({
    max_output_tokens: 1024,
    temperature: 0.5,
    instructions: rules,
    input: [{ role: 'user', content: [{ type: 'input_text', text: question }] }],
  }),
  image: ({ data, question }) => ({
    max_output_tokens: 1024,
    store: false,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'auto' },
          { type: 'input_text', text: question },
        ],
      },
    ],
  }),
  history,
  reply,
  ending: { json: '"output_text"', stream: 'event: response.completed' },
}
