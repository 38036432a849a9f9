import { readdirSync, readFileSync } from 'node:fs'
import type { Metafile } from 'esbuild'

/** A package whose code is in a bundle. */
export interface Bundled {
  folder: string
  name: string
  version: string
  licence: string
  /** The text of its licence. */
  text: string
}

/** The packages whose code is in the bundles: all of them are development dependencies, so npm does not know. */
export function bundledPackages(builds: readonly { metafile?: Metafile | undefined }[]): Bundled[] {
  const files = builds.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
  const found = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  return [...new Set(found)].map(read).toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** A package that brings no text of its licence has it in `licences`, from its repository. */
function read(folder: string): Bundled {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const kept = new URL(`licences/${name.replace('/', '-')}.txt`, import.meta.url)
  const text = readFileSync(file ? `${folder}/${file}` : kept, 'utf8').trim()
  return { folder, name, version, licence: license, text }
}
