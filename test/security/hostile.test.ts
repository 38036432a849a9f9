import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adapters, dialects } from '../../adapters/index.ts'
import { sseParser } from '../../src/stream/sse.ts'
import { cases } from '../cases.ts'
import { jsonReply, proxyOf, sseReply } from '../exchange/proxy.ts'
import { kitOf } from '../dialects/index.ts'
import { eventIn, voices, type Voice } from '../faults/voices.ts'

/** Threats that need no sockets; the numbers are those of the table in SECURITY.md. */

const pairs = voices.flatMap((caller) => voices.map((voice) => ({ caller, voice })))
const headers = { 'anthropic-version': '2023-06-01' }

const stageFor = (voice: Voice, answer: (stream: boolean) => ReturnType<typeof jsonReply>) =>
  proxyOf(
    ({ headers }) => answer(headers['accept'] === 'text/event-stream'),
    { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: voice.dialect } },
    { dialects },
  )

describe('T7, T8 and T9 what an upstream is sent', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '/',
      '//',
      '%2f',
      '%2e%2e',
      '?',
      '#',
      '\\',
      ';',
      '\r\n',
      '\0',
      '%25',
    ),
    fc.constantFrom('%', 'ü', '\ud800', ' ', '@', ':', 'models', 'v1', 'admin', '%0d%0aevil:1'),
    fc.string({ maxLength: 5 }),
  )
  const name = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
  const header = fc.tuple(
    fc.oneof(
      fc.constantFrom('te', 'via', 'cookie', 'x-forwarded-for', 'x-api-base', 'origin', 'expect'),
      fc.constantFrom('proxy-authorization', 'forwarded', 'x-http-method-override', 'range'),
      fc.stringMatching(/^x-[a-z]{1,8}$/),
    ),
    fc.stringMatching(/^[\x21-\x7e]{0,20}$/),
  )
  const query = fc.dictionary(fc.string({ maxLength: 6 }), fc.string({ maxLength: 6 }))
  const ALLOWED = new Set(
    'content-type accept user-agent authorization anthropic-version anthropic-beta provider-version provider-beta'.split(
      ' ',
    ),
  )
  it('stays in its place, whatever a caller names, asks and adds', async () => {
    const given = fc.record({
      pair: fc.constantFrom(...pairs),
      model: name,
      query,
      added: fc.array(header, { maxLength: 5 }),
      stream: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(given, async ({ pair: { caller, voice }, model, query, added, stream }) => {
        const proxy = stageFor(voice, () => jsonReply(voice.whole))
        const written = caller.path(encodeURIComponent(model.toWellFormed()), stream)
        const [path = '', own = ''] = written.split('?')
        const search = `${new URLSearchParams(query)}&${own}`
        const safe = Object.fromEntries(added.filter(([key]) => token.test(key)))
        const response = await proxy.fetch(`${path}?${search}`, {
          body: caller.request(model, stream),
          headers: { ...safe, ...headers },
        })
        expect([200, 400, 404, 405]).toContain(response.status)
        for (const { url, headers: sent } of proxy.sent) {
          const at = new URL(url)
          expect(at.origin).toBe('https://plain.example')
          expect(at.pathname).toMatch(
            /^\/v1\/(?:messages|responses|chat\/completions)$|^\/v1beta\/models\/(?!.*(?:\/\.\.?(?:\/|$)|\/\/))[^?#\\]+:(?:stream)?[gG]enerateContent$/,
          )
          expect(['', '?alt=sse']).toContain(at.search.replace(/[?&]beta=[\w.-]+/, ''))
          for (const key of Object.keys(sent)) expect(ALLOWED).toContain(key)
        }
      }),
      cases(1000),
    )
  })
})

describe('a request that only its upstream understands', () => {
  const odd = { messages: 7, input: 7, contents: 7, max_tokens: 5 }
  it.each(voices)('is answered in the form it asked for: $dialect', async (voice) => {
    const whole = stageFor(voice, () => jsonReply(voice.whole))
    const streamed = stageFor(voice, () => sseReply([voice.opening + voice.closing]))
    for (const model of ['', 'm']) {
      const body = (stream: boolean) => ({ ...odd, stream, model })
      const path = (stream: boolean) => voice.path(model || 'm', stream)
      const stream = await whole.fetch(path(true), { body: body(true), headers })
      expect(stream.status).toBe(200)
      expect(stream.headers.get('content-type')).toMatch('text/event-stream')
      const parser = sseParser(1_000_000)
      const frames = [...parser.push(await stream.text()), ...parser.end()]
      expect(JSON.stringify(frames)).toContain('Hello')
      const one = await streamed.fetch(path(false), { body: body(false), headers })
      expect(one.status).toBe(200)
      expect(one.headers.get('content-type')).toBe('application/json')
      expect(JSON.stringify(await one.json())).toContain('Hello')
    }
  })
})

it('T14 addresses in a request are never called', async () => {
  const urls = [
    'http://169.254.169.254/a.png',
    'http://0.0.0.0/',
    'http://[::ffff:7f00:1]/',
    'file:///etc/passwd',
  ]
  for (const { caller, voice } of pairs)
    for (const url of urls) {
      const proxy = stageFor(voice, () => jsonReply(voice.whole))
      const { http, ask } = kitOf(caller.dialect)
      const body = http.body('m', false, { ...ask.needed, ...ask.image(url) })
      const response = await proxy.fetch(caller.path('m', false), { body, headers })
      expect([200, 400]).toContain(response.status)
      for (const sent of proxy.sent) expect(new URL(sent.url).host).toBe('plain.example')
      expect(proxy.sent.length).toBeLessThanOrEqual(1)
    }
})

const NASTY = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf']

describe('T18 names that objects have', () => {
  it.each(
    pairs.map(
      ({ caller, voice }) => [`${caller.dialect} over ${voice.dialect}`, caller, voice] as const,
    ),
  )('reach the other side as arguments: %s', async (_, caller, voice) => {
    const input = `{${NASTY.map((key) => `"${key}":{"polluted":"${key}"}`).join(',')}}`
    const proxy = stageFor(voice, () => jsonReply(kitOf(voice.dialect).say.call('f', input)))
    const response = await proxy.fetch(caller.path('m', false), {
      body: caller.request('m', false),
      headers,
    })
    const text = (await response.text()).replaceAll('\\"', '"')
    expect(response.status).toBe(200)
    for (const key of NASTY)
      expect(text.replaceAll(' ', '')).toContain(`"${key}":{"polluted":"${key}"}`)
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('T20 words that look like events', () => {
  const forged = fc.oneof(
    fc.constantFrom(
      '\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
      '\r\rdata: x',
      '\u2028',
    ),
    fc.constantFrom('data: [DONE]', '\0', ': c\n', 'id: 1\n', '\ud800'),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  it('stay words', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pairs),
        fc.array(forged, { maxLength: 4 }),
        async (pair, list) => {
          const { caller, voice } = pair
          const text = JSON.stringify(`Hel${list.join('')}`).slice(1, -1)
          const events = async (words: string) => {
            const stream = (voice.opening + voice.closing).replaceAll('Hel', () => words)
            const proxy = stageFor(voice, () => sseReply([stream]))
            const body = caller.request('m', true)
            const response = await proxy.fetch(caller.path('m', true), { body, headers })
            const parser = sseParser(1_000_000)
            return [...parser.push(await response.text()), ...parser.end()]
          }
          const [plain, hostile] = await Promise.all([events('Hel'), events(text)])
          expect(hostile.map(({ event }) => event)).toEqual(plain.map(({ event }) => event))
          for (const frame of hostile)
            expect(frame.data === '[DONE]' || eventIn(frame)).toBeTruthy()
        },
      ),
      cases(1000),
    )
  })
})

it('has a voice for every dialect', () => {
  expect(voices.map(({ dialect }) => dialect).toSorted()).toEqual(
    adapters.map(({ dialect }) => dialect).toSorted(),
  )
})
