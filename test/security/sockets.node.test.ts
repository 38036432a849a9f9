import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ask,
  CALLER_KEY,
  LIMITS,
  openStage,
  UPSTREAM_KEY,
  type Heard,
  type Stage,
} from '../faults/stage.ts'
import { lineServer, type LineServer } from '../faults/line.ts'
import { voices, type Voice } from '../faults/voices.ts'
import { emptyFolder } from '../node/command.ts'

/** Threats that need real sockets; the numbers are those of the table in SECURITY.md. */

let stage: Stage
let elsewhere: LineServer
beforeAll(async () => {
  stage = await openStage()
  elsewhere = await lineServer(
    () => 'anything',
    () => (line) => void line.answer('{}'),
  )
})
afterAll(async () => {
  elsewhere.close()
  await stage.close()
})

const [messages] = voices as readonly [Voice]
const pairs = voices.flatMap((caller) => voices.map((voice) => ({ caller, voice })))
let count = 0
const modelFor = (voice: Voice): string => `${voice.dialect}--s${(count += 1)}`

/** What the upstream was sent for a request. */
const sentFor = (model: string): string[] =>
  (stage.upstream.lines.get(model) ?? []).map(({ request }) => request)

/** Sends bytes, waits until nothing more comes, and yields everything that came. */
function raw(bytes: string, port = stage.url.port): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    // Silence: long before an answer on a busy machine, short after one.
    socket.setTimeout(4000, () => socket.destroy())
    socket.once('data', () => socket.setTimeout(400))
    socket.on('data', (more) => (text += more))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
    socket.write(bytes, 'latin1')
  })
}

const misleading = (value: string) => ({
  api_base: value,
  base_url: value,
  apiBase: value,
  host: value,
  url: value,
  api_key: value,
  headers: { host: value },
})

describe('T1 what a caller names', () => {
  const hosts = ['http://evil.example', 'evil.example', '127.0.0.1:1', '//evil']
  it.each(hosts)('is never where a request goes, nor what it is signed with: %s', async (host) => {
    for (const { caller, voice } of pairs) {
      const model = modelFor(voice)
      stage.script(model, (line) => void line.answer(voice.whole))
      await ask(stage, {
        path: caller.path(model, false),
        body: JSON.stringify({ ...caller.request(model, false), ...misleading(host) }),
        headers: {
          host: 'evil.example',
          forwarded: `host=${host}`,
          'x-forwarded-host': host,
          'x-custom-host': host,
          'x-api-base': host,
          'x-target-url': host,
        },
      })
      const requests = sentFor(model)
      // A dialect may refuse what it does not know; then nothing was sent.
      for (const request of requests) {
        const head = request.slice(0, request.indexOf('\r\n\r\n')).toLowerCase()
        expect(head).toMatch(new RegExp(`^post /${voice.dialect}/`))
        expect(head).toContain(`host: 127.0.0.1:${stage.upstream.port}`)
        expect(head).not.toContain('evil')
      }
    }
  })
  it('is not the host of an absolute target either', async () => {
    const model = modelFor(messages)
    stage.script(model, (line) => void line.answer(messages.whole))
    const body = JSON.stringify(messages.request(model, false))
    const port = elsewhere.port
    await raw(
      `POST http://127.0.0.1:${port}/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
        `x-api-key: ${CALLER_KEY}\r\nanthropic-version: 2023-06-01\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    expect(elsewhere.lines.size).toBe(0)
    expect(sentFor(model)).toHaveLength(1)
  })
})

it.each([301, 302, 303, 307, 308])('T2 nobody is redirected: %d', async (status) => {
  for (const voice of voices) {
    const model = modelFor(voice)
    const location = `http://127.0.0.1:${elsewhere.port}/v1/messages`
    stage.script(model, (line) => void line.answer('', { status, location }))
    const heard = await ask(stage, {
      path: voice.path(model, false),
      body: JSON.stringify(voice.request(model, false)),
    })
    expect(heard.status).toBeGreaterThanOrEqual(502)
    expect(heard.headers).not.toHaveProperty('location')
    expect(sentFor(model)).toHaveLength(1)
  }
  expect(elsewhere.lines.size).toBe(0)
})

describe('T3 and T4 keys', () => {
  const places: [string, Record<string, string>, string][] = [
    ['a bearer', { authorization: `Bearer ${CALLER_KEY}` }, ''],
    ['x-api-key', { 'x-api-key': CALLER_KEY }, ''],
    ['x-goog-api-key', { 'x-goog-api-key': CALLER_KEY }, ''],
    ['the query', { 'x-api-key': '' }, `key=${CALLER_KEY}`],
    ['api-key beside', { 'x-api-key': CALLER_KEY, 'api-key': CALLER_KEY }, ''],
    ['a cookie beside', { 'x-api-key': CALLER_KEY, cookie: `k=${CALLER_KEY}` }, ''],
    ['a proxy credential beside', { 'proxy-authorization': `Bearer ${CALLER_KEY}` }, ''],
  ]
  it.each(places)('of a caller goes no further, in %s', async (_, headers, query) => {
    for (const { caller, voice } of pairs)
      for (const whole of [true, false]) {
        const model = modelFor(voice)
        stage.script(model, (line) =>
          whole
            ? void line.answer(voice.whole)
            : void line.answer(voice.refusal.replace('the words', `${UPSTREAM_KEY} the`), {
                status: 400,
                'x-echo': UPSTREAM_KEY,
              }),
        )
        const path = caller.path(model, false)
        const heard = await ask(stage, {
          path: query ? `${path}?${query}` : path,
          body: JSON.stringify(caller.request(model, false)),
          headers,
        })
        expect(heard.status).toBe(whole ? 200 : 400)
        const [sent = ''] = sentFor(model)
        expect(sent).not.toContain(CALLER_KEY)
        expect(sent.split(UPSTREAM_KEY)).toHaveLength(2)
        expect(sent).toMatch(new RegExp(`\r\nauthorization: Bearer ${UPSTREAM_KEY}\r\n`))
        expect(heard.text + JSON.stringify(heard.headers)).not.toMatch(
          new RegExp(`${CALLER_KEY}|${UPSTREAM_KEY}`),
        )
      }
  })
  it('are not in what an upstream says of them in the middle of a stream', async () => {
    for (const { caller, voice } of pairs.filter((pair) => pair.caller !== pair.voice)) {
      const model = modelFor(voice)
      const words = `"busy with ${UPSTREAM_KEY}","error_code":"${UPSTREAM_KEY}"`
      const failure = voice.failure.replace('"busy"', words)
      stage.script(
        model,
        (line) =>
          void line
            .open()
            .chunk(voice.opening + failure)
            .close(),
      )
      const heard = await ask(stage, {
        path: caller.path(model, true),
        body: JSON.stringify(caller.request(model, true)),
      })
      expect(heard.text).toContain('busy with ***')
      expect(heard.text).not.toContain(UPSTREAM_KEY)
    }
  })
})

it('T10 an upstream sets no header but the ones that are meant', async () => {
  const hostile = {
    'set-cookie': 'a=b',
    location: 'http://evil.example',
    'access-control-allow-origin': '*',
    'strict-transport-security': 'max-age=1',
    'content-security-policy': 'x',
    connection: 'close, x-smuggled',
    'x-smuggled': '1',
    'x-powered-by': 'x',
    refresh: '0; url=http://evil.example',
    'content-disposition': 'attachment',
    'request-id': 'a b',
  }
  for (const { caller, voice } of pairs)
    for (const stream of [true, false]) {
      const model = modelFor(voice)
      stage.script(model, (line) =>
        stream
          ? void line
              .open(hostile)
              .chunk(voice.opening + voice.closing)
              .close()
          : void line.answer(voice.whole, hostile),
      )
      const heard = await ask(stage, {
        path: caller.path(model, stream),
        body: JSON.stringify(caller.request(model, stream)),
      })
      expect(heard.status).toBe(200)
      for (const name of Object.keys(hostile).filter(
        (key) => !/^(?:connection|request-id)$/.test(key),
      ))
        expect(heard.headers).not.toHaveProperty(name)
      expect(heard.headers['connection']).not.toContain('x-smuggled')
      expect(heard.headers['request-id']).toMatch(/^[0-9a-f]{32}$/)
    }
})

const body = JSON.stringify(messages.request('messages--smuggled', false))
const inner =
  `POST /v1/messages HTTP/1.1\r\nHost: a\r\nx-api-key: ${CALLER_KEY}\r\nanthropic-version: 2023-06-01\r\n` +
  `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const outer = (headers: string, rest = `0\r\n\r\n${inner}`): string =>
  `POST /nothing HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${rest}`

// Nobody is answered, which takes a while to see.
describe.concurrent('T11 a request inside a request', () => {
  it.each([
    ['a length and chunks', outer('content-length: 4\r\ntransfer-encoding: chunked')],
    ['chunks and a length', outer('transfer-encoding: chunked\r\ncontent-length: 4')],
    ['two lengths', outer('content-length: 4\r\ncontent-length: 400')],
    ['two lengths in one', outer('content-length: 4, 400')],
    ['a signed length', outer('content-length: +4')],
    ['a negative length', outer('content-length: -1')],
    ['a length that is no number', outer('content-length: 0x4')],
    ['chunks that are none', outer('transfer-encoding: xchunked')],
    ['chunks twice', outer('transfer-encoding: chunked, identity')],
    ['a hidden coding', outer('transfer-encoding:\x0bchunked')],
    ['a space before the colon', outer('transfer-encoding : chunked')],
    ['a folded header', outer('x-a: b\r\n transfer-encoding: chunked')],
    ['a bare LF', `POST /nothing HTTP/1.1\nHost: a\ncontent-length: 0\n\n${inner}`],
    ['a bare CR', outer('x-a: b\rtransfer-encoding: chunked')],
    ['a NUL', outer('x-a: b\0c')],
    ['an endless chunk size', outer('transfer-encoding: chunked', `fffffffffffffffff\r\n${inner}`)],
    ['a chunk size with a sign', outer('transfer-encoding: chunked', `-1\r\n${inner}`)],
    ['two hosts', outer('host: b\r\ncontent-length: 0')],
    ['no host', `POST /v1/messages HTTP/1.1\r\ncontent-length: 0\r\n\r\n${inner}`],
    ['a name with a space', outer('x a: b')],
    ['an older protocol', `POST /nothing HTTP/9.9\r\nHost: a\r\n\r\n${inner}`],
    ['no protocol', `GET /\r\n\r\n${inner}`],
  ])('is not answered: %s', async (_, bytes) => {
    const answer = await raw(bytes)
    expect(answer).not.toContain('HTTP/1.1 200')
    expect(sentFor('messages--smuggled')).toEqual([])
  })
  it('survives names of headers that are names of prototypes', async () => {
    // In a process that may look at them: the runtime itself does.
    const folder = emptyFolder()
    const { port } = new URL(await folder.run(['--port', '0']).listening())
    const head = 'GET /healthz HTTP/1.1\r\nHost: a\r\n__proto__: x\r\nconstructor: y\r\n\r\n'
    expect(await raw(head, port)).toContain('HTTP/1.1 200')
    expect(await raw(head, port)).toContain('HTTP/1.1 200')
    folder.remove()
  })
})

const head = (more: string) =>
  `POST /v1/messages HTTP/1.1\r\nHost: a\r\nx-api-key: ${CALLER_KEY}\r\nanthropic-version: 2023-06-01\r\n` +
  `content-type: application/json\r\n${more}\r\n\r\n`

describe.concurrent('T15 a body beyond the limit', () => {
  const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`
  it.each([
    ['by its length', head(`content-length: ${LIMITS.bodyBytes + 1}`)],
    ['in chunks', head('transfer-encoding: chunked') + chunk.repeat(40)],
  ])('is refused %s, and read no further', async (_, bytes) => {
    expect(await raw(bytes)).toContain('HTTP/1.1 413')
  })
  it('that is shorter than it says is no request', async () => {
    expect(await raw(`${head('content-length: 400')}{"model":`)).not.toContain('HTTP/1.1 200')
  })
})

it('T18 nothing in this suite may reach for a prototype by its name', () => {
  expect(() => Reflect.get({}, '__proto__')).toThrow()
})

describe('T30 a web page', () => {
  it('is told nothing by a preflight', async () => {
    const answer = await raw(
      'OPTIONS /v1/messages HTTP/1.1\r\nHost: a\r\nOrigin: http://evil.example\r\n' +
        'Access-Control-Request-Method: POST\r\n\r\n',
    )
    expect(answer).toContain('HTTP/1.1 401')
    expect(answer).not.toMatch(/access-control/i)
  })
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a'])(
    'cannot send without asking: %s',
    async (type) => {
      const heard: Heard = await ask(stage, {
        path: '/v1/messages',
        body: JSON.stringify(messages.request('messages--page', false)),
        headers: { 'content-type': type, origin: 'http://evil.example' },
      })
      expect(heard.status).toBe(415)
      expect(JSON.stringify(heard.headers)).not.toContain('access-control')
    },
  )
})
