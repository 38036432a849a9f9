import { describe, expect, it } from 'vitest'
import { translator } from '../../src/named-translator.ts'

/** Two tokens, the second a part of a character, as each dialect tells of them. */
const TOP = [{ token: 'Hi', logprob: -0.25, bytes: [72, 105] }]
const TOKENS = [
  { token: 'Hi', logprob: -0.25, bytes: [72, 105], top_logprobs: TOP },
  { token: ' é', logprob: -0.75, bytes: [32, 195, 169], top_logprobs: TOP },
]
const chosen = [
  { token: 'Hi', logProbability: -0.25 },
  { token: ' é', logProbability: -0.75 },
]
const also = [{ candidates: [{ token: 'Hi', logProbability: -0.25 }] }]
const RESULT = {
  topCandidates: [...also, ...also],
  chosenCandidates: chosen,
  logProbabilitySum: -1,
}

const completion = {
  id: 'c',
  model: 'm',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hi é' },
      logprobs: { content: TOKENS, refusal: null },
      finish_reason: 'stop',
    },
  ],
}
const part = { type: 'output_text', text: 'Hi é', annotations: [], logprobs: TOKENS }
const item = { id: 'msg', type: 'message', role: 'assistant', status: 'completed', content: [part] }
const response = { id: 'r', object: 'response', model: 'm', status: 'completed', output: [item] }
const candidate = {
  content: { role: 'model', parts: [{ text: 'Hi é' }] },
  finishReason: 'STOP',
  logprobsResult: RESULT,
}
const generated = { candidates: [candidate], modelVersion: 'm', responseId: 'g' }

const REPLIES = {
  'chat-completions': completion,
  responses: response,
  'generate-content': generated,
} as const
type Name = keyof typeof REPLIES
const NAMES = ['chat-completions', 'responses', 'generate-content'] as const
const PAIRS = NAMES.flatMap((from) => NAMES.filter((to) => to !== from).map((to) => [from, to]))

const ASKED = {
  'chat-completions': {
    model: 'm',
    messages: [{ role: 'user', content: 'x' }],
    logprobs: true,
    top_logprobs: 2,
  },
  responses: {
    model: 'm',
    input: 'x',
    top_logprobs: 2,
    include: ['message.output_text.logprobs'],
  },
  'generate-content': {
    contents: [{ role: 'user', parts: [{ text: 'x' }] }],
    generationConfig: { responseLogprobs: true, logprobs: 2 },
  },
}
const WANTED = {
  responses: { top_logprobs: 2, include: ['message.output_text.logprobs'] },
  'generate-content': { generationConfig: { responseLogprobs: true, logprobs: 2 } },
}
/** Bytes are told only by those that have them. */
const bare = TOKENS.map((one) => ({
  ...one,
  bytes: [],
  top_logprobs: TOP.map((top) => ({ ...top, bytes: [] })),
}))
const tokensFrom = (to: string) => (to === 'generate-content' ? bare : TOKENS)
const told = (from: Name, to: string) => {
  const tokens = tokensFrom(to)
  if (from === 'chat-completions') return { choices: [{ logprobs: { content: tokens } }] }
  if (from === 'responses') return { output: [{ content: [{ logprobs: tokens }] }] }
  return { candidates: [{ avgLogprobs: -0.5, logprobsResult: RESULT }] }
}

const piece = (at: number) => ['Hi', ' é'][at] ?? ''
const FRAMES: Record<Name, object[]> = {
  'chat-completions': [0, 1].map((at) => ({
    id: 'c',
    model: 'm',
    choices: [
      {
        index: 0,
        delta: { content: piece(at) },
        logprobs: { content: TOKENS.slice(at, at + 1) },
        finish_reason: at === 1 ? 'stop' : null,
      },
    ],
  })),
  responses: [
    { type: 'response.created', response: { id: 'r', model: 'm', status: 'in_progress' } },
    ...[0, 1].map((at) => ({
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      delta: piece(at),
      logprobs: TOKENS.slice(at, at + 1),
    })),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ],
  'generate-content': [0, 1].map((at) => ({
    candidates: [
      {
        content: { role: 'model', parts: [{ text: piece(at) }] },
        ...(at === 1 && { finishReason: 'STOP' }),
        logprobsResult: {
          topCandidates: also,
          chosenCandidates: chosen.slice(at, at + 1),
        },
      },
    ],
    modelVersion: 'm',
    responseId: 'g',
  })),
}

async function streamed(
  between: { stream(): TransformStream<Uint8Array, Uint8Array> },
  sent: readonly object[],
) {
  const text = sent.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('')
  const source = ReadableStream.from([new TextEncoder().encode(text)])
  const out = await new Response(source.pipeThrough(between.stream())).text()
  return [...out.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))
}

interface Frame {
  type?: string
  logprobs?: unknown[]
  choices?: { logprobs?: { content: unknown[] } | null }[]
  candidates?: { logprobsResult?: { chosenCandidates: unknown[] } }[]
}

/** What the frames of a stream tell of tokens: as they came, and once more whole where the dialect does. */
const tokensIn: Record<Name, (frames: Frame[]) => unknown[]> = {
  'chat-completions': (frames: Frame[]) =>
    frames.flatMap(({ choices }) => choices?.[0]?.logprobs?.content ?? []),
  responses: (frames: Frame[]) =>
    frames.flatMap(({ type, logprobs }) =>
      type === 'response.output_text.delta' ? (logprobs ?? []) : [],
    ),
  'generate-content': (frames: Frame[]) =>
    frames.flatMap(({ candidates }) => candidates?.[0]?.logprobsResult?.chosenCandidates ?? []),
}

const call = { functionCall: { name: 'f', args: {} } }
const framed = (parts: object[], more = {}) => ({
  candidates: [{ content: { role: 'model', parts }, ...more }],
  modelVersion: 'm',
  responseId: 'g',
})

const ASKING = ['responses', 'generate-content'] as const

describe('log probabilities', () => {
  it.each(ASKING)('are asked for of %s by callers of the other', (to) => {
    const from = to === 'responses' ? 'generate-content' : 'responses'
    const request = translator({ from, to, model: 'm' }).request(ASKED[from])
    expect(request.body).toMatchObject(WANTED[to])
    expect(request.losses.filter(({ path }) => /logprobs/.test(path))).toEqual([])
  })

  it.each(ASKING)('are not asked for between %s and servers that refuse the question', (other) => {
    const there = translator({ from: other, to: 'chat-completions', model: 'm' }).request(
      ASKED[other],
    )
    expect(JSON.stringify(there.body)).not.toContain('logprobs')
    expect(there.losses.map(({ path }) => path)).toContain('sampling.logprobs')
    const back = translator({ from: 'chat-completions', to: other, model: 'm' })
    const { body, losses } = back.request(ASKED['chat-completions'])
    expect(JSON.stringify(body)).not.toMatch(/logprobs/i)
    const lost = losses.map(({ path }) => path)
    expect(lost).toEqual(expect.arrayContaining(['logprobs', 'top_logprobs']))
  })

  it.each(PAIRS)('are told to %s by %s, where they come', (from, to) => {
    const between = translator({ from, to, model: 'm' } as never)
    between.request(ASKED[from as Name])
    const reply = between.reply(REPLIES[to as Name])
    expect(reply.body).toMatchObject(told(from as Name, to ?? ''))
  })

  it.each(PAIRS)('are told in a stream to %s by %s, each with its text', async (from, to) => {
    const between = translator({ from, to, model: 'm' } as never)
    between.request({ ...ASKED[from as Name], stream: true })
    const frames = await streamed(between, FRAMES[to as Name])
    const tokens = from === 'generate-content' ? chosen : tokensFrom(to ?? '')
    expect(tokensIn[from as Name](frames)).toEqual(tokens)
  })

  it('that come behind a call are told with the text before it, in bodies and in streams', async () => {
    const end = { finishReason: 'STOP', logprobsResult: RESULT }
    const between = translator({ from: 'responses', to: 'generate-content', model: 'm' })
    const tools = [{ type: 'function', name: 'f' }]
    between.request({ ...ASKED.responses, tools })
    const { body } = between.reply(framed([{ text: 'Hi é' }, call], end))
    between.request({ ...ASKED.responses, tools, stream: true })
    const pieces = [framed([{ text: 'Hi é' }]), framed([call]), framed([], end)]
    const frames = await streamed(between, pieces)
    const whole = [{ content: [{ text: 'Hi é', logprobs: bare }] }, { name: 'f' }]
    expect(body['output']).toMatchObject(whole)
    expect(frames.at(-1)).toMatchObject({ response: { output: whole } })
    const unweighed = await streamed(between, [
      ...pieces.slice(0, 2),
      framed([], { finishReason: 'STOP' }),
    ])
    expect(unweighed.at(-1)).toMatchObject({ response: { output: [{}, { name: 'f' }] } })
  })

  it.each(NAMES)('of %s are nothing to a caller of messages, and that is told', (to) => {
    const between = translator({ from: 'messages', to } as never)
    between.request({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] })
    const { losses } = between.reply(REPLIES[to])
    expect(losses.map(({ path }) => path)).toContain('reply.logprobs')
  })
})
