import { expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { readRequest, writeRequest } from '../laws/exchange.ts'

const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'advisor', input: {} }
const advice = (content: JsonObject) => ({
  type: 'advisor_tool_result',
  tool_use_id: 'srvtoolu_1',
  content,
})

function sent(to: (typeof DIALECTS)[number], content: JsonObject) {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [use, advice(content), { type: 'text', text: 'Done.' }] },
    { role: 'user', content: 'On.' },
  ]
  const body = { model: 'm', max_tokens: 100, messages }
  return writeRequest(adapterOf(to), readRequest(adapterOf('messages'), stringify(body)))
}

it.each(DIALECTS)('what an adviser said is told over %s', (to) => {
  const result = { type: 'advisor_result', text: 'Look at the logs.', stop_reason: 'end_turn' }
  expect(sent(to, result).text).toContain('Look at the logs.')
})

it.each(DIALECTS.filter((to) => to !== 'messages'))(
  'advice that is encrypted for its service is reported over %s',
  (to) => {
    const secret = { type: 'advisor_redacted_result', encrypted_content: 'c2VjcmV0' }
    const { text, losses } = sent(to, secret)
    expect(text).not.toContain('c2VjcmV0')
    expect(losses.some(({ path }) => path.endsWith('advisor_tool_result'))).toBe(true)
  },
)
