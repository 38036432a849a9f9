import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { findWord } from '../../scripts/config-words.ts'
import { allMembers } from '../../scripts/configuration.ts'
import { readSettings } from '../../src/config/config.ts'
import type { Settings } from '../../src/config/settings.ts'
import { serve } from '../../src/node/command/commands.ts'
import { demandReloadable } from '../../src/node/process/reload.ts'
import { ALL_OF_PLATFORM } from '../config/faulty.ts'
import { QUIET } from './quiet.ts'

/** What has to stand around a member for the whole to be valid, and to mean something. */
const AROUND: Readonly<Record<string, object>> = {
  'upstreams.*': { dialect: 'responses', url: 'https://upstream.example' },
  'upstreams.*.key.*': { key: 'upstream-key' },
  'upstreams.*.auth.aws': {
    region: 'eu-west-1',
    accessKeyId: 'id-0123456789',
    secretAccessKey: 'secret-0123456789',
  },
  'upstreams.*.auth.entra': {
    tenant: 'mine',
    clientId: 'id-0123456789',
    clientSecret: 'secret-0123456789',
  },
  'upstreams.*.models.*.price': { input: 7, output: 7 },
  'routes.*': { model: 'm', upstream: 'claude' },
  'routes.*.upstream.*': { name: 'claude' },
  callers: { keys: ['caller-key-0123456789'] },
  'callers.jwt': { jwks: 'https://other.example/jwks.json', audience: 'a', issuer: 'b' },
  before: { url: 'https://other.example/before' },
  record: { file: 'other.jsonl' },
  'callers.keys.*': { name: 'me', key: 'another-key-0123456789' },
  telemetry: { otlp: { endpoint: 'http://127.0.0.1:4319' } },
  'telemetry.otlp': { endpoint: 'http://127.0.0.1:4319' },
  metrics: { key: 'metrics-key-0123456789' },
  'tasks.image': { url: 'https://other.example' },
  'tasks.music': { url: 'https://other.example' },
}
const LISTS = ['routes', 'callers.keys', 'upstreams.*.key', 'routes.*.upstream']
/** Variables that the examples name. */
const ENVIRONMENT = new Proxy<Record<string, string>>(
  {},
  {
    get: (_, name) =>
      /^[A-Z_]+_(?:KEY|ID|SECRET|TOKEN)$/.test(String(name)) ? 'value-0123456789' : undefined,
  },
)

const PLATFORM = { ...ALL_OF_PLATFORM, listens: { host: '127.0.0.1', port: 8787 } }

/** Where the example is the default, or does not go with what stands around it. */
const VALUES: Readonly<Record<string, unknown>> = {
  'upstreams.*.auth': 'x-api-key',
  'routes.*.models': ['m'],
  'routes.*.upstream.*.name': 'other',
  'telemetry.sample': 0.25,
  'telemetry.semconv': 'main',
  'telemetry.trust': true,
}

/** What has to stand beside one member, and not beside others. */
const BESIDE: Readonly<Record<string, object>> = {
  'upstreams.*.auth.tokenUrl': { google: 'metadata' },
}

/** Where nothing else can stand in the place of a member, the one above is left out. */
const ABOVE: Readonly<Record<string, string>> = { 'upstreams.*.auth.google': 'upstreams.*.auth' }

/** A configuration with a value at a place; with nothing there where it is undefined. */
function configured(place: string, value: unknown): unknown {
  const segments = place.split('.')
  const inner = segments.reduceRight<unknown>((within, segment, index) => {
    const above = segments.slice(0, index).join('.')
    if (segment === '*' && LISTS.includes(above)) return [within]
    const name = segment === '*' ? (above === 'upstreams' ? 'claude' : 'any') : segment
    const around = AROUND[above] ?? BESIDE[`${above}.${segment}`]
    return within === undefined && around ? around : { ...around, [name]: within }
  }, value)
  const upstreams = { claude: AROUND['upstreams.*'], other: AROUND['upstreams.*'] }
  return { upstreams, routes: [AROUND['routes.*']], ...(inner as object) }
}

const settingsOf = (config: unknown): Settings => readSettings(config, ENVIRONMENT, PLATFORM)

/** The members that a reload refuses to change. */
const REFUSED =
  /^(?:state\.(?:store|\w+(?<!recall)Bytes)|telemetry\..*|inspect|record\..*|limits\.(?:connections|headersMs|bodyMs))$/
/** An editor reads it, and nobody else. */
const SAYS_NOTHING = ['$schema']

const members = allMembers().map(({ place }) => place)
const leaves = members.filter(
  (place) =>
    !members.some((other) => other.startsWith(`${place}.`)) && !SAYS_NOTHING.includes(place),
)

describe('a reload', () => {
  it.each(leaves)('takes or refuses another %s, and never passes it over', (place) => {
    const example = VALUES[place] ?? findWord(place)?.example
    const without = settingsOf(configured(ABOVE[place] ?? place, undefined))
    const next = Number.isInteger(example) ? Number(example) + 1 : undefined
    const changed = [example, next]
      .filter((value) => value !== undefined)
      .map((value) => settingsOf(configured(place, value)))
    expect(changed.some((settings) => !isDeepStrictEqual(settings, without))).toBe(true)
    const isRefused = changed.some((settings) => {
      try {
        demandReloadable(without, settings)
        return false
      } catch (error) {
        expect(String(error)).toContain('a change of this needs a restart')
        return true
      }
    })
    expect(isRefused).toBe(REFUSED.test(place))
  })

  it('refuses what the page on operations says, and nothing else', () => {
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
    const [, listed = ''] = /^- Refused, with the name: (.*?) \(/m.exec(page) ?? []
    const told = [...listed.matchAll(/`([\w.]+)`/g)].map(([, name]) => name)
    const refused = leaves.filter((place) => REFUSED.test(place))
    const named = refused.map((place) => place.replace(/^telemetry\..*/, 'telemetry'))
    expect(told.toSorted()).toEqual([...new Set(named)].toSorted())
  })
})

const PARTS = ['limits', 'retention'] as const

/** The settings, and the names of those that are read. */
function watched(settings: Settings): { settings: Settings; read: Set<string> } {
  const read = new Set<string>()
  const noting = <T extends object>(value: T, above: string): T =>
    new Proxy(value, {
      get(target, name, receiver) {
        read.add(above + String(name))
        return Reflect.get(target, name, receiver)
      },
      ownKeys(target) {
        for (const name of Reflect.ownKeys(target)) read.add(above + String(name))
        return Reflect.ownKeys(target)
      },
    })
  const parts = PARTS.flatMap((part) => {
    const value = settings[part]
    return value ? [[part, noting(value, `${part}.`)] as const] : []
  })
  return { settings: noting({ ...settings, ...Object.fromEntries(parts) }, ''), read }
}

const config = {
  upstreams: { claude: AROUND['upstreams.*'] },
  telemetry: AROUND['telemetry'],
  metrics: 'on',
}

it('what is read at the start alone is refused at a reload, and nothing goes by old settings', async () => {
  const first = watched(settingsOf(config))
  const second = watched(settingsOf({ ...config, state: { recallBytes: 5 } }))
  const proxy = await serve(
    { command: 'serve', host: '127.0.0.1', port: 0 },
    QUIET,
    { settings: first.settings, files: [] },
    { around: (answer) => answer },
  )
  const ask = async (path: string, body?: object) => {
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(proxy.url + path, {
      ...sent,
      headers: { 'content-type': 'application/json', origin: proxy.url },
    })
    await answer.text()
  }
  const askAll = async () => {
    for (const path of ['/healthz', '/metrics', '/usage', '/v1/models', '/img/x']) await ask(path)
    await ask('/explain/v1/responses', { model: 'm', input: 'x' })
    await ask('/explain/v1/chat/completions', { model: 'm', messages: [] })
  }
  const atStart = new Set(first.read)
  proxy.adopt(second.settings)
  // Of parts that are looked at one by one.
  const refused = [
    'state',
    'telemetry',
    'inspect',
    'record',
    'retention.entryBytes',
    'retention.ownerBytes',
  ]
  refused.push('retention.totalBytes', 'limits.connections', 'limits.headersMs', 'limits.bodyMs')
  const forgotten = [...atStart].filter((name) => !second.read.has(name) && !refused.includes(name))
  // Where it is told from in an error.
  expect(forgotten.filter((name) => name !== 'origin')).toEqual([])
  expect(second.read).toContain('recallBytes')
  first.read.clear()
  await askAll()
  await proxy.stop()
  expect([...first.read]).toEqual([])
})
