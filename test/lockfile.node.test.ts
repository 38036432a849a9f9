import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Entry {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  inBundle?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const lock: { packages: Record<string, Entry> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
)
const manifest: Record<'dependencies' | 'devDependencies', Record<string, string>> = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
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

  it('goes with exact versions in package.json', () => {
    const versions = { ...manifest.dependencies, ...manifest.devDependencies }
    for (const [name, version] of Object.entries(versions)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
      expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version)
    }
  })

  it('has few runtime dependencies, each with one door', () => {
    expect(Object.keys(manifest.dependencies).toSorted()).toEqual([
      '@hono/node-server',
      '@redis/client',
      'eventsource-parser',
      'hono',
      'lru-cache',
      'undici',
      'zod',
    ])
  })
})
