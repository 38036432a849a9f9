/**
 * What is in the package, as CycloneDX 1.6 on stdout: from what the bundler put into it, with the sums of the lock
 * file. `npm sbom` would list either nothing or the tools of development.
 */
import { readFileSync } from 'node:fs'
import { bundledPackages, type Bundled } from './bundled.ts'
import { buildCommand, buildLibrary } from './library.ts'

const own: { name: string; version: string; description: string; license: string } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
const lock: { packages: Record<string, { integrity?: string }> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
)

const purl = (name: string, version: string): string =>
  `pkg:npm/${name.replace(/^@/, '%40')}@${version}`

/** `sha512-<base64>`, as an SBOM spells it. */
function hashes(folder: string): { alg: string; content: string }[] {
  const entry = lock.packages[folder.slice(folder.indexOf('node_modules/'))]
  const [algorithm = '', value = ''] = entry?.integrity?.split('-') ?? []
  const alg = algorithm.replace(/^sha(\d+)$/, 'SHA-$1')
  return value === '' ? [] : [{ alg, content: Buffer.from(value, 'base64').toString('hex') }]
}

const component = ({ folder, name, version, licence }: Bundled) => ({
  type: 'library',
  'bom-ref': purl(name, version),
  name,
  version,
  hashes: hashes(folder),
  licenses: [{ license: { id: licence } }],
  purl: purl(name, version),
})

const builds = [await buildCommand('dist', false), await buildLibrary('index.js', false)]
const components = bundledPackages(builds).map(component)
const ref = purl(own.name, own.version)
const sbom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': ref,
      name: own.name,
      version: own.version,
      description: own.description,
      licenses: [{ license: { id: own.license } }],
      purl: ref,
    },
  },
  components,
  dependencies: [
    { ref, dependsOn: components.map((each) => each['bom-ref']) },
    ...components.map((each) => ({ ref: each['bom-ref'], dependsOn: [] })),
  ],
}
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`)
