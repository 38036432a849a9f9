import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../extras/inspect/page/', import.meta.url)

/**
 * The page's files by name, as a browser takes them, the HTML first. The build replaces this module by one that holds
 * the texts.
 */
export const pageFiles = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(FOLDER)
      .filter((name) => /^\w+\.(?:html|css|js)$/.test(name))
      .toSorted((a, b) => Number(b === 'page.html') - Number(a === 'page.html'))
      .map((name) => [name, readFileSync(new URL(name, FOLDER), 'utf8')]),
  )
