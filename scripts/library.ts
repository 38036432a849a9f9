import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, type BuildOptions, type Plugin, transformSync } from 'esbuild'
import { unreleasedCommit } from '../src/node/command/commit.ts'
import { pageFiles } from '../src/node/command/page-files.ts'
import { configTypes } from './config-type.ts'

/** What all bundles have in common. */
export const BUNDLE: BuildOptions = {
  bundle: true,
  format: 'esm',
  target: 'es2023',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  minifySyntax: true,
  minifyWhitespace: true,
  // The names of parts hold the places of their sources: they are the same where node_modules is a link.
  preserveSymlinks: true,
}

/** A bundled CommonJS package asks for Node's own modules by `require`, which a module does not have. */
const COMMAND_BANNER = [
  '#!/usr/bin/env node',
  `import { createRequire as requireFrom } from 'node:module'`,
  `const require = requireFrom(import.meta.url)`,
].join('\n')

/** The texts of the page stand in the command itself, in the place of the module that reads them. */
const pageInside: Plugin = {
  name: 'page',
  setup({ onLoad }) {
    onLoad({ filter: /src[\\/]node[\\/]command[\\/]page-files\.ts$/ }, () => {
      const files = Object.fromEntries(
        Object.entries(pageFiles()).map(([name, text]) => [name, smaller(name, text)]),
      )
      return { contents: `export const pageFiles = () => (${JSON.stringify(files)})`, loader: 'js' }
    })
  },
}

function smaller(name: string, text: string): string {
  if (name.endsWith('.html')) return text
  const loader = name.endsWith('.css') ? 'css' : 'js'
  return transformSync(text, { loader, minify: true, target: 'es2023' }).code
}

/**
 * Of undici (7.30) what the proxy sends with. Its index also makes ready the fetch, the caches and the mocks, which
 * took a tenth of a start; HTTP/2, which it speaks only where it is told to, asks for a fifth of what Node has. The
 * index also gives dispatchers their methods: of those `ProxyAgent` calls `connect`, for its tunnels.
 */
const clientAlone: Plugin = {
  name: 'undici',
  setup({ onLoad, onResolve }) {
    const parts = { Agent: 'agent', Pool: 'pool', ProxyAgent: 'proxy-agent' }
    const exported = Object.entries(parts).map(
      ([name, file]) => `export { default as ${name} } from 'undici/lib/dispatcher/${file}.js'`,
    )
    const contents = [
      `import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'`,
      `import connect from 'undici/lib/api/api-connect.js'`,
      `Dispatcher.prototype.connect = connect`,
      ...exported,
    ].join('\n')
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'parts' }))
    onLoad({ filter: /^undici$/, namespace: 'parts' }, () => ({ contents, resolveDir: '.' }))
    onLoad({ filter: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ }, () => ({
      contents: `module.exports = () => { throw new Error('HTTP/2 is not spoken') }`,
    }))
  },
}

/** What a build is made from: what it is told where it cannot see the repository, or the commit here. */
export const builtFrom = (told = process.env['BUILT_FROM']): string =>
  told ?? unreleasedCommit(process.cwd())

/** The folder of the parts that the command loads when it needs them, beside it. */
export const PARTS = 'command'

/** The command, which needs nothing but Node; what only some need of it (a client, a store, the page) is apart. */
export const buildCommand = (outdir: string, write = true) =>
  build({
    ...BUNDLE,
    entryPoints: { dragoman: 'src/node.ts' },
    outdir,
    write,
    splitting: true,
    chunkNames: `${PARTS}/[name]-[hash]`,
    platform: 'node',
    banner: { js: COMMAND_BANNER },
    minifyIdentifiers: true,
    define: { BUILT_FROM: JSON.stringify(builtFrom()) },
    plugins: [pageInside, clientAlone],
  })

/** One file that Node runs, of a source that leads to the command's packages. */
export const buildProgram = (source: string, outfile: string) =>
  build({
    ...BUNDLE,
    entryPoints: [source],
    outfile,
    platform: 'node',
    banner: { js: COMMAND_BANNER },
    plugins: [pageInside, clientAlone],
  })

const MAX_LINE_CHARACTERS = 500

/** For every runtime with web standards. */
const LIBRARY: BuildOptions = {
  ...BUNDLE,
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['browser'],
  // Of an error that nothing catches, such as a faulty configuration, Node prints the whole line that threw it.
  lineLimit: MAX_LINE_CHARACTERS,
}

/** The library as one file, for what tries it. */
export const buildLibrary = (outfile: string, write = true) =>
  build({ ...LIBRARY, entryPoints: ['src/index.ts'], outfile, write })

/** What can be imported by itself: the names of the entries, and their sources. */
export const ENTRIES = {
  translator: 'src/translator',
  messages: 'adapters/messages/index',
  'generate-content': 'adapters/generate-content/index',
  responses: 'adapters/responses/index',
  'chat-completions': 'adapters/chat-completions/index',
} as const

/** The folder of what several entries share, beside them. */
export const SHARED = 'lib'

/** The library and its entries, which share what they have in common: a program carries what it imports. */
export const buildEntries = (outdir: string, write = true) =>
  build({
    ...LIBRARY,
    entryPoints: {
      index: 'src/index.ts',
      ...Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, `${file}.ts`])),
    },
    outdir,
    write,
    splitting: true,
    chunkNames: `${SHARED}/[name]-[hash]`,
  })

/** Declares the library in a folder; throws what the compiler says. */
export function buildTypes(folder: string): void {
  const args = ['-p', 'scripts/tsconfig.types.json', '--outDir', folder]
  const { status, stdout } = spawnSync('node_modules/.bin/tsc', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout)
  writeFileSync(join(folder, 'src/config/type.d.ts'), configTypes(true))
  keepReached(folder, [
    join(folder, 'src/index.d.ts'),
    ...Object.values(ENTRIES).map((file) => join(folder, `${file}.d.ts`)),
  ])
  doWithout('hono', join(folder, 'src/http/app-type.d.ts'))
}

/** The library's types are those that its entries lead to; the others would ask for packages to be installed. */
function keepReached(folder: string, entries: readonly string[]): void {
  const reached = new Set(entries)
  for (const file of reached)
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/['"](\.[^'"]+)\.ts['"]/g))
      reached.add(`${join(dirname(file), target)}.d.ts`)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    if (name.endsWith('.ts') && !reached.has(file)) rmSync(file)
  }
}

/**
 * Programs that mount the app in a Hono app have Hono and get its type; for others the import becomes an unknown type
 * instead of an error. A copy of Hono's declarations would fit no installed Hono, because its class has private members.
 */
function doWithout(name: string, file: string): void {
  const text = readFileSync(file, 'utf8')
  const line = new RegExp(`^import .* from '${name}';$`, 'm')
  if (!line.test(text)) throw new Error(`${file} does not import ${name}`)
  writeFileSync(file, text.replace(line, '// @ts-ignore: where it is not installed.\n$&'))
}
