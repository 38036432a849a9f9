import { describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { examined, readSettings } from '../../src/config/config.ts'
import { objectSource } from '../../src/config/source.ts'
import { writeSample } from '../../src/exchange/reply/sample.ts'
import { toResponse } from '../../src/http/respond.ts'
import { ConnectError, type UpstreamRequest } from '../../src/ports.ts'
import { errorOf } from '../sockets/caller.ts'
import {
  bodyOf,
  CALLER_KEY,
  parsed,
  stageOf,
  textOf,
  UPSTREAMS,
  type Stage,
} from '../sockets/proxy.ts'

/** The webhook that is asked before a request is served. */

const URL = 'https://rules.example/before?token=abc'
const isQuestion = ({ url }: UpstreamRequest) => url === URL

type Said = Awaited<ReturnType<NonNullable<Parameters<typeof stageOf>[0]>['before'] & {}>>

const said = (
  body: string | ReadableStream<Uint8Array> | null,
  status = 200,
  headers: Record<string, string> = {},
): Said => ({
  status,
  headers: new Headers(headers),
  body: body === null ? null : new Response(body).body,
})

function siteOf(
  answer: (request: UpstreamRequest) => Said | Promise<Said>,
  before: object = {},
  config: object = {},
) {
  const stage = stageOf({
    config: { before: { url: URL, ...before }, ...config },
    before: async (request, demo) => (isQuestion(request) ? answer(request) : demo(request)),
  })
  return {
    ...stage,
    asked: () => stage.sent.filter(isQuestion),
    served: () => stage.sent.filter((request) => !isQuestion(request)),
  }
}

async function ask({ handler }: Stage, dialect: string, stream = false, explain = '') {
  const caller = adapters.find((each) => each.dialect === dialect)
  if (!caller) throw new Error(`no ${dialect}`)
  const { path, query, headers, body } = writeSample(caller, dialect, stream)
  const request = new Request(`http://proxy.example${explain}${path}${query ? `?${query}` : ''}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'x-api-key': CALLER_KEY },
    body: JSON.stringify(body),
  })
  const answer = toResponse(await handler.answer(request))
  return { status: answer.status, text: await answer.text(), bytes: JSON.stringify(body).length }
}

describe.each(UPSTREAMS)('a request of %s', (dialect) => {
  it.each([false, true])('is served when nothing is said: stream %s', async (stream) => {
    const site = siteOf(() => said(null, 204))
    const { status, bytes } = await ask(site, dialect, stream)
    expect(status).toBe(200)
    expect(site.served()).toHaveLength(1)
    const [question] = site.asked()
    expect(question?.method).toBe('POST')
    const [entry] = site.log
    expect(parsed(bodyOf(question))).toEqual({
      id: entry?.id,
      path: entry?.path,
      caller: 'one',
      dialect,
      model: dialect,
      route: dialect,
      bytes,
    })
    // Neither a key, nor a header of the caller, nor a word of the body.
    expect(question?.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
    })
    expect(bodyOf(question)).not.toContain('Hello')
    expect(bodyOf(question)).not.toContain(CALLER_KEY)
    expect(entry).not.toHaveProperty('before', expect.anything())
  })

  it('is refused in its own words, and no upstream is asked', async () => {
    const site = siteOf(() => said('{"refuse":"Not on a Sunday.","labels":{"team":"a"}}'))
    const { status, text } = await ask(site, dialect, true)
    expect(status).toBe(403)
    expect(text).toContain('Not on a Sunday.')
    expect(parsed(text)).toHaveProperty('error')
    expect(site.served()).toEqual([])
    expect(site.log).toMatchObject([{ status: 403, labels: { team: 'a' }, caller: 'one' }])
  })

  it('has its labels in the log', async () => {
    const site = siteOf(() => said('{"labels":{"team":"search","cost.centre":"12"}}'))
    expect((await ask(site, dialect)).status).toBe(200)
    expect(site.log).toMatchObject([{ labels: { team: 'search', 'cost.centre': '12' } }])
  })

  it('is not asked about where tokens are counted or an answer is explained', async () => {
    const site = siteOf(() => said('{"refuse":"No."}'))
    expect((await ask(site, dialect, false, '/explain')).status).toBe(200)
    expect(site.asked()).toEqual([])
  })
})

const long = (): ReadableStream<Uint8Array> =>
  new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(10_000).fill(32)) })
const silent = (): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) })

const FAULTS: Record<string, [(request: UpstreamRequest) => Said | Promise<Said>, RegExp]> = {
  'is not reached': [() => Promise.reject(new ConnectError('refused')), /refused/],
  fails: [() => said('{}', 500), /it answered 500/],
  'refuses by a status alone': [() => said('{}', 403), /it answered 403/],
  'leads elsewhere': [() => said(null, 302, { location: 'https://evil.example' }), /answered 302/],
  'says no JSON': [() => said('<html>'), /something else/],
  'says a list': [() => said('[]'), /something else/],
  'misspells a member': [() => said('{"refused":"No."}'), /something else/],
  'refuses without words': [() => said('{"refuse":""}'), /something else/],
  'refuses by a flag': [() => said('{"refuse":true}'), /something else/],
  'has labels that are numbers': [() => said('{"labels":{"a":1}}'), /something else/],
  'has labels of a strange name': [() => said('{"labels":{"a b":"c"}}'), /something else/],
  'has labels that are long': [() => said(`{"labels":{"a":"${'x'.repeat(200)}"}}`), /else/],
  'has too many labels': [
    () =>
      said(
        JSON.stringify({ labels: Object.fromEntries([...'abcdefghijklmnopq'].map((a) => [a, a])) }),
      ),
    /something else/,
  ],
  'never ends': [() => said(long()), /more than 16384 bytes/],
  'says the first byte alone': [() => said(silent()), /did not answer within|abort|time/i],
  'never answers': [() => new Promise<never>(() => undefined), /did not answer within 40 ms/],
}

describe.concurrent.each(Object.entries(FAULTS))('who %s', (_, [answer, reason]) => {
  it.each(UPSTREAMS)('has the request refused: %s', async (dialect) => {
    const site = siteOf(answer, { timeoutMs: 40 })
    const { status, text } = await ask(site, dialect)
    expect(status).toBe(503)
    expect(text).toContain('cannot be found out at the moment')
    expect(site.served()).toEqual([])
    expect(site.log).toMatchObject([{ status: 503, before: expect.stringMatching(reason) }])
    expect(site.asked()).toHaveLength(1)
  })

  it('lets the request go on where that is configured, and the log says so', async () => {
    const site = siteOf(answer, { timeoutMs: 40, onError: 'allow' })
    expect((await ask(site, 'messages')).status).toBe(200)
    expect(site.log).toMatchObject([{ status: 200, before: expect.stringMatching(reason) }])
  })
})

it('is asked for each response on a socket, and not for the socket', async () => {
  const answers = ['{"labels":{"turn":"1"}}', '{"refuse":"Enough."}']
  const site = siteOf(() => said(answers.shift() ?? '{}'))
  const caller = await site.connect()
  expect(site.asked()).toEqual([])
  const model = 'responses'
  expect(textOf(await caller.turn({ model, input: 'first' }))).toBe('You said: first')
  expect(errorOf(await caller.turn({ model, input: 'second' }))).toMatchObject({
    message: 'Enough.',
  })
  expect(textOf(await caller.turn({ model, input: 'third' }))).toBe('You said: third')
  expect(site.asked()).toHaveLength(3)
  expect(site.log.map(({ labels }) => labels)).toContainEqual({ turn: '1' })
})

it('is asked about endpoints that pass', async () => {
  const upstreams = {
    one: { dialect: 'responses', url: 'http://one.invalid/v1', passthrough: ['/v1/embeddings'] },
  }
  const routes = [{ model: '*', upstream: 'one' }]
  const site = siteOf(() => said('{"refuse":"No."}'), {}, { upstreams, routes })
  const answer = await site.post({ model: 'm', input: 'x' }, '/v1/embeddings')
  expect(answer.status).toBe(403)
  expect(site.served()).toEqual([])
  expect(parsed(bodyOf(site.asked()[0]))).toMatchObject({ path: '/v1/embeddings', caller: 'one' })
})

it('is told the names of pools and of patterns as the route says them', async () => {
  const upstreams = Object.fromEntries(
    ['a', 'b'].map((name) => [name, { dialect: 'messages', url: `http://demo.invalid/messages` }]),
  )
  const routes = [{ model: 'mess*', upstream: ['a', 'b'] }]
  const site = siteOf(() => said('{}'), {}, { upstreams, routes })
  expect((await ask(site, 'messages')).status).toBe(200)
  expect(parsed(bodyOf(site.asked()[0]))).toMatchObject({ model: 'messages', route: 'mess*' })
})

it('leaves a caller who has left alone', async () => {
  const leaving = new AbortController()
  const site = siteOf(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
        leaving.abort()
      }),
    { onError: 'allow' },
  )
  const request = new Request('http://proxy.example/v1/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${CALLER_KEY}` },
    body: '{"model":"responses","input":"Hello"}',
    signal: leaving.signal,
  })
  await site.handler.answer(request)
  expect(site.served()).toEqual([])
  expect(site.log).toMatchObject([{ outcome: 'left' }])
  expect(site.log[0]?.before).toBeUndefined()
})

it('does not see a key in the query', async () => {
  const site = siteOf(() => said('{}'))
  const path = '/v1beta/models/generate-content:generateContent'
  const body = '{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}'
  const request = new Request(`http://proxy.example${path}?key=${CALLER_KEY}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(toResponse(await site.handler.answer(request)).status).toBe(200)
  expect(bodyOf(site.asked()[0])).not.toContain(CALLER_KEY)
  expect(parsed(bodyOf(site.asked()[0]))).toMatchObject({ path })
})

describe('a configuration', () => {
  const upstreams = { a: { dialect: 'messages', url: 'https://a.example' } }
  const configured = (before: unknown) => ({ upstreams, before })
  const faultsOf = (before: unknown) =>
    examined(objectSource(configured(before), 'c'), {}).faults.map(
      ({ place, expected }) => `${place}: ${expected}`,
    )

  it('has defaults', () => {
    const { before } = readSettings(configured({ url: URL }), {})
    expect(before).toEqual({ url: URL, timeoutMs: 1000, onError: 'refuse' })
  })

  it.each([
    'http://rules.example/before',
    'rules.example',
    'https://me:secret@rules.example/',
    'ftp://x',
  ])('names no address that others may answer at: %s', (url) => {
    expect(faultsOf({ url }).join()).toContain('expected https, or http on this machine')
  })

  it('may name one of this machine', () => {
    expect(faultsOf({ url: 'http://127.0.0.1:9000/before' })).toEqual([])
  })

  it('does not ask the proxy itself', () => {
    const source = objectSource(configured({ url: 'http://127.0.0.1:9000/v1/embeddings' }), 'c')
    const listens = { host: '127.0.0.1', port: 9000 }
    const faults = examined(source, {}, { listens }).faults.map(({ place }) => place)
    expect(faults).toEqual(['before.url'])
  })

  it('has to say what becomes of faults in words that there are', () => {
    expect(faultsOf({ url: URL, onError: 'deny' }).join()).toContain('onError')
  })
})
