import { describe, expect, it } from 'vitest'
import { findingsIn } from '../../src/config/lint/check.ts'
import { spellPlace } from '../../src/config/lint/place.ts'
import { ALL_OF_PLATFORM } from '../config/faulty.ts'

const a = { dialect: 'messages', url: 'https://a.example', key: 'k-a' }
const b = { dialect: 'responses', url: 'https://b.example', key: 'k-b' }
const pool = { model: '*', upstream: ['a', 'b'] }

function said(config: object): string[] {
  return findingsIn({ upstreams: { a, b }, routes: [pool], ...config }, {}, ALL_OF_PLATFORM).map(
    ({ path, text, warns }) => `${warns ? 'warning: ' : ''}${spellPlace(path)}: ${text}`,
  )
}

const keyed = (key: unknown) => ({
  upstreams: { a: { ...a, key } },
  routes: [{ model: '*', upstream: 'a' }],
})

describe('the check of pools', () => {
  it.each([
    [
      { routes: [{ model: '*', upstream: 5 }] },
      'routes[0].upstream: expected the name of an upstream or a list',
    ],
    [{ routes: [{ model: '*', upstream: [] }] }, 'routes[0].upstream: expected at least one entry'],
    [
      { routes: [{ model: '*', upstream: ['a', 'c'] }] },
      'routes[0].upstream[1]: expected the name of an upstream (a, b)',
    ],
    [
      { routes: [{ model: '*', upstream: ['a', 'a'] }] },
      'routes[0].upstream[1]: this upstream stands in the list already',
    ],
    [
      { routes: [{ model: '*', upstream: ['a', { name: 'b', weight: 0 }] }] },
      'routes[0].upstream[1].weight: expected at least 1',
    ],
    [{ routes: [{ ...pool, class: 'thinkng' }] }, 'routes[0].class: expected one of main, '],
    [
      { routes: [{ ...pool, pick: 'random' }] },
      'routes[0].pick: expected one of "order", "weighted"',
    ],
    [{ failover: { hops: 9 } }, 'failover.hops: expected at most 8'],
    [
      { routes: [{ ...pool, failover: { hop: 1 } }] },
      'routes[0].failover.hop: no such field exists; did you mean "hops"?',
    ],
    [keyed([]), 'upstreams.a.key: expected at least one entry'],
    [
      keyed(['k-1', 'caller']),
      'upstreams.a.key[1]: expected a key; "caller" cannot stand in a list',
    ],
    [keyed(['k-1', { key: 'k-1' }]), 'upstreams.a.key[1].key: the same key as upstreams.a.key[0]'],
    [
      keyed([{ key: 'k-1', wight: 2 }]),
      'upstreams.a.key[0].wight: no such field exists; did you mean "weight"?',
    ],
    [keyed(['env:NOT_THERE']), 'upstreams.a.key[0]: the environment variable NOT_THERE is not set'],
  ])('refuses %j (trap 12)', (config, expected) => {
    expect(said(config).find((line) => line.startsWith(expected))).toBeDefined()
  })
  it.each([
    [{}, 'warning: routes[0].upstream: these upstreams speak several dialects'],
    [{}, 'warning: routes[0].upstream: these keys are of several accounts'],
    [
      { upstreams: { a: { ...a, key: 'caller' }, b } },
      'warning: routes[0].upstream: a key of the caller',
    ],
    [
      { routes: [{ model: '*', upstream: ['a', { name: 'b', weight: 2 }] }] },
      'warning: routes[0].upstream: weights count only',
    ],
    [
      { failover: { attemptMs: 15_000 } },
      'warning: failover.attemptMs: not below limits.heartbeatMs (15000)',
    ],
    [
      { routes: [{ ...pool, class: ['long'] }] },
      'warning: routes[0].class: without "minInputTokens"',
    ],
  ])('warns of %j', (config, expected) => {
    expect(said(config).find((line) => line.startsWith(expected))).toBeDefined()
  })
  it('says nothing of a route that another one does not shadow', () => {
    const routes = [
      { model: '*', class: 'main', upstream: 'a' },
      { model: '*', upstream: 'b' },
    ]
    expect(said({ routes })).toEqual([])
  })
  it('says nothing of keys of one account', () => {
    expect(said({ ...keyed(['k-1', 'k-2']), failover: { hops: 1 } })).toHaveLength(1)
    const one = { upstreams: { a: { ...a, key: ['k-1', 'k-2'], account: 'team' } } }
    expect(said({ ...one, routes: [{ model: '*', upstream: 'a' }] })).toEqual([])
  })
})
