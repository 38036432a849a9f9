import { LAST_WORDS, TEXT, named, type BenchReply, type BenchWords } from '../../bench/words.ts'

const LASTING = { cache_control: { type: 'ephemeral' } }

/** As an agent does: what changes comes first, and the mark of the cache wanders to the newest block. */
const history: BenchWords['history'] = ({ steps, system, task, tools }) => ({
  messages: [
    { role: 'user', content: [{ type: 'text', text: task }] },
    ...steps.flatMap(({ id, said, tool, input, result }, index) => [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: said },
          { type: 'tool_use', id, name: tool, input },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: id,
            content: [{ type: 'text', text: result }],
            ...(index === steps.length - 1 && LASTING),
          },
        ],
      },
    ]),
  ],
  system: [{ type: 'text', text: system, ...LASTING }],
  tools: tools.map(({ name, description, schema }) => ({
    name,
    description,
    input_schema: schema,
  })),
  max_tokens: 8192,
})

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

const reply: BenchReply = {
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

export const bench: BenchWords = {
  small: ({ rules, question }) => ({
    max_tokens: 1024,
    temperature: 0.5,
    system: rules,
    messages: [{ role: 'user', content: [{ type: 'text', text: question }] }],
  }),
  image: ({ data, question }) => ({
    max_tokens: 1024,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
          { type: 'text', text: question },
        ],
      },
    ],
  }),
  history,
  reply,
  ending: { json: '"end_turn"', stream: 'event: message_stop' },
}
