import { readFileSync, writeFileSync } from 'node:fs'

/** The pages for readers that show what was measured. */
const PAGES = ['README.md', 'docs/performance.md']
const BEGIN = '<!-- npm run bench -- --docs -->'
const END = '<!-- end -->'

/** A page with another table between the marks. */
export function withTable(page: string, table: string): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END, begin)
  if (begin < 0 || end < 0) throw new Error(`There is no ${BEGIN} … ${END}.`)
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${page.slice(end)}`
}

export function writePages(table: string): void {
  for (const page of PAGES) writeFileSync(page, withTable(readFileSync(page, 'utf8'), table))
}
