import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConnectError, type Send } from '../../src/ports.ts'
import { readSettings } from '../../src/config/config.ts'
import type { Config } from '../../src/config/type.ts'
import { greeting } from '../../src/node/command/describe.ts'
import { CLOSED_PORT } from '../ports.ts'
import { readEgress, egressSecrets } from '../../src/node/upstream/egress.ts'
import { createSend, type NodeSend } from '../../src/node/upstream/send.ts'
import { emptyFolder } from './command.ts'

const PASSWORD = 'p4ss/word-0123456789'
const AUTHORIZATION = `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`

/** What the proxy was asked for: `CONNECT host:port` and with which credential. */
let asked: { target: string | undefined; authorization: string | undefined }[] = []
let refusing = false
let open: (NodeSend | Server)[] = []

const listening = (server: Server): Promise<number> => {
  open.push(server)
  return new Promise((done) =>
    server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port)),
  )
}

/** A proxy that tunnels, wherever it is asked to, to one upstream. */
function tunnel(upstream: number): Promise<number> {
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connect', (request, socket) => {
    asked.push({ target: request.url, authorization: request.headers['proxy-authorization'] })
    if (refusing) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const out = connect(upstream, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(out).pipe(socket)
    })
    for (const end of [socket, out]) end.on('error', () => end.destroy())
  })
  return listening(server)
}

let upstream: number
let proxy: number
beforeEach(async () => {
  asked = []
  refusing = false
  const answer = createServer((request, response) =>
    response.end(JSON.stringify({ host: request.headers.host, path: request.url })),
  )
  upstream = await listening(answer)
  proxy = await tunnel(upstream)
})
afterEach(() => {
  for (const each of open) {
    if ('destroy' in each) each.destroy()
    else each.close().closeAllConnections()
  }
  open = []
})

const sendBy = (variables: Record<string, string>): Send => {
  const made = createSend(readEgress(variables))
  open.push(made)
  return made.send
}
const get = async (send: Send, url: string, more: object = {}) => {
  const { signal } = new AbortController()
  const { body } = await send({ method: 'GET', url, headers: {}, signal, connectMs: 2000, ...more })
  const piece = body && 'read' in body ? await body.read() : undefined
  return JSON.parse(new TextDecoder().decode(piece))
}

describe('an egress proxy', () => {
  it('is called for a tunnel to the upstream, with its credential', async () => {
    const address = `http://me:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy}`
    const send = sendBy({ HTTP_PROXY: address })
    const told = await get(send, 'http://upstream.example/v1/x')
    expect(told).toEqual({ host: 'upstream.example', path: '/v1/x' })
    expect(asked).toEqual([{ target: 'upstream.example:80', authorization: AUTHORIZATION }])
  })

  it('is told a name without a password', async () => {
    const send = sendBy({ HTTP_PROXY: `http://key%2B0123@127.0.0.1:${proxy}` })
    await get(send, 'http://upstream.example/')
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      `Basic ${Buffer.from('key+0123:').toString('base64')}`,
    ])
  })

  it('is the upstream’s own before that of the variables', async () => {
    const send = sendBy({ HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' })
    const own = { proxy: `http://127.0.0.1:${proxy}` }
    expect(await get(send, 'http://upstream.example:8000/', own)).toMatchObject({ path: '/' })
    expect(asked).toEqual([{ target: 'upstream.example:8000', authorization: undefined }])
  })

  it('is not asked for hosts that NO_PROXY names', async () => {
    const send = sendBy({
      http_proxy: `http://127.0.0.1:${proxy}`,
      no_proxy: 'x.example, 127.0.0.1',
    })
    await get(send, `http://127.0.0.1:${upstream}/`)
    expect(asked).toEqual([])
  })

  it('is not asked for upstreams on this machine, unless it is the upstream’s own', async () => {
    const own = `http://127.0.0.1:${proxy}`
    const url = `http://127.0.0.1:${upstream}/`
    const send = sendBy({ HTTP_PROXY: own, HTTPS_PROXY: own })
    expect(await get(send, url)).toMatchObject({ path: '/' })
    expect(asked).toEqual([])
    expect(await get(send, url, { proxy: own })).toMatchObject({ path: '/' })
    expect(asked).toMatchObject([{ target: `127.0.0.1:${upstream}` }])
  })

  it.each([
    ['localhost', false],
    ['LOCALHOST.', false],
    ['llm.localhost', false],
    ['127.0.0.1', false],
    ['127.255.0.7', false],
    ['2130706433', false],
    ['0.0.0.0', false],
    ['[::1]', false],
    ['[::]', false],
    ['[::ffff:127.0.0.1]', false],
    ['localhost.example', true],
    ['mylocalhost', true],
    ['128.0.0.1', true],
    ['10.0.0.1', true],
    ['[::2]', true],
    ['[::ffff:10.0.0.1]', true],
    ['host.docker.internal', true],
  ])('%s: %s', (host, isUsed) => {
    const egress = readEgress({ HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://q:1' })
    for (const scheme of ['http', 'https'])
      expect(egress(`${scheme}://${host}:8000/v1`) !== undefined).toBe(isUsed)
  })

  it('is named where no connection comes about', async () => {
    const named = `through the proxy 127.0.0.1:${proxy}: `
    refusing = true
    const send = sendBy({
      HTTP_PROXY: `http://me:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy}`,
    })
    const error: unknown = await get(send, 'http://upstream.example/').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ConnectError)
    expect(String(error)).toContain(named)
    expect(String(error)).not.toContain(encodeURIComponent(PASSWORD))
    const own = { proxy: `http://127.0.0.1:${CLOSED_PORT}` }
    await expect(get(send, 'http://upstream.example/', own)).rejects.toThrow(
      `through the proxy 127.0.0.1:${CLOSED_PORT}: `,
    )
    const direct: unknown = await get(send, `http://127.0.0.1:${CLOSED_PORT}/`).catch(
      (thrown) => thrown,
    )
    expect(String(direct)).not.toContain('proxy')
  })

  it('of the environment is named by the greeting and by check', async () => {
    const upstreams = {
      far: { dialect: 'messages', url: 'https://far.example', key: 'k' },
      own: {
        dialect: 'messages',
        url: 'https://own.example',
        proxy: 'http://o.example:2',
        key: 'k',
      },
      here: { dialect: 'messages', url: 'http://127.0.0.1:11434', key: 'k' },
    }
    const routes = [{ model: '*', upstream: ['far', 'own', 'here'] }]
    const config = { upstreams, routes } as Config
    const variables = {
      HTTPS_PROXY: `http://me:${PASSWORD.replace('/', '')}@p.example:1`,
      HTTP_PROXY: 'q.example',
    }
    const said = greeting(readSettings(config, {}), 'http://127.0.0.1:8787', variables)
    const folder = emptyFolder()
    folder.write('dragoman.json', JSON.stringify(config))
    const { out } = await folder.run(['check'], variables).finished
    folder.remove()
    for (const text of [said, out]) {
      expect(text).toContain('https://far.example through p.example:1 ')
      expect(text).toContain('https://own.example through o.example:2 ')
      expect(text).toMatch(/http:\/\/127\.0\.0\.1:11434  /)
      expect(text).not.toContain('p4ss')
    }
  })

  it('that refuses has sent nothing', async () => {
    refusing = true
    const send = sendBy({ HTTP_PROXY: `127.0.0.1:${proxy}` })
    await expect(get(send, 'http://upstream.example/')).rejects.toBeInstanceOf(ConnectError)
  })

  it.each([
    ['http://api.example/', 'api.example', false],
    ['https://api.example/', 'api.example', false],
    ['https://api.example/', '.example', false],
    ['https://api.example/', '*.example', false],
    ['https://api.example/', 'pi.example', true],
    ['https://api.example/', 'api.example:443', false],
    ['https://api.example:8443/', 'api.example:443', true],
    ['https://[fd00::1]:8443/', 'fd00::1', false],
    ['https://[fd00::1]:8443/', '[fd00::1]:8443', false],
    ['https://[fd00::1]:8443/', '[fd00::1]:443', true],
    ['http://10.1.2.3:8000/', '10.0.0.0/8', false],
    ['http://11.1.2.3:8000/', '10.0.0.0/8', true],
    ['http://10.1.2.3/', '10.1.2.3/32,.svc', false],
    ['http://10.1.2.4/', '10.1.2.3/32', true],
    ['http://10.1.2.3/', '0.0.0.0/0', false],
    ['http://10.1.2.3/', '10.0.0.0/99', true],
    ['http://10.example/', '10.0.0.0/8', true],
    ['https://[fd00::7]/', 'fd00::/8', false],
    ['https://[fe00::7]/', 'fd00::/8', true],
    ['https://[fd00::7]/', '10.0.0.0/8', true],
    ['https://api.example/', '*', false],
    ['https://api.example/', '', true],
  ])('%s with NO_PROXY %s: %s', (url, exceptions, used) => {
    const variables = { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://q:1', NO_PROXY: exceptions }
    expect(readEgress(variables)(url) !== undefined).toBe(used)
  })

  it('has to be an address', () => {
    expect(() => readEgress({ HTTPS_PROXY: 'socks5://p:1' })).toThrow(
      'environment: HTTPS_PROXY: expected the address of a proxy such as http://host:3128',
    )
  })

  it('keeps its credential to itself', async () => {
    const address = `http://me:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy}`
    const known = egressSecrets({ https_proxy: address })
    expect(known).toEqual(expect.arrayContaining([PASSWORD, encodeURIComponent(PASSWORD)]))
    const folder = emptyFolder()
    const upstreams = {
      a: { dialect: 'messages', url: 'https://upstream.example', proxy: address },
    }
    folder.write('dragoman.json', JSON.stringify({ upstreams }))
    const { code, out, error } = await folder.run(['check']).finished
    folder.remove()
    expect([code, error]).toEqual([0, ''])
    expect(out).toContain(`https://upstream.example through 127.0.0.1:${proxy}`)
    expect(out).not.toContain(encodeURIComponent(PASSWORD))
  })
})
