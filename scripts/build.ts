import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { build, type BuildOptions } from 'esbuild'
import { configJsonSchema } from '../src/gateway/config-schema.ts'

const OUT = 'dist'

const common: BuildOptions = {
  bundle: true,
  format: 'esm',
  target: 'es2023',
  legalComments: 'linked',
  logLevel: 'warning',
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
await build({
  ...common,
  entryPoints: ['src/node.ts'],
  outfile: `${OUT}/dragoman.js`,
  platform: 'node',
  banner: { js: COMMAND_BANNER },
  minifySyntax: true,
  minifyWhitespace: true,
})
chmodSync(`${OUT}/dragoman.js`, 0o755)

// The library: for every runtime with web standards, its dependencies left to whoever installs it.
await build({
  ...common,
  entryPoints: ['src/index.ts'],
  outfile: `${OUT}/index.js`,
  platform: 'neutral',
  packages: 'external',
})

const types = spawnSync('tsc', ['-p', 'scripts/tsconfig.types.json'], { stdio: 'inherit' })
if (types.status !== 0) process.exit(1)

writeFileSync(
  `${OUT}/dragoman.schema.json`,
  `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`,
)

for (const file of ['dragoman.js', 'index.js', 'dragoman.schema.json'])
  console.log(`${OUT}/${file}  ${Math.ceil(statSync(`${OUT}/${file}`).size / 1024)} kB`)
