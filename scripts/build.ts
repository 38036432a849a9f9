import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { bundledPackages } from './bundled.ts'
import { configJsonSchema } from './config-json-schema.ts'
import { buildCommand, buildEntries, buildTypes, ENTRIES, PARTS, SHARED } from './library.ts'

const OUT = 'dist'
const PRICES_LICENCE = readFileSync(new URL('licences/prices.txt', import.meta.url), 'utf8')

rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT)

// The command needs nothing but Node.
const command = await buildCommand(OUT)
chmodSync(`${OUT}/dragoman.js`, 0o755)

const library = await buildEntries(OUT)

writeFileSync(`${OUT}/THIRD-PARTY.txt`, licences([command, library]))

buildTypes(`${OUT}/types`)

writeFileSync(
  `${OUT}/dragoman.schema.json`,
  `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`,
)

const parts = [PARTS, SHARED].flatMap((folder) =>
  readdirSync(`${OUT}/${folder}`).map((name) => `${folder}/${name}`),
)
const entries = ['dragoman', 'index', ...Object.keys(ENTRIES)].map((name) => `${name}.js`)
for (const file of [...entries, ...parts, 'dragoman.schema.json'])
  console.log(`${OUT}/${file}  ${Math.ceil(statSync(`${OUT}/${file}`).size / 1024)} kB`)

/** The licences of the packages whose code is in the bundles. */
function licences(builds: Parameters<typeof bundledPackages>[0]): string {
  return bundledPackages(builds)
    .map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}\n`)
    .concat(`Prices of models (src/models/price-rows.ts)\n\n${PRICES_LICENCE}`)
    .join(`\n${'-'.repeat(72)}\n\n`)
}
