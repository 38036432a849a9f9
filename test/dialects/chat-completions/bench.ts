import { LAST_WORDS, TEXT, data, type BenchReply, type BenchWords } from '../../bench/words.ts'

const history: BenchWords['history'] = ({ steps, system, task, tools }) => ({
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: task },
    ...steps.flatMap(({ id, said, tool, input, result }) => [
      {
        role: 'assistant',
        content: said,
        tool_calls: [
          { id, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } },
        ],
      },
      { role: 'tool', tool_call_id: id, content: result },
    ]),
  ],
  tools: tools.map(({ name, description, schema }) => ({
    type: 'function',
    function: { name, description, parameters: schema },
  })),
  max_tokens: 8192,
})

const head = {
  id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
  created: 1_756_315_696,
  model: 'bench-chat-completions',
  service_tier: 'default',
  system_fingerprint: 'fp_b376dfbbd5',
}
const usage = (completion_tokens: number) => ({
  prompt_tokens: 214,
  completion_tokens,
  total_tokens: 214 + completion_tokens,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
})

/** The service pads its chunks, so that their lengths tell nothing to those who listen. */
const padding = (text: string): string => 'k7Zq2mXw9LtBv4Rc'.slice(text.length % 16)

const chunk = (delta: object, finish_reason: string | null, obfuscation: string) =>
  `${data({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage: null,
    obfuscation,
  })}\n\n`

const textDelta = (content: string) => chunk({ content }, null, padding(content))

const reply: BenchReply = {
  json: JSON.stringify({
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: TEXT, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: usage(120),
  }),
  opening: [chunk({ role: 'assistant', content: '', refusal: null }, null, 'k7Z')],
  delta: textDelta,
  closing: (deltas) => [
    textDelta(LAST_WORDS),
    chunk({}, 'stop', 'k7'),
    `${data({ ...head, object: 'chat.completion.chunk', choices: [], usage: usage(deltas) })}\n\n`,
    'data: [DONE]\n\n',
  ],
}

export const bench: BenchWords = {
  small: ({ rules, question }) => ({
    max_tokens: 1024,
    temperature: 0.5,
    messages: [
      { role: 'system', content: rules },
      { role: 'user', content: [{ type: 'text', text: question }] },
    ],
  }),
  image: ({ data: base64, question }) => ({
    max_tokens: 1024,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
          { type: 'text', text: question },
        ],
      },
    ],
  }),
  history,
  reply,
  ending: { json: '"finish_reason":"stop"', stream: 'data: [DONE]' },
}
