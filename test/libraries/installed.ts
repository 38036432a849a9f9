import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const PROJECT = new URL('package.json', import.meta.url)
const require = createRequire(PROJECT)

/** Whether every library of the project is there. */
export const INSTALLED = (): boolean => {
  const { dependencies } = JSON.parse(readFileSync(PROJECT, 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.keys(dependencies).every((name) =>
    existsSync(new URL(`node_modules/${name}/package.json`, PROJECT)),
  )
}

/** A library of the project, which the types of this one do not know. */
export const library = async (name: string): Promise<unknown> =>
  import(pathToFileURL(require.resolve(name)).href)
