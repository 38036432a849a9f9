import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { cpuMs } from '../growth/cpu.ts'
import { adapters } from '../../adapters/index.ts'
import { profilesPage } from '../../scripts/profiles.ts'
import { examined, readSettings } from '../../src/config/config.ts'
import { writeFault } from '../../src/config/lint/finding.ts'
import { isProfiled, profileNames, KNOWN_PROFILES } from '../../src/config/profiles.ts'
import { textSource } from '../../src/config/source.ts'
import { profileTable } from '../../src/node/command/describe.ts'
import { SOURCED_PROFILES } from '../../src/node/command/describe.ts'
import { good, PLATFORM, upstream } from '../config/faulty.ts'

const NAMED =
  'openai azure openrouter deepseek kimi zai qwen mistral groq xai vllm sglang ollama lmstudio llama.cpp litellm bedrock-mantle'

/** The formatter sets tables wide. */
const squeezed = (text: string): string => text.replaceAll(/ +|-+/g, ' ')

describe('the table of profiles', () => {
  it('has the servers that the manual names, each once in a dialect', () => {
    for (const name of NAMED.split(' ')) expect(profileNames()).toContain(name)
    const rows = KNOWN_PROFILES.map(({ name, dialect }) => `${name} ${dialect}`)
    expect(new Set(rows).size).toBe(rows.length)
  })

  it.each(SOURCED_PROFILES)(
    'says where $name in $dialect comes from, in facts that a file may hold',
    (row) => {
      expect(row.version).not.toBe('')
      expect(row.source).not.toBe('')
      const [{ upstream } = {}] = adapters.filter(({ dialect }) => dialect === row.dialect)
      const { drop = [], ...facts } = row.facts
      const profile = {
        ...facts,
        drop: drop.filter((word) => upstream?.droppable().includes(word) ?? false),
      }
      const url = 'https://upstream.example'
      const config = { upstreams: { a: { dialect: row.dialect, url, profile } } }
      const { server } = readSettings(config, {}, PLATFORM).upstreams.get('a') ?? {}
      expect(server).toEqual(profile)
    },
  )

  it('is the page, and what the command prints', () => {
    const page = readFileSync(new URL('../../docs/profiles.md', import.meta.url), 'utf8')
    expect(squeezed(page)).toBe(squeezed(profilesPage()))
    for (const { name, source } of SOURCED_PROFILES)
      expect(profileTable()).toMatch(new RegExp(`${name}.*${source.slice(0, 9)}`))
  })

  it('is quick to see that a long refusal is none of those that it knows', () => {
    const words = ['"param"', 'reasoning_content ', '`store=True`', 'unknown variant `', ' \t']
    const begun = cpuMs()
    for (const { refusals = [] } of SOURCED_PROFILES)
      for (const { words: pattern } of refusals)
        for (const word of words) expect(pattern.test(word.repeat(8192))).toBe(false)
    expect(cpuMs() - begun).toBeLessThan(2000)
  })

  it('knows which servers speak which dialect', () => {
    expect(isProfiled('mistral', 'chat-completions')).toBe(true)
    expect(isProfiled('mistral', 'messages')).toBe(false)
  })
})

const NAMES = profileNames().join(', ')
const OR_NONE = `${NAMES}, none`

test.each([
  [
    '"profile": "olama"',
    `upstreams.a.profile: expected the name of a profile (${OR_NONE}); did you mean "ollama"?`,
  ],
  [
    '"profile": { "extends": "vlmm" }',
    `upstreams.a.profile.extends: expected the name of a profile (${NAMES}); did you mean "vllm"?`,
  ],
  [
    '"profile": { "namespace": false }',
    'upstreams.a.profile.namespace: no such field exists; did you mean "namespaces"?',
  ],
  [
    '"profile": { "drop": ["top_kk"] }',
    'upstreams.a.profile.drop[0]: expected the name of a parameter of messages; did you mean "top_k"?',
  ],
  ['"profile": 7', 'upstreams.a.profile: expected the name of a profile, or {"extends": ...}'],
  [
    '"profile": "mistral"',
    'upstreams.a.profile: warning: of such a server in the dialect messages nothing is known',
  ],
])('check says what is wrong with %s', (member, line) => {
  const source = textSource(upstream(`${good}, ${member}`), 'my.json')
  const lines = examined(source, {}, PLATFORM).faults.map(writeFault)
  expect(lines.map((one) => one.replace(/^my\.json:\d+:\d+: /, ''))).toEqual([line])
})

test('facts of a file stand above those of the profile that they extend', () => {
  const profile = { extends: 'vllm', namespaces: true, drop: ['truncation'] }
  const config = {
    upstreams: { a: { dialect: 'responses', url: 'https://upstream.example', profile } },
  }
  const settings = readSettings(config, {}, PLATFORM)
  expect(settings.upstreams.get('a')).toMatchObject({
    profile: 'vllm',
    server: { namespaces: true, customTools: false, drop: ['truncation'] },
  })
})
