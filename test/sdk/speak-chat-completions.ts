import { tokens, type Counts, type Piece, type Said, type Stop, type Wire } from './script.ts'

const STOPS: Record<Stop, string> = {
  stop: 'stop',
  'tool-call': 'tool_calls',
  length: 'length',
  refusal: 'stop',
  'stop-sequence': 'stop',
}

const usage = ({ input, cached, output, reasoning }: Counts): Wire => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: reasoning },
})

const ID = 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT'
const head = (object: string, model: string): Wire => ({
  id: ID,
  object,
  created: 1_786_000_000,
  model,
  service_tier: 'default',
  system_fingerprint: 'fp_b376dfbbd5',
})

const only = <K extends Piece['kind']>(pieces: Piece[], kind: K) =>
  pieces.filter((piece): piece is Extract<Piece, { kind: K }> => piece.kind === kind)

const entry = (text: string, signature: string, index: number): Wire => ({
  type: text === '' ? 'reasoning.encrypted' : 'reasoning.text',
  ...(text === '' ? { data: signature } : { text, signature }),
  format: 'anthropic-claude-v1',
  index,
})
const madeCall = ({ id, name, input }: Extract<Piece, { kind: 'call' }>): Wire => ({
  id,
  type: 'function',
  function: { name, arguments: input },
})

function message({ pieces, stop }: Said): Wire {
  const words = only(pieces, 'text')
    .map(({ text }) => text)
    .join('')
  const thoughts = only(pieces, 'thinking')
  const calls = only(pieces, 'call')
  return {
    role: 'assistant',
    content: stop === 'refusal' || words === '' ? null : words,
    refusal: stop === 'refusal' ? words || 'I will not.' : null,
    ...(thoughts.length > 0 && {
      reasoning: thoughts.map(({ text }) => text).join('') || null,
      reasoning_details: thoughts.map(({ text, proof }, index) => entry(text, proof, index)),
    }),
    ...(calls.length > 0 && { tool_calls: calls.map(madeCall) }),
  }
}

/** The reply of an upstream of OpenRouter's kind, whole. */
export const chatBody = (reply: Said, model: string): Wire => ({
  ...head('chat.completion', model),
  choices: [
    { index: 0, message: message(reply), logprobs: null, finish_reason: STOPS[reply.stop] },
  ],
  usage: usage(reply.counts),
})

/** The same as the chunks of a stream: the role each time, the end twice, comments in between. */
export function chatEvents(reply: Said, model: string): string[] {
  const chunk = (delta: Wire, finish_reason: string | null = null, rest: Wire = {}) =>
    `data: ${JSON.stringify({
      ...head('chat.completion.chunk', model),
      choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason }],
      ...rest,
    })}\n\n`
  const finish = STOPS[reply.stop]
  let thoughts = 0
  let calls = 0
  const deltas = reply.pieces.flatMap((piece): Wire[] => {
    if (piece.kind === 'text')
      return tokens(piece.text).map((text) =>
        reply.stop === 'refusal' ? { refusal: text } : { content: text },
      )
    if (piece.kind === 'thinking') return thoughtDeltas(piece, thoughts++)
    return piece.kind === 'call' ? callDeltas(piece, calls++) : []
  })
  return [
    ': OPENROUTER PROCESSING\n\n',
    chunk({ content: '' }),
    ...deltas.map((delta) => chunk(delta)),
    ...(reply.stop === 'refusal' && deltas.length === 0 ? [chunk({ refusal: 'I will not.' })] : []),
    chunk({ content: '' }, finish),
    chunk({ content: '' }, finish, { usage: usage(reply.counts) }),
    'data: [DONE]\n\n',
  ]
}

function thoughtDeltas({ text, proof }: { text: string; proof: string }, index: number): Wire[] {
  if (text === '') return [{ reasoning_details: [entry('', proof, index)] }]
  const format = 'anthropic-claude-v1'
  return [
    ...tokens(text).map((piece) => ({
      reasoning: piece,
      reasoning_details: [{ type: 'reasoning.text', text: piece, format, index }],
    })),
    { reasoning_details: [{ type: 'reasoning.text', signature: proof, format, index }] },
  ]
}

function callDeltas(piece: Extract<Piece, { kind: 'call' }>, index: number): Wire[] {
  const { function: called, ...rest } = madeCall(piece)
  const { name } = called as Wire
  return [
    { tool_calls: [{ index, ...rest, function: { name, arguments: '' } }] },
    ...tokens(piece.input).map((text) => ({
      tool_calls: [{ index, type: 'function', function: { arguments: text } }],
    })),
  ]
}
