import { describe, expect, it } from 'vitest'
import { codeOf, importsOf, sources } from './sources.ts'

interface Rule {
  /** Whom it binds; the first rule that matches counts. */
  from: RegExp
  may: RegExp
}

const CANONICAL = 'src/canonical/'
const CONTRACT = 'adapters/adapter\\.ts'

const pattern = (...parts: string[]) => new RegExp(`^(?:${parts.join('|')})`)

/** Who may import what. Another dialect is in nobody's list: `$folder` is the importer's own folder. */
const RULES: readonly Rule[] = [
  { from: /^src\/canonical\//, may: pattern(CANONICAL) },
  { from: /^adapters\/(?:adapter|dialect)\.ts$/, may: pattern(CANONICAL) },
  {
    from: /^adapters\/index\.ts$/,
    may: pattern(CONTRACT, 'adapters/dialect\\.ts', 'adapters/[\\w-]+/index\\.ts$', CANONICAL),
  },
  { from: /^adapters\/[\w-]+\//, may: pattern(CANONICAL, CONTRACT, '$folder') },
  { from: /^src\/framing\//, may: pattern(CANONICAL, CONTRACT, '$folder', 'eventsource-parser$') },
  {
    from: /^src\/gateway\/config-schema\.ts$/,
    may: pattern('adapters/(?:adapter|dialect|index)\\.ts', '$folder', 'zod(?:$|/)'),
  },
  {
    from: /^src\/gateway\//,
    may: pattern(
      CANONICAL,
      'adapters/(?:adapter|dialect|index)\\.ts',
      'src/framing/',
      'src/observe/',
      'src/version\\.ts',
      '$folder',
    ),
  },
  {
    from: /^src\/http\//,
    may: pattern(
      CANONICAL,
      'adapters/(?:adapter|dialect|index)\\.ts',
      'src/gateway/',
      'src/observe/',
      'src/framing/',
      'src/version\\.ts',
      '$folder',
      'hono(?:$|/)',
    ),
  },
  {
    from: /^src\/state\/memory\.ts$/,
    may: pattern('src/gateway/', CANONICAL, '$folder', 'lru-cache$'),
  },
  { from: /^src\/(?:state|observe)\//, may: pattern('src/gateway/', CANONICAL, '$folder') },
  {
    from: /^src\/node(?:\/|\.ts$)/,
    may: pattern(
      'src/(?!worker)',
      'adapters/',
      'node:',
      'undici$',
      '@hono/node-server(?:/utils/response)?$',
      '@redis/client$',
    ),
  },
  {
    from: /^src\/[\w-]+\.ts$/,
    may: pattern('src/(?!node)', 'adapters/(?:adapter|dialect|index)\\.ts'),
  },
]

function allowed(from: string, target: string): boolean {
  const rule = RULES.find((candidate) => candidate.from.test(from))
  if (!rule) return false
  const folder = from.slice(0, from.lastIndexOf('/') + 1)
  const may = rule.may.source.replaceAll('$folder', folder)
  return new RegExp(may).test(target)
}

describe('boundaries', () => {
  it('finds the sources', () => expect(sources.length).toBeGreaterThan(40))

  it('are kept by every import', () => {
    const crossings = sources.flatMap((source) =>
      importsOf(source)
        .filter((target) => !allowed(source.path, target))
        .map((target) => `${source.path} imports ${target}`),
    )
    expect(crossings).toEqual([])
  })

  it('are tight: what they forbid would be found', () => {
    expect(allowed('adapters/messages/blocks.ts', 'adapters/responses/blocks.ts')).toBe(false)
    expect(allowed('adapters/messages/wire.ts', 'zod')).toBe(false)
    expect(allowed('src/config/schema.ts', 'zod')).toBe(true)
    expect(allowed('src/json/json.ts', 'adapters/contract.ts')).toBe(false)
    expect(allowed('src/exchange/exchange.ts', 'hono')).toBe(false)
    expect(allowed('src/http/hono-app.ts', 'node:http')).toBe(false)
    expect(allowed('src/worker.ts', 'src/node/send.ts')).toBe(false)
    expect(
      importsOf({ path: 'src/a/b.ts', text: "import {\n  x,\n} from '../c.ts'", lines: [] }),
    ).toEqual(['src/c.ts'])
  })

  it('nobody imports the entry of Node', () => {
    const importers = sources.filter((source) => importsOf(source).includes('src/node.ts'))
    expect(importers).toEqual([])
  })

  it('zod comes as a namespace, which is a fifth of the size', () => {
    const named = sources.filter((source) => /import \{[^}]*\} from 'zod'/.test(source.text))
    expect(named.map(({ path }) => path)).toEqual([])
    // A class out of the inner namespace brings all of it, with every language of its messages: half a megabyte.
    const inner = sources.filter((source) =>
      /instanceof z\.core|[^\w]z\.core\.\$?\w+\(/.test(source.text),
    )
    expect(inner.map(({ path }) => path)).toEqual([])
  })
})

describe('purity', () => {
  /** Base64 is no input: the same text gives the same bytes on every platform, only not as fast. */
  const PURE = /^(?:adapters|src\/canonical(?!\/base64)|src\/framing)\//
  const IMPURE =
    /\b(?:Date|performance|crypto|fetch|process|console|setTimeout|setInterval|queueMicrotask|globalThis)\b|\bMath\.random\b/g
  /** Members and words of the wire that share a name with something impure. */
  const MEMBER = /(?:\.|\w)$/

  it('adapters, canonical model and framing have no hidden input', () => {
    const impure = sources
      .filter(({ path }) => PURE.test(path))
      .flatMap((source) => {
        const code = codeOf(source)
        return [...code.matchAll(IMPURE)]
          .filter(({ index }) => !MEMBER.test(code.slice(0, index)))
          .map(({ 0: word, index }) => `${source.path}:${lineOf(code, index)} ${word}`)
      })
    expect(impure).toEqual([])
  })

  it('process is seen by the entry of Node alone', () => {
    const users = sources.filter(
      (source) => !/^src\/node[/.]/.test(source.path) && /\bprocess\.\w/.test(codeOf(source)),
    )
    expect(users.map(({ path }) => path)).toEqual([])
  })

  it('the core names no dialect', () => {
    const naming = sources
      .filter(({ path }) => path.startsWith('src/'))
      .filter(({ text }) => /'(?:messages|generate-content|responses)'/.test(text))
    expect(naming.map(({ path }) => path)).toEqual([])
  })
})

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length
