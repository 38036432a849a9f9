import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildLibrary, buildTypes } from '../../scripts/library.ts'
import { fencesOf } from '../docs/pages.ts'

const TSC = resolve('node_modules/.bin/tsc')
const home = mkdtempSync(join(tmpdir(), 'dragoman-packed-'))
const alone = mkdtempSync(join(tmpdir(), 'dragoman-alone-'))

const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** What the examples need of packages that are not installed here, as their own types have it. */
const DECLARED = {
  'express/index.d.ts': `import type { IncomingMessage, Server, ServerResponse } from 'node:http'
    type Handler = (request: IncomingMessage, response: ServerResponse) => void
    declare function express(): { use(path: string, handler: Handler): void; listen(port: number): Server }
    export default express`,
  'express/package.json': '{ "name": "express", "types": "index.d.ts", "type": "module" }',
  '@types/runtimes/index.d.ts': `declare const Bun: {
      serve(options: { port?: number; idleTimeout?: number; fetch(request: Request, server: unknown): Response | Promise<Response> }): unknown
    }
    declare const Deno: {
      serve(options: { port?: number }, handler: (request: Request, info: { remoteAddr: unknown }) => Response | Promise<Response>): unknown
      env: { toObject(): Record<string, string> }
    }
    interface ExportedHandler<Environment = unknown> {
      fetch?(request: Request, environment: Environment, context: { waitUntil(promise: Promise<unknown>): void }): Response | Promise<Response>
    }`,
}

const INSTALLED = [
  'hono',
  '@hono/node-server',
  '@anthropic-ai/sdk',
  'openai',
  '@google/genai',
  'ai',
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/openai',
]
const RESOLUTIONS = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
]

beforeAll(async () => {
  const modules = join(home, 'node_modules')
  const own = join(modules, 'dragoman')
  mkdirSync(own, { recursive: true })
  copyFileSync('package.json', join(own, 'package.json'))
  buildTypes(join(own, 'dist/types'))
  await buildLibrary(join(own, 'dist/index.js'))
  cpSync(own, join(alone, 'node_modules/dragoman'), { recursive: true })
  for (const name of [...INSTALLED, '@types/node']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(modules, name))
  }
  for (const [file, text] of Object.entries(DECLARED)) put(join(modules, file), text)
  cpSync('examples', join(home, 'examples'), { recursive: true })
  for (const [index, { text }] of programs.entries()) put(join(home, programAt(index)), text)
  for (const folder of [home, alone])
    put(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
}, 60_000)
afterAll(() => [home, alone].forEach((folder) => rmSync(folder, { recursive: true })))

/** What the compiler says of some files; nothing when it is content. */
async function said(folder: string, files: readonly string[], options: object): Promise<string> {
  const shared = { strict: true, noEmit: true, target: 'es2024', allowImportingTsExtensions: true }
  const compilerOptions = { ...shared, lib: ['ES2024', 'DOM', 'DOM.Iterable'], ...options }
  put(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  return promisify(execFile)(TSC, ['-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

const examples = readdirSync('examples').map((name) => `examples/${name}`)

/** LangChain is not installed here. */
const programs = fencesOf('ts').filter(({ text }) => !text.includes('@langchain/'))
const programAt = (index: number): string => `pages/${index}.ts`

const ALONE = `import { createApp, translator, type Config, type Dialect, type LogEntry, type Loss, type Ports,
  ConfigError, EntryTooLargeError, StoreUnavailableError, memoryStore, type Store } from 'dragoman'
const config: Config = { upstreams: { a: { dialect: 'messages', url: 'http://127.0.0.1:9' } } }
const lines: LogEntry[] = []
const store: Store = memoryStore({ entryBytes: 1e6, ownerBytes: 1e6, totalBytes: 1e6 })
const ports: Ports = { log: (entry) => void lines.push(entry), store }
const drop: typeof fetch = createApp(config, ports).fetch
const to: Dialect = 'messages'
interface Question { model: string; input: string; extra?: Date }
const question: Question = { model: 'm', input: 'Hi' }
const { body, losses } = translator<Question>({ from: 'responses', to }).request(question)
const codes: string[] = losses.map((loss: Loss) => loss.code)
const again = translator({ from: 'responses', to }).request(question)
// @ts-expect-error: no such dialect
const wrong: Config = { upstreams: { a: { dialect: 'message', url: 'http://x' } } }
// @ts-expect-error: no such member
const worse: Config = { upstream: {} }
export const all = [drop, body, codes, again, wrong, worse, ConfigError, EntryTooLargeError, StoreUnavailableError]
`

describe.each(RESOLUTIONS)('the package, resolved as $moduleResolution', (options) => {
  it('compiles in its hosts and with the SDKs', { timeout: 180_000 }, async () => {
    const types = ['node', 'runtimes']
    expect(await said(home, examples, { ...options, types, skipLibCheck: true })).toBe('')
  })

  it('compiles as the pages write it', { timeout: 180_000 }, async () => {
    const files = programs.map((_, index) => programAt(index))
    expect(files.length).toBeGreaterThan(5)
    expect(await said(home, files, { ...options, types: ['node'], skipLibCheck: true })).toBe('')
  })

  it('compiles alone, its own declarations checked', { timeout: 180_000 }, async () => {
    put(join(alone, 'program.ts'), ALONE)
    expect(await said(alone, ['program.ts'], { ...options, types: [], skipLibCheck: false })).toBe(
      '',
    )
  })

  it('is an app of Hono where that is installed', { timeout: 180_000 }, async () => {
    const program = `import { createApp } from 'dragoman'
      import { Hono } from 'hono'
      const app: Hono = createApp({})
      // @ts-expect-error: an app has no such member
      app.nothing`
    put(join(home, 'program.ts'), program)
    expect(await said(home, ['program.ts'], { ...options, types: [], skipLibCheck: true })).toBe('')
  })
})

it('says of each member of the configuration what it means', () => {
  const file = join(alone, 'node_modules/dragoman/dist/types/src/config/type.d.ts')
  const said =
    '/** How long connecting may take. Default: 10 s. */\n  connectMs?: number | undefined'
  expect(readFileSync(file, 'utf8')).toContain(said)
})

it('can be required where Node requires modules', () => {
  const program = `const { createApp, VERSION } = require('dragoman')
    createApp({ upstreams: { a: { dialect: 'messages', url: 'http://127.0.0.1:9' } } })
      .request('/healthz').then(({ status }) => console.log(status, VERSION))`
  put(join(alone, 'program.cjs'), program)
  const told = execFileSync(process.execPath, ['program.cjs'], { cwd: alone, encoding: 'utf8' })
  expect(told).toMatch(/^200 \d/)
})

it('prints a few lines, and no page of its code, for a faulty configuration that nothing catches', () => {
  put(
    join(alone, 'faulty.mjs'),
    `import { createApp } from 'dragoman'\ncreateApp({ upstream: {} })`,
  )
  const { stderr } = spawnSync(process.execPath, ['faulty.mjs'], { cwd: alone, encoding: 'utf8' })
  expect(stderr).toContain('upstream: no such field exists; did you mean "upstreams"?')
  expect(stderr.length).toBeLessThan(5000)
})
