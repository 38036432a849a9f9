import { describe, expect, it } from 'vitest'
import { earlierRequest } from '../../scripts/words/wires.ts'
import { translator } from '../../src/named-translator.ts'
import { othersThan } from '../dialects/index.ts'

/** A program that dumps the types of the OpenAI SDK writes both kinds of a call, and one of them is null. */
const custom = {
  id: 'c1',
  type: 'custom',
  function: null,
  custom: { name: 'p', input: '*** Begin Patch' },
}
const plain = {
  id: 'c2',
  type: 'function',
  function: { name: 'q', arguments: '{"city":"Oslo"}' },
  custom: null,
}
const calls = [custom, plain]
const without = calls.map((call) =>
  Object.fromEntries(Object.entries(call).filter(([, value]) => value !== null)),
)

const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

describe.each(othersThan('chat-completions'))('a kind of a call that is null, over %s', (other) => {
  it('says nothing in a request', () => {
    const { request } = translator({ from: 'chat-completions', to: other })
    const ask = (tool_calls: readonly object[]) =>
      request({
        model: 'm',
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: null, tool_calls },
          ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'done' })),
        ],
      })
    const { text, losses } = ask(calls)
    expect(text).toContain('*** Begin Patch')
    expect(text).toBe(ask(without).text)
    expect(losses).toEqual(ask(without).losses)
  })

  const hearing = () => {
    const speaker = translator({ from: other, to: 'chat-completions', model: 'm' })
    speaker.request(earlierRequest(other))
    return speaker
  }

  it('says nothing in a reply', () => {
    const message = { role: 'assistant', content: null, tool_calls: calls }
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
    const { text } = hearing().reply({ id: 'x', object: 'chat.completion', choices })
    expect(text).toContain('*** Begin Patch')
    expect(text).toMatch(/city\W+Oslo/)
  })

  it('says nothing in a stream', async () => {
    const pieces = calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] }))
    const said = [...pieces, chunk({}, 'tool_calls'), 'data: [DONE]\n\n'].join('')
    const told = new Blob([said]).stream().pipeThrough(hearing().stream())
    const text = await new Response(told).text()
    expect(text).toContain('*** Begin Patch')
    expect(text).toMatch(/city\W+Oslo/)
  })
})
