/**
 * The package as its users get it: packed, installed without a network into an empty folder, its command run by
 * every Node there is, its library compiled against by both kinds of resolution and run.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'

/** Two megabytes are what a first try may cost; half of that is what it costs today. */
const MAX_TARBALL_BYTES = 1_150_000
const BIN = resolve('node_modules/.bin')
const home = mkdtempSync(join(tmpdir(), 'dragoman-smoke-'))

/** Runs to the end and gives what it printed. */
function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

function installed(): void {
  run('.', 'npm', 'pack', '--ignore-scripts', '--pack-destination', home)
  const tarball = readdirSync(home).find((name) => name.endsWith('.tgz')) ?? ''
  const size = statSync(join(home, tarball)).size
  console.log(`${tarball}  ${size} bytes, at most ${MAX_TARBALL_BYTES}`)
  if (size > MAX_TARBALL_BYTES) throw new Error('The package has grown too large.')
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }')
  run(home, 'npm', 'install', '--offline', '--no-audit', '--no-fund', `./${tarball}`)
  const packages = readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))
  if (packages.join() !== 'dragoman') throw new Error(`It also installs ${packages.join(', ')}.`)
}

/** The Node that runs this, and what else a machine may have, where it is new enough. */
function nodes(): string[] {
  const others = (process.env['SMOKE_NODES'] ?? '').split(':').filter((path) => path !== '')
  return [process.execPath, ...others]
}

/** What a stranger waits for: from `npx` with the package at hand to the first reply, at the best of a few tries. */
const FIRST_REPLY_MS = 5000
const FIRST_REPLY_BYTES = 2 * 1024 * 1024
const TRIES = 3

async function firstReply(): Promise<void> {
  const tarball = readdirSync(home).find((name) => name.endsWith('.tgz')) ?? ''
  const times: number[] = []
  while (times.length < TRIES && !times.some((time) => time <= FIRST_REPLY_MS)) {
    const began = performance.now()
    const args = [
      'exec',
      '--yes',
      '--offline',
      `--package=./${tarball}`,
      '--',
      'dragoman',
      '--port',
      '0',
    ]
    const proxy = spawn('npm', args, { cwd: home, detached: true })
    try {
      await replyFrom(await waitForAddress(proxy))
      times.push(Math.round(performance.now() - began))
    } finally {
      // npx has the command as its child: both belong to one group.
      if (proxy.pid !== undefined) process.kill(-proxy.pid)
    }
  }
  const bytes = statSync(join(home, tarball)).size
  console.log(`npx dragoman: the first reply after ${times.join(', ')} ms, ${bytes} bytes`)
  if (Math.min(...times) > FIRST_REPLY_MS || bytes > FIRST_REPLY_BYTES)
    throw new Error(`The first reply may take ${FIRST_REPLY_MS} ms and ${FIRST_REPLY_BYTES} bytes.`)
}

async function replyFrom(url: string): Promise<void> {
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-messages', input: 'Hello' }),
  })
  if (response.status !== 200) throw new Error(`the command answered ${response.status}`)
}

/** As `npx dragoman`, which finds the command in the same place. */
async function commandWorks(node: string): Promise<void> {
  const command = join(home, 'node_modules/.bin/dragoman')
  const version = run(home, node, command, '--version').trim()
  const proxy = spawn(node, [command, '--port', '0'], { cwd: home })
  try {
    await replyFrom(await waitForAddress(proxy))
  } finally {
    proxy.kill()
  }
  console.log(`dragoman ${version} works on Node ${run(home, node, '--version').trim()}`)
}

function waitForAddress(proxy: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((found, failed) => {
    let text = ''
    proxy.once('exit', () => failed(new Error(text)))
    proxy.stderr?.on('data', (chunk) => {
      text += chunk
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
      if (address) found(address[0])
    })
  })
}

const PROGRAM = `import { createApp, translator, ConfigError, type Loss } from 'dragoman'
import { translator as between } from 'dragoman/translator'
import { chatCompletions } from 'dragoman/chat-completions'
import { generateContent } from 'dragoman/generate-content'
import schema from 'dragoman/dragoman.schema.json' with { type: 'json' }
const app = createApp({ upstreams: { a: { dialect: 'messages', url: 'http://127.0.0.1:9' } } })
const drop: typeof fetch = app.fetch
const { body, losses } = translator({ from: 'responses', to: 'messages' }).request({ model: 'm', input: 'Hi' })
const codes: string[] = losses.map((loss: Loss) => loss.code)
const { status } = await drop('http://x/healthz')
let fault: unknown
// @ts-expect-error: no such member
try { createApp({ upstream: {} }) } catch (error) { fault = error }
if (!body || status !== 200 || codes.join() !== 'defaulted') throw new Error('the library does not work')
if (!(fault instanceof ConfigError) || fault.place !== 'upstream') throw new Error('faults have no place')
const chat = between(generateContent, chatCompletions, { model: 'm' })
if (chat.request({ contents: [{ parts: [{ text: 'Hi' }] }] }).path !== '/v1/chat/completions') throw new Error('the entries do not work')
if (schema.type !== 'object') throw new Error('the schema of the configuration is missing')
`

/** What three programs carry of the library, in bytes as they are sent. */
const USES = [
  {
    what: 'two dialects',
    most: 138_000,
    text: `import { translator } from 'dragoman/translator'
      import { messages } from 'dragoman/messages'
      import { responses } from 'dragoman/responses'
      console.log(translator(messages, responses).request({ model: 'm', max_tokens: 1, messages: [] }))`,
  },
  {
    what: 'a translator by names',
    most: 225_000,
    text: `import { translator } from 'dragoman'\nconsole.log(translator({ from: 'messages', to: 'responses' }))`,
  },
  {
    what: 'the app',
    most: 325_000,
    text: `import { createApp } from 'dragoman'\nconsole.log(createApp({ upstreams: {} }))`,
  },
]

function usesAreSmall(): void {
  for (const { what, most, text } of USES) {
    writeFileSync(join(home, 'use.js'), text)
    const entryPoints = [join(home, 'use.js')]
    const options = { bundle: true, minify: true, format: 'esm', platform: 'neutral' } as const
    const [file] = buildSync({ ...options, entryPoints, write: false }).outputFiles
    const size = gzipSync(file?.contents ?? '').length
    console.log(`${what}: ${size} bytes compressed, at most ${most}`)
    if (size > most) throw new Error(`A program that uses ${what} has grown too large.`)
  }
}

const RESOLUTIONS = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
]

/** A program that uses the library compiles against its types, which ask for nothing else, and runs. */
function libraryWorks(): void {
  writeFileSync(join(home, 'program.ts'), PROGRAM)
  for (const options of RESOLUTIONS) {
    const common = { strict: true, skipLibCheck: false, target: 'es2024', lib: ['ES2024', 'DOM'] }
    const compilerOptions = { ...common, ...options, types: [], resolveJsonModule: true }
    writeFileSync(
      join(home, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['program.ts'] }),
    )
    run(home, join(BIN, 'tsc'), '-p', '.')
    run(home, process.execPath, 'program.js')
    console.log(`the library works, resolved as ${options.moduleResolution}`)
  }
}

try {
  installed()
  for (const node of nodes()) await commandWorks(node)
  await firstReply()
  libraryWorks()
  usesAreSmall()
} finally {
  rmSync(home, { recursive: true })
}
