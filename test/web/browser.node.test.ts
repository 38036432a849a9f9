import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, openBrowser, type Browser, type Page } from './chromium.ts'
import { openPlace, type Place } from './place.ts'

if (!CHROMIUM)
  console.warn('\n*** SKIPPED: no real web page tries the proxy, there is no chromium here ***\n')

/** Pages without anything in them, under every name that there is. */
async function pageServer(): Promise<{ server: Server; port: number }> {
  const server = createServer((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/html', connection: 'close' })
    outgoing.end('<!doctype html><title>page</title><body>')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { server, port: (server.address() as AddressInfo).port }
}

/** What a page hears of a request: its status and text, `opaque` where it may not look, or that it failed. */
const fetched = (url: string, init: object) =>
  `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(
    async (r) => r.type === 'opaque' ? 'opaque' : r.status + ' ' + await r.text(), () => 'failed')`

const question = JSON.stringify({ model: 'm', input: 'Hi' })
const json = { 'content-type': 'application/json' }
const sent = { method: 'POST', body: question, headers: json }

describe.skipIf(!CHROMIUM)('in a real browser', () => {
  let browser: Browser
  let pages: { server: Server; port: number }
  let place: Place
  let page: Page
  beforeAll(async () => {
    browser = await openBrowser(CHROMIUM ?? '')
    pages = await pageServer()
    place = await openPlace({ web: { origins: [`http://chat.test:${pages.port}`] } })
    page = await browser.open(`http://evil.test:${pages.port}/`)
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await place.close()
    pages.server.close()
  })

  /** Requests that got through the guard of a place show in its log with another status. */
  const statuses = async (from: number): Promise<unknown[]> => {
    await new Promise((wake) => setTimeout(wake, 60))
    return place
      .lines()
      .slice(from)
      .map((line) => JSON.parse(line).status)
  }

  const at = (path: string) => `http://127.0.0.1:${place.port}${path}`
  const ATTEMPTS: [string, () => string, string?][] = [
    ['JSON', () => fetched(at('/v1/responses'), sent), 'failed'],
    [
      'plain text',
      () => fetched(at('/v1/responses'), { method: 'POST', body: question, mode: 'no-cors' }),
      'opaque',
    ],
    [
      'a beacon',
      () =>
        `navigator.sendBeacon('${at('/v1/responses')}', new Blob(['${question}'], { type: 'application/json' }))`,
    ],
    [
      'no body',
      () => fetched(at('/v1/responses/resp_x/cancel'), { method: 'POST', mode: 'no-cors' }),
      'opaque',
    ],
    [
      'reading what is stored',
      () => fetched(at('/v1/responses/resp_x'), { mode: 'no-cors' }),
      'opaque',
    ],
    ['reading models', () => fetched(at('/v1/models'), {}), 'failed'],
    [
      'an image',
      () => `new Promise((done) => {
        const image = new Image()
        image.onload = image.onerror = () => done('shown')
        image.src = '${at('/img/task/1/fetch')}'
      })`,
      'shown',
    ],
    [
      'a form in a frame',
      () => `new Promise((done) => {
        const frame = document.createElement('iframe')
        frame.sandbox = 'allow-scripts allow-forms'
        frame.srcdoc = '<form method=POST action="${at('/v1/responses/resp_x/cancel')}"></form><script>document.forms[0].submit()</' + 'script>'
        frame.onload = () => setTimeout(() => done('sent'), 300)
        document.body.append(frame)
      })`,
      'sent',
    ],
    [
      'a socket',
      () => `new Promise((done) => {
        const socket = new WebSocket('${at('/v1/responses').replace('http', 'ws')}')
        socket.onopen = () => done('open')
        socket.onerror = () => done('failed')
      })`,
      'failed',
    ],
  ]

  it.each(ATTEMPTS)('trap 38: a foreign page reaches nothing: %s', async (_, expression, heard) => {
    const from = place.lines().length
    const result = await page.evaluate(expression())
    if (heard) expect(result).toBe(heard)
    const told = await statuses(from)
    expect(told.length).toBeGreaterThan(0)
    expect(new Set(told)).toEqual(new Set([403]))
    expect(place.reached).toEqual([])
  })

  it('trap 37: a name that is bound anew reaches nothing', async () => {
    // The page comes from a stranger's machine, and then its name leads to this one, to the same port.
    const stranger = await pageServer()
    const rebound = await browser.open(`http://rebind.test:${stranger.port}/`)
    stranger.server.closeAllConnections()
    await new Promise((done) => stranger.server.close(done))
    const bound = await openPlace({ port: stranger.port })
    for (const expression of [
      fetched('/v1/responses', sent),
      fetched('/v1/models', {}),
      fetched('/v1/responses/resp_x/cancel', { method: 'POST' }),
      fetched('/img/task/1/fetch', {}),
    ])
      expect(await rebound.evaluate(expression)).toMatch(/^403 .*forbidden_host/)
    expect(await rebound.evaluate(fetched('/healthz', {}))).toBe('200 {"status":"ok"}')
    expect(bound.reached).toEqual([])
    await bound.close()
  })

  it('a page that is listed asks first, and reads the answer', async () => {
    const listed = await browser.open(`http://chat.test:${pages.port}/`)
    const headers = { ...json, authorization: 'Bearer any', 'x-stainless-os': 'x' }
    const heard = await listed.evaluate(`fetch('${at('/v1/responses')}', {
      method: 'POST', body: ${JSON.stringify(question)}, headers: ${JSON.stringify(headers)} })
      .then(async (r) => r.headers.get('x-dragoman-upstream') + ' ' + await r.text())`)
    expect(heard).toMatch(/^service; dialect=responses.*the secret of the house/)
    const cookie = { ...sent, headers: { ...json, 'x-evil': '1' } }
    expect(await listed.evaluate(fetched(at('/v1/responses'), cookie))).toBe('failed')
  })
})
