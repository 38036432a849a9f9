/** Tables for a terminal and for a page; the first column is text, the others are numbers. */

export type Row = readonly string[]

const widthsOf = (rows: readonly Row[]): number[] =>
  (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))

export function textTable(head: Row, rows: readonly Row[]): string {
  const widths = widthsOf([head, ...rows])
  const line = (row: Row) =>
    row
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [line(head), ...rows.map(line)].join('\n')
}

export function markdownTable(head: Row, rows: readonly Row[]): string {
  const line = (row: Row) => `| ${row.join(' | ')} |`
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'))
  return [head, rule, ...rows].map(line).join('\n')
}

/** Three digits that count. */
export function digits(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return 'n/a'
  const size = Math.abs(value)
  if (size >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(size >= 10 ? 1 : size >= 0.1 ? 2 : 3)
}
