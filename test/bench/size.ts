import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Extra } from './memory.ts'
import { digits } from './table.ts'

const FILES: readonly (readonly [file: string, how: string])[] = [
  ['dist/dragoman.js', 'npm run build'],
  ['dist/index.js', 'npm run build'],
  ['dist/worker/worker.js', 'npm run build:worker'],
]

function rowOf([file, how]: readonly [string, string]): string[] {
  try {
    const code = readFileSync(file)
    return [file, digits(code.length), digits(gzipSync(code).length)]
  } catch {
    return [`${file} (made by ${how})`, 'n/a', 'n/a']
  }
}

export const measureSize = (): Extra => ({
  findings: [],
  problems: [],
  section: {
    title: 'size of the bundles',
    head: ['file', 'bytes', 'gzip'],
    rows: FILES.map(rowOf),
  },
})
