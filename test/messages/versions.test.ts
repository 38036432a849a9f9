import { expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { translator } from '../../src/named-translator.ts'

const others = DIALECTS.filter((to) => to !== 'messages')
const ask = (to: (typeof DIALECTS)[number], more: object) => {
  const messages = [{ role: 'user', content: 'Hi' }]
  const { text, losses } = translator({ from: 'messages', to, model: 'm' }).request({
    model: 'm',
    max_tokens: 5000,
    messages,
    ...more,
  })
  return { text, losses: losses.map(({ code, path }) => `${code} ${path}`) }
}

const FUNCTION = { name: 'f', input_schema: { type: 'object' } }

it.each([
  'web_search_20250305',
  'web_search_20260209',
  'web_search_20260318',
  'web_search_20990101',
])('the version of a tool is no loss where the tool goes on: %s', (type) => {
  const tools = [{ type, name: 'web_search', max_uses: 3 }, FUNCTION]
  for (const to of ['responses', 'generate-content'] as const)
    expect(ask(to, { tools: [tools[0]] }).losses.join()).not.toContain('type')
  expect(ask('responses', { tools }).text).toContain('web_search')
  expect(ask('chat-completions', { tools }).losses).toContain('dropped tools.web-search')
  expect(ask('messages', { tools }).text).toContain(type)
})

it.each(['bash_20250124', 'text_editor_20250728', 'memory_20250818', 'code_execution_20260521'])(
  'nor is that of any other: %s',
  (type) => {
    const tools = [{ type, name: type.replace(/_\d+$/, '') }]
    for (const to of ['responses', 'generate-content'] as const)
      expect(ask(to, { tools }).losses.join()).not.toContain('type')
  },
)

it('another way to search for tools is told, which is more than a version', () => {
  const tools = [
    { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    { ...FUNCTION, defer_loading: true },
  ]
  expect(ask('responses', { tools }).losses.join()).toContain('tool-search')
  expect(ask('messages', { tools }).text).toContain('tool_search_tool_regex_20251119')
})

it.each(others)('thoughts that come as updates are shown as summaries are, over %s', (to) => {
  for (const thinking of [{ type: 'adaptive' }, { type: 'enabled', budget_tokens: 2000 }]) {
    const [summed, updated] = ['summarized', 'updates'].map((display) =>
      ask(to, { thinking: { ...thinking, display } }),
    )
    expect(updated?.text).toBe(summed?.text)
    expect(updated?.losses).toEqual(expect.arrayContaining(summed?.losses ?? []))
  }
})

it('the way in which they come goes back to its own service', () => {
  const profile = { unprovenThoughts: true }
  const both = translator({ from: 'messages', to: 'messages', profile })
  const thinking = { type: 'adaptive', display: 'updates' }
  const body = { model: 'm', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }], thinking }
  expect(both.request(body).body).toMatchObject({ thinking })
})
