import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const COMMAND = 'dist/dragoman.js'
const SOURCES = ['src', 'adapters']

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function lastChange(): number {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return Math.max(...files.map(changedAt))
}

/** Builds the command unless it is younger than every source. */
export function buildIfOlder(): void {
  if (changedAt(COMMAND) > lastChange()) return
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('npm run build failed')
}
