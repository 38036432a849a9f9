import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { importsOf, sources } from './sources.ts'

interface Entry {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  hasInstallScript?: boolean
  inBundle?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const lock: { packages: Record<string, Entry> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
)
const manifest: {
  devDependencies: Record<string, string>
  allowScripts: Record<string, boolean>
} = JSON.parse(readFileSync('package.json', 'utf8'))
const entries = Object.entries(lock.packages).filter(([path]) => path !== '')

/** Where Node would find `name` from the package at `path`: in the nearest node_modules above it. */
function found(path: string, name: string): boolean {
  const segments = path.split('node_modules/')
  return segments.some((_, index) => {
    const folder = segments.slice(0, segments.length - index).join('node_modules/')
    return `${folder.replace(/\/$/, '')}/node_modules/${name}`.replace(/^\//, '') in lock.packages
  })
}

describe('package-lock.json', () => {
  it('has every platform’s package, so that npm ci works on all of them', () => {
    const missing = entries.flatMap(([path, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
        .filter((name) => !found(path, name))
        .map((name) => `${path} needs ${name}`),
    )
    expect(missing).toEqual([])
  })

  it('names no registry, only content', () => {
    expect(entries.filter(([, entry]) => entry.resolved && !entry.link)).toEqual([])
    expect(
      entries.filter(([, entry]) => !entry.integrity && !entry.link && !entry.inBundle),
    ).toEqual([])
  })

  it('is installed without a word by Node 20, which then starts the Node that came with it', () => {
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^loglevel=error$/m)
    const scripts = entries.filter(([, { hasInstallScript }]) => hasInstallScript)
    const covered = Object.keys(manifest.allowScripts).map((name) => `node_modules/${name}`)
    expect(scripts.map(([path]) => path).filter((path) => !covered.includes(path))).toEqual([])
  })

  it('goes with exact versions in package.json', () => {
    for (const [name, version] of Object.entries(manifest.devDependencies)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
      expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version)
    }
  })

  it('installs nothing beside the package: the few things that it runs on are bundled', () => {
    expect(Object.keys(manifest)).not.toContain('dependencies')
    const wanted = sources.flatMap(importsOf).flatMap((name) => {
      const [found] = /^(?:@[\w-]+\/)?[\w-]+/.exec(name) ?? []
      return found && !/^(?:src|adapters|node|cloudflare)$/.test(found) ? [found] : []
    })
    expect([...new Set(wanted)].toSorted()).toEqual([
      '@hono/node-server',
      '@redis/client',
      'eventsource-parser',
      'hono',
      'lru-cache',
      'undici',
      'ws',
      'zod',
    ])
  })
})
