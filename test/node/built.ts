import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildCommand } from '../../scripts/library.ts'

/** Builds the command once, as it is shipped: tests start it by the hundred, and its sources take five times as long. */
export default async function build(): Promise<(() => void) | undefined> {
  if (process.env['COMMAND'] !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-command-'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  await buildCommand(folder)
  process.env['COMMAND'] = join(folder, 'dragoman.js')
  return () => rmSync(folder, { recursive: true })
}
