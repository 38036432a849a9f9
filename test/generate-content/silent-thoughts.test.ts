import { expect, it } from 'vitest'
import { translator } from '../../src/named-translator.ts'
import { measureGrowth, MOST } from '../growth/cpu.ts'

const ASKED = [{ role: 'user', parts: [{ text: 'Look it up.' }] }]
const OPTIONS = {
  tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }],
  generationConfig: { thinkingConfig: { includeThoughts: true } },
}
const thought = (number: number) => ({
  type: 'reasoning',
  id: `rs_${number}`,
  summary: [],
  encrypted_content: `gAAAAA${number}`,
})
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Four.', annotations: [] }],
}
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'f',
  arguments: '{}',
  status: 'completed',
}
const search = {
  type: 'web_search_call',
  id: 'ws_1',
  status: 'completed',
  action: { type: 'search', query: 'four' },
}

/**
 * A chat of Go's google.golang.org/genai 1.77.0 forgets a turn, and what was asked in it, of which one part has no data:
 * a search that is told elsewhere left two thoughts without words one behind the other.
 */
it.each([
  ['a text', message],
  ['a call', call],
])('proofs of thoughts without words stand on %s behind them, and come home', (_, last) => {
  const { request, reply } = translator({ from: 'generate-content', to: 'responses' })
  request({ contents: ASKED, ...OPTIONS })
  const output = [thought(1), search, thought(2), search, thought(3), last]
  const { body } = reply({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output,
  })
  const content = JSON.parse(JSON.stringify(body)).candidates[0].content
  expect(content.parts).toHaveLength(1)
  const next = [...ASKED, content, { role: 'user', parts: [{ text: 'And now?' }] }]
  const sent = JSON.stringify(request({ contents: next, ...OPTIONS }).body)
  const proofs = [...sent.matchAll(/"encrypted_content":"([^"]*)"/g)].map(([, proof]) => proof)
  expect(proofs).toEqual(['gAAAAA1', 'gAAAAA2', 'gAAAAA3'])
})

function replyOfThoughts(size: number) {
  const { request, reply } = translator({ from: 'generate-content', to: 'responses' })
  request({ contents: ASKED, ...OPTIONS })
  const proof = 'A'.repeat(256)
  const thoughts = Array.from({ length: size }, (_, at) => ({
    ...thought(at),
    encrypted_content: `gAAAAA${at}${proof}`,
  }))
  const output = [...thoughts, message]
  const body = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output }
  return () => reply(body)
}

it('cost in proportion to how many there are', async () => {
  expect(await measureGrowth(replyOfThoughts, 1500)).toBeLessThan(MOST)
})
