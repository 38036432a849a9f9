/**
 * A new version: `npm run release -- 0.2.0` says what it would do, with --yes it does it. It checks, moves what
 * CHANGELOG.md has under "Unreleased", sets the version everywhere, commits and tags. It pushes nothing. A version
 * that stands everywhere already is only checked and tagged.
 * `--notes` prints what has changed in the version that is here.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { PLACEHOLDER } from './owner.ts'
import {
  findChanges,
  isHigher,
  moved,
  TARBALL_PAGES,
  VERSION_FILES,
  withTarball,
  withVersion,
} from './versions.ts'

const read = (file: string): string => readFileSync(file, 'utf8')
const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { yes: { type: 'boolean' }, notes: { type: 'boolean' } },
})
const current: string = JSON.parse(read('package.json')).version

if (values.notes) process.stdout.write(`${findChanges(read('CHANGELOG.md'), current)}\n`)
else release(positionals[0] ?? '')

function release(next: string): void {
  const faults = findFaults(next)
  for (const fault of faults) console.error(`release: ${fault}`)
  if (faults.length > 0) process.exit(1)
  const texts = next === current ? new Map<string, string>() : textsOf(next)
  const changelog = texts.get('CHANGELOG.md') ?? read('CHANGELOG.md')
  console.log(`${current} -> ${next}\n\n${findChanges(changelog, next)}\n`)
  if (!values.yes) {
    const steps = ['npm run check', ...texts.keys(), ...(texts.size > 0 ? ['a commit'] : [])]
    console.log(`Nothing is written. With --yes: ${steps.join(', ')}, the tag v${next}.`)
    return
  }
  execFileSync('npm', ['run', 'check'], { stdio: 'inherit' })
  for (const [file, text] of texts) writeFileSync(file, text)
  if (texts.size > 0) git('commit', '--all', '--message', `Release ${next}`)
  git('tag', '--annotate', `v${next}`, '--message', `dragoman ${next}`)
  console.log(`Tagged v${next}. To release it: git push --follow-tags, then approve.`)
}

/** Every file that says the version, as the next one has it. */
function textsOf(next: string): Map<string, string> {
  const day = new Date().toISOString().slice(0, 10)
  return new Map([
    ['CHANGELOG.md', moved(read('CHANGELOG.md'), next, day)],
    ...VERSION_FILES.map((file) => [file, withVersion(read(file), current, next)] as const),
    ...TARBALL_PAGES.map((file) => [file, withTarball(read(file), current, next)] as const),
  ])
}

function findFaults(next: string): string[] {
  if (!/^\d+\.\d+\.\d+$/.test(next)) return ['expected a version such as 0.2.0']
  return [
    ...(next === current || isHigher(next, current) ? [] : [`${next} is not above ${current}`]),
    ...(git('status', '--porcelain') === '' ? [] : ['there are changes that are not committed']),
    ...(git('rev-parse', '--abbrev-ref', 'HEAD') === 'main' ? [] : ['this is not the branch main']),
    ...(git('tag', '--list', `v${next}`) === '' ? [] : [`the tag v${next} is there already`]),
    ...changelogFaults(next),
    ...(read('package.json').includes(PLACEHOLDER)
      ? ['package.json has no owner: npm run owner -- OWNER/REPOSITORY']
      : []),
  ]
}

/** What is not released goes into the version; one that has its changes already must not leave others behind. */
function changelogFaults(next: string): string[] {
  const hasMore = findChanges(read('CHANGELOG.md'), 'Unreleased') !== ''
  if (next !== current) return hasMore ? [] : ['CHANGELOG.md has nothing under Unreleased']
  const isTold = findChanges(read('CHANGELOG.md'), next) !== ''
  return [
    ...(isTold ? [] : [`CHANGELOG.md has nothing under ${next}`]),
    ...(hasMore ? [`CHANGELOG.md has changes under Unreleased: move them under ${next}`] : []),
  ]
}
