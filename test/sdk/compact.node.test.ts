import OpenAI from 'openai'
import type { ResponseInput } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { stage } from './proxy.ts'
import { said, text, MODEL, type Wire } from './script.ts'
import { BASE, CALLER_KEY, says, type Stage } from './stage.ts'

/** What `OpenAIResponsesCompactionSession` of @openai/agents 0.20.0 asks for after a turn. */
const ASKED = {
  model: 'gpt-5.6',
  input: [{ type: 'message' as const, role: 'user' as const, content: 'Who are you?' }],
}
const COMPACTED: Wire = {
  id: 'resp_6891a5f2c1b481a0a4e2d7c3f5b609aa',
  object: 'response.compaction',
  created_at: 1_786_000_000,
  output: [
    { type: 'compaction', id: 'cmp_6891a5f2c1b481a0', encrypted_content: 'gAAAAABo-sum_1-Zx9==' },
  ],
  usage: {
    input_tokens: 90,
    input_tokens_details: { cached_tokens: 64, cache_write_tokens: 0 },
    output_tokens: 12,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 102,
  },
}

const clientOf = ({ fetch }: Stage) =>
  new OpenAI({ apiKey: CALLER_KEY, baseURL: `${BASE}/v1`, fetch, maxRetries: 0 })

describe('a conversation that a client has summed up', () => {
  it('goes to a service of the same dialect as it came, and so does the summary', async () => {
    const staged = stage('responses', () => ({ body: COMPACTED }))
    const { _request_id: _, ...answer } = await clientOf(staged).responses.compact(ASKED)
    expect(answer).toEqual(COMPACTED)
    const [received] = staged.received
    expect(received?.path).toBe('/v1/responses/compact')
    expect(received?.body).toEqual({ ...ASKED, model: MODEL })
  })

  it('is told that the service refuses', async () => {
    const staged = stage('responses', () => kits.responses.scripted.refusals.rate)
    await expect(clientOf(staged).responses.compact(ASKED)).rejects.toThrow(OpenAI.RateLimitError)
  })

  it.each(othersThan('responses'))(
    'is summed up over %s, and goes on from there',
    async (upstream) => {
      const replies = [said([text('They ask who I am.')]), said([text('An answer.')])]
      const staged = stage(upstream, says(upstream, ...replies))
      const client = clientOf(staged)
      const { object, output, usage } = await client.responses.compact(ASKED)
      expect([object, usage.total_tokens]).toEqual(['response.compaction', 140])
      expect(output.map(({ type }) => type)).toEqual(['message', 'compaction'])
      const input = [...output, { role: 'user' as const, content: 'And now?' }]
      const next = await client.responses.create({
        model: 'gpt-5.6',
        input: input as ResponseInput,
      })
      expect(next.output_text).toBe('An answer.')
      expect(staged.received[1]?.text).toContain('They ask who I am.')
    },
  )

  it('may go on from what the service itself keeps', async () => {
    const staged = stage('responses', () => ({ body: COMPACTED }))
    const previous_response_id = 'resp_6891a5f2c1b481a0a4e2d7c3f5b609bb'
    await clientOf(staged).responses.compact({ model: 'gpt-5.6', previous_response_id })
    expect(staged.received[0]?.body).toEqual({ model: MODEL, previous_response_id })
  })
})
