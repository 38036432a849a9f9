import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lossTable, withTable } from '../scripts/losses.ts'
import { DEMO_ORIGIN } from '../src/config/defaults.ts'

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const PORT = 18_787

/** The commands of a block of shell lines: a line that ends in a backslash goes on. */
function curlCommands(text: string): string[] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const lines = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
  return lines.filter((line) => line.startsWith('curl '))
}

describe('the README', () => {
  it('holds the table of losses as the code makes it', () => {
    expect(readme, 'stale: run `npm run losses`').toBe(withTable(readme, lossTable()))
  })

  it('has the two commands on top and stays short', () => {
    const top = readme.split('\n').slice(0, 12).join('\n')
    expect(top).toContain('npm ci && npm start')
    expect(top).toContain('npm ci && npm test')
    expect(readme.split('\n').length).toBeLessThanOrEqual(200)
  })
})

describe('the curl commands of the README', () => {
  let server: ChildProcess

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-readme-'))
    const entry = new URL('src/node.ts', root).pathname
    server = spawn(process.execPath, [entry, '--port', String(PORT)], {
      cwd: folder,
      stdio: 'ignore',
    })
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const answer = await fetch(`http://127.0.0.1:${PORT}/healthz`).catch(() => undefined)
      if (answer?.ok) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error('the server did not start')
  })
  afterAll(() => void server.kill('SIGTERM'))

  const commands = curlCommands(readme)

  it('are there for each dialect and for explain', () => {
    expect(commands.length).toBeGreaterThanOrEqual(4)
  })

  it.each(commands)('%s', async (command) => {
    const line = command.replaceAll('127.0.0.1:8787', `127.0.0.1:${PORT}`)
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --fail-with-body`])
    expect(stdout).not.toContain('"error":{')
    const json = stdout.startsWith('data: ') ? stdout.slice(6, stdout.indexOf('\n')) : stdout
    expect(JSON.parse(json)).toBeTypeOf('object')
  })
})

describe('the programs of the README', () => {
  const programs = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program = '']) => program)
  const library = new URL('src/index.ts', root).href
  const sdk = import.meta.resolve('@anthropic-ai/sdk')

  it.each(programs)('%s', async (program) => {
    const demo = program
      .replace(`'dragoman'`, `'${library}'`)
      .replace(`'@anthropic-ai/sdk'`, `'${sdk}'`)
      .replace(`'https://upstream.example/v1', key: 'env:OPENAI_KEY'`, `'${DEMO_ORIGIN}/responses'`)
    const file = join(mkdtempSync(join(tmpdir(), 'dragoman-readme-')), 'program.ts')
    writeFileSync(file, demo)
    const { stdout } = await promisify(execFile)(process.execPath, [file])
    expect(stdout).toMatch(/You said: Hello|model: 'gpt-5'/)
  })
})
