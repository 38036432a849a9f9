import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { modelsPage } from '../../scripts/models/page.ts'
import { PRICES_FILE, ROWS_FILE } from '../../scripts/models/pack.ts'
import { linesOf, FACT_SOURCES, TABLE } from '../../src/models/table.ts'
import { importsOf, sources } from '../sources.ts'

const lines = linesOf(TABLE)

/** What begins the name of a model, in a text or a pattern. */
const FAMILIES =
  /\b(?:claude-(?:opus|sonnet|haiku|fable|mythos|\\?d|\d)|gpt-|gemini-(?:\\?d|\d|flash|pro|\()|(?:kimi|qwen|glm|grok)-?(?:\\d|\d|k\d)|deepseek-(?:v\d|chat|reasoner)|mistral-(?:large|medium|small)|o\[?[1-9][\]-])/i

const COMMENT = /^\s*(?:\/\/|\/?\*)/

/** Who names models all the same, and why. */
const MAY_NAME = [
  { path: 'src/node/launch/codex.ts', why: 'it takes a name out of instructions' },
  { path: 'src/node/launch/gemini.ts', why: 'the client falls back to models by names of its own' },
  {
    path: 'src/node/init/',
    why: 'the files of other proxies say by a name what kind of service is meant',
  },
] as const

describe('the table of models', () => {
  it('names for each fact who says so, and of which day that is', () => {
    const unsaid = lines.flatMap(({ name, facts }) =>
      [...facts]
        .filter(([fact]) => fact !== 'byHand')
        .filter(([, { from }]) => from === '' || [...from].some((letter) => !FACT_SOURCES[letter]))
        .map(([fact]) => `${name} ${fact}`),
    )
    expect(unsaid).toEqual([])
    for (const { day } of Object.values(FACT_SOURCES)) expect(day).toMatch(/^20\d\d-\d\d-\d\d$/)
  })

  it('has a line once', () => {
    const names = lines.map(({ name, service = '' }) => `${name}@${service}`)
    expect(names).toEqual([...new Set(names)])
  })

  it('names what stands elsewhere in it', () => {
    const names = new Set(lines.map(({ name }) => name))
    const missing = lines.flatMap(({ name, service, facts }) => [
      ...(service !== undefined && !names.has(name) ? [name] : []),
      ...['is', 'next'].flatMap((fact) => facts.get(fact)?.value ?? []),
    ])
    expect(missing.filter((name) => !names.has(name))).toEqual([])
  })

  it('is packed as it stands (node scripts/models/pack.ts)', () => {
    expect(readFileSync('src/models/rows.ts', 'utf8')).toBe(ROWS_FILE)
    expect(readFileSync('src/models/price-rows.ts', 'utf8')).toBe(PRICES_FILE)
  })

  it('is the page (npm run docs)', () =>
    expect(readFileSync('docs/models.md', 'utf8')).toBe(modelsPage()))

  it('goes with its sources into the command alone', () => {
    const importers = sources
      .filter((source) => importsOf(source).includes('src/models/table.ts'))
      .map(({ path }) => path)
    expect(importers.filter((path) => !path.startsWith('src/node/'))).toEqual([])
  })

  it('is the one place that names models', () => {
    const naming = sources
      .filter(({ path }) => !path.startsWith('src/models/'))
      .flatMap((source) =>
        source.lines
          .filter((line) => !COMMENT.test(line) && FAMILIES.test(line))
          .map((line) => `${source.path}: ${line.trim()}`),
      )
    expect(naming.filter((line) => !MAY_NAME.some(({ path }) => line.startsWith(path)))).toEqual([])
    for (const { path } of MAY_NAME)
      expect(
        naming.some((line) => line.startsWith(path)),
        path,
      ).toBe(true)
  })
})
