import { ProblemError, type Problem } from '../../src/model/problem.ts'
import { translator, type TranslatedRequest } from '../../src/translator.ts'

export const DIALECTS = ['messages', 'generate-content', 'responses'] as const
export type Dialect = (typeof DIALECTS)[number]
export type Pair = [from: Dialect, to: Dialect]

/** All pairs of two different dialects. */
export const PAIRS: Pair[] = DIALECTS.flatMap((from) =>
  DIALECTS.flatMap((to): Pair[] => (from === to ? [] : [[from, to]])),
)

const REST: Record<Dialect, object> = {
  messages: { model: 'm', max_tokens: 9000 },
  'generate-content': {},
  responses: { model: 'm' },
}

/** What an upstream is sent for a caller's body. */
export const sent = ([from, to]: Pair, body: object): TranslatedRequest =>
  translator({ from, to }).request(JSON.stringify({ ...REST[from], ...body }))

export const lossesOf = ({ losses }: TranslatedRequest): string[] =>
  losses.map(({ code, path }) => `${code} ${path}`)

/** Why a body is refused. */
export function refusal(pair: Pair, body: object): Problem | undefined {
  try {
    sent(pair, body)
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}

/** A conversation in which a tool was called once, and answered. */
export const callOf: Record<Dialect, (input: string, output: unknown) => object> = {
  messages: (input, content) => ({
    messages: [
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: JSON.parse(input) }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content }] },
    ],
  }),
  'generate-content': (input, output) => ({
    contents: [
      { role: 'user', parts: [{ text: 'q' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: JSON.parse(input) } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output } } }] },
    ],
  }),
  responses: (input, output) => ({
    input: [
      { role: 'user', content: 'q' },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: input },
      { type: 'function_call_output', call_id: 'call_1', output },
    ],
  }),
}
