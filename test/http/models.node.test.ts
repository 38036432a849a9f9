import { readFileSync } from 'node:fs'
import type Anthropic from '@anthropic-ai/sdk'
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

describe('what is known of a listed model', () => {
  const known: Config = {
    callers: 'open',
    upstreams: {
      claude: {
        dialect: 'messages',
        url,
        models: { deployed: { is: 'claude-opus-4-8', maxOutputTokens: 9000 }, mine: {} },
      },
      gemini: { dialect: 'generate-content', url },
      vendor: { dialect: 'responses', url },
    },
    routes: [
      { model: 'gpt-4.1', upstream: 'claude', as: 'claude-opus-4-8' },
      { model: 'deployed', upstream: 'claude' },
      { model: 'mine', upstream: 'claude' },
      { model: 'claude-opus-99', upstream: 'claude' },
      { model: 'sonnet', upstream: 'claude', as: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0' },
      { model: 'claude-sonnet-4-5', upstream: 'claude' },
      { model: 'pooled', upstream: [{ name: 'gemini', as: 'gemini-3.8-flash' }, 'claude'] },
      { model: 'gpt-6.1-sol', upstream: 'claude' },
      { model: 'gemma-4-31b-it', upstream: 'gemini' },
      { model: 'gpt-4o', upstream: 'gemini' },
    ],
  }
  const app = createApp(known)
  const asked = async (path: string, headers: Record<string, string> = {}) =>
    await (await app.request(path, { headers })).json()
  const claude = { 'anthropic-version': '2023-06-01' }
  const yes = { supported: true }
  const no = { supported: false }

  it('is told as the official client of messages reads it, by the name at the upstream', async () => {
    const expected: Anthropic.ModelInfo = {
      type: 'model',
      id: 'gpt-4.1',
      display_name: 'gpt-4.1',
      created_at: '1970-01-01T00:00:00Z',
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      capabilities: {
        batch: no,
        citations: no,
        code_execution: no,
        context_management: {
          supported: false,
          clear_thinking_20251015: null,
          clear_tool_uses_20250919: null,
          compact_20260112: null,
        },
        effort: { supported: true, low: yes, medium: yes, high: yes, xhigh: yes, max: yes },
        image_input: yes,
        pdf_input: yes,
        server_tools: { supported: false, code_execution: no, web_search: no },
        structured_outputs: yes,
        thinking: {
          supported: true,
          types: { adaptive: yes, between_tools: no, disabled: yes, enabled: no },
        },
      },
      lifecycle: 'active',
      line: null,
      deprecated_at: null,
      retires_at: null,
    }
    expect(await asked('/v1/models/gpt-4.1', claude)).toEqual(expected)
    const deployed = { ...expected, id: 'deployed', display_name: 'deployed', max_tokens: 9000 }
    expect(await asked('/v1/models/deployed', claude)).toEqual(deployed)
    const { data } = (await asked('/v1/models', claude)) as { data: object[] }
    expect(data).toContainEqual(expected)
    expect(data).toContainEqual(deployed)
  })

  it('has the day of its end, at the service of its maker alone', async () => {
    const ends = { retires_at: '2026-11-30T00:00:00Z' }
    expect(await asked('/v1/models/claude-sonnet-4-5', claude)).toMatchObject(ends)
    expect(await asked('/v1/models/sonnet', claude)).toMatchObject({
      lifecycle: 'active',
      retires_at: null,
      max_input_tokens: 200_000,
    })
    const facts = { ends: '2026-11-30' }
    for (const [day, lifecycle] of [
      ['2026-11-29', 'deprecated'],
      ['2026-11-30', 'retired'],
    ] as const)
      expect(
        dialects.of('messages')?.caller.writeModel({ id: 'x', facts }, Date.parse(day) / 1000),
      ).toMatchObject({ lifecycle, ...ends })
  })

  it('is not invented for a name that the table does not know', async () => {
    for (const id of ['mine', 'claude-opus-99'])
      expect(await asked(`/v1/models/${id}`, claude)).toMatchObject({
        max_input_tokens: null,
        max_tokens: null,
        capabilities: null,
      })
    const google = await asked('/v1beta/models/mine')
    expect(Object.keys(google as object)).toEqual([
      'name',
      'displayName',
      'supportedGenerationMethods',
    ])
    expect(Object.keys((await asked('/v1/models/mine')) as object)).toEqual([
      'id',
      'object',
      'created',
      'owned_by',
    ])
  })

  it('is told in the words of generate-content, for a pool by its first member', async () => {
    expect(await asked('/v1beta/models/pooled')).toMatchObject({
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      thinking: true,
    })
    expect(await asked('/v1beta/models/gemma-4-31b-it')).toMatchObject({ thinking: false })
  })

  it('is told to Codex, in words that each of its versions can read', async () => {
    const { models } = (await asked('/v1/models?client_version=0.171.0')) as {
      models: { slug: string; supported_reasoning_levels: { effort: string }[] }[]
    }
    const told = (name: string) => models.find(({ slug }) => slug === name)
    expect(told('gpt-6.1-sol')).toMatchObject({ context_window: 922_000, support_verbosity: true })
    expect(told('gpt-6.1-sol')?.supported_reasoning_levels.map(({ effort }) => effort)).toEqual([
      'low',
      'medium',
      'high',
      'xhigh',
    ])
    expect(told('gpt-4o')).toMatchObject({
      context_window: 128_000,
      supported_reasoning_levels: [],
      supports_reasoning_summaries: false,
    })
    // What Codex takes for the window of a model that it does not know.
    expect(told('mine')).toMatchObject({ context_window: 272_000, support_verbosity: false })
  })
})
