import { describe, expect, it } from 'vitest'
import { kits } from '../dialects/index.ts'
import { translator } from '../../src/named-translator.ts'
import { lossesOf, PAIRS, sent } from './translate.ts'

const spoken = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }
const history = (namespace: string) => ({
  input: [
    { role: 'user', content: 'q' },
    { ...spoken, namespace },
    { type: 'function_call_output', call_id: 'call_1', name: 'f', namespace, output: 'done' },
  ],
})
const tool = { type: 'function', name: 'f', parameters: {}, strict: false }
const others = PAIRS.filter(([from]) => from === 'responses')

describe.each(others)('%s to %s', (...pair) => {
  // Services set the namespace of a plain function to its own name (recorded since 2026).
  it.each(['f', 'elsewhere'])('keeps the name of a call in the undeclared namespace %s', (name) => {
    const request = sent(pair, { ...history(name), tools: [tool] })
    const plain = sent(pair, { ...kits.responses.ask.called('{}', 'done'), tools: [tool] })
    expect(request.body).toEqual(plain.body)
    expect(lossesOf(request)).toEqual(lossesOf(plain))
  })

  it('says where a call belongs whose namespace was declared', () => {
    const tools = [{ type: 'namespace', name: 'ns', description: 'd', tools: [tool] }]
    expect(JSON.stringify(sent(pair, { ...history('ns'), tools }).body)).toContain('"ns__f"')
  })
})

describe.each(['messages', 'generate-content'] as const)('%s over responses', (from) => {
  const { request, reply } = translator({ from, to: 'responses' })
  const asked = {
    messages: {
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'q' }],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
    },
    'generate-content': {
      contents: [{ parts: [{ text: 'q' }] }],
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
    },
  }[from]

  it('calls a tool by the name under which it was declared', () => {
    request(asked)
    const { body, losses } = reply({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'm',
      output: [{ ...spoken, id: 'fc_1', namespace: 'f', status: 'completed' }],
    })
    expect(JSON.stringify(body)).toContain('"name":"f"')
    expect(losses).toEqual([])
  })
})
