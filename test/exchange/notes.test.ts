import { describe, expect, it } from 'vitest'
import { stringify } from '../../src/json/json.ts'
import { parse } from '../../src/json/json.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { readRequest, writeRequest } from '../laws/exchange.ts'

const user = (text: string) => ({ role: 'user', content: text })
const said = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const asked = (name: string) => ({
  type: 'mcp_call',
  id: `mcp_${name}`,
  server_label: 'wiki',
  name,
  arguments: '{"q":1}',
  output: `found by ${name}`,
})
const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }
const result = { type: 'function_call_output', call_id: 'call_1', output: 'done' }
const NOTE = (name: string) => `[${name} of wiki was called with {"q":1}]\nfound by ${name}`

/** What the upstream is told, as it reads it. */
function told(to: 'generate-content' | 'chat-completions', input: object[]) {
  const upstream = adapterOf(to)
  const request = readRequest(
    adapterOf('responses'),
    stringify(parse(JSON.stringify({ model: 'm', input }))),
  )
  const { body, losses } = writeRequest(upstream, request)
  const { turns } = readRequest(upstream, stringify(body))
  const lines = turns.flatMap(({ role, blocks }) =>
    blocks.map((block) => {
      if (block.kind === 'text') return `${role}: ${block.text}`
      return `${role}: ${block.kind}`
    }),
  )
  return { lines, losses: losses.map(({ code, path }) => `${code} ${path}`) }
}

describe.each(['generate-content', 'chat-completions'] as const)(
  'a call that the provider made, over %s',
  (to) => {
    it('is a note of the user, and no words of the model', () => {
      const input = [user('Hi'), said('Let me see.'), asked('a'), said('It says so.'), user('On.')]
      const { lines, losses } = told(to, input)
      expect(lines).toEqual([
        'user: Hi',
        'assistant: Let me see.',
        `user: ${NOTE('a')}`,
        'assistant: It says so.',
        'user: On.',
      ])
      expect(losses).toContain('approximated turns.1.blocks.1')
    })

    it('stands before a call of a function, which its result follows', () => {
      const input = [user('Hi'), asked('a'), call, asked('b'), said('Both.'), result, user('On.')]
      const { lines, losses } = told(to, input)
      const calls = ['assistant: tool-call', 'assistant: Both.']
      expect(lines.filter((line) => !calls.includes(line))).toEqual([
        'user: Hi',
        `user: ${NOTE('a')}`,
        `user: ${NOTE('b')}`,
        'user: tool-result',
        'user: On.',
      ])
      expect(lines.slice(3, 5).toSorted()).toEqual(calls.toSorted())
      expect(losses).toContain('approximated turns.1.blocks.2')
      expect(losses.some((loss) => loss.startsWith('defaulted'))).toBe(false)
    })

    it('begins a conversation as well as it ends one', () => {
      expect(told(to, [asked('a'), said('It says so.'), user('On.')]).lines).toEqual([
        `user: ${NOTE('a')}`,
        'assistant: It says so.',
        'user: On.',
      ])
      expect(told(to, [user('Hi'), asked('a')]).lines).toEqual(['user: Hi', `user: ${NOTE('a')}`])
    })
  },
)
