import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { emptyFolder, type Folder } from './command.ts'

const KEY = 'upstream-key-0123456789'
let server: Server
let base = ''
let folder: Folder

/** One upstream of each dialect below a path of its own; each is asked as its dialect asks. */
const MODELS: Readonly<Record<string, object>> = {
  '/m/v1/models': { data: [{ id: 'claude-opus-4-8' }, { id: 'odd\u001b[31m' }] },
  '/g/v1beta/models': { models: [{ name: 'models/gemini-3-pro' }] },
  '/r/v1/models': { data: [{ id: 'gpt-5' }, { id: 'gpt-5-mini' }] },
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    const { headers } = request
    const keys = [headers['x-api-key'], headers['x-goog-api-key'], headers.authorization?.slice(7)]
    const known = keys.includes(KEY)
    const found = MODELS[pathname]
    if (pathname.startsWith('/m/') && !headers['anthropic-version']) response.statusCode = 400
    else response.statusCode = !known ? 401 : found ? 200 : 404
    response.end(JSON.stringify(found ?? {}))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const check = (upstreams: object, routes: object[]) => {
  folder.write('my.json', JSON.stringify({ upstreams, routes }))
  return folder.run(['check', '--online', '--config', 'my.json']).finished
}

it('asks each upstream for its models, and misses those that routes name', async () => {
  const { code, out, error } = await check(
    {
      claude: { dialect: 'messages', url: `${base}/m`, key: KEY },
      gemini: { dialect: 'generate-content', url: `${base}/g`, key: KEY },
      openai: { dialect: 'responses', url: `${base}/r/v1`, key: KEY },
      other: { dialect: 'responses', url: `${base}/none`, key: KEY },
      lent: { dialect: 'responses', url: base, key: 'caller' },
    },
    [
      { model: 'a', upstream: 'claude', as: 'claude-opus-4-8' },
      { model: 'gemini-3-pro', upstream: 'gemini' },
      { model: 'c', upstream: 'openai', as: 'gpt-5-mni' },
      { model: 'd', upstream: 'other' },
      { model: '*', upstream: 'lent' },
    ],
  )
  expect([code, error.split('\n')]).toEqual([
    0,
    [
      expect.stringMatching(
        /^dragoman: my\.json:1:\d+: routes\[2\]\.as: warning: openai does not list this model; did you mean "gpt-5-mini"\?$/,
      ),
      '',
    ],
  ])
  for (const line of [
    'claude: 1 model\n',
    'gemini: 1 model\n',
    'openai: 2 models\n',
    'other: has no list of models (404)\n',
    'lent: not asked: the key is the caller’s own\n',
  ])
    expect(out).toContain(`  online    ${line}`)
})

it('fails where a key is refused, or nobody is there', async () => {
  const { code, error } = await check(
    {
      claude: { dialect: 'messages', url: `${base}/m`, key: 'another-key-0123456789' },
      gone: { dialect: 'responses', url: 'http://127.0.0.1:1', key: KEY },
    },
    [
      { model: 'a', upstream: 'claude' },
      { model: '*', upstream: 'gone' },
    ],
  )
  expect(code).toBe(78)
  expect(error).toMatch(
    /my\.json:1:\d+: upstreams\.claude\.key: the upstream refuses the key \(status 401\)\n/,
  )
  expect(error).toMatch(
    /my\.json:1:\d+: upstreams\.gone\.url: the upstream cannot be reached: .*\n/,
  )
  expect(error).not.toContain(KEY)
})
