import { eventText, tokens, type Counts, type Piece, type Said, type Wire } from './script.ts'

const usage = ({ input, cached, output, reasoning }: Counts): Wire => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
})

const ID = '6891a5f2c1b481a0a4e2d7c3f5b60918'

/** What a responses upstream puts into `output` for one piece. */
function item(piece: Piece, index: number, refused: boolean, status: string): Wire {
  const id = `${ID}${index}`
  switch (piece.kind) {
    case 'text':
      return {
        id: `msg_${id}`,
        type: 'message',
        status,
        role: 'assistant',
        content: [
          refused
            ? { type: 'refusal', refusal: piece.text }
            : { type: 'output_text', text: piece.text, annotations: [], logprobs: [] },
        ],
      }
    case 'thinking': {
      const summary = piece.text === '' ? [] : [{ type: 'summary_text', text: piece.text }]
      return { id: `rs_${id}`, type: 'reasoning', summary, encrypted_content: piece.proof }
    }
    case 'call': {
      const { id: call_id, name, input } = piece
      return { id: `fc_${id}`, type: 'function_call', status, arguments: input, call_id, name }
    }
    default:
      throw new Error(`a responses upstream says no ${piece.kind}`)
  }
}

const frame = (model: string): Wire => ({
  id: `resp_${ID}`,
  object: 'response',
  created_at: 1_786_000_000,
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  model,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  user: null,
})

/** The reply of a responses upstream, whole. */
export function responsesBody(reply: Said, model: string): Wire {
  const cut = reply.stop === 'length'
  const last = reply.pieces.length - 1
  const output = reply.pieces.map((piece, index) =>
    item(
      piece,
      index,
      reply.stop === 'refusal',
      cut && index === last ? 'incomplete' : 'completed',
    ),
  )
  return {
    ...frame(model),
    status: cut ? 'incomplete' : 'completed',
    ...(cut && { incomplete_details: { reason: 'max_output_tokens' } }),
    output,
    usage: usage(reply.counts),
  }
}

/** The same reply as its events. */
export function responsesEvents(reply: Said, model: string): string[] {
  const whole = responsesBody(reply, model)
  const opening = { ...frame(model), status: 'in_progress', output: [], usage: null }
  const output = whole['output'] as Wire[]
  const events: [string, Wire][] = [
    ['response.created', { response: opening }],
    ['response.in_progress', { response: opening }],
    ...output.flatMap((done, index) => itemEvents(done, index)),
    [`response.${String(whole['status'])}`, { response: whole }],
  ]
  return events.map(([type, data], index) => eventText(type, { sequence_number: index, ...data }))
}

function itemEvents(done: Wire, output_index: number): [string, Wire][] {
  const at = { item_id: done['id'], output_index }
  return [
    ['response.output_item.added', { output_index, item: { ...done, ...EMPTY[kind(done)] } }],
    ...bodyEvents(done, at),
    ['response.output_item.done', { output_index, item: done }],
  ]
}

const kind = (done: Wire) => String(done['type']) as 'message' | 'reasoning' | 'function_call'
const EMPTY = {
  message: { status: 'in_progress', content: [] },
  reasoning: { summary: [], encrypted_content: '' },
  function_call: { status: 'in_progress', arguments: '' },
}

function bodyEvents(done: Wire, at: Wire): [string, Wire][] {
  if (done['type'] === 'function_call') return argumentEvents(String(done['arguments']), at)
  if (done['type'] === 'reasoning') {
    const summary = done['summary'] as Wire[]
    return summary.flatMap((part, summary_index) => summaryEvents(part, { ...at, summary_index }))
  }
  const content = done['content'] as Wire[]
  return content.flatMap((part, content_index) => partEvents(part, { ...at, content_index }))
}

function argumentEvents(whole: string, at: Wire): [string, Wire][] {
  return [
    ...tokens(whole).map((delta): [string, Wire] => [
      'response.function_call_arguments.delta',
      { ...at, delta, obfuscation: 'Kx7' },
    ]),
    ['response.function_call_arguments.done', { ...at, arguments: whole }],
  ]
}

function summaryEvents(part: Wire, at: Wire): [string, Wire][] {
  const whole = String(part['text'])
  return [
    ['response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }],
    ...tokens(whole).map((delta): [string, Wire] => [
      'response.reasoning_summary_text.delta',
      { ...at, delta, obfuscation: 'p' },
    ]),
    ['response.reasoning_summary_text.done', { ...at, text: whole }],
    ['response.reasoning_summary_part.done', { ...at, part }],
  ]
}

function partEvents(part: Wire, at: Wire): [string, Wire][] {
  const refusal = part['type'] === 'refusal'
  const member = refusal ? 'refusal' : 'text'
  const event = refusal ? 'response.refusal' : 'response.output_text'
  const logprobs = refusal ? {} : { logprobs: [] }
  const whole = String(part[member])
  return [
    ['response.content_part.added', { ...at, part: { ...part, [member]: '' } }],
    ...tokens(whole).map((delta): [string, Wire] => [
      `${event}.delta`,
      { ...at, delta, ...logprobs, obfuscation: 'aB3d' },
    ]),
    [`${event}.done`, { ...at, [member]: whole, ...logprobs }],
    ['response.content_part.done', { ...at, part }],
  ]
}
