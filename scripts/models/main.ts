/**
 * Compares the table of models with the packages that keep tables of them, and exits 1 where something is new, other or
 * gone, 2 where a source is missing or has moved its table:
 *
 *   npm run models                        what is installed here, at its locked versions
 *   npm run models -- --more FOLDER       and the other packages, unpacked below FOLDER/node_modules and FOLDER/*.whl
 *   npm run models -- --fetch             and the other packages, the newest, fetched by npm and pip
 *   npm run models -- --day 2026-12-01    as on another day
 */
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { TABLE } from '../../src/models/table.ts'
import { differences, unsaid } from './compare.ts'
import { readNpm } from './npm.ts'
import { Statements } from './statements.ts'
import { readWheels } from './wheels.ts'

/** What every run has; a table that is not found there has moved. */
const INSTALLED = [
  '@anthropic-ai/sdk',
  'openai',
  '@google/genai',
  '@ai-sdk/anthropic',
  '@ai-sdk/openai',
  '@ai-sdk/google',
]
const NPM = ['@ai-sdk/mistral', '@earendil-works/pi-ai']
const WHEELS = [
  'litellm',
  'genai-prices',
  'pydantic-ai-slim',
  ...['anthropic', 'openai', 'google-genai', 'deepseek', 'mistralai', 'xai'].map(
    (part) => `langchain-${part}`,
  ),
]

const { values } = parseArgs({
  options: { more: { type: 'string' }, fetch: { type: 'boolean' }, day: { type: 'string' } },
})
const day = values.day ?? new Date().toISOString().slice(0, 10)

/** Nothing of a package is installed or started: it is unpacked and read. */
function fetched(folder: string): void {
  const names = NPM.map((name) => `${name}@latest`)
  const quiet: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'] }
  execFileSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--prefix', folder, ...names],
    quiet,
  )
  execFileSync('pip', ['download', '-q', '--no-deps', '-d', folder, ...WHEELS], quiet)
}

function compared(folder: string | undefined): number {
  const statements = new Statements()
  const folders = ['node_modules', ...(folder === undefined ? [] : [join(folder, 'node_modules')])]
  readNpm(folders, statements)
  if (folder !== undefined) readWheels(folder, day, statements)
  const expected = folder === undefined ? INSTALLED : [...INSTALLED, ...NPM, ...WHEELS]
  const spoke = new Set([...statements.sources].map(({ name }) => name.replaceAll('_', '-')))
  const silent = expected.filter((name) => !spoke.has(name))
  for (const name of silent) console.error(`${name} is missing, or its table has moved`)
  const lines = [
    ...differences(TABLE, statements, day),
    ...(folder === undefined ? [] : unsaid(TABLE, statements)),
  ]
  for (const line of lines) console.log(line)
  const versions = [...statements.sources].map(({ name, version }) => `${name} ${version}`)
  console.error(`${lines.length} differences to ${[...new Set(versions)].join(', ')}`)
  if (silent.length > 0) return 2
  return lines.length > 0 ? 1 : 0
}

const own = values.fetch ? mkdtempSync(join(tmpdir(), 'models-')) : undefined
try {
  if (own !== undefined) fetched(own)
  process.exitCode = compared(own ?? values.more)
} finally {
  if (own !== undefined) rmSync(own, { recursive: true })
}
