/** What is said of a version in a changelog, without its heading and headings of nothing; empty where it has none. */
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
    .replaceAll(/^### .*\n+(?=### |$(?![\s\S]))/gm, '')
    .trim()
}

/** Where the next changes go. */
const PLACES = ['Added', 'Changed', 'Fixed', 'Security'].map((kind) => `### ${kind}\n\n`).join('')

/** A changelog in which all that is not released is of this version. */
export function moved(changelog: string, version: string, day: string): string {
  const begin = changelog.indexOf('## Unreleased\n')
  const end = changelog.indexOf('\n## ', begin) + 1
  const own = `## ${version} - ${day}\n\n${findChanges(changelog, 'Unreleased')}\n\n`
  return `${changelog.slice(0, begin)}## Unreleased\n\n${PLACES}${own}${changelog.slice(end)}`
}

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
