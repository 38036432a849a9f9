import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { jsonReply, proxyOf, sse, sseReply } from '../exchange/proxy.ts'

interface Case {
  upstream: Dialect
  model: string
  says: string
  /** The member that it names beside its words. */
  param?: string
  /** What the words of the refusal name. */
  cure?: object
}

/** The words of the services (models.md, currency.md: as users report them), and what would have spared them. */
const REFUSED: readonly Case[] = [
  {
    upstream: 'messages',
    model: 'claude-opus-4-6',
    says: 'tool_choice: type "tool" and "any" are not supported for this model.',
    cure: { forcedChoice: false },
  },
  {
    upstream: 'messages',
    model: 'claude-opus-5',
    says: '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive".',
    cure: { thinkingOff: false },
  },
  {
    upstream: 'messages',
    model: 'claude-sonnet-4-5',
    says: '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    cure: { thinking: 'adaptive' },
  },
  {
    upstream: 'messages',
    model: 'claude-opus-4-6',
    says: '`temperature` is deprecated for this model.',
    cure: { sampling: 'never' },
  },
  {
    upstream: 'messages',
    model: 'claude-haiku-4-5',
    says: 'max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for claude-haiku-4-5',
    cure: { maxOutputTokens: 32_000 },
  },
  {
    upstream: 'messages',
    model: 'claude-opus-4-5',
    says: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    cure: { prefill: false },
  },
  {
    upstream: 'messages',
    model: 'claude-opus-5',
    says: "role 'system' is not supported on this model",
    cure: { systemInPlace: false },
  },
  {
    upstream: 'messages',
    model: 'claude-opus-4-6',
    says: 'This model does not support the effort parameter.',
    cure: { efforts: [] },
  },
  {
    upstream: 'responses',
    model: 'gpt-5.5',
    says: "Unsupported value: 'none' is not supported with the 'gpt-5.5' model. Supported values are: 'medium', 'high', and 'xhigh'.",
    param: 'reasoning.effort',
    cure: { thinkingOff: false, efforts: ['medium', 'high', 'xhigh'] },
  },
  {
    upstream: 'responses',
    model: 'gpt-5.4',
    says: "Unsupported parameter: 'temperature' is not supported with this model.",
    cure: { sampling: 'never' },
  },
  {
    upstream: 'responses',
    model: 'gpt-6-sol',
    says: "Item type 'configuration_update' is not supported with this model.",
    cure: { effortUpdates: false },
  },
  {
    upstream: 'responses',
    model: 'gpt-5.4',
    says: "Tool 'tool_search' is not supported with gpt-5.4-nano.",
    cure: { deferredTools: false },
  },
  {
    upstream: 'chat-completions',
    model: 'gpt-5.4',
    says: "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.",
    cure: { sampling: 'never' },
  },
  {
    upstream: 'chat-completions',
    model: 'gpt-4.1',
    says: "Unsupported parameter: 'presence_penalty' is not supported with this model.",
    cure: { drop: ['presence_penalty'] },
  },
  {
    upstream: 'chat-completions',
    model: 'glm-5.2',
    says: 'This model always engages in thinking and cannot be disabled; please use low, high, or max',
    cure: { thinkingOff: false, efforts: ['low', 'high', 'max'] },
  },
  {
    upstream: 'chat-completions',
    model: 'grok-4.5',
    says: 'Model grok-4.5 does not support parameter reasoningEffort.',
    cure: { efforts: [] },
  },
  {
    upstream: 'chat-completions',
    model: 'mistral-large-4',
    says: "reasoning_effort 'low' is not supported by this model, supported values: ['none', 'high']",
    cure: { efforts: ['none', 'high'] },
  },
  {
    upstream: 'chat-completions',
    model: 'some-model',
    says: 'invalid temperature: only 1 is allowed for this model',
    cure: { sampling: 'never' },
  },
  {
    upstream: 'chat-completions',
    model: 'some-model',
    says: 'tool_choice "required" is not supported by this model',
    cure: { forcedChoice: false },
  },
  {
    upstream: 'generate-content',
    model: 'gemini-3.5-flash',
    says: 'Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.',
    cure: { efforts: ['low', 'medium', 'high'] },
  },
  {
    upstream: 'generate-content',
    model: 'gemini-3.5-flash',
    says: 'Thinking level THINKING_LEVEL_MINIMAL is not supported for this model.',
    cure: { efforts: ['low', 'medium', 'high'] },
  },
  {
    upstream: 'generate-content',
    model: 'gemini-2.5-flash',
    says: 'Budget 0 is invalid. This model only works in thinking mode.',
    cure: { thinkingOff: false },
  },
  {
    upstream: 'generate-content',
    model: 'gemini-3.8-flash',
    says: 'Built-in tools ({google_search}) and Function Calling cannot be combined in the same request.',
    cure: { mixesTools: false },
  },
  {
    upstream: 'generate-content',
    model: 'my-model',
    says: 'Invalid JSON payload received. Unknown name "store": Cannot find field.',
    cure: { drop: ['store'] },
  },
  // What the facts say already, or what is no matter of facts.
  {
    upstream: 'messages',
    model: 'claude-opus-5-5',
    says: 'tool_choice: type "any" is not supported for this model.',
  },
  { upstream: 'messages', model: 'claude-opus-5', says: 'Your request is not well-formed.' },
  {
    upstream: 'responses',
    model: 'gpt-5.5',
    says: "Invalid 'temperature': decimal above maximum value.",
  },
  { upstream: 'chat-completions', model: 'gpt-5.5', says: 'Missing required parameter: messages.' },
  {
    upstream: 'generate-content',
    model: 'gemini-3.8-flash',
    says: 'Request contains an invalid argument.',
  },
]

/** An error as the service of a dialect writes one. */
const bodyOf = (dialect: Dialect, message: string, param: string | null = null): object => {
  if (dialect === 'messages')
    return { type: 'error', error: { type: 'invalid_request_error', message } }
  if (dialect === 'generate-content')
    return { error: { code: 400, message, status: 'INVALID_ARGUMENT' } }
  return { error: { message, type: 'invalid_request_error', param, code: null } }
}

async function told(from: Dialect, { upstream, model, says, param }: Case) {
  const { http, ask } = kits[from]
  const change = {
    routes: [{ model: '*', upstream: 'plain', as: model }],
    upstream: { dialect: upstream, name: 'mine' },
  }
  const refusal = () => ({ ...jsonReply(bodyOf(upstream, says, param)), status: 400 })
  const proxy = proxyOf(refusal, change, { dialects })
  const answer = await proxy.fetch(http.path('m', false), {
    headers: { 'anthropic-version': '2023-06-01' },
    body: http.body('m', false, { ...ask.needed, ...ask.text('hi') }),
  })
  return { asked: proxy.sent.length, status: answer.status, text: await answer.text() }
}

const CALLERS: readonly Dialect[] = [
  'messages',
  'responses',
  'chat-completions',
  'generate-content',
]

describe.each(REFUSED)('$upstream says: $says', (given) => {
  const { upstream, model, says, param, cure } = given

  it.each(CALLERS.filter((from) => from !== upstream))(
    'is told to %s with what helps',
    async (from) => {
      const { asked, status, text } = await told(from, given)
      expect([asked, status]).toEqual([1, 400])
      const { error } = JSON.parse(text)
      expect(error.message).toContain(says)
      const [, place, said] = /correct it: (\S+): (\{[^}]*\})\)/.exec(error.message) ?? []
      expect(place).toBe(cure && `upstreams.mine.models."${model}"`)
      expect(said === undefined ? undefined : JSON.parse(said)).toEqual(cure)
    },
  )

  it('is told to its own caller as it came', async () => {
    const { status, text } = await told(upstream, given)
    expect([status, JSON.parse(text)]).toMatchObject([400, bodyOf(upstream, says, param)])
  })
})

it.each(['messages', 'responses', 'generate-content'] as const)(
  'a refusal in a stream is told to %s with what helps too',
  async (from) => {
    const { http, ask } = kits[from]
    const message = "Unsupported parameter: 'temperature' is not supported with this model."
    const change = {
      routes: [{ model: '*', upstream: 'plain', as: 'gpt-4.1' }],
      upstream: { dialect: 'chat-completions', name: 'mine' },
    }
    const events = sse({ error: { message, type: 'invalid_request_error', code: 400 } })
    const proxy = proxyOf(() => sseReply([events]), change, { dialects })
    const answer = await proxy.fetch(http.path('m', true), {
      headers: { 'anthropic-version': '2023-06-01' },
      body: http.body('m', true, { ...ask.needed, ...ask.text('hi') }),
    })
    expect(await answer.text()).toContain(
      'upstreams.mine.models.\\"gpt-4.1\\": {\\"sampling\\":\\"never\\"}',
    )
  },
)
