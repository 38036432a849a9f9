import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildLibrary } from '../../scripts/library.ts'
import { DEMO_ORIGIN, PROCESS_LIMITS } from '../../src/config/defaults.ts'

const home = mkdtempSync(join(tmpdir(), 'dragoman-examples-'))
const KEY = 'key-of-the-examples'
const PAGE = 'https://page.example'

const put = (file: string, text: string) => {
  mkdirSync(dirname(join(home, file)), { recursive: true })
  writeFileSync(join(home, file), text)
}

const INSTALLED = [
  'hono',
  '@hono/node-server',
  '@anthropic-ai/sdk',
  'openai',
  '@google/genai',
  'ai',
  '@ai-sdk/anthropic',
]

/** Express is not installed here: this does with a path what it does. */
const EXPRESS = `import { createServer } from 'node:http'
  export default () => {
    const mounted = []
    return {
      use: (path, handler) => void mounted.push([path, handler]),
      listen: (port) => createServer((request, response) => {
        const [path, handler] = mounted.find(([path]) => request.url.startsWith(path + '/'))
        request.originalUrl = request.url
        request.url = request.url.slice(path.length)
        void handler(request, response)
      }).listen(port),
    }
  }`

/** Imports an example where its host would, and asks what it serves. One line of JSON says what was answered. */
const RUNNER = `import { Server } from 'node:net'
  const { listen } = Server.prototype
  let address
  Server.prototype.listen = function (first, ...rest) {
    address = new Promise((done) => this.once('listening', () => done('http://127.0.0.1:' + this.address().port)))
    const options = typeof first === 'object' ? { ...first, port: 0 } : 0
    return listen.call(this, options, ...(typeof first === 'object' ? rest : ['127.0.0.1', ...rest.filter((one) => typeof one === 'function')]))
  }
  const init = (headers = {}) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ${KEY}', ...headers },
    body: JSON.stringify({ model: 'any', input: 'Hello' }),
  })
  const question = (path, base = 'http://127.0.0.1') => new Request(base + path + '/v1/responses', init())
  const served = async (path) => (await fetch(question(path, await address))).text()
  const handled = async (answer) => (await answer).text()
  // Hosts that are told each method ask no function for those that it does not have.
  const shared = async ({ OPTIONS }, path) => {
    const headers = { origin: '${PAGE}', 'access-control-request-method': 'POST' }
    const preflight = new Request('http://127.0.0.1' + path + '/v1/responses', { method: 'OPTIONS', headers })
    const allowed = (await OPTIONS?.(preflight))?.headers.get('access-control-allow-origin')
    if (allowed !== '${PAGE}') throw new Error('pages that are listed are not answered')
  }
  let app
  globalThis.Deno = { env: { toObject: () => process.env }, serve: (_, handler) => void (app = handler) }
  globalThis.awslambda = { streamifyResponse: (handler) => handler }
  const event = {
    version: '2.0', routeKey: '$default', rawPath: '/v1/responses', rawQueryString: '',
    headers: init().headers, body: init().body, isBase64Encoded: false,
    requestContext: { http: { method: 'POST', path: '/v1/responses' }, domainName: '127.0.0.1' },
  }
  const ways = {
    node: () => served(''), hono: () => served('/llm'), express: () => served('/llm'),
    next: async (example) => {
      await shared(example, '/llm')
      return handled(example.POST(question('/llm')))
    },
    vercel: async (example) => {
      await shared(example, '')
      return handled(example.POST(question('')))
    },
    bun: ({ default: { fetch, idleTimeout = 10 } }) => {
      if (idleTimeout * 1000 <= ${PROCESS_LIMITS.heartbeatMs}) throw new Error('Bun ends a stream before its heartbeat')
      return handled(fetch(question('')))
    },
    deno: () => handled(app(question(''))),
    workers: async ({ default: { fetch } }) => {
      const ask = () => fetch(question(''), { CLAUDE_KEY: 'unused-key', PROXY_KEY: '${KEY}' })
      const text = await handled(ask())
      const { status } = await ask()
      if (status !== 429) throw new Error('the limit of a caller does not hold: ' + status)
      return text
    },
    lambda: async ({ whole }) => (await whole(event)).body,
  }
  const [name] = process.argv.slice(2)
  const { CLAUDE_KEY, PROXY_KEY } = process.env
  // What builds it loads it too, on a machine that need not have the keys.
  if (name === 'next') for (const key of ['CLAUDE_KEY', 'PROXY_KEY']) delete process.env[key]
  const example = await import('./examples/' + name + '.ts')
  Object.assign(process.env, { CLAUDE_KEY, PROXY_KEY })
  if (ways[name]) console.log(await ways[name](example))
  process.exit(0)`

/** The same configuration over the demo's upstream. */
const CONFIG = `export const config = {
    upstreams: { claude: { dialect: 'messages', url: '${DEMO_ORIGIN}/messages', key: 'env:CLAUDE_KEY' } },
    routes: [{ model: '*', upstream: 'claude', as: 'claude-opus-4-8' }],
    callers: { keys: ['env:PROXY_KEY'], limits: { requestsPerMinute: 1 } },
    web: { origins: ['${PAGE}'] },
  }`

beforeAll(async () => {
  for (const name of INSTALLED) {
    mkdirSync(dirname(join(home, 'node_modules', name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(home, 'node_modules', name))
  }
  put('package.json', '{ "private": true, "type": "module" }')
  put(
    'node_modules/express/package.json',
    '{ "name": "express", "type": "module", "exports": "./index.js" }',
  )
  put('node_modules/express/index.js', EXPRESS)
  put(
    'node_modules/dragoman/package.json',
    '{ "name": "dragoman", "type": "module", "exports": "./index.js" }',
  )
  await buildLibrary(join(home, 'node_modules/dragoman/index.js'))
  cpSync('examples', join(home, 'examples'), { recursive: true })
  put('examples/config.ts', CONFIG)
  put('run.mjs', RUNNER)
})
afterAll(() => rmSync(home, { recursive: true }))

const names = readdirSync('examples')
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => name !== 'config')

describe('the examples', () => {
  it('are those that were promised', () => {
    const promised = ['hono', 'express', 'next', 'lambda', 'bun', 'deno']
    const sdks = ['anthropic', 'openai', 'google-genai', 'ai-sdk']
    expect(names).toEqual(expect.arrayContaining([...promised, ...sdks]))
  })

  it.concurrent.each(names)('%s', async (name) => {
    const env = { ...process.env, CLAUDE_KEY: 'unused-key', PROXY_KEY: KEY, NODE_OPTIONS: '' }
    const { stdout } = await promisify(execFile)(process.execPath, ['run.mjs', name], {
      cwd: home,
      env,
      timeout: 20_000,
    })
    expect(stdout).toContain(name === 'translator' ? `content: [` : 'You said: Hello')
  })
})
