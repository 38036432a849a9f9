import { readFileSync, writeFileSync } from 'node:fs'
import { type Case, writeOverview } from './overview.ts'
import type { Section } from './report.ts'
import { markdownTable } from './table.ts'

const BEGIN = '<!-- npm run bench -- --docs -->'
const END = '<!-- end -->'

/** A page with another table between the marks. */
export function withTable(page: string, table: string): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END, begin)
  if (begin < 0 || end < 0) throw new Error(`There is no ${BEGIN} … ${END}.`)
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${page.slice(end)}`
}

const write = (page: string, { head, rows }: Section): void =>
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), markdownTable(head, rows)))

/** The page for readers that shows what was measured. */
export const writePages = (cases: readonly Case[]): void =>
  write('docs/performance.md', writeOverview(cases))
