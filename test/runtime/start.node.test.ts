import type { Miniflare } from 'miniflare'
import { afterEach, describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { startWorker } from './worker-runtime.ts'

/** A Worker that tells what its own start did, in global scope: there are no timers, random values or network. */
const WATCHED = `
import { env } from 'cloudflare:workers'
import { warmIsolate } from './src/workers/warm.ts'

/** Each exchange makes headers. */
let asked = 0
const { Headers } = globalThis
globalThis.Headers = class extends Headers {
  constructor(...given) {
    super(...given)
    asked += 1
  }
}
const { default: worker } = await import('./src/worker.ts')

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
    const { pathname } = new URL(request.url)
    if (pathname === '/answers') return Response.json(answers)
    if (pathname === '/asked') return Response.json(asked)
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

  async function started(config: object, served: readonly string[] = [], warm = 'on') {
    const lines: string[] = []
    runtime = await startWorker({
      source: { stdin: { contents: WATCHED, resolveDir: process.cwd() } },
      variables: {
        DRAGOMAN_CONFIG: JSON.stringify(config),
        SERVED: served.join(),
        DRAGOMAN_WARM: warm,
      },
      hear: (line) => void lines.push(line),
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
    expect(first.reads.toSorted()).toEqual(['DRAGOMAN_CONFIG', 'DRAGOMAN_WARM', 'SERVED'])
  })

  it.each([
    ['runs exchanges while it starts', 'on', true],
    ['runs none where it is told so, and serves', 'off', false],
  ])('%s', async (_, warm, isWarmed) => {
    const { get } = await started(SOUND, [], warm)
    expect(Number(await get('/asked')) > 0).toBe(isWarmed)
    const { status } = (await get('/v1/models', { 'x-api-key': KEY })) as Told
    expect(status).toBe(200)
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
