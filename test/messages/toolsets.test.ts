import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'

const others = DIALECTS.filter((dialect) => dialect !== 'messages')
const tools = [
  { type: 'computer_toolset_20260801', configs: { zoom: { enabled: false } } },
  { type: 'browser_toolset_20260801', cache_control: { type: 'ephemeral' } },
]
const PICTURE = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
const STATE = {
  type: 'browser_state',
  tabs: [{ tab_id: 't1', title: 'A', url: 'https://a.example' }],
}
const use = (name: string, toolset_name: string, input: object) => ({
  type: 'tool_use',
  id: `toolu_${name}`,
  name,
  toolset_name,
  input,
})
const result = (name: string, toolset_name: string, content: object[]) => ({
  type: 'tool_result',
  tool_use_id: `toolu_${name}`,
  content,
  toolset_name,
})
const messages = [
  { role: 'user', content: 'a' },
  {
    role: 'assistant',
    content: [
      use('left_click', 'computer', { coordinate: [1, 2] }),
      use('navigate', 'browser', { url: 'https://a.example' }),
    ],
  },
  {
    role: 'user',
    content: [
      result('left_click', 'computer', [{ type: 'image', source: PICTURE }]),
      result('navigate', 'browser', [STATE]),
    ],
  },
]
const asked = { model: 'm', max_tokens: 9, tools, messages }
const sent = (to: (typeof DIALECTS)[number], body: object = asked) => {
  const { text, losses } = translator({ from: 'messages', to, model: 'm' }).request(body)
  return { text, body: JSON.parse(text) as JsonObject, losses: losses.map(({ path }) => path) }
}

describe('a set of tools for a computer or a browser', () => {
  it.each(others)('is a function for each of them to %s', (to) => {
    const { text, losses } = sent(to)
    const name = to === 'responses' ? '"name":"left_click"' : '"computer__left_click"'
    expect(text).toContain(name)
    expect(text).not.toContain(to === 'responses' ? '"region"],"strict"' : 'computer__zoom')
    expect(text).toContain('iVBORw0KGgo=')
    expect(text).toContain('https://a.example')
    expect(losses).not.toContain('tools.computer')
    expect(losses.filter((path) => path.includes('toolset_name'))).toEqual([])
  })

  it('is a namespace with a description over responses, which requires one', () => {
    expect(sent('responses').body['tools']).toMatchObject([
      { type: 'namespace', name: 'computer', description: 'computer' },
      { type: 'namespace', name: 'browser', description: 'browser' },
    ])
  })

  it.each(others)('is called with the name of the set over %s', (to) => {
    const speaker = translator({ from: 'messages', to, model: 'm' })
    speaker.request({ ...asked, messages: messages.slice(0, 1) })
    const name = to === 'responses' ? 'left_click' : 'computer__left_click'
    const reply = kits[to].say.call(name, '{}')
    const named = '"left_click","namespace":"computer"'
    const { body } = speaker.reply(
      to === 'responses' ? reply.replace('"left_click"', named) : reply,
    )
    expect(body).toMatchObject({
      content: [{ type: 'tool_use', name: 'left_click', toolset_name: 'computer' }],
      stop_reason: 'tool_use',
    })
  })

  it('stays as it is for its own service', () => {
    expect(sent('messages').body).toMatchObject({ tools, messages })
  })
})

describe('the older tool for a computer', () => {
  const tool = {
    type: 'computer_20251124',
    name: 'computer',
    display_width_px: 1024,
    display_height_px: 768,
  }
  it.each(others)('is a function that knows its screen to %s', (to) => {
    const { text, losses } = sent(to, { ...asked, tools: [tool], messages: messages.slice(0, 1) })
    expect(text).toContain('"name":"computer"')
    expect(text).toContain('1024 by 768')
    expect(losses.filter((path) => path.startsWith('tools'))).toEqual([])
  })
  it('stays as it is for its own service', () => {
    expect(sent('messages', { ...asked, tools: [tool] }).body).toMatchObject({ tools: [tool] })
  })
})
