import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { readSettings } from '../../src/config/config.ts'
import { knownModels, see } from '../../src/models/see.ts'
import { differences } from '../../src/node/process/online-facts.ts'
import { emptyFolder, type Folder } from './command.ts'

const KEY = 'upstream-key-0123456789'
const SECOND = 'another-upstream-key-0123456789'
let server: Server
let base = ''
let folder: Folder

function support(of: Record<string, boolean>) {
  const members = Object.entries(of).map(([name, supported]) => [name, { supported }])
  return { supported: true, ...Object.fromEntries(members) }
}
function claude(change: object) {
  return { type: 'model', id: 'x', max_input_tokens: 1_000_000, max_tokens: 128_000, ...change }
}

/** One upstream of each dialect below a path of its own; each is asked as its dialect asks. */
const MODELS: Readonly<Record<string, object>> = {
  '/m/v1/models': { data: [{ id: 'claude-opus-4-8' }, { id: 'odd\u001b[31m' }] },
  '/g/v1beta/models': { models: [{ name: 'models/gemini-3-pro' }] },
  '/r/v1/models': { data: [{ id: 'gpt-5' }, { id: 'gpt-5-mini' }] },
  '/facts/v1/models/claude-opus-4-8': claude({
    max_tokens: 64_000,
    lifecycle: 'deprecated',
    retires_at: '2027-06-01T00:00:00Z',
    capabilities: {
      effort: support({ low: true, medium: true, high: true, xhigh: false, max: true }),
      structured_outputs: { supported: true },
      image_input: { supported: false },
      thinking: {
        supported: true,
        types: support({ adaptive: true, between_tools: true, disabled: false, enabled: true }),
      },
    },
  }),
  '/facts/v1/models/deployed': claude({ max_input_tokens: 200_000, capabilities: null }),
  '/facts/v1/models/claude-opus-99': claude({ max_input_tokens: 500_000, capabilities: null }),
  '/facts/v1/models/unheard': claude({}),
  '/facts/v1beta/models/gemini-3.8-flash': {
    name: 'models/gemini-3.8-flash',
    inputTokenLimit: 2_097_152,
    outputTokenLimit: 65_536,
    maxTemperature: 1,
    thinking: false,
  },
  '/facts/v1/models/gpt-5': { id: 'gpt-5', max_tokens: 1 },
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    const { headers } = request
    const keys = [headers['x-api-key'], headers['x-goog-api-key'], headers.authorization?.slice(7)]
    const known = [KEY, SECOND].some((key) => keys.includes(key))
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
  expect(code).toBe(0)
  expect(error.split('\n').filter((line) => line.includes('does not list'))).toEqual([
    expect.stringMatching(
      /^dragoman: my\.json:1:\d+: routes\[2\]\.as: warning: openai does not list this model; did you mean "gpt-5-mini"\?$/,
    ),
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

it('compares the table with what services tell of the models that routes name', async () => {
  const { code, out, error } = await check(
    {
      claude: {
        dialect: 'messages',
        url: `${base}/facts`,
        key: KEY,
        models: {
          deployed: { is: 'claude-opus-4-8', contextWindow: 100_000 },
          unheard: { maxOutputTokens: 9000 },
        },
      },
      gemini: { dialect: 'generate-content', url: `${base}/facts`, key: [KEY, SECOND] },
      vendor: { dialect: 'responses', url: `${base}/facts`, key: KEY },
    },
    [
      { model: 'a', upstream: 'claude', as: 'claude-opus-4-8' },
      { model: 'deployed', upstream: 'claude' },
      { model: 'claude-opus-99', upstream: 'claude' },
      { model: 'unheard', upstream: 'claude' },
      { model: 'claude-haiku-4-5', upstream: 'claude' },
      { model: 'gemini-3.8-flash', upstream: 'gemini' },
      { model: 'gpt-5', upstream: 'vendor' },
      { model: 'claude-*', upstream: 'claude' },
    ],
  )
  expect([code, error]).toEqual([0, error])
  expect(out).toContain('  online    claude: has no list of models (404)\n')
  const told = error
    .split('\n')
    .flatMap(
      (line) =>
        /^dragoman: \S+ routes\[(\d)\]: warning: (.* the service .*)$/.exec(line)?.slice(1) ?? [],
    )
  const opus = 'claude-opus-4-8: '
  const table = 'the table of models says'
  expect(told).toEqual([
    ...[
      `maxOutputTokens: ${table} 128000, the service 64000 (max_tokens)`,
      `thinking: ${table} adaptive, the service either (capabilities.thinking)`,
      `thinkingOff: ${table} true, the service between_tools (capabilities.thinking.types)`,
      `efforts: ${table} low/medium/high/xhigh/max, the service low/medium/high/max (capabilities.effort)`,
      `image: ${table} true, the service false (capabilities.image_input)`,
      `lifecycle: ${table} active, the service deprecated (lifecycle)`,
      `ends: ${table} nothing, the service 2027-06-01 (retires_at)`,
    ].flatMap((line) => ['0', opus + line]),
    '1',
    'deployed: contextWindow: the configuration says 100000, the service 200000 (max_input_tokens)',
    '2',
    expect.stringMatching(
      /^claude-opus-99: contextWindow: the table, which takes it for claude-.+, says 1000000, the service 500000 \(max_input_tokens\)$/,
    ),
    '3',
    'unheard: maxOutputTokens: the configuration says 9000, the service 128000 (max_tokens)',
    '5',
    `gemini-3.8-flash: contextWindow: ${table} 1048576, the service 2097152 (inputTokenLimit)`,
    '5',
    `gemini-3.8-flash: maxTemperature: ${table} 2, the service 1 (maxTemperature)`,
    '5',
    `gemini-3.8-flash: thinking: ${table} level, the service false (thinking)`,
  ])
  expect(error).not.toContain(KEY)
})

it('finds nothing to say of a service that tells what the table has, of any model', () => {
  const { upstreams } = readSettings(
    {
      upstreams: {
        messages: { dialect: 'messages', url: 'https://upstream.example' },
        'generate-content': { dialect: 'generate-content', url: 'https://upstream.example' },
      },
      routes: [{ model: '*', upstream: 'messages' }],
    },
    {},
  )
  const day = '2026-11-28'
  const styles = ['adaptive', 'either', 'budget', 'none']
  for (const [dialect, upstream] of upstreams)
    for (const id of knownModels()) {
      const { facts } = see(id, undefined, day)
      if (dialect === 'messages' && !styles.includes(facts.thinking ?? '')) continue
      const { contextWindow, maxOutputTokens } = facts
      const entry = {
        id,
        facts,
        ...(contextWindow !== undefined && { contextWindow }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      }
      const written = dialects.of(dialect)?.caller.writeModel(entry, Date.parse(day) / 1000)
      expect([id, differences(upstream, id, written ?? {}, day)]).toEqual([id, []])
    }
})
