import { describe, expect, it } from 'vitest'
import { chatCompletions } from '../../adapters/chat-completions/index.ts'
import { responses } from '../../adapters/responses/index.ts'
import { readOverflow } from '../../src/model/problem.ts'

/** By these words fantasy 0.48.0, on which Crush stands, knows that a conversation has to be shortened. */
const KNOWN =
  /maximum context length (?:is|of) (\d+) tokens.*?(?:resulted in|requested) ~?(\d+) tokens/

const saidElsewhere = [
  'prompt is too long: 215000 tokens > 200000 maximum',
  'The input token count (215000) exceeds the maximum number of tokens allowed (200000).',
  'input length and `max_tokens` exceed context limit: 195000 + 20000 > 200000, decrease it',
]

describe.each([responses, chatCompletions])(
  'a conversation that is too long',
  ({ dialect, caller }) => {
    const told = (words: string) => {
      const problem = readOverflow(words)
      return problem && JSON.stringify(caller.writeProblem(problem, '').body)
    }

    it.each(saidElsewhere)(`is told to callers of ${dialect} in OpenAI's words: %s`, (words) => {
      expect(told(words)?.match(KNOWN)?.slice(1)).toEqual(['200000', '215000'])
      expect(told(words)).toContain('context_length_exceeded')
    })

    it(`is told to callers of ${dialect} as it was said where nothing was counted`, () => {
      expect(told('prompt is too long')).toContain('"prompt is too long"')
    })
  },
)
