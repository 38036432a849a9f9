import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { configJsonSchema } from '../../scripts/config-json-schema.ts'
import { configTypes } from '../../scripts/config-type.ts'
import { findWord } from '../../scripts/config-words.ts'
import { allMembers, configurationPage, untold } from '../../scripts/configuration.ts'
import { findingsIn } from '../../src/config/lint/check.ts'
import { sources } from '../sources.ts'
import { ALL_OF_PLATFORM } from './faulty.ts'

const members = allMembers()

const ENVIRONMENT = {
  CLAUDE_KEY: 'claude-key-0123456789',
  TASK_KEY: 'task-key-0123456789',
  METRICS_KEY: 'metrics-key-0123456789',
  CI_KEY: 'ci-key-0123456789',
  PROXY_KEY: 'proxy-key-0123456789',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'aws-id-0123456789',
  AWS_SECRET_ACCESS_KEY: 'aws-key-0123456789',
  AWS_SESSION_TOKEN: 'aws-token-0123456789',
  AZURE_CLIENT_ID: 'azure-id-0123456789',
  AZURE_CLIENT_SECRET: 'azure-secret-0123456789',
}

/** What has to stand around a member for the whole to be valid. */
const AROUND: Readonly<Record<string, unknown>> = {
  'upstreams.*': { dialect: 'responses', url: 'https://upstream.example' },
  'upstreams.*.key.*': { key: 'env:CLAUDE_KEY' },
  'upstreams.*.auth.aws': {
    accessKeyId: 'env:AWS_ACCESS_KEY_ID',
    secretAccessKey: 'env:AWS_SECRET_ACCESS_KEY',
  },
  'upstreams.*.auth.entra': {
    tenant: 'contoso',
    clientId: 'env:AZURE_CLIENT_ID',
    clientSecret: 'env:AZURE_CLIENT_SECRET',
  },
  'routes.*.upstream.*': { name: 'claude' },
  'routes.*': { model: 'gpt-*', upstream: 'claude' },
  callers: { keys: ['caller-key-0123456789'] },
  'callers.jwt': { jwks: 'https://login.example/jwks.json', audience: 'a', issuer: 'b' },
  before: { url: 'https://rules.example/before' },
  record: { file: 'exchanges.jsonl' },
  'callers.keys.*': { name: 'ci', key: 'caller-key-0123456789' },
  'upstreams.*.models.*.price': { input: 1, output: 2 },
  'telemetry.otlp': { endpoint: 'http://127.0.0.1:4318' },
  'tasks.image': { url: 'https://tasks.example' },
  'tasks.music': { url: 'https://tasks.example' },
}

/** What has to stand beside one member, and not beside others. */
const BESIDE: Readonly<Record<string, object>> = {
  'upstreams.*.auth.tokenUrl': { google: 'metadata' },
}

const UPSTREAMS = { claude: AROUND['upstreams.*'] }

/** A value at its place, with what has to stand around it. */
function withExample(place: string, example: unknown): unknown {
  const segments = place.split('.')
  return segments.reduceRight<unknown>((inner, segment, index) => {
    const above = segments.slice(0, index).join('.')
    const list = ['routes', 'callers.keys', 'upstreams.*.key', 'routes.*.upstream'].includes(above)
    if (segment === '*' && list) return [inner]
    const name = segment === '*' ? (above === 'upstreams' ? 'claude' : 'any') : segment
    const beside = BESIDE[`${above}.${segment}`]
    return { ...(AROUND[above] as object | undefined), ...beside, [name]: inner }
  }, example)
}

describe('what is said of a configuration', () => {
  it('is found for every member', () => {
    expect(members.filter(({ place }) => !findWord(place)).map(({ place }) => place)).toEqual([])
  })

  const examples = members.flatMap(({ place }) => {
    const example = findWord(place)?.example
    return example === undefined ? [] : [[place, example] as const]
  })
  it.each(examples)('has an example that is valid: %s', (place, example) => {
    const config = { upstreams: UPSTREAMS, ...(withExample(place, example) as object) }
    const faults = findingsIn(config, ENVIRONMENT, ALL_OF_PLATFORM).filter(({ warns }) => !warns)
    expect(faults).toEqual([])
  })

  it('reaches editors', () => {
    expect(JSON.stringify(configJsonSchema())).toContain('Default: 32 MiB; on Workers 16 MiB.')
    expect(JSON.stringify(configJsonSchema())).toContain('"examples":["env:CLAUDE_KEY"]')
  })
})

describe('the type of the configuration', () => {
  it('is as the schema has it', () => {
    const text = readFileSync('src/config/type.ts', 'utf8')
    expect(text, 'stale: run `npm run docs`').toBe(configTypes())
  })
})

describe('the page of the configuration', () => {
  const page = readFileSync('docs/configuration.md', 'utf8')
  it('is as the schema has it', () => {
    expect(page, 'stale: run `npm run docs`').toBe(configurationPage())
    expect(untold()).toEqual([])
  })
  it('names every variable', () => {
    const named = sources
      .filter(({ path }) => path.startsWith('src/config/'))
      .flatMap(({ text }) => [...text.matchAll(/\bDRAGOMAN_[A-Z]+(?:_[A-Z]+)*\b/g)])
      .map(([name]) => name)
    const internal = /^DRAGOMAN_(?:SERVICE|PORT)/
    const unsaid = named.filter((name) => !internal.test(name) && !page.includes(`\`${name}\``))
    expect(named.length).toBeGreaterThan(10)
    expect(unsaid).toEqual([])
  })
})
