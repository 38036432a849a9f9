import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf, importsOf, scripts, type Source, sources, tests } from './sources.ts'

const MAX_FILE_LINES = 500
/** The page is served as it stands: what a browser loads is what a developer reads. */
const MAX_PAGE_LINES: Readonly<Record<string, number>> = { '.js': 300, '.css': 600 }
/** A file with fewer lines has to be worth its name: two others import it, tests among them, or it is an entry. */
const MIN_FILE_LINES = 40
const MAX_FUNCTION_LINES = 50
const MAX_MEDIAN_FUNCTION_LINES = 10
const MAX_ASSERTIONS_PER_1000_LINES = 5

/** The files that an adapter may consist of. What only one dialect has stands in a folder of its own. */
const ADAPTER_FILES = new Set([
  'index.ts',
  'dialect.ts',
  'wire.ts',
  'paths.ts',
  'names.ts',
  'request.ts',
  'fields.ts',
  'reasoning.ts',
  'thoughts.ts',
  'caching.ts',
  'schema-budget.ts',
  'history.ts',
  'calls.ts',
  'client-tools.ts',
  'blocks.ts',
  'media.ts',
  'citations.ts',
  'proofs.ts',
  'logprobs.ts',
  'tools.ts',
  'tool-changes.ts',
  'abilities.ts',
  'hosted.ts',
  'mcp.ts',
  'reader.ts',
  'reader-blocks.ts',
  'reader-parts.ts',
  'writer.ts',
  'writer-blocks.ts',
  'reply.ts',
  'usage.ts',
  'problems.ts',
  'models.ts',
  'profiles.ts',
  'fit.ts',
  'fit-history.ts',
  'fit-tools.ts',
  'fit-model.ts',
  'same.ts',
])
const ADAPTER_FOLDERS = new Set(['responses/memory', 'responses/socket', 'messages/clouds'])
/** What dialects of one maker share is no dialect. */
const SHARED_FOLDERS = new Set(['openai'])

interface Measured {
  name: string
  /** From the line that opens it to the one that closes it, with the functions inside it. */
  lines: number
}

const OPENS = /(?:=>|=>\s*\(|\)|\)\s*:\s*[^=;]+)\s*\{$/
const BEGINS =
  /^(?:export )?(?:default )?(?:async )?(?:function\b|(?:static |readonly )?(?:async )?[#\w]+(?:<[^>]*>)?\(|(?:export )?const \w+.*=|.*=>|.*\()/
const STATEMENT = /^(?:\} )?(?:if|else|for|while|switch|catch|try|do|return|throw|case)\b/

/**
 * Measures the functions of a formatted source by its indentation: one opens on a line that ends in `{` after
 * parameters or an arrow and closes with the first `}` that stands as deep as the line it began on.
 */
function measureFunctions({ path, lines }: Source): Measured[] {
  const open: { at: number; depth: number }[] = []
  const measured: Measured[] = []
  let begun: { text: string; depth: number; at: number } | undefined
  for (const [index, line] of lines.entries()) {
    const text = line.trim()
    const depth = line.length - line.trimStart().length
    const top = open.at(-1)
    if (top && text.startsWith('}') && depth === top.depth) {
      open.pop()
      measured.push({ name: `${path}:${top.at + 1}`, lines: index - top.at + 1 })
    } else if (text.endsWith('{') && isFunction(text, begun, depth)) {
      // A signature that was broken over several lines belongs to the function.
      open.push({ at: text.startsWith(')') && begun ? begun.at : index, depth })
    }
    if (text.endsWith('(') || !begun || depth <= begun.depth) begun = { text, depth, at: index }
  }
  return measured
}

function isFunction(
  text: string,
  begun: { text: string; depth: number } | undefined,
  depth: number,
): boolean {
  if (STATEMENT.test(text) || /\b(?:class|interface|type|switch)\b.*\{$/.test(text)) return false
  // The signature may have been broken over several lines: `): Result {` closes it.
  if (text.startsWith(')')) return begun?.depth === depth && !STATEMENT.test(begun.text)
  return OPENS.test(text) && BEGINS.test(text)
}

/**
 * Entries, the places that every adapter has whatever their size, and the one type that the published
 * declarations do without Hono (`scripts/library.ts`).
 */
const isPlace = (path: string): boolean =>
  path === 'src/http/app-type.ts' ||
  /^src\/[\w-]+\.ts$/.test(path) ||
  /^adapters\/[\w-]+\/(?:index|models|same)\.ts$/.test(path)

/** What programs outside see has the name that they know. */
const isEntry = (path: string): boolean => /^src\/(?:index|(?:named-)?translator)\.ts$/.test(path)

const EXPORTED =
  /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) (\w+)/gm

const EXPORTED_VALUE = /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class) (\w+)/gm

/** One word of the contract, said by each dialect of itself. */
function isSideBySide(paths: readonly string[]): boolean {
  const folders = paths.map((path) => /^adapters\/([\w-]+)\//.exec(path)?.[1])
  return !folders.includes(undefined) && new Set(folders).size === folders.length
}

const written = [...sources, ...scripts]
const functions = written.flatMap(measureFunctions)

describe('house style', () => {
  it('keeps files short', () => {
    const long = written.filter(({ lines }) => lines.length > MAX_FILE_LINES)
    expect(long.map(({ path, lines }) => `${path}: ${lines.length}`)).toEqual([])
  })

  it('keeps the files of the page short', () => {
    const page = 'src/extras/inspect/page'
    const counted = readdirSync(page).map((name) => ({
      name,
      lines: readFileSync(join(page, name), 'utf8').trimEnd().split('\n').length,
      most: MAX_PAGE_LINES[extname(name)] ?? MAX_FILE_LINES,
    }))
    expect(counted.length).toBeGreaterThan(2)
    expect(counted.filter(({ lines, most }) => lines > most)).toEqual([])
  })

  it('keeps no scraps: a short file has two importers or is an entry', () => {
    const importers = new Map<string, number>()
    for (const target of [...sources, ...tests].flatMap((source) => [
      ...new Set(importsOf(source)),
    ]))
      importers.set(target, (importers.get(target) ?? 0) + 1)
    const scraps = sources.filter(
      ({ path, lines }) =>
        lines.length < MIN_FILE_LINES && (importers.get(path) ?? 0) < 2 && !isPlace(path),
    )
    expect(scraps.map(({ path, lines }) => `${path}: ${lines.length}`)).toEqual([])
  })

  it('calls the files of all adapters by the same names', () => {
    const others = sources
      .filter(({ path }) => path.startsWith('adapters/'))
      .map(({ path }) => path.split('/').slice(1))
      .filter(([folder = '', ...rest]) => rest.length > 0 && !SHARED_FOLDERS.has(folder))
      .filter(([dialect = '', file = '', inner]) =>
        inner === undefined ? !ADAPTER_FILES.has(file) : !ADAPTER_FOLDERS.has(`${dialect}/${file}`),
      )
    expect(others.map((parts) => parts.join('/'))).toEqual([])
  })

  it('says in adapters/README.md what stands in each file of an adapter', () => {
    const page = readFileSync('adapters/README.md', 'utf8')
    const rows = page.split('\n').filter((line) => /^\|.+\|.+\|$/.test(line))
    const unsaid = [...ADAPTER_FILES].filter(
      (file) => !rows.some((row) => row.includes(`\`${file}\``)),
    )
    expect(unsaid).toEqual([])
  })

  it('hides no marks in the leftovers: how a node stood in its dialect is its origin', () => {
    const marks = sources
      .filter(({ path }) => /^(?:adapters|src\/(?:model|rules|problems|check))\//.test(path))
      .flatMap(({ path, lines }) =>
        lines.flatMap((line, at) => (/['"`]#(?!')/.test(line) ? [`${path}:${at + 1}`] : [])),
      )
    expect(marks).toEqual([])
  })

  it('keeps functions short', () => {
    const long = functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES)
    expect(long).toEqual([])
    const sizes = functions.map(({ lines }) => lines).toSorted((a, b) => a - b)
    expect(sizes.length).toBeGreaterThan(100)
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(MAX_MEDIAN_FUNCTION_LINES)
  })

  it('measures functions as they are', () => {
    const lines = [
      'export function outer(',
      '  first: string,',
      '): string {',
      '  const inner = (x: number) => {',
      '    return x',
      '  }',
      '  if (first) {',
      '    inner(1)',
      '  }',
      '  return first',
      '}',
    ]
    const names = measureFunctions({ path: 'x', text: '', lines })
    expect(names).toEqual([
      { name: 'x:4', lines: 3 },
      { name: 'x:1', lines: 11 },
    ])
  })

  it('gives getters to classes alone: an object with one of its own is collected late', () => {
    const getters = sources.flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => {
        const [, indent] = /^(\s*)get \w+\(/.exec(line) ?? []
        if (indent === undefined) return []
        const around = lines
          .slice(0, index)
          .findLast((before) => before.trim() !== '' && before.search(/\S/) < indent.length)
        return /\bclass\b/.test(around ?? '') ? [] : [`${path}:${index + 1}`]
      }),
    )
    expect(getters).toEqual([])
  })

  it('escapes from no type', () => {
    const ways =
      /(?:[:<|&,(]|\bas)\s*any\b(?!\s*[:?])(?=\s*[>)\],;|&={[]|\s*$)|[\w)\]]!(?=[.;,)\]\s[])(?!==?)/gm
    const escapes = written.flatMap((source) => {
      const code = codeOf(source)
      // In scripts these words stand in texts that are written.
      const marks = scripts.includes(source) ? [] : source.text.matchAll(/@ts-\w+/g)
      const found = [...code.matchAll(ways), ...marks]
      return found.map(({ 0: text }) => `${source.path}: ${text}`)
    })
    expect(escapes).toEqual([])
  })

  it('asserts types rarely', () => {
    const lines = sources.reduce((sum, source) => sum + source.lines.length, 0)
    const assertions = sources.flatMap((source) =>
      codeOf(source)
        .split('\n')
        .filter(
          (line) => /\bas (?!const\b)[A-Z{(\w]/.test(line) && !/^\s*(?:import|export)\b/.test(line),
        )
        .map((line) => `${source.path}: ${line.trim()}`),
    )
    const allowed = Math.floor((lines / 1000) * MAX_ASSERTIONS_PER_1000_LINES)
    expect(assertions.length, assertions.join('\n')).toBeLessThanOrEqual(allowed)
  })

  it('gives an exported name one meaning', () => {
    const places = new Map<string, string[]>()
    for (const { path, text } of sources.filter(({ path }) => !isEntry(path)))
      for (const [, name = ''] of text.matchAll(EXPORTED))
        places.set(name, [...(places.get(name) ?? []), path])
    const twice = [...places].filter(([, paths]) => paths.length > 1 && !isSideBySide(paths))
    expect(twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([])
  })

  it('exports no function, class or constant that only its own file names', () => {
    const everything = [...written, ...tests]
    const users = new Map<string, number>()
    for (const source of everything)
      for (const word of new Set(codeOf(source).match(/\w+/g)))
        users.set(word, (users.get(word) ?? 0) + 1)
    const lone = everything
      .filter(({ path }) => !isEntry(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(EXPORTED_VALUE)]
          .filter(([, name = '']) => (users.get(name) ?? 0) < 2)
          .map(([, name]) => `${path}: ${name}`),
      )
    expect(lone).toEqual([])
  })

  it('names what is asynchronous by a verb: the result is not there yet', () => {
    const participle =
      /\basync (?:function )?([a-z]+[^e]ed(?:[A-Z]\w*)?)\(|\bconst ([a-z]+[^e]ed) = async\b/g
    const found = sources.flatMap((source) =>
      [...codeOf(source).matchAll(participle)].map(
        ([, declared, assigned]) => `${source.path}: ${declared ?? assigned}`,
      ),
    )
    expect(found).toEqual([])
  })

  it('exports by name, but for the entry that Workers ask for', () => {
    const defaults = sources.filter(({ text }) => /^export default\b/m.test(text))
    expect(defaults.map(({ path }) => path)).toEqual(['src/worker.ts'])
  })

  it('speaks of the product alone: no machine, no issue, no history', () => {
    const words =
      /\/work\/|\/home\/|\/tmp\/|issue #?\d|\B#\d{2,}\b|\bTODO\b|\bFIXME\b|https?:\/\/(?:registry|npm)\b/i
    const lines = sources.flatMap(({ path, lines }) =>
      lines.flatMap((line, index) =>
        words.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
    )
    expect(lines).toEqual([])
  })

  it('says facts in its comments: no riddles about people, and no clients without a name', () => {
    const words =
      /(?:\/\/|\/?\*).*\b(?:whoever|nobody|somebody|some (?:clients|servers)|there are (?:clients|servers)|parcel|shelf|keeper|memo)\b/i
    const riddles = written.flatMap(({ path, lines }) =>
      lines.flatMap((line, index) =>
        words.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
    )
    expect(riddles).toEqual([])
  })

  it('calls an inverse in a comment by its name', () => {
    const code = sources.map(codeOf).join('\n')
    const gone = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\binverse of `(\w+)`/gi)]
        .filter(([, name = '']) => !new RegExp(`\\b${name}\\b`).test(code))
        .map(([, name]) => `${path}: ${name}`),
    )
    expect(gone).toEqual([])
  })

  it('draws the same cases in every run of the suite', () => {
    const drawn = tests.filter(({ text }) => /\bfc\.assert\(/.test(text))
    const others = drawn.filter(({ text }) => !/\bcases\(\w+\)/.test(text))
    expect(others.map(({ path }) => path)).toEqual([])
  })

  it('has one version number', () => {
    const manifest: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'))
    const version = sources.find(({ path }) => path === 'src/version.ts')
    expect(version?.text).toContain(`'${manifest.version}'`)
  })
})
