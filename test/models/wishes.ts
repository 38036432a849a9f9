import type { Dialect } from '../../adapters/dialect.ts'

/** What a caller may wish of a model, in no dialect's words. */
export interface Wish {
  off?: boolean
  effort?: string
  budget?: number
  temperature?: number
  topP?: number
  forced?: 'any' | 'one'
  bound?: number
  stop?: boolean
  picture?: boolean
  schema?: boolean
  lastWord?: boolean
  penalties?: boolean
  candidates?: number
  code?: boolean
  logprobs?: boolean
}

const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']

export const WISHES: readonly Wish[] = [
  {},
  { off: true },
  ...EFFORTS.flatMap((effort) => [
    { effort },
    { effort, temperature: 0.3, forced: 'one' as const },
  ]),
  { off: true, temperature: 0.3, topP: 0.5 },
  { off: true, effort: 'max' },
  { off: true, forced: 'any' },
  { budget: 5000 },
  { budget: 30_000, forced: 'any' },
  { temperature: 0.3, topP: 0.5, logprobs: true },
  { temperature: 1, topP: 1 },
  { forced: 'any' },
  { forced: 'one' },
  { bound: 9_000_000 },
  { bound: 9_000_000, budget: 5000 },
  { stop: true },
  { picture: true },
  { schema: true },
  { lastWord: true },
  { penalties: true, candidates: 2 },
  { code: true },
]

const SCHEMA = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}
const PIXEL = 'iVBORw0KGgo='
const NAMES = ['f', 'g']

/** The wish in the words of a caller; what it has no word for is left out. */
export const ASKED: Readonly<Record<Dialect, (model: string, wish: Wish) => object>> = {
  messages: (model, wish) => ({
    model,
    max_tokens: wish.bound ?? 32_000,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          ...(wish.picture
            ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }]
            : []),
        ],
      },
      ...(wish.lastWord ? [{ role: 'assistant', content: 'The answer is' }] : []),
    ],
    ...(wish.off && { thinking: { type: 'disabled' } }),
    ...(wish.effort && !wish.off && { thinking: { type: 'adaptive' } }),
    ...(wish.budget && { thinking: { type: 'enabled', budget_tokens: wish.budget } }),
    ...((wish.effort ?? wish.schema) && {
      output_config: {
        ...(wish.effort && { effort: wish.effort }),
        ...(wish.schema && { format: { type: 'json_schema', schema: SCHEMA } }),
      },
    }),
    ...(wish.temperature !== undefined && { temperature: wish.temperature }),
    ...(wish.topP !== undefined && { top_p: wish.topP }),
    ...(wish.stop && { stop_sequences: ['END'] }),
    ...(wish.forced && {
      tools: NAMES.map((name) => ({ name, input_schema: SCHEMA, strict: true })),
      tool_choice: wish.forced === 'any' ? { type: 'any' } : { type: 'tool', name: 'f' },
    }),
    ...(wish.code && { tools: [{ type: 'code_execution_20260120', name: 'code_execution' }] }),
  }),
  responses: (model, wish) => ({
    model,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'x' },
          ...(wish.picture
            ? [{ type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` }]
            : []),
        ],
      },
      ...(wish.lastWord
        ? [{ role: 'assistant', content: [{ type: 'output_text', text: 'The answer is' }] }]
        : []),
    ],
    ...((wish.off || wish.effort) && { reasoning: { effort: wish.off ? 'none' : wish.effort } }),
    ...(wish.temperature !== undefined && { temperature: wish.temperature }),
    ...(wish.topP !== undefined && { top_p: wish.topP }),
    ...(wish.logprobs && { top_logprobs: 2, include: ['message.output_text.logprobs'] }),
    ...(wish.bound && { max_output_tokens: wish.bound }),
    ...(wish.schema && {
      text: { format: { type: 'json_schema', name: 'n', strict: true, schema: SCHEMA } },
    }),
    ...(wish.forced && {
      tools: NAMES.map((name) => ({ type: 'function', name, strict: true, parameters: SCHEMA })),
      tool_choice: wish.forced === 'any' ? 'required' : { type: 'function', name: 'f' },
    }),
    ...(wish.code && { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }),
  }),
  'chat-completions': (model, wish) => ({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          ...(wish.picture
            ? [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }]
            : []),
        ],
      },
      ...(wish.lastWord ? [{ role: 'assistant', content: 'The answer is' }] : []),
    ],
    ...(wish.off && { thinking: { type: 'disabled' } }),
    ...(wish.effort && { reasoning_effort: wish.effort }),
    ...(wish.budget && { reasoning: { max_tokens: wish.budget } }),
    ...(wish.temperature !== undefined && { temperature: wish.temperature }),
    ...(wish.topP !== undefined && { top_p: wish.topP }),
    ...(wish.logprobs && { logprobs: true, top_logprobs: 2 }),
    ...(wish.bound && { max_completion_tokens: wish.bound }),
    ...(wish.stop && { stop: ['END'] }),
    ...(wish.penalties && { presence_penalty: 0.5, frequency_penalty: 0.5 }),
    ...(wish.candidates && { n: wish.candidates }),
    ...(wish.schema && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', strict: true, schema: SCHEMA },
      },
    }),
    ...(wish.forced && {
      tools: NAMES.map((name) => ({
        type: 'function',
        function: { name, strict: true, parameters: SCHEMA },
      })),
      tool_choice:
        wish.forced === 'any' ? 'required' : { type: 'function', function: { name: 'f' } },
    }),
  }),
  'generate-content': (_, wish) => ({
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'x' },
          ...(wish.picture ? [{ inlineData: { mimeType: 'image/png', data: PIXEL } }] : []),
        ],
      },
      ...(wish.lastWord ? [{ role: 'model', parts: [{ text: 'The answer is' }] }] : []),
    ],
    generationConfig: {
      ...(wish.off && { thinkingConfig: { thinkingBudget: 0 } }),
      ...(wish.budget && { thinkingConfig: { thinkingBudget: wish.budget } }),
      ...(wish.effort &&
        !wish.off && { thinkingConfig: { thinkingLevel: LEVELS[wish.effort] ?? 'HIGH' } }),
      ...(wish.temperature !== undefined && { temperature: wish.temperature }),
      ...(wish.topP !== undefined && { topP: wish.topP }),
      ...(wish.logprobs && { responseLogprobs: true, logprobs: 2 }),
      ...(wish.bound && { maxOutputTokens: wish.bound }),
      ...(wish.stop && { stopSequences: ['END'] }),
      ...(wish.penalties && { presencePenalty: 0.5, frequencyPenalty: 0.5 }),
      ...(wish.candidates && { candidateCount: wish.candidates }),
      ...(wish.schema && { responseMimeType: 'application/json', responseJsonSchema: SCHEMA }),
    },
    ...(wish.forced && {
      tools: [
        { functionDeclarations: NAMES.map((name) => ({ name, parametersJsonSchema: SCHEMA })) },
      ],
      toolConfig: {
        functionCallingConfig: {
          mode: 'ANY',
          ...(wish.forced === 'one' && { allowedFunctionNames: ['f'] }),
        },
      },
    }),
    ...(wish.code && { tools: [{ codeExecution: {} }] }),
  }),
}

const LEVELS: Readonly<Record<string, string>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'XHIGH',
}
