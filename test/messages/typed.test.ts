import { expect, it } from 'vitest'
import { lossesOf, sent } from '../pitfalls/translate.ts'
import { read, write } from './help.ts'

const bash = { type: 'bash_20250124', name: 'bash' }
const editor = { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }
const body = {
  model: 'm',
  max_tokens: 99,
  messages: [
    { role: 'user', content: 'q' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't1', name: 'bash', input: { command: 'ls' } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a' }] },
  ],
  tools: [bash, { ...editor, max_characters: 100, cache_control: { type: 'ephemeral' } }],
  tool_choice: { type: 'tool', name: 'bash' },
}

it('makes functions of tools that the caller runs, and says what is lost', () => {
  const request = sent(['messages', 'responses'], body)
  const { tools, tool_choice, input } = JSON.parse(request.text)
  expect(tool_choice).toEqual({ type: 'function', name: 'bash' })
  expect(tools).toMatchObject([
    { type: 'function', name: 'bash', parameters: { properties: { command: {} } } },
    { type: 'function', name: editor.name, parameters: { required: ['command', 'path'] } },
  ])
  expect(input[1]).toMatchObject({ name: 'bash', arguments: '{"command":"ls"}' })
  expect(lossesOf(request)).toEqual([
    `dropped tools.${editor.name}.max_characters`,
    'dropped cache',
  ])
})

it('leaves them as they are for an upstream that knows them', () => {
  expect(write(read(body)).wire['tools']).toEqual(body.tools)
})
