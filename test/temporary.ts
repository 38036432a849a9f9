import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One folder for all temporary files of a run, which goes with it; what a test of ours leaves there is said. */
export default function ownFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-tests-'))
  process.env['TMPDIR'] = folder
  return () => {
    const left = readdirSync(folder).filter((name) => name.startsWith('dragoman-'))
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    if (left.length > 0) throw new Error(`tests have left temporary files: ${left.join(', ')}`)
  }
}
