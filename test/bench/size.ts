import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Extra } from './memory.ts'
import { digits } from './table.ts'

const FILES: readonly (readonly [file: string, how: string])[] = [
  ['dist/dragoman.js', 'npm run build'],
  ['dist/command', 'npm run build'],
  ['dist/index.js', 'npm run build'],
  ['dist/worker/worker.js', 'npm run build:worker'],
]

function writeRow([file, how]: readonly [string, string]): string[] {
  try {
    const code = readContent(file)
    return [file, digits(code.length), digits(gzipSync(code).length)]
  } catch {
    return [`${file} (made by ${how})`, 'n/a', 'n/a']
  }
}

/** Of a folder all that is in it. */
const readContent = (path: string): Buffer =>
  path.endsWith('.js')
    ? readFileSync(path)
    : Buffer.concat(readdirSync(path).map((name) => readFileSync(join(path, name))))

export const measureSize = (): Extra => ({
  findings: [],
  problems: [],
  section: {
    title: 'size of the bundles',
    head: ['file', 'bytes', 'gzip'],
    rows: FILES.map(writeRow),
  },
})
