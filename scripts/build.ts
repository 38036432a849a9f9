import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { build, type BuildOptions, type Metafile } from 'esbuild'
import { configJsonSchema } from './config-words.ts'

const OUT = 'dist'

const common: BuildOptions = {
  bundle: true,
  format: 'esm',
  target: 'es2023',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  minifySyntax: true,
  minifyWhitespace: true,
}

/** A bundled CommonJS package asks for Node's own modules by `require`, which a module does not have. */
const COMMAND_BANNER = [
  '#!/usr/bin/env node',
  `import { createRequire as requireFrom } from 'node:module'`,
  `const require = requireFrom(import.meta.url)`,
].join('\n')

rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT)

// The command: one file that needs nothing but Node.
const command = await build({
  ...common,
  entryPoints: ['src/node.ts'],
  outfile: `${OUT}/dragoman.js`,
  platform: 'node',
  banner: { js: COMMAND_BANNER },
  minifyIdentifiers: true,
})
chmodSync(`${OUT}/dragoman.js`, 0o755)

// The library: one file for every runtime with web standards.
const library = await build({
  ...common,
  entryPoints: ['src/index.ts'],
  outfile: `${OUT}/index.js`,
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['browser'],
})

writeFileSync(`${OUT}/THIRD-PARTY.txt`, licences([command, library]))

const types = spawnSync('tsc', ['-p', 'scripts/tsconfig.types.json'], { stdio: 'inherit' })
if (types.status !== 0) process.exit(1)
keepReached(`${OUT}/types`, `${OUT}/types/src/index.d.ts`)

writeFileSync(
  `${OUT}/dragoman.schema.json`,
  `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`,
)

for (const file of ['dragoman.js', 'index.js', 'dragoman.schema.json'])
  console.log(`${OUT}/${file}  ${Math.ceil(statSync(`${OUT}/${file}`).size / 1024)} kB`)

/** The licences of the packages whose code is in the bundles. */
function licences(builds: readonly { metafile?: Metafile | undefined }[]): string {
  const files = builds.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
  const found = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  return [...new Set(found)]
    .toSorted()
    .map(licence)
    .join(`\n${'-'.repeat(72)}\n\n`)
}

function licence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : ''
  return `${name} ${version} (${license})\n\n${text}\n`
}

/** The library's types are those that its index leads to; the others would ask for packages to be installed. */
function keepReached(folder: string, index: string): void {
  const reached = new Set([index])
  for (const file of reached)
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/['"](\.[^'"]+)\.ts['"]/g))
      reached.add(`${join(dirname(file), target)}.d.ts`)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    if (name.endsWith('.ts') && !reached.has(file)) rmSync(file)
  }
}
