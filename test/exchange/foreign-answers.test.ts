import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { framesIn } from '../line-reader.ts'
import { KEY, proxyOf, streamOf } from './proxy.ts'

/** An upstream, or something in front of it, that answers in words of its own. */

const pairs = DIALECTS.flatMap((caller) => DIALECTS.map((upstream) => ({ caller, upstream })))

interface Said {
  status: number
  type: string
  text: string
  /** How many characters come at once. */
  size?: number
}

async function told(
  { caller, upstream }: { caller: Dialect; upstream: Dialect },
  stream: boolean,
  { status, type, text, size = text.length || 1 }: Said,
) {
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, nth) =>
    text.slice(nth * size, (nth + 1) * size),
  )
  const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: upstream } }
  const headers = new Headers({ 'content-type': type })
  const proxy = proxyOf(() => ({ status, headers, body: streamOf(pieces) }), change, { dialects })
  const { http, client } = kits[caller]
  const response = await proxy.fetch(http.path('m', stream), {
    body: http.body('m', stream, client.request('m', 'hi')),
    headers: { 'anthropic-version': '2023-06-01' },
  })
  const body = await response.text()
  return { status: response.status, body, log: proxy.log.at(-1) }
}

/** The message of an error in any of the dialects. */
const messageIn = (body: string): string =>
  (JSON.parse(body) as { error: { message: string } }).error.message

const page = (title: string) =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head>\n<body>${KEY} ${'x'.repeat(5000)}</body></html>`

const PAGES: readonly [string, string, RegExp][] = [
  ['a page with a title', page('502\n Bad Gateway'), /a page of HTML, 502 Bad Gateway\.$/],
  ['a page with a heading', '<html><body><h1>Down</h1></body></html>', /a page of HTML, Down\.$/],
  [
    'an error in XML',
    '<?xml version="1.0"?><Error><Code>A</Code><Message>Access Denied</Message></Error>',
    /a page of XML, Access Denied\.$/,
  ],
]

describe.each(pairs)('an answer in other words: $caller over $upstream', (pair) => {
  it.each(PAGES)('is named where it is %s', async (_, text, name) => {
    for (const stream of [true, false])
      for (const size of [text.length, 11])
        for (const said of [
          { status: 502, type: 'text/html', text, size },
          { status: 200, type: 'text/html', text, size },
          { status: 200, type: 'text/event-stream', text, size },
        ]) {
          const { status, body, log } = await told(pair, stream, said)
          expect(status).toBe(502)
          expect(messageIn(body)).toMatch(name)
          expect(log?.error).toMatch(name)
          expect(log?.reason).toBe(log?.reason?.slice(0, 200))
          expect(log?.reason).toMatch(/^<(?:!DOCTYPE html>|html>|\?xml)/)
          expect(body + JSON.stringify(log)).not.toContain(KEY)
        }
  })

  it('has its status where it has no name', async () => {
    const { body, log } = await told(pair, false, {
      status: 503,
      type: 'text/html',
      text: '<html><body>nope</body></html>',
    })
    expect(messageIn(body)).toBe('The upstream answered with a page of HTML, status 503.')
    expect(log?.reason).toBe('<html><body>nope</body></html>')
  })

  it('is told in its words, up to some length and without a key', async () => {
    const text = `upstream connect error for ${KEY}\n${'and so on '.repeat(100)}`
    for (const stream of [true, false]) {
      const failed = await told(pair, stream, { status: 503, type: 'text/plain', text })
      expect(messageIn(failed.body)).toMatch(/^upstream connect error for \*{3}/)
      expect(failed.log?.reason).toMatch(/^upstream connect error for \*{3} and so on/)
      expect(failed.log?.reason?.length).toBe(200)
      for (const size of [text.length, 7]) {
        const { status, body, log } = await told(pair, stream, {
          status: 200,
          type: 'text/plain',
          text: `U${text.slice(1)}`,
          size,
        })
        expect(status).toBe(502)
        expect(messageIn(body)).toMatch(/not a reply: "Upstream connect error for \*{3} and so on/)
        expect(log?.reason).toMatch(/^Upstream connect error for \*{3}/)
        expect(log?.reason?.length).toBeLessThanOrEqual(200)
        expect(body + JSON.stringify(log)).not.toContain(KEY)
      }
    }
  })

  it('has no words in the log where it is JSON', async () => {
    const { log } = await told(pair, false, {
      status: 503,
      type: 'application/json',
      text: '{"error":{"message":"Busy","type":"x"}}',
    })
    expect(log).toMatchObject({ error: 'Busy', reason: undefined })
  })

  it('is a status with its words where it is the first event and named an error', async () => {
    for (const [text, words] of [
      ['event: error\ndata: upstream connect error\n\n', 'upstream connect error'],
      ['event: error\r\ndata: no\r\ndata: way\r\n\r\n', 'no\nway'],
      [': wait\n\nevent: error\ndata: upstream connect error\n\n', 'upstream connect error'],
      [
        'event: error\ndata: <html><title>504 Gateway Time-out</title></html>\n\n',
        'The upstream answered with a page of HTML, 504 Gateway Time-out.',
      ],
    ] as const)
      for (const size of [text.length, 5])
        for (const code of [200, 502]) {
          const said = { status: code, type: 'text/event-stream', text, size }
          const { status, body, log } = await told(pair, true, said)
          expect([status, messageIn(body)]).toEqual([502, words])
          expect(log).toMatchObject({ outcome: 'upstream_error', error: words })
        }
  })
})

describe.each(DIALECTS)('a stream of %s that passes', (dialect) => {
  const pair = { caller: dialect, upstream: dialect }
  const { events, named } = kits[dialect].correctStream
  const frames = events.map(
    (event) =>
      `${named ? `event: ${String(event['type'])}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
  )
  const passed = (text: string, size: number) =>
    told(pair, true, { status: 200, type: 'text/event-stream', text, size })
  const delta = frames.findIndex((frame) => /[._]delta|"content":"|"text":"./.test(frame))

  it('fails in the words of an error behind its beginning', async () => {
    const text = [...frames.slice(0, delta + 1), 'event: error\ndata: No more today\n\n'].join('')
    for (const size of [text.length, 11]) {
      const { body, log } = await passed(text, size)
      const last = framesIn(body).at(-1)?.data ?? ''
      expect(last).toContain('No more today')
      expect(JSON.parse(last)).toBeTypeOf('object')
      expect(log).toMatchObject({ outcome: 'upstream_error', error: 'No more today' })
    }
  })

  it('is no good one with an event that is cut, although its end came', async () => {
    const whole = frames[delta] ?? ''
    for (const cut of [2, 9, 20]) {
      const broken = `${whole.trimEnd().slice(0, -cut)}\n\n`
      for (const list of [
        frames.toSpliced(delta, 1, broken),
        frames.toSpliced(delta + 1, 0, broken),
        frames.toSpliced(delta + 1, 0, whole, broken, whole),
      ])
        for (const size of [list.join('').length, 11]) {
          const { body, log } = await passed(list.join(''), size)
          // Clients that parse it throw, and those that do not would miss a piece of the reply.
          expect(body).not.toContain(broken)
          expect(log?.outcome, broken).toBe('upstream_error')
          expect(log?.error).toBe('The upstream sent an event that is no JSON.')
        }
    }
    expect((await passed(frames.join(''), 11)).log?.outcome).toBe('ok')
  })

  it('is a good one whatever a sign of life says', async () => {
    const alive = 'event: ping\ndata: still here\n\n'
    const { log } = await passed(frames.toSpliced(delta, 0, alive).join(''), 100_000)
    expect(log?.outcome).toBe('ok')
  })
})
