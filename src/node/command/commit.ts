import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { VERSION } from '../../version.ts'

/** What the build was made from: a commit, or nothing where it is a release. The sources do not have it. */
declare const BUILT_FROM: string

/** The commit in a folder, unless it is the one of this version's tag; empty where there is no git to ask. */
export function unreleasedCommit(folder: string): string {
  // A folder without one may lie in the repository of another program.
  if (!existsSync(join(folder, '.git'))) return ''
  const tag = `v${VERSION}`
  const format = ['--abbrev=12', '--format=%h %D', `--decorate-refs=refs/tags/${tag}`]
  try {
    const said = execFileSync('git', ['log', '-1', ...format], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [commit = ''] = said.split(' ')
    return said.includes(`tag: ${tag}`) ? '' : commit
  } catch {
    return ''
  }
}

/** The commit of the sources themselves, where they run as they are. */
const commitHere = () => unreleasedCommit(fileURLToPath(new URL('../../../', import.meta.url)))

/** The text of `--version`: with the commit, where it is no release. */
export function versionText(): string {
  const commit = typeof BUILT_FROM === 'string' ? BUILT_FROM : commitHere()
  return commit === '' ? VERSION : `${VERSION} (commit ${commit})`
}
