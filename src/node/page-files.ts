import { readFileSync } from 'node:fs'

const read = (name: string): string =>
  readFileSync(new URL(`../inspect/page/${name}`, import.meta.url), 'utf8')

/** The page, as a browser takes it. The build puts the texts in the place of this module. */
export const pageFiles = (): Record<'html' | 'css' | 'js', string> => ({
  html: read('page.html'),
  css: read('page.css'),
  js: read('page.js'),
})
