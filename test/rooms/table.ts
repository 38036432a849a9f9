import type { Dialect } from '../../adapters/dialect.ts'
import type { Way } from './measure.ts'

/** Two ways that translate, and two that pass. */
export const WAYS: readonly (readonly [caller: Dialect, upstream: Dialect])[] = [
  ['messages', 'responses'],
  ['generate-content', 'chat-completions'],
  ['messages', 'messages'],
  ['chat-completions', 'chat-completions'],
]

const HEAD = `| caller and upstream | files | functions | calls | calls a delta |
|---|---|---|---|---|`

export const tableOf = (ways: readonly Way[]): string =>
  [
    HEAD,
    ...WAYS.map(([caller, upstream], index) => {
      const { files = 0, functions = 0, calls = 0, callsPerDelta = 0 } = ways[index] ?? {}
      return `| ${caller} over ${upstream} | ${files} | ${functions} | ${calls} | ${callsPerDelta} |`
    }),
  ].join('\n')

/** Inverse of `tableOf`, wherever the table stands in a text. */
export const waysIn = (text: string): Way[] =>
  WAYS.map(([caller, upstream]) => {
    const row =
      new RegExp(`^\\| ${caller} over ${upstream} +\\|(.*)\\|$`, 'm').exec(text)?.[1] ?? ''
    const [files = 0, functions = 0, calls = 0, callsPerDelta = 0] = row.split('|').map(Number)
    return { files, functions, calls, callsPerDelta }
  })
