import { expect, it } from 'vitest'
import { kits } from '../dialects/index.ts'
import { request as asked, read, write } from '../messages/help.ts'
import { sent } from './translate.ts'

const content = [
  { type: 'tool_reference', tool_name: 'get_weather' },
  { type: 'tool_reference', tool_name: 'get_time' },
]
const body = kits.messages.ask.called('{}', content)
const words = (name: string) => `The tool ${name} was found and can be called.`

it('a search for tools that its caller made names them to a responses upstream', () => {
  const request = sent(['messages', 'responses'], body)
  expect(request.body['input']).toContainEqual({
    type: 'function_call_output',
    call_id: 'call_1',
    output: [
      { type: 'input_text', text: words('get_weather') },
      { type: 'input_text', text: words('get_time') },
    ],
  })
})

it('a search for tools that its caller made names them to a generate-content upstream', () => {
  const request = sent(['messages', 'generate-content'], body)
  expect(JSON.stringify(request.body)).toContain(
    JSON.stringify({ output: `${words('get_weather')}\n${words('get_time')}` }),
  )
})

it('a search for tools that its caller made stays as it is in its own dialect', () => {
  const { turns } = read({ ...body, model: 'm', max_tokens: 9 })
  expect(JSON.stringify(write(asked({ turns })).body)).toContain(JSON.stringify(content))
})

it('a search for tools that its caller runs asks in the words that the caller understands', () => {
  const parameters = {
    type: 'object',
    properties: { queries: { type: 'array', items: { type: 'string' } } },
    required: ['queries'],
  }
  const tools = [{ type: 'tool_search', execution: 'client', description: 'd', parameters }]
  for (const upstream of ['messages', 'generate-content', 'chat-completions'] as const)
    expect(sent(['responses', upstream], { input: 'hi', tools }).text).toContain('"queries"')
})
