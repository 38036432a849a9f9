import { describe, expect, it } from 'vitest'
import { ConfigError, demoConfig, readSettings } from '../../src/config/config.ts'
import { listSecrets } from '../../src/upstream/secrets.ts'

const KEY = 'caller-key-0123456789'
const HASH = 'ab'.repeat(32)
const read = (callers: unknown, environment = {}) =>
  readSettings({ ...demoConfig(), callers }, environment)

const twice = (first: unknown, second: unknown) => ({ keys: [first, second] })

describe('callers with names', () => {
  it('stand beside keys alone, and have what is said of them', () => {
    const { callers } = read(
      {
        keys: [
          'env:PLAIN',
          {
            name: 'ci',
            key: KEY,
            models: ['claude-*'],
            limits: { concurrent: 8, usdPerDay: 0.5 },
            expires: '2027-01-01',
          },
          { name: 'desk', key: `sha256:${HASH.toUpperCase()}` },
          `sha256:${'cd'.repeat(32)}`,
        ],
        limits: { requestsPerMinute: 600 },
      },
      { PLAIN: 'plain-key-0123456789' },
    )
    expect(callers).toEqual({
      kind: 'keys',
      keys: [
        'plain-key-0123456789',
        {
          name: 'ci',
          key: KEY,
          models: ['claude-*'],
          limits: { concurrent: 8, usdPerDay: 0.5 },
          expiresAt: Date.UTC(2027, 0, 1),
        },
        { name: 'desk', key: { sha256: HASH } },
        { name: 'key-4', key: { sha256: 'cd'.repeat(32) } },
      ],
      limits: { requestsPerMinute: 600 },
    })
  })

  it('have secrets as keys alone do', () => {
    const settings = read({ keys: [{ name: 'ci', key: KEY }] })
    expect(listSecrets(settings)).toContain(KEY)
  })

  const named = (change: object) => ({ keys: [{ name: 'ci', key: KEY, ...change }] })
  const ci = { name: 'ci', key: KEY }
  it.each<[string, unknown, string]>([
    [
      'trap 30: a name twice',
      twice(ci, { ...ci, key: 'other-key-0123456789' }),
      'callers.keys[1].name: expected a name of its own: another key is called ci',
    ],
    [
      'trap 30: the name of a place',
      twice({ ...ci, name: 'key-2' }, 'other-key-0123456789'),
      'callers.keys[1]: expected a name of its own: another key is called key-2',
    ],
    [
      'trap 30: a key twice',
      twice(ci, { ...ci, name: 'other' }),
      'callers.keys[1].key: expected a key that no other has',
    ],
    [
      'trap 30: a key twice, once without a name',
      twice(ci, KEY),
      'callers.keys[1]: expected a key that no other has',
    ],
    ['trap 30: no name', named({ name: '' }), 'callers.keys[0].name: expected some text'],
    [
      'no name at all',
      { keys: [{ key: KEY }] },
      'callers.keys[0].name: is missing; expected a string',
    ],
    [
      'a name that is none',
      named({ name: 'c i' }),
      'callers.keys[0].name: expected a name of at most 32 letters, digits, ".", "_" and "-"',
    ],
    [
      'trap 30: half a hash',
      named({ key: `sha256:${'ab'.repeat(16)}` }),
      'callers.keys[0].key: expected 64 hexadecimal digits after sha256:',
    ],
    [
      'a day that is none',
      named({ expires: '2027-02-30' }),
      'callers.keys[0].expires: expected a day such as 2027-01-01',
    ],
    [
      'a limit that is none',
      named({ limits: { concurrent: 0 } }),
      'callers.keys[0].limits.concurrent: expected at least 1',
    ],
    [
      'a misspelled limit',
      named({ limits: { concurent: 1 } }),
      'callers.keys[0].limits.concurent: no such field exists; did you mean "concurrent"?',
    ],
    [
      'a file that is not there',
      named({ key: 'file:/nowhere' }),
      'callers.keys[0].key: the file /nowhere cannot be read',
    ],
  ])('say what is wrong with %s', (_, callers, fault) => {
    expect(() => read(callers)).toThrow(ConfigError)
    expect(() => read(callers)).toThrow(fault)
  })

  it('may have the same key twice as ever, where neither has a name', () => {
    expect(() => read({ keys: [KEY, KEY] })).not.toThrow()
  })
})
