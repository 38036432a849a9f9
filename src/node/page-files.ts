import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../inspect/page/', import.meta.url)

/**
 * The page, as a browser takes it: its files by name, the frame first. The build puts the texts in the place of
 * this module.
 */
export const pageFiles = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(FOLDER)
      .filter((name) => /^\w+\.(?:html|css|js)$/.test(name))
      .toSorted((a, b) => Number(b === 'page.html') - Number(a === 'page.html'))
      .map((name) => [name, readFileSync(new URL(name, FOLDER), 'utf8')]),
  )
