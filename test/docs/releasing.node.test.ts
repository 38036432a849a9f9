import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isObject, objectsOf } from '../../src/json/json.ts'
import { objectMembers } from '../../src/node/init/source.ts'
import { unreleasedCommit } from '../../src/node/command/commit.ts'
import { parseYaml } from '../../src/node/init/yaml.ts'
import { VERSION } from '../../src/version.ts'
import { pages } from './pages.ts'
import { bundledPackages } from '../../scripts/bundled.ts'
import { buildCommand, builtFrom, buildLibrary } from '../../scripts/library.ts'
import { FILES, owned, PLACEHOLDER } from '../../scripts/owner.ts'
import {
  findChanges,
  isHigher,
  moved,
  TARBALL_PAGES,
  VERSION_FILES,
  withTarball,
  withVersion,
} from '../../scripts/versions.ts'

const FOLDER = '.github/workflows'
const workflows = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(`${FOLDER}/${name}`, 'utf8')
  return { name, text, value: objectMembers(parseYaml(text)) }
})

describe('the workflows', () => {
  it('are those that the pages name', () => {
    const names = workflows.map(({ name }) => name)
    expect(names).toEqual(['ci.yml', 'codeql.yml', 'image.yml', 'release.yml', 'scorecard.yml'])
  })

  it.each(workflows)('$name pins each action by its commit, and says the version', ({ text }) => {
    const uses = text.split('\n').filter((line) => line.includes('uses:'))
    expect(uses.length).toBeGreaterThan(0)
    for (const line of uses) expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it.each(workflows)(
    '$name gives rights to jobs alone, and each job some time',
    ({ value, text }) => {
      expect(value['permissions']).toEqual({})
      expect(text).not.toMatch(/pull_request_target|secrets\./)
      const jobs = Object.values(objectMembers(value['jobs'])).filter(isObject)
      for (const job of jobs) {
        expect(isObject(job['permissions'])).toBe(true)
        expect(job['timeout-minutes']).toBeTypeOf('number')
        const checkouts = objectsOf(job['steps']).filter((step) =>
          String(step['uses']).startsWith('actions/checkout@'),
        )
        for (const step of checkouts)
          expect(objectMembers(step['with'])['persist-credentials']).toBe(false)
      }
    },
  )

  it('publish where nothing is built', () => {
    const release = workflows.find(({ name }) => name === 'release.yml')
    const jobs = objectMembers(release?.value['jobs'])
    const runs = (job: string) =>
      objectsOf(objectMembers(jobs[job])['steps']).map((step) => String(step['run'] ?? ''))
    expect(objectMembers(objectMembers(jobs['pack'])['permissions'])).toEqual({ contents: 'read' })
    expect(runs('publish').join('\n')).not.toMatch(/npm (?:ci|install|run|test)|node /)
    expect(objectMembers(jobs['publish'])['environment']).toBe('release')
  })

  it('run only scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
    const named = workflows.flatMap(({ text }) => [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)])
    expect(named.length).toBeGreaterThan(2)
    for (const [, name = ''] of named) expect(scripts).toHaveProperty([name])
  })
})

/** The tarballs that a page names. */
const namesIn = (text: string) => text.match(/dragoman-\d[\w.-]*\.tgz/g) ?? []

/** Says what a release would do. */
const run = (...args: string[]) =>
  execFileSync(process.execPath, ['scripts/release.ts', ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  })

describe('a release', () => {
  const log =
    '# Changelog\n\n## Unreleased\n\n### Added\n\n- One.\n\n### Changed\n\n### Security\n\n## 0.1.0 - 2026-11-21\n\n- Zero.\n'

  it('moves what was not released under its version', () => {
    const next = moved(log, '0.2.0', '2026-12-01')
    expect(findChanges(next, '0.2.0')).toBe('### Added\n\n- One.')
    expect(findChanges(next, 'Unreleased')).toBe('')
    expect(next).toContain('## Unreleased\n\n### Added\n\n### Changed')
    expect(next.indexOf('### Security\n\n## 0.2.0')).toBeGreaterThan(0)
    expect(next).toContain('- One.\n\n## 0.1.0 - 2026-11-21')
    expect(findChanges(next, '0.1.0')).toBe('- Zero.')
    expect(
      moved(next.replace('### Fixed\n', '### Fixed\n\n- Two.\n'), '0.3.0', '2026-12-02'),
    ).toContain('## 0.3.0 - 2026-12-02\n\n### Fixed\n\n- Two.\n\n## 0.2.0')
  })

  it('sets the version where it stands, and nowhere else', () => {
    const lock = readFileSync('package-lock.json', 'utf8')
    const { version } = JSON.parse(lock)
    const next = JSON.parse(withVersion(lock, version, '9.8.7'))
    expect([next.version, next.packages[''].version]).toEqual(['9.8.7', '9.8.7'])
    const before = JSON.parse(lock)
    expect({ ...next.packages, '': 0 }).toEqual({ ...before.packages, '': 0 })
    for (const file of VERSION_FILES) {
      const text = readFileSync(file, 'utf8')
      expect(text, file).toContain(version)
      expect(withVersion(text, version, '9.8.7'), file).toContain('9.8.7')
    }
    const chart = withVersion(readFileSync('deploy/helm/Chart.yaml', 'utf8'), version, '9.8.7')
    expect(chart).toMatch(/^version: 9\.8\.7\nappVersion: 9\.8\.7$/m)
  })

  it('is what a command says that is none: its commit', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-commit-'))
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@a.example', ...args], {
        cwd: folder,
        encoding: 'utf8',
      }).trim()
    expect(unreleasedCommit(folder)).toBe('')
    git('init', '--quiet')
    git('commit', '--quiet', '--allow-empty', '--message', 'Begin')
    expect(unreleasedCommit(folder)).toBe(git('rev-parse', '--short=12', 'HEAD'))
    expect(unreleasedCommit(join(folder, '.git'))).toBe('')
    git('tag', 'v0.0.0')
    expect(unreleasedCommit(folder)).not.toBe('')
    git('tag', `v${VERSION}`)
    expect(unreleasedCommit(folder)).toBe('')
    rmSync(folder, { recursive: true })
  })

  it('is no image that was built by hand, without the repository', () => {
    const said = /^ARG BUILT_FROM=(.*)\nRUN npm run build$/m.exec(
      readFileSync('Dockerfile', 'utf8'),
    )
    expect(builtFrom(said?.[1])).toBe('unknown')
    const image = workflows.find(({ name }) => name === 'image.yml')
    expect(image?.text).toMatch(/^ +build-args: BUILT_FROM=$/m)
    expect(builtFrom('')).toBe('')
  })

  it('names its tarball on every page that tells how to install it', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md'].concat(
      readdirSync('docs', { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`),
    )
    const naming = pages.filter((page) => namesIn(readFileSync(page, 'utf8')).length > 0)
    expect(naming.toSorted()).toEqual(TARBALL_PAGES)
    for (const page of TARBALL_PAGES) {
      const text = readFileSync(page, 'utf8')
      expect(new Set(namesIn(text))).toEqual(new Set([`dragoman-${version}.tgz`]))
      expect(withTarball(text, version, '9.8.7')).toContain('dragoman-9.8.7.tgz')
    }
  })

  it('is built by what says that "npm ci" comes first, as the pages do', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
    for (const name of ['prestart', 'pretest', 'prebuild'])
      expect(scripts[name]).toBe('node scripts/node-version.mjs')
    for (const page of TARBALL_PAGES) expect(readFileSync(page, 'utf8')).not.toMatch(/^npm pack$/m)
  })

  it('goes up', () => {
    expect(isHigher('0.2.0', '0.1.9')).toBe(true)
    expect(isHigher('1.0.0', '0.10.0')).toBe(true)
    expect(isHigher('0.1.0', '0.1.0')).toBe(false)
    expect(isHigher('0.1.9', '0.2.0')).toBe(false)
  })

  it('has notes from the changelog, and refuses what is no version', () => {
    expect(run('--notes')).toContain('What may break')
    expect(() => run('next')).toThrow('expected a version')
  })

  it('has an owner after one command', () => {
    const manifest = readFileSync('package.json', 'utf8')
    const own = JSON.parse(owned(manifest, 'somebody/dragoman', 'Some Body'))
    expect(own.repository.url).toBe('git+https://github.com/somebody/dragoman.git')
    expect(own.author).toBe('Some Body')
    for (const member of ['homepage', 'bugs', 'keywords']) expect(own).toHaveProperty(member)
    expect(JSON.stringify(own)).not.toContain('OWNER')
    const forms = readdirSync('.github', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yml'))
      .map((name) => `.github/${name}`)
    const naming = [...forms, ...pages.map(({ path }) => path), 'package.json'].filter((file) =>
      readFileSync(file, 'utf8').includes(PLACEHOLDER),
    )
    expect(FILES.toSorted()).toEqual(naming.toSorted())
  })
})

it('the SBOM lists what is bundled, with sums and licences', () => {
  const sbom = JSON.parse(execFileSync(process.execPath, ['scripts/sbom.ts'], { encoding: 'utf8' }))
  expect([sbom.bomFormat, sbom.specVersion]).toEqual(['CycloneDX', '1.6'])
  const names = sbom.components.map(({ name }: { name: string }) => name)
  for (const name of ['hono', 'undici', 'zod', 'lru-cache', 'eventsource-parser'])
    expect(names).toContain(name)
  for (const { hashes, licenses, purl, version } of sbom.components) {
    expect(hashes[0].content).toMatch(/^[0-9a-f]{128}$/)
    expect(licenses[0].license.id).toMatch(/^[\w.-]+$/)
    expect(purl).toContain(`@${version}`)
  }
})

it('the package has the text of each licence, as the licences demand', async () => {
  const builds = [await buildCommand('dist', false), await buildLibrary('index.js', false)]
  const packages = bundledPackages(builds)
  expect(packages.length).toBeGreaterThan(5)
  for (const { name, text } of packages) expect(text, name).toMatch(/licen[cs]e/i)
})

it('a build has the same names wherever the packages are', () => {
  const program = `const { buildCommand } = await import('./scripts/library.ts')
    console.log(Object.keys((await buildCommand('dist', false)).metafile.outputs).join())`
  const built = (cwd: string) =>
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd,
      encoding: 'utf8',
    })
  const copy = mkdtempSync(join(tmpdir(), 'dragoman-build-'))
  const settings = ['tsconfig.json', 'tsconfig.base.json']
  for (const name of ['adapters', 'scripts', 'src', 'package.json', ...settings])
    cpSync(name, join(copy, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  expect(built(copy)).toBe(built('.'))
  rmSync(copy, { recursive: true })
})
