import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/type.ts'
import { good, key, refusing, SIGNED, siteOf, type Site } from './site.ts'

const upstream = (name: string) => ({
  dialect: 'messages' as const,
  url: `https://${name}.example`,
  key: key(name),
})

const SCRIPTS = { one: good('messages'), two: good('messages') }

const siteWith = (route: Partial<NonNullable<Config['routes']>[number]>): Site =>
  siteOf(
    {
      upstreams: { one: upstream('one'), two: upstream('two') },
      routes: [
        { model: '*', upstream: 'two', ...route },
        { model: '*', upstream: 'one' },
      ],
    },
    SCRIPTS,
  )

const told = (name: string) => ({ headers: { 'x-claude-code-request-class': name } })
const asked = (site: Site) => site.sent.map((sent) => sent.key.slice(2, 5))

const turn = (content: unknown, length = 10) => ({
  headers: { 'session-id': 's' },
  body: { system: 'x'.repeat(length), messages: content },
})

describe('a route for a class', () => {
  it('takes what its client calls so', async () => {
    const site = siteWith({ class: ['auxiliary', 'compaction'] })
    for (const name of ['main', 'auxiliary', 'compaction', 'subagent']) await site.ask(told(name))
    expect(asked(site)).toEqual(['one', 'two', 'two', 'one'])
  })
  it('is asked by nothing that is no class (trap 21)', async () => {
    const site = siteWith({ class: 'auxiliary' })
    for (const name of ['nonsense', 'auxiliary'.repeat(1200), 'AUXILIARY', 'auxiliary, main'])
      await site.ask(told(name))
    await site.ask({})
    expect(asked(site)).toEqual(['one', 'one', 'one', 'one', 'one'])
  })
  it('takes searches, thinking and what is long', async () => {
    const search = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
    const tool = { name: 'f', input_schema: { type: 'object' } }
    const thinking = { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } }
    const long = { system: 'x'.repeat(4000) }
    const rows = [
      [{ class: 'web-search' }, search, ['two', 'one']],
      [{ class: 'web-search' }, { tools: [...search.tools, tool] }, ['one', 'one']],
      [{ class: 'thinking' }, thinking, ['two', 'one']],
      [{ class: 'long', minInputTokens: 1000 }, long, ['two', 'one']],
      [{ minInputTokens: 1000 }, long, ['two', 'one']],
    ] as const
    for (const [route, body, expected] of rows) {
      const site = siteWith(route)
      await site.ask({ body })
      await site.ask({})
      expect(asked(site), JSON.stringify(route)).toEqual(expected)
    }
  })
  it('writes nothing into a prompt', async () => {
    const site = siteWith({ class: 'auxiliary' })
    await site.ask(told('auxiliary'))
    await site.ask(told('main'))
    expect(site.sent[0]?.body).toBe(site.sent[1]?.body)
  })
  it('does not take a conversation with proofs in it away from where it began', async () => {
    const site = siteWith({ minInputTokens: 1000 })
    await site.ask(turn(SIGNED.slice(0, 1)))
    await site.ask(turn(SIGNED, 9000))
    await site.ask(turn(SIGNED.slice(0, 1), 9000))
    expect(asked(site)).toEqual(['one', 'one', 'two'])
  })
})

it('masks every key of a list (trap 13)', async () => {
  const names = ['one', 'two', 'three']
  const site = siteOf(
    {
      upstreams: { up: { ...upstream('up'), key: names.map(key), account: 'a' } },
      routes: [{ model: '*', upstream: 'up' }],
    },
    Object.fromEntries(names.map((name) => [name, refusing(529, {}, `no ${key(name)}`)])),
  )
  const response = await site.ask({})
  const shown = JSON.stringify([await response.text(), [...response.headers], site.log])
  for (const name of names) expect(shown).not.toContain(key(name))
  expect(site.sent).toHaveLength(3)
})
