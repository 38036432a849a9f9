import { describe, expect, it } from 'vitest'
import { createGuard, type Door } from '../../src/http/admission/guard.ts'

const HERE: Door = { kind: 'listener', host: '127.0.0.1' }
const PAGE = 'https://chat.example'
const WEB = { origins: [PAGE, 'vscode-webview://abc'], hosts: ['proxy.internal'] }

const codeFor = (headers: Record<string, string>, web?: typeof WEB, door: Door = HERE) =>
  createGuard(web, door)?.refusal(new Headers(headers))?.code

describe('a name', () => {
  it.each([
    'localhost',
    'localhost.',
    'LOCALHOST:8787',
    'a.b.localhost:1',
    '[::1]:8787',
    '127.0.0.1:8787',
    '127.1.2.3',
    '127.255.255.255.',
  ])('trap 37: that only this machine has passes: %s', (host) => {
    expect(codeFor({ host })).toBeUndefined()
  })
  it.each([
    'rebind.example:8787',
    '127.0.0.1.evil.test',
    'localhost.evil.test',
    'evil-localhost',
    'notlocalhost',
    '0.0.0.0:8787',
    '0:8787',
    '127.1',
    '2130706433',
    '127.0.0.256',
    '[::]:8787',
    '[::ffff:127.0.0.1]',
    '192.168.0.7',
    'proxy.internal',
    'localhost:8787:1',
    'localhost, rebind.example',
    '..',
    '',
  ])('trap 37: that may be anybody’s is refused: %s', (host) => {
    expect(codeFor({ host })).toBe('forbidden_host')
    expect(codeFor({ host, origin: PAGE }, WEB)).toBe(
      host === 'proxy.internal' ? undefined : 'forbidden_host',
    )
  })
  it('may be missing: no browser leaves it out', () => {
    expect(codeFor({})).toBeUndefined()
  })
  it.each(['proxy.internal', 'proxy.internal:80', 'PROXY.Internal.:8787'])(
    'passes when it is configured: %s',
    (host) => expect(codeFor({ host }, WEB)).toBeUndefined(),
  )
  it('is not looked at where others than this machine call, unless names are configured', () => {
    for (const host of ['0.0.0.0', '::', '192.168.0.7']) {
      const door: Door = { kind: 'listener', host }
      expect(codeFor({ host: 'rebind.example' }, undefined, door)).toBeUndefined()
      expect(codeFor({ host: 'rebind.example' }, WEB, door)).toBe('forbidden_host')
      expect(codeFor({ host: 'proxy.internal' }, WEB, door)).toBeUndefined()
      expect(codeFor({ host: `${host === '::' ? '[::]' : host}:1` }, WEB, door)).toBe(
        host === '192.168.0.7' ? undefined : 'forbidden_host',
      )
    }
  })
})

describe('a page', () => {
  const host = '127.0.0.1:8787'
  it.each([
    'https://evil.example',
    'null',
    '',
    `${PAGE}.evil.test`,
    `${PAGE}:444`,
    'https://a.chat.example',
    'http://chat.example',
    `${PAGE}/`,
    `${PAGE}, ${PAGE}`,
    'HTTPS://CHAT.EXAMPLE',
    'http://localhost:8787',
    'http://127.0.0.1:3000',
    'https://127.0.0.1:8787',
  ])('trap 39: is refused unless it is listed, to the letter: %s', (origin) => {
    for (const site of [undefined, 'same-origin', 'none'])
      expect(codeFor({ host, origin, ...(site && { 'sec-fetch-site': site }) }, WEB)).toBe(
        'forbidden_origin',
      )
  })
  it('passes when it is listed, from whichever site', () => {
    for (const origin of WEB.origins)
      for (const site of ['cross-site', 'same-site'])
        expect(codeFor({ host, origin, 'sec-fetch-site': site }, WEB)).toBeUndefined()
  })
  it('passes when it is of the address itself', () => {
    expect(codeFor({ host, origin: 'http://127.0.0.1:8787' })).toBeUndefined()
    // Under a further name there is another server in front, whose pages are not ours.
    const behind = { host: 'proxy.internal', origin: 'http://proxy.internal' }
    expect(codeFor(behind, WEB)).toBe('forbidden_origin')
    const rebound = { host: 'rebind.example', origin: 'http://rebind.example' }
    expect(codeFor(rebound, undefined, { kind: 'listener', host: '0.0.0.0' })).toBe(
      'forbidden_origin',
    )
  })
  it.each(['cross-site', 'same-site', 'Cross-Site', 'none, cross-site'])(
    'of another site is refused where it sends no origin: %s',
    (site) => expect(codeFor({ host, 'sec-fetch-site': site }, WEB)).toBe('forbidden_origin'),
  )
  it('is none, whatever else a client sends', () => {
    for (const headers of [
      { 'sec-fetch-mode': 'cors' },
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
      { 'sec-fetch-site': 'same-origin' },
      { 'anthropic-dangerous-direct-browser-access': 'true' },
    ])
      expect(codeFor({ host, ...(headers as Record<string, string>) })).toBeUndefined()
  })
})

describe('where there is no listener', () => {
  it('a program is asked nothing, unless it says what pages may do', () => {
    const door: Door = { kind: 'program' }
    expect(createGuard(undefined, door)).toBeUndefined()
    expect(codeFor({ host: 'any.example' }, WEB, door)).toBeUndefined()
    expect(codeFor({ host: 'any.example', origin: 'null' }, WEB, door)).toBe('forbidden_origin')
    expect(codeFor({ 'sec-fetch-site': 'cross-site' }, WEB, door)).toBe('forbidden_origin')
  })
  it('a Worker has any name, and pages that are listed', () => {
    const door: Door = { kind: 'isolate' }
    expect(codeFor({ host: 'any.example' }, undefined, door)).toBeUndefined()
    expect(codeFor({ host: 'any.example', origin: PAGE }, undefined, door)).toBe('forbidden_origin')
    expect(codeFor({ host: 'any.example', origin: PAGE }, WEB, door)).toBeUndefined()
  })
})

it('quotes no more of a stranger than can be read', () => {
  const { message = '' } = createGuard(undefined, HERE)?.refusal(
    new Headers({ host: `"<${'x'.repeat(5000)}` }),
  ) ?? { message: '' }
  expect(message).toMatch(/^forbidden_host: .*"_<x+".*web\.hosts/)
  expect(message.length).toBeLessThan(300)
})
