import { describe, expect, it, vi } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { countDown, greeting, summary } from '../../src/node/command/describe.ts'
import { painter, readableExplanation } from '../../src/node/command/explanation.ts'

const EXPLANATION = {
  caller: 'messages',
  upstream: {
    name: 'openai',
    dialect: 'responses',
    method: 'POST',
    url: 'https://x.example/v1/responses',
    headers: { authorization: '***' },
    body: { model: 'gpt', input: 'a\u001b[2Jb\u009b' },
  },
  losses: [
    { code: 'dropped', path: 'sampling.topK', detail: 'no place' },
    { code: 'defaulted', path: 'limits.maxOutputTokens' },
  ],
}

describe('at a terminal', () => {
  it('an explanation is for a person, without what could drive the terminal', () => {
    const text = readableExplanation(JSON.stringify(EXPLANATION), painter(false))
    expect(text.split('\n')).toEqual([
      'messages > openai (responses)',
      'POST https://x.example/v1/responses',
      'authorization: ***',
      '',
      '{',
      '  "model": "gpt",',
      expect.stringContaining('"input": "a\\u001b[2Jb'),
      '}',
      '',
      'dropped    sampling.topK  no place',
      'defaulted  limits.maxOutputTokens',
    ])
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  it('it is coloured where colours are wanted, and an error stays what it is', () => {
    const coloured = readableExplanation(JSON.stringify(EXPLANATION), painter(true))
    expect(coloured).toContain('\u001b[31mdropped  \u001b[0m')
    const none = JSON.stringify({ ...EXPLANATION, losses: [] })
    expect(readableExplanation(none, painter(false))).toContain('Nothing is lost.')
    expect(readableExplanation('{"error":{}}', painter(true))).toBe('{"error":{}}')
  })

  it('what check prints has its labels apart and its warnings in yellow', () => {
    const upstream = { dialect: 'messages', url: 'https://x.example' }
    const config = {
      upstreams: { a: upstream, b: upstream },
      routes: [{ model: '*', upstream: 'a' }],
    }
    const settings = readSettings(config, {}, { exposed: false })
    const lines = summary(settings, painter(true))
    expect(lines[0]).toContain('  \u001b[90mupstream\u001b[0m  a  messages')
    expect(lines[1]).toContain('\u001b[33mno route leads here\u001b[0m')
    expect(summary(settings).join()).not.toContain('\u001b')
  })

  it('a drain is counted down on one line, which is gone at the end', () => {
    vi.useFakeTimers()
    let open = 2
    const lines: string[] = []
    const settled = countDown(
      () => open,
      3000,
      (text) => lines.push(text),
    )
    vi.advanceTimersByTime(1000)
    open = 1
    vi.advanceTimersByTime(1000)
    settled()
    vi.advanceTimersByTime(5000)
    vi.useRealTimers()
    expect(lines).toEqual(['2 open, 3 s left', '2 open, 2 s left', '1 open, 1 s left', ''])
    expect(
      countDown(
        () => 0,
        1000,
        () => lines.push('x'),
      )(),
    ).toBeUndefined()
    expect(lines).toHaveLength(4)
  })
})

describe('the curl that works as it stands', () => {
  const KEY = 'caller-key-0123456789'
  const modelFor = (routes: object[], keys?: unknown[]) => {
    const upstreams = { a: { dialect: 'messages', url: 'https://x.example' } }
    const config = {
      upstreams,
      routes: routes.map((route) => ({ upstream: 'a', ...route })),
      ...(keys && { callers: { keys } }),
    }
    const environment = { OTHER: 'x', PROXY_KEY: KEY }
    const settings = readSettings(config, environment, { exposed: false })
    const said = greeting(settings, 'http://127.0.0.1:8787', environment)
    expect(said.includes('Bearer $PROXY_KEY')).toBe(keys !== undefined)
    return /curl[^]*"model":"([^"]*)"/.exec(said)?.[1]
  }

  it.each<[string, string, object[]]>([
    ['the last exact name', 'two', [{ model: 'one' }, { model: 'two' }, { model: '*' }]],
    ['one that is listed for a pattern', 'gpt-5', [{ model: 'gpt-*', models: ['gpt-5'] }]],
    ['the one that every name becomes', 'big', [{ model: '*', as: 'big' }]],
    ['none that nobody has named', 'MODEL', [{ model: 'gpt-*' }, { model: '*', as: '*' }]],
    [
      'none for requests of a class',
      'MODEL',
      [{ model: 'aux', class: 'auxiliary' }, { model: 'gpt-*' }],
    ],
    ['none for long requests', 'one', [{ model: 'one' }, { model: 'long', minInputTokens: 9000 }]],
  ])('asks for %s: %s', (_, model, routes) => expect(modelFor(routes)).toBe(model))

  it.each<[string, object[], string[]]>([
    ['MODEL', [{ model: '*' }], ['claude-*']],
    ['opus', [{ model: '*', models: ['gpt', 'opus'] }], ['o*']],
    ['one', [{ model: 'one' }, { model: 'two' }], ['o*']],
    ['mine', [{ model: '*' }], ['mine']],
  ])('asks for %s with a key for some models', (model, routes, models) => {
    const other = { name: 'other', key: 'another-key-0123456789', models: ['none'] }
    expect(modelFor(routes, [other, { name: 'ci', key: 'env:PROXY_KEY', models }])).toBe(model)
  })
})
