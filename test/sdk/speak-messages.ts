import {
  eventText,
  tokens,
  type Counts,
  type Piece,
  type Said,
  type Stop,
  type Wire,
} from './script.ts'

const STOPS: Record<Stop, string> = {
  stop: 'end_turn',
  'tool-call': 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
  'stop-sequence': 'stop_sequence',
}

const usage = ({ input, cached, output, reasoning }: Counts): Wire => ({
  input_tokens: input - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { thinking_tokens: reasoning },
  service_tier: 'standard',
})

function block(piece: Piece): Wire {
  switch (piece.kind) {
    case 'text':
      return { type: 'text', text: piece.text, citations: null }
    case 'thinking':
      return piece.text === '' && !piece.omitted
        ? { type: 'redacted_thinking', data: piece.proof }
        : { type: 'thinking', thinking: piece.text, signature: piece.proof }
    case 'call':
      return { type: 'tool_use', id: piece.id, name: piece.name, input: JSON.parse(piece.input) }
    default:
      throw new Error(`a messages upstream says no ${piece.kind}`)
  }
}

/** The reply of a messages upstream, whole. */
export function messagesBody(reply: Said, model: string): Wire {
  return {
    id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
    type: 'message',
    role: 'assistant',
    model,
    content: reply.pieces.map(block),
    stop_reason: STOPS[reply.stop],
    stop_sequence: reply.stop === 'stop-sequence' ? 'END' : null,
    ...(reply.stop === 'refusal' && {
      stop_details: { type: 'refusal', category: null, explanation: 'Not this.' },
    }),
    usage: usage(reply.counts),
  }
}

/** The same reply as its events. */
export function messagesEvents(reply: Said, model: string): string[] {
  const { content: _, ...message } = messagesBody(reply, model)
  const { output_tokens: _output, output_tokens_details: _details, ...start } = usage(reply.counts)
  return [
    eventText('message_start', {
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...start, output_tokens: 1 },
      },
    }),
    eventText('ping', {}),
    ...reply.pieces.flatMap((piece, index) => blockEvents(piece, index)),
    eventText('message_delta', {
      delta: { stop_reason: message['stop_reason'], stop_sequence: message['stop_sequence'] },
      usage: {
        output_tokens: reply.counts.output,
        output_tokens_details: { thinking_tokens: reply.counts.reasoning },
      },
    }),
    eventText('message_stop', {}),
  ]
}

function blockEvents(piece: Piece, index: number): string[] {
  const whole = block(piece)
  const start = (content_block: Wire) => eventText('content_block_start', { index, content_block })
  const delta = (change: Wire) => eventText('content_block_delta', { index, delta: change })
  const stop = eventText('content_block_stop', { index })
  switch (whole['type']) {
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...tokens(String(whole['text'])).map((part) => delta({ type: 'text_delta', text: part })),
        stop,
      ]
    case 'thinking':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...tokens(String(whole['thinking'])).map((part) =>
          delta({ type: 'thinking_delta', thinking: part }),
        ),
        delta({ type: 'signature_delta', signature: whole['signature'] }),
        stop,
      ]
    case 'tool_use':
      return [
        start({ ...whole, input: {} }),
        delta({ type: 'input_json_delta', partial_json: '' }),
        ...tokens(JSON.stringify(whole['input'])).map((part) =>
          delta({ type: 'input_json_delta', partial_json: part }),
        ),
        stop,
      ]
    default:
      return [start(whole), stop]
  }
}
