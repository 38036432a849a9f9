import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildEntries } from '../../scripts/library.ts'
import { DEMO_ORIGIN } from '../../src/config/defaults.ts'
import { VARIABLES } from '../../src/config/variables.ts'
import { commandsIn, fencesOf } from './pages.ts'

/** What the pages tell people to do is done, against the demo as `npm start` begins it. */

const root = new URL('../../', import.meta.url)
const WRITTEN = '127.0.0.1:8787'
/** Where it listens instead: the system gives it a port that nobody else has. */
let meant = ''

/** An empty variable counts as absent: a developer's own must not lead away from the demo. */
const UNCONFIGURED = Object.fromEntries(VARIABLES.map((name) => [name, '']))

const folder = mkdtempSync(join(tmpdir(), 'dragoman-pages-'))
afterAll(() => rmSync(folder, { recursive: true }))

let server: ChildProcess
beforeAll(async () => {
  const entry = new URL('src/node.ts', root).pathname
  const started = spawn(process.execPath, [entry, '--port', '0'], {
    cwd: folder,
    env: { ...process.env, ...UNCONFIGURED, DRAGOMAN_WARM: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  server = started
  meant = await new Promise((found, failed) => {
    let said = ''
    started.once('exit', () => failed(new Error(`the server did not start: ${said}`)))
    started.stderr.setEncoding('utf8').on('data', (piece: string) => {
      said += piece
      const [, address] = /listens on http:\/\/(127\.0\.0\.1:\d+)/.exec(said) ?? []
      if (address) found(address)
    })
  })
})
afterAll(() => void server.kill('SIGTERM'))

describe('the curl commands of the pages', () => {
  const commands = commandsIn(fencesOf('sh')).filter((line) => line.startsWith('curl '))

  it('are there for each dialect and for explain', () => {
    expect(commands.length).toBeGreaterThanOrEqual(4)
  })

  it.each(commands)('%s', async (command) => {
    const line = command.replaceAll(WRITTEN, meant)
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --fail-with-body`])
    expect(stdout).not.toContain('"error":{')
    const json = stdout.startsWith('data: ') ? stdout.slice(6, stdout.indexOf('\n')) : stdout
    expect(JSON.parse(json)).toBeTypeOf('object')
  })
})

describe('the programs of the pages', () => {
  const library = join(folder, 'library')
  beforeAll(() => buildEntries(library))
  /** LangChain is not among what is installed here: its programs are read only. */
  const programs = fencesOf('ts').filter(({ text }) => !text.includes('@langchain/'))

  const resolved = (program: string) =>
    program
      .replaceAll(`'dragoman'`, `'${library}/index.js'`)
      .replaceAll(/'dragoman\/([\w-]+)'/g, `'${library}/$1.js'`)
      .replaceAll(/from '((?:@|ai|openai|hono)[^']*)'/g, (_, name: string) => {
        return `from '${import.meta.resolve(name)}'`
      })
      .replaceAll(WRITTEN, meant)
      .replaceAll(/dialect: '(\w+)', url: '[^']*', key: '[^']*'/g, (_, dialect: string) => {
        return `dialect: '${dialect}', url: '${DEMO_ORIGIN}/${dialect}'`
      })

  it.concurrent.each(programs.map(({ page, text }) => [page, text]))('%s', async (_, program) => {
    const file = join(mkdtempSync(join(folder, 'program-')), 'program.ts')
    writeFileSync(file, resolved(program))
    const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 20_000 })
    expect(stdout).toMatch(/You said: Hello|model: 'gpt-5'/)
  })
})
