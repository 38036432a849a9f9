import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { transform } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { CLOUD_VARIABLES } from '../clouds/variables.ts'
import { parseJsonc } from '../../src/config/jsonc.ts'
import { readSettings } from '../../src/config/config.ts'
import { clientRows } from '../../src/node/command/describe.ts'
import { readCommandLine } from '../../src/node/command/options.ts'
import { scripts, sources, tests } from '../sources.ts'
import {
  commandsIn,
  fencesOf,
  hasAnchor,
  linksOf,
  pageAt,
  pages,
  proseOf,
  variablesIn,
} from './pages.ts'

const manifest: { scripts: Record<string, string> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)

describe('the README', () => {
  const { text } = pageAt('README.md')
  it('has the two commands on top and stays short', () => {
    const top = text.split('\n').slice(0, 12).join('\n')
    expect(top).toContain('npm ci && npm start')
    expect(top).toContain('npm ci && npm test')
    expect(text.split('\n').length).toBeLessThanOrEqual(120)
  })
})

describe('the pages', () => {
  it('are all in the index', () => {
    const reached = new Set(linksOf(pageAt('docs/README.md')).map(({ target }) => target))
    const lacking = pages.map(({ path }) => path).filter((path) => !reached.has(path))
    expect(lacking.filter((path) => !/^docs\/(?:decisions\/|README)/.test(path))).toEqual([])
  })

  it('have at most 30,000 words, without the list of every word', () => {
    const read = pages.filter(({ path }) => path.startsWith('docs/') && path !== 'docs/words.md')
    const counts = read.map(({ text }) => text.split(/\s+/).filter((word) => word !== '').length)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(30_000)
  })

  it.each(pages)('lead to what is there: $path', (page) => {
    const dead = linksOf(page).filter(({ target }) => !existsSync(target))
    const astray = linksOf(page).filter(
      ({ target, anchor }) =>
        anchor !== undefined && target.endsWith('.md') && !hasAnchor(target, anchor),
    )
    expect([...dead, ...astray]).toEqual([])
  })

  it('name only files that are there', () => {
    const missing = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:src|test|adapters|scripts|docs|deploy|examples)\/[\w./-]*\.\w+)`/g)]
        .filter(([, file = '']) => !existsSync(file))
        .map(([, file]) => `${path}: ${file}`),
    )
    expect(missing).toEqual([])
    const names = new Set([...sources, ...scripts, ...tests].map(({ path }) => basename(path)))
    const unknown = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/`([\w-]+\.ts)`/g)]
        .filter(([, name = '']) => !names.has(name))
        .map(([, name]) => `${path}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  it('have no word in angles that would be taken for a tag and not be seen', () => {
    const swallowed = pages.flatMap((page) =>
      [...proseOf(page).matchAll(/<\w[^>\n]*>/g)].map(([tag]) => `${page.path}: ${tag}`),
    )
    expect(swallowed).toEqual([])
  })

  it('say of every folder of the tests what it catches', () => {
    const { text } = pageAt('test/README.md')
    const folders = readdirSync('test', { withFileTypes: true }).filter((one) => one.isDirectory())
    const unsaid = folders.map(({ name }) => name).filter((name) => !text.includes(`\`${name}\``))
    expect(unsaid).toEqual([])
  })

  it('have no wall of text', () => {
    const walls = pages
      .filter(({ path }) => /^(?:README|docs\/)/.test(path))
      .flatMap((page) =>
        proseOf(page)
          .split('\n')
          .filter((line) => line.length > 500),
      )
    expect(walls).toEqual([])
  })
})

describe('the commands of the pages', () => {
  const shell = fencesOf('sh')
  const commands = commandsIn(shell)

  it.each(shell.map(({ page, text }) => [page, text]))('are shell: %s', (_, text) => {
    expect(() => execFileSync('sh', ['-n'], { input: text, stdio: 'pipe' })).not.toThrow()
  })

  it('name scripts that there are', () => {
    const named = commands.flatMap((line) => [...line.matchAll(/npm run (?:-s )?([\w:]+)/g)])
    const unknown = named.map(([, name = '']) => name).filter((name) => !manifest.scripts[name])
    expect(named.length).toBeGreaterThan(5)
    expect(unknown).toEqual([])
  })

  it('say to dragoman what it understands', () => {
    const own = commands.flatMap((line) =>
      [...line.matchAll(/(?:^|&& )(?:npx )?(?:dragoman|npm start --) ([^&|;]+)/g)].map(
        ([, rest = '']) => rest.trim().split(/\s+/),
      ),
    )
    expect(own.length).toBeGreaterThan(2)
    for (const words of own) expect(() => readCommandLine(words, {})).not.toThrow()
  })

  it('start clients as the greeting does', () => {
    const rows = clientRows({ url: 'http://127.0.0.1:8787', model: 'MODEL', key: 'KEY' })
    const variables = rows.map(([name = '', line = '']) => ({
      name,
      set: [...line.matchAll(/([A-Z_]+_(?:URL|TOKEN|KEY))=/g)].map(([, variable = '']) => variable),
    }))
    const files: Readonly<Record<string, string>> = {
      'Claude Code': 'claude-code',
      Codex: 'codex',
      'Gemini CLI': 'gemini-cli',
    }
    for (const { name, set } of variables) {
      const file = files[name]
      if (file === undefined) continue
      const { text } = pageAt(`docs/clients/${file}.md`)
      for (const variable of set) expect(text, name).toContain(`${variable}=`)
    }
  })
})

const MEMBERS = ['upstreams', 'routes', 'callers', 'tasks', 'state', 'losses', 'limits', 'web']
const UPSTREAM = { dialect: 'messages', url: 'https://upstream.example' }

describe('the JSON of the pages', () => {
  const samples = fencesOf('json', 'jsonc')
  it.each(samples.map(({ page, text }) => [page, text]))('%s', (_, text) => {
    const { value, faults } = parseJsonc(text)
    expect(faults).toEqual([])
    const members = Object.keys(value ?? {})
    if (!members.every((member) => MEMBERS.includes(member))) return
    const config = { upstreams: { upstream: UPSTREAM }, ...(value as object) }
    const variables = { ...variablesIn(text), ...CLOUD_VARIABLES }
    expect(() => readSettings(config, variables, { exposed: false })).not.toThrow()
  })
})

describe('the programs of the pages', () => {
  const programs = fencesOf('ts')
  it.each(programs.map(({ page, text }) => [page, text]))('are TypeScript: %s', async (_, text) => {
    await expect(transform(text, { loader: 'ts', format: 'esm' })).resolves.toBeDefined()
  })
})

const cells = (line: string): number => line.replaceAll('\\|', '').split('|').length

it('the tables of the pages have as many cells in each row as in their head', () => {
  const uneven = pages.flatMap(({ path, text }) => {
    const lines = text.split('\n')
    return lines.flatMap((line, index) => {
      const above = lines[index - 1]
      const isRow = line.startsWith('|') && above?.startsWith('|')
      const isUneven = isRow && cells(line) !== cells(above ?? '')
      return isUneven ? [`${path}:${index + 1}`] : []
    })
  })
  expect(uneven).toEqual([])
})
