import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/index.ts'
import { dialects } from '../../adapters/index.ts'
import type { Config } from '../../src/config/type.ts'
import { settingsFromText, readSettings } from '../../src/config/config.ts'
import { listModels } from '../../src/http/models.ts'
import { findDestination } from '../../src/upstream/route.ts'

const url = 'https://upstream.example'
const upstreams: NonNullable<Config['upstreams']> = {
  claude: { dialect: 'messages', url, models: { 'claude-big': { contextWindow: 8 } } },
  gemini: { dialect: 'generate-content', url },
}
const settings = (routes: Config['routes']) => readSettings({ upstreams, routes }, {})
const listed = (routes: Config['routes']) =>
  listModels(settings(routes), dialects).map(({ id }) => id)

describe('the names of models', () => {
  it('lead to the upstream at which they stand', () => {
    const mixed: Config['routes'] = [
      { model: 'gpt-*', upstream: 'claude', as: 'claude-opus-4-8' },
      { model: 'fast', upstream: 'claude', as: 'claude-big' },
      { model: '*', upstream: 'gemini' },
    ]
    // claude-opus-4-8 and claude-big are names at the one upstream, and a caller's would go to the other.
    expect(listed(mixed)).toEqual(['fast'])
    const direct: Config['routes'] = [{ model: 'claude-*', upstream: 'claude' }, ...mixed]
    expect(listed(direct).toSorted()).toEqual(['claude-big', 'claude-opus-4-8', 'fast'])
  })

  it('may be listed for a pattern, as far as no earlier route takes them', () => {
    const routes: Config['routes'] = [
      { model: 'gpt-5*', upstream: 'gemini', as: 'gemini-3-pro', models: ['gpt-5.6'] },
      { model: 'gpt-*', upstream: 'claude', as: 'claude-big', models: ['gpt-5', 'gpt-4.1'] },
    ]
    expect(listed(routes)).toEqual(['gpt-5.6', 'gpt-4.1'])
  })

  it.each(['claude-big', 'gpt-*', 'gpt'])('are none that the pattern does not take: %s', (name) => {
    const routes = [{ model: 'gpt-*', upstream: 'claude', models: ['gpt-5', name] }]
    expect(() => settings(routes)).toThrow(
      'routes[0].models[1]: expected a name that "gpt-*" stands for',
    )
  })
})

describe('the sample in the README', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const sample = /```jsonc\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const keys = {
    CLAUDE_KEY: 'claude-0001',
    GEMINI_KEY: 'gemini-0001',
    PROXY_KEY: 'proxy-key-00000001',
  }
  const read = settingsFromText(sample, keys, { origin: 'README.md' })

  it('lists a model of its pattern, and nothing that goes elsewhere', () => {
    const names = listModels(read, dialects).map(({ id }) => id)
    expect(names).toEqual(read.routes[0]?.models)
    expect(names.map((name) => findDestination(read, dialects, name)?.upstream.name)).toEqual(
      names.map(() => 'claude'),
    )
  })
})

describe('GET /v1/models', () => {
  const routes = [{ model: '*', upstream: 'claude', models: ['gpt-5', 'claude-big'] }]
  const app = createApp({ upstreams, routes, callers: 'open' })

  it.each([
    ['/v1/models', { 'anthropic-version': '2023-06-01' }, 'data', 'id', ''],
    ['/v1/models', {}, 'data', 'id', ''],
    ['/v1beta/models', {}, 'models', 'name', 'models/'],
  ])('%s with %j', async (path, headers, list, member, prefix) => {
    const answer = await app.request(path, { headers })
    const named = ['gpt-5', 'claude-big'].map((name) => ({ [member]: prefix + name }))
    expect(await answer.json()).toMatchObject({ [list]: named })
  })

  // The members without which Codex 0.171.0 refuses the whole list, each left out by itself; and its query and agent.
  const REQUIRED =
    'slug display_name shell_type visibility supported_in_api priority truncation_policy base_instructions support_verbosity supported_reasoning_levels experimental_supported_tools'
  it('has what Codex reads beside what everything else reads, where Codex asks', async () => {
    const own: Config['upstreams'] = {
      ...upstreams,
      vendor: { dialect: 'responses', url, models: { 'gpt-5.5': {}, 'qwen-coder': {} } },
    }
    const mixed: Config['routes'] = [
      { model: 'gpt-5.5', upstream: 'vendor' },
      { model: 'qwen-coder', upstream: 'vendor' },
      ...routes,
    ]
    const both = createApp({ upstreams: own, routes: mixed, callers: 'open' })
    const ask = async (path: string) =>
      (await (await both.request(path)).json()) as {
        data: { id: string }[]
        models?: { slug: string }[]
      }
    const plain = await ask('/v1/models')
    const told = await ask('/v1/models?client_version=0.171.0')
    expect(Object.keys(plain)).toEqual(['object', 'data'])
    expect(told).toMatchObject({ ...plain })
    // gpt-5.5 at its own service has an entry in Codex already, with instructions that are written for it.
    const names = plain.data.map(({ id }) => id)
    expect(names).toContain('gpt-5.5')
    const listedForCodex = names.filter((name) => name !== 'gpt-5.5')
    const { models = [] } = told
    expect(models.map(({ slug }) => slug)).toEqual(listedForCodex)
    for (const model of models)
      expect(Object.keys(model)).toEqual(expect.arrayContaining(REQUIRED.split(' ')))
    expect(models).toContainEqual(
      expect.objectContaining({
        slug: 'claude-big',
        context_window: 8,
        base_instructions: expect.stringMatching(/^You are Codex/),
      }),
    )
  })
})
