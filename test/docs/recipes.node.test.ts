import { describe, expect, test } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { parseJsonc } from '../../src/config/jsonc.ts'
import type { Config } from '../../src/index.ts'
import { officials } from '../dialects/official/index.ts'
import { SERVERS } from '../profiles/servers.ts'
import { siteWith } from '../profiles/stand-in.ts'
import { examined, readSettings } from '../../src/config/config.ts'
import { textSource } from '../../src/config/source.ts'
import { fencesOf, pageAt, variablesIn } from './pages.ts'

/** Every recipe of the page is a whole configuration, and serves every client. */

interface Recipe {
  name: string
  text: string
  config: Config
  dialect: Dialect
  host: string
}

const RECIPES: readonly Recipe[] = fencesOf('jsonc')
  .filter(({ page }) => page === 'docs/recipes.md')
  .map(({ text }) => {
    const config = parseJsonc(text).value as Config
    const [name = '', upstream] = Object.entries(config.upstreams ?? {})[0] ?? []
    if (!upstream) throw new Error(`a recipe without an upstream: ${text}`)
    return { name, text, config, dialect: upstream.dialect as Dialect, host: upstream.url }
  })

/** Where each dialect is asked, behind the address of the upstream. */
const PATHS: Record<Dialect, RegExp> = {
  messages: /\/v1\/messages$/,
  'generate-content':
    /\/v1(?:beta)?\/models\/[\w.-]+:(?:streamGenerateContent\?alt=sse|generateContent)$/,
  responses: /\/v1\/responses$/,
  'chat-completions': /\/v1\/chat\/completions$/,
}

const refusalsOf = (name: string, dialect: Dialect) =>
  SERVERS.find((server) => server.profile === name && server.dialect === dialect)?.refusals ?? []

test('there is one for each provider that people ask for', () => {
  const names = RECIPES.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['anthropic', 'openai', 'gemini', 'openrouter', 'deepseek', 'ollama']),
  )
})

/** Where the addresses of the page lead, beside those of the recipes. */
const ADDRESSES = [...pageAt('docs/recipes.md').text.matchAll(/`(https:[^`]+)`/g)].map(
  ([, url = '']) => url,
)

test.each(ADDRESSES)('%s is known by its address', (url) => {
  const config = { upstreams: { one: { dialect: 'chat-completions', url } } }
  const read = readSettings(config, {}, { exposed: false })
  expect(read.upstreams.get('one')).toMatchObject({ isByAddress: true })
})

describe.each(RECIPES)('$name', (recipe) => {
  const { name, text, config, dialect, host } = recipe
  test('is a configuration without a warning', () => {
    const { faults } = examined(textSource(text, 'dragoman.json'), variablesIn(text), {
      exposed: false,
    })
    expect(faults).toEqual([])
  })

  test.each(DIALECTS)('serves clients of %s', async (caller) => {
    const server = { dialect, refusals: refusalsOf(name, dialect) }
    const site = siteWith(server, undefined, { ...config, callers: 'open' }, variablesIn(text))
    const stage = { fetch: site.fetch, received: [], heard: () => unheard() }
    const said = await officials[caller].driver
      .talk(stage, { stream: true, maxTokens: 900 })
      .say('Hi.')
    expect(said.text).toContain('Hi.')
    expect(site.urls[0]).toMatch(PATHS[dialect])
    expect(site.urls[0]?.startsWith(new URL(host).origin)).toBe(true)
  })
})

const unheard = (): never => {
  throw new Error('nothing is scripted')
}
