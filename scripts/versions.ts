/** What is said of a version in a changelog, without its heading; empty where it has none. */
export function findChanges(changelog: string, version: string): string {
  const lines = changelog.split('\n')
  const begin = lines.findIndex(
    (line) => line === `## ${version}` || line.startsWith(`## ${version} `),
  )
  if (begin < 0) return ''
  const length = lines.slice(begin + 1).findIndex((line) => line.startsWith('## '))
  return lines
    .slice(begin + 1, length < 0 ? undefined : begin + 1 + length)
    .join('\n')
    .trim()
}

/** A changelog in which all that is not released is of this version. */
export const moved = (changelog: string, version: string, day: string): string =>
  changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} - ${day}\n`)

/** The first places that have the version: a manifest's own, a lock file's two, a constant, a chart's two. */
export function withVersion(text: string, from: string, to: string): string {
  const own = new RegExp(
    `("version": "|VERSION = '|\\b(?:v|appV)ersion: )${from.replaceAll('.', '\\.')}(?=["'\\n])`,
    'g',
  )
  let count = 0
  return text.replaceAll(own, (whole, before: string) => {
    count += 1
    return count <= 2 ? before + to : whole
  })
}

/** Where the version stands, beside the changelog and the pages. */
export const VERSION_FILES = [
  'package.json',
  'package-lock.json',
  'src/version.ts',
  'deploy/helm/Chart.yaml',
]

/** The pages that say how a tarball is installed or checked. */
export const TARBALL_PAGES = [
  'docs/platforms/node.md',
  'docs/platforms/systemd.md',
  'docs/releasing.md',
]

/** A page that names the tarball of the version that comes. */
export const withTarball = (text: string, from: string, to: string): string =>
  text.replaceAll(`dragoman-${from}.tgz`, `dragoman-${to}.tgz`)

export function isHigher(next: string, current: string): boolean {
  const [one, other] = [next, current].map((version) => version.split('.').map(Number))
  const place = one?.findIndex((number, index) => number !== other?.[index]) ?? -1
  return place >= 0 && (one?.[place] ?? 0) > (other?.[place] ?? 0)
}
