import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { build, type Metafile } from 'esbuild'
import { configJsonSchema } from './config-words.ts'
import { BUNDLE, buildLibrary, buildTypes } from './library.ts'

const OUT = 'dist'

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
  ...BUNDLE,
  entryPoints: ['src/node.ts'],
  outfile: `${OUT}/dragoman.js`,
  platform: 'node',
  banner: { js: COMMAND_BANNER },
  minifyIdentifiers: true,
})
chmodSync(`${OUT}/dragoman.js`, 0o755)

const library = await buildLibrary(`${OUT}/index.js`)

writeFileSync(`${OUT}/THIRD-PARTY.txt`, licences([command, library]))

buildTypes(`${OUT}/types`)

writeFileSync(
  `${OUT}/dragoman.schema.json`,
  `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`,
)

for (const file of ['dragoman.js', 'index.js', 'dragoman.schema.json'])
  console.log(`${OUT}/${file}  ${Math.ceil(statSync(`${OUT}/${file}`).size / 1024)} kB`)

const PRICES_LICENCE = readFileSync(new URL('licences/prices.txt', import.meta.url), 'utf8')

/** The licences of the packages whose code is in the bundles. */
function licences(builds: readonly { metafile?: Metafile | undefined }[]): string {
  const files = builds.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
  const found = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  return [...new Set(found)]
    .toSorted()
    .map(licence)
    .concat(`Prices of models (src/observe/price-table.ts)\n\n${PRICES_LICENCE}`)
    .join(`\n${'-'.repeat(72)}\n\n`)
}

function licence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : ''
  return `${name} ${version} (${license})\n\n${text}\n`
}
