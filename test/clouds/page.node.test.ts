import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { examined } from '../../src/config/config.ts'
import { textSource } from '../../src/config/source.ts'
import type { Config } from '../../src/index.ts'
import { CLOUD_UPSTREAMS } from '../../src/node/init/clouds.ts'
import { CLOUD_VARIABLES } from './variables.ts'
import {
  answer,
  ASKED,
  cloudSite,
  COMPLETION,
  CONTENT,
  MESSAGE,
  RESPONSE,
  type Sent,
} from './site.ts'

const page = readFileSync(new URL('../../docs/clouds.md', import.meta.url), 'utf8')

interface Service {
  name: string
  key: string
  path: string
  text: string
}

/** The rows of the table, each with the block below its heading. */
const SERVICES: Service[] = [
  ...page.matchAll(/^\| \[([^\]]+)\]\(#[^)]+\) +\| [^|]+ \| ([^|]+?) +\| `([^`]+)` +\|$/gm),
].map(([, name = '', key = '', path = '']) => {
  const [, text = ''] =
    new RegExp(`^### ${name}\n\n\`\`\`jsonc\n(.*?)\`\`\``, 'ms').exec(page) ?? []
  return { name, key, path, text }
})

function configOf(text: string): Config {
  const source = textSource(text, 'docs/clouds.md')
  expect(examined(source, CLOUD_VARIABLES, {}).faults).toEqual([])
  return source.value as Config
}

const TOKEN = 'token-0123456789'
const isToken = ({ url }: Sent): boolean =>
  /^https:\/\/(?:oauth2\.googleapis|login\.microsoftonline)\.com\/|^http:\/\/metadata\./.test(url)

/** What each service answers at its path, and 404 elsewhere. */
function standIn(path: string, dialect: string) {
  const reply =
    { messages: MESSAGE, responses: RESPONSE, 'generate-content': CONTENT }[dialect] ?? COMPLETION
  return (sent: Sent) => {
    if (isToken(sent)) return answer({ access_token: TOKEN, expires_in: 3600 })
    const { pathname, search } = new URL(sent.url)
    return pathname + search === path && hasKey(sent) && isSaid(sent)
      ? answer(reply)
      : answer({}, 404)
  }
}

const hasKey = ({ headers }: Sent): boolean =>
  ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'].filter((name) => headers[name])
    .length === 1

/** The model and the version stand in one place alone. */
function isSaid({ url, body, headers }: Sent): boolean {
  if (/:rawPredict$|\/invoke$/.test(url) && !url.includes('/workspaces/')) {
    const version = /rawPredict/.test(url) ? 'vertex-2023-10-16' : 'bedrock-2023-05-31'
    return (
      !('model' in body) && body['anthropic_version'] === version && !headers['anthropic-version']
    )
  }
  if (url.endsWith(':generateContent')) return 'contents' in body
  return (
    'model' in body && (!url.includes('/messages') || headers['anthropic-version'] === '2023-06-01')
  )
}

describe('the page of clouds', () => {
  it('has a row and a configuration for each service', () => {
    expect(SERVICES.length).toBeGreaterThanOrEqual(18)
    expect(SERVICES.filter(({ text }) => text === '')).toEqual([])
    const headings = page.match(/^### .*/gm) ?? []
    expect(SERVICES.map(({ name }) => `### ${name}`)).toEqual(headings)
  })

  it.each(SERVICES)('is true of $name', async ({ key, path, text }) => {
    const { upstreams = {} } = configOf(text)
    const [upstream] = Object.values(upstreams)
    const at = path.replace('MODEL', 'claude-sonnet-4-5')
    const site = cloudSite(
      upstreams,
      standIn(at, upstream?.dialect ?? ''),
      {},
      { environment: CLOUD_VARIABLES },
    )
    for (const [asked, body] of [
      ['/v1/messages', { ...ASKED, model: 'claude-sonnet-4-5' }],
      ['/v1/chat/completions', { model: 'claude-sonnet-4-5', messages: ASKED.messages }],
      ['/v1/responses', { model: 'claude-sonnet-4-5', input: 'hi' }],
      [
        '/v1beta/models/claude-sonnet-4-5:generateContent',
        { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      ],
    ] as const) {
      const reply = await site.fetch(asked, body)
      const said = await reply.text()
      expect(reply.status, `${asked}: ${said} ${JSON.stringify(site.sent.at(-1))}`).toBe(200)
      expect(said).toContain('hello')
    }
    if (key.startsWith('a token')) expect(site.sent.filter(isToken)).toHaveLength(1)
  })

  it('is what init writes by name', () => {
    const blocks = SERVICES.map(({ text }) => Object.values(configOf(text).upstreams ?? {}))
    expect([...CLOUD_UPSTREAMS.values()].map((upstream) => [upstream])).toEqual(blocks)
  })

  it('says nothing that a configuration cannot say', () => {
    for (const [, text = ''] of page.matchAll(/```jsonc\n(.*?)```/gs)) configOf(text)
  })
})
