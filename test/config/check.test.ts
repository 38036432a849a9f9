import { describe, expect, it } from 'vitest'
import { examined } from '../../src/config/config.ts'
import { writeFault } from '../../src/config/lint/finding.ts'
import { textSource } from '../../src/config/source.ts'
import { environmentSource, withVariables } from '../../src/config/variables.ts'
import type { Environment } from '../../src/config/values.ts'
import { type Case, FAULTY, good, KEY, ODD, PLATFORM, upstream } from './faulty.ts'

function linesFor({ text, environment = {}, platform = PLATFORM }: Omit<Case, 'what' | 'says'>) {
  const source = withVariables(textSource(text, 'my.json'), environment)
  return examined(source, environment, platform).faults.map(writeFault)
}

describe('what is wrong', () => {
  it.each(FAULTY)('$what', ({ says, ...given }) => {
    expect(linesFor(given)).toEqual(says.map((line) => `my.json:${line}`))
  })
})

describe('what is legal and surely not meant', () => {
  it.each(ODD)('$what', ({ says, ...given }) => {
    expect(linesFor(given)).toEqual(says.map((line) => `my.json:${line}`))
  })
})

const FILE = upstream(good, ',\n"state": { "store": "off" }, "callers": { "keys": ["env:MINE"] }')
const MINE = { MINE: 'caller-key-0123456789' }

const together = (environment: Environment, text = FILE) => {
  const variables = { ...MINE, ...environment }
  const source = withVariables(textSource(text, 'my.json'), variables)
  const { settings, faults } = examined(source, variables, PLATFORM)
  return { settings, lines: faults.map(writeFault) }
}

describe('a file and variables together', () => {
  it('the variables add what the file leaves open', () => {
    const { settings, lines } = together({
      DRAGOMAN_LOSSES: 'reject',
      DRAGOMAN_IMAGE_URL: 'https://tasks.example',
      DRAGOMAN_CALLER_KEYS: 'another-key-0123456789',
    })
    expect(lines).toEqual([])
    expect(settings).toMatchObject({
      losses: 'reject',
      tasks: { image: { base: 'https://tasks.example' } },
      callers: { keys: [MINE.MINE, 'another-key-0123456789'] },
      state: 'off',
    })
    const bare = together({ DRAGOMAN_DIALECT: 'messages', DRAGOMAN_URL: 'https://x' }, '{}')
    expect(bare.settings?.upstreams.get('upstream')).toMatchObject({ base: 'https://x' })
    expect(bare.settings?.routes).toEqual([{ model: '*', upstream: 'upstream' }])
  })

  it('what the file says itself stands, and is said to', () => {
    const { settings, lines } = together({ DRAGOMAN_STATE: 'memory' })
    expect(settings?.state).toBe('off')
    expect(lines).toEqual([
      'my.json:4:21: state.store: warning: this overrules the variable DRAGOMAN_STATE, which says something else',
    ])
    expect(together({ DRAGOMAN_STATE: 'off' }).lines).toEqual([])
    expect(together({ DRAGOMAN_CALLER_KEYS: 'open' }).lines).toEqual([
      'my.json:4:41: callers: warning: this overrules the variable DRAGOMAN_CALLER_KEYS, which says something else',
    ])
  })

  it.each<[Environment, string, string?]>([
    [
      { DRAGOMAN_URL: 'https://other.example' },
      'environment: DRAGOMAN_URL: my.json names its upstreams itself; write this one there, or unset the variable',
    ],
    [
      { DRAGOMAN_MODEL: 'gpt-5' },
      'environment: DRAGOMAN_MODEL: my.json names its upstreams itself; write this one there, or unset the variable',
    ],
    [
      { DRAGOMAN_LOSSES: 'no' },
      'environment: DRAGOMAN_LOSSES: expected "report", "reject" or {"mode", "trailer"}',
    ],
    [
      { DRAGOMAN_CALLER_KEYS: 'short' },
      'environment: DRAGOMAN_CALLER_KEYS: expected a key of 16 to 512 characters',
    ],
    [
      { DRAGOMAN_DIALECT: 'messages' },
      'environment: DRAGOMAN_URL: is missing; expected a string',
      '{}',
    ],
    [
      { DRAGOMAN_CALLER_KEYS: 'caller-key-0123456789' },
      'environment: DRAGOMAN_CALLER_KEYS: my.json says "open"; one of both has to go',
      upstream(good, ',\n"callers": "open"'),
    ],
    [
      { DRAGOMAN_CALLER_KEY: 'x' },
      'environment: DRAGOMAN_CALLER_KEY: no such variable exists; did you mean "DRAGOMAN_CALLER_KEYS"?',
    ],
    // As vendors' own programs call it.
    [
      { DRAGOMAN_BASE_URL: 'x' },
      'environment: DRAGOMAN_BASE_URL: no such variable exists; did you mean "DRAGOMAN_URL"?',
    ],
    [{ DRAGOMAN_ZZZZZZZZZZZZ: 'x' }, 'environment: DRAGOMAN_ZZZZZZZZZZZZ: no such variable exists'],
  ])('%j is refused: %s', (environment, line, text) => {
    const { settings, lines } = together(environment, text)
    expect(settings).toBeUndefined()
    expect(lines).toEqual([line])
  })

  it('a variable that the file names may have any name, and an empty one is none', () => {
    const text = upstream(`${good}, "key": "env:DRAGOMAN_KEY"`)
    const { settings, lines } = together({ DRAGOMAN_KEY: KEY, DRAGOMAN_OTHER: ' ' }, text)
    expect(lines).toEqual([])
    expect(settings?.upstreams.get('a')).toMatchObject({ key: { value: KEY } })
  })

  it('a service of that name in Kubernetes disturbs nobody', () => {
    const names = [
      'SERVICE_HOST',
      'SERVICE_PORT',
      'SERVICE_PORT_HTTP',
      'PORT',
      'PORT_8787_TCP_ADDR',
    ]
    const variables = Object.fromEntries(names.map((name) => [`DRAGOMAN_${name}`, 'tcp://x']))
    expect(together(variables).lines).toEqual([])
  })

  it('an unknown variable is refused without a file too', () => {
    const variables = { DRAGOMAN_DIALCET: 'messages' }
    expect(examined(environmentSource(variables), variables).faults.map(writeFault)).toEqual([
      'environment: DRAGOMAN_DIALCET: no such variable exists; did you mean "DRAGOMAN_DIALECT"?',
    ])
  })
})

it('no value is ever shown', () => {
  const all = [...FAULTY, ...ODD].flatMap(linesFor)
  expect(all.join('\n')).not.toContain(KEY)
})

it('shows enough faults', () => expect(FAULTY.length).toBeGreaterThanOrEqual(43))
