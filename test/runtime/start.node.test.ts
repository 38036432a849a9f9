import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { afterEach, describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'

/** A Worker that tells what its own start did, in global scope: there are no timers, random values or network. */
const WATCHED = `
import { env } from 'cloudflare:workers'
import worker from './src/worker.ts'
import { warmIsolate } from './src/workers/warm.ts'
export * from './src/worker.ts'

const answers = await warmIsolate({ upstreams: new Map(env.SERVED.split(',').map((dialect) => [dialect, { dialect }])) })

function watched(environment, reads) {
  return new Proxy(environment, {
    get(target, name) {
      reads.push(name)
      return Reflect.get(target, name)
    },
  })
}

export default {
  async fetch(request, environment) {
    if (new URL(request.url).pathname === '/answers') return Response.json(answers)
    const reads = []
    const other = request.headers.has('x-other') ? { ...environment, OTHER: '1' } : environment
    const answer = await worker.fetch(request, watched(other, reads))
    const { status } = answer
    return Response.json({ status, body: await answer.text(), reads })
  },
}
`

const KEY = 'a-key-of-the-start-test'
const upstreams = { one: { dialect: 'messages', url: 'http://demo.invalid/messages' } }
const SOUND = { upstreams, callers: { keys: [KEY] }, state: { store: 'off' } }
const FAULTY = { upstreams, callers: { keys: ['short'] } }

interface Told {
  status: number
  body: string
  reads: string[]
}

describe('a Worker that starts', () => {
  let runtime: Miniflare | undefined
  afterEach(() => runtime?.dispose())

  async function started(config: object, served: readonly string[] = []) {
    const lines: string[] = []
    runtime = new Miniflare({
      host: '127.0.0.1',
      port: 0,
      handleStructuredLogs: ({ message }) => void lines.push(message),
      workers: [
        {
          config: {
            name: 'dragoman',
            compatibilityDate: '2026-10-20',
            compatibilityFlags: ['enable_request_signal'],
            manifest: {
              mainModule: 'worker.mjs',
              modules: { 'worker.mjs': { type: 'esm', contents: await bundled() } },
            },
            env: {
              DRAGOMAN_CONFIG: { type: 'text', value: JSON.stringify(config) },
              SERVED: { type: 'text', value: served.join() },
            },
          },
        },
      ],
    })
    const url = await runtime.ready
    const get = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(new URL(path, url), { headers })).json()
    return { get, lines }
  }

  it.each([
    { served: adapters.map(({ dialect }) => dialect) },
    { served: ['responses'] },
    { served: ['messages', 'chat-completions'] },
  ])(
    'runs an exchange as a stream and one as JSON for each dialect over $served',
    async ({ served }) => {
      const { get } = await started(SOUND, served)
      const answers = (await get('/answers')) as { status: number; size: number }[]
      expect(answers.map(({ status }) => status)).toEqual(adapters.flatMap(() => [200, 200]))
      for (const { size } of answers) expect(size).toBeGreaterThan(200)
    },
  )

  it('has made its handler by then, of the environment that requests bring', async () => {
    const { get } = await started(SOUND)
    const first = (await get('/v1/models', { 'x-api-key': KEY })) as Told
    expect(first.status).toBe(200)
    expect(first.reads.toSorted()).toEqual(['DRAGOMAN_CONFIG', 'SERVED'])
  })

  it('makes another one of another environment', async () => {
    const { get } = await started(SOUND)
    const headers = { 'x-api-key': KEY, 'x-other': '1' }
    const first = (await get('/v1/models', headers)) as Told
    expect(first.status).toBe(200)
    expect(first.reads.filter((name) => name === 'DRAGOMAN_CONFIG').length).toBeGreaterThan(1)
  })

  it('does so with a faulty configuration, and tells of it with the first request, once', async () => {
    const { get, lines } = await started(FAULTY)
    await get('/answers')
    expect(lines.filter((line) => line.startsWith('dragoman:'))).toEqual([])
    const answers = [(await get('/healthz')) as Told, (await get('/healthz')) as Told]
    expect(answers.map(({ status }) => status)).toEqual([500, 500])
    const told = () => lines.filter((line) => line.startsWith('dragoman:'))
    await expect
      .poll(told)
      .toEqual([
        'dragoman: DRAGOMAN_CONFIG:1:101: callers.keys[0]: expected a key of 16 to 512 characters',
      ])
  })
})

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: WATCHED, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*', 'node:*'],
    conditions: ['workerd', 'worker', 'browser'],
  })
  return outputFiles[0]?.text ?? ''
}
