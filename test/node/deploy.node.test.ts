import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { readCommandLine } from '../../src/node/command/options.ts'
import { createObserver } from '../../src/observe/observer.ts'
import { type Yaml, yamlDocuments } from './yaml.ts'

const read = (name: string) => readFileSync(`deploy/${name}`, 'utf8')

/** What a path leads to; it fails where there is nothing. */
function at(value: Yaml, ...path: (string | number)[]): Yaml {
  return path.reduce<Yaml>((inner, name) => {
    const entries = typeof inner === 'object' && inner !== null ? Object.entries(inner) : []
    const found = entries.find(([key]) => key === String(name))
    if (!found) throw new Error(`there is no ${path.join('.')}`)
    return found[1]
  }, value)
}

const SECRETS = /"file:(\/[^"]+)"/g

/** A configuration as a platform mounts it, with a secret in each of its files. */
function settingsOf(text: string) {
  const files = [...text.matchAll(SECRETS)].map(([, name = '']) => name)
  const environment = Object.fromEntries(
    files.map((name, index) => [`file:${name}`, `secret-${index}-0123456789`]),
  )
  const platform = { exposed: true, listens: { host: '0.0.0.0', port: 8787 } }
  return { files, settings: readSettings(JSON.parse(text), environment, platform) }
}

describe('deploy/compose.yaml', () => {
  const [compose = null] = yamlDocuments(read('compose.yaml'))

  it('starts two replicas with a configuration that is valid, and waits for their streams', () => {
    expect(at(compose, 'services', 'dragoman', 'deploy', 'replicas')).toBe(2)
    const { settings, files } = settingsOf(read('compose.json'))
    const { lingerMs, drainMs } = settings.limits
    const grace = String(at(compose, 'services', 'dragoman', 'stop_grace_period'))
    expect(Number.parseInt(grace) * 1000).toBeGreaterThan(lingerMs + drainMs)
    const mounted = at(compose, 'services', 'dragoman', 'secrets') as Yaml[]
    expect(mounted.map((name) => `/run/secrets/${String(name)}`)).toEqual(files)
    for (const name of mounted) expect(at(compose, 'secrets', String(name), 'file')).toBeTruthy()
  })

  it('keeps its secrets out of the repository and of what an image is built from', () => {
    const secrets = Object.values(at(compose, 'secrets') as Record<string, Yaml>)
    const folders = secrets.map((each) => dirname(join('deploy', String(at(each, 'file')))))
    for (const list of ['.gitignore', '.dockerignore'])
      expect(readFileSync(list, 'utf8').split('\n')).toEqual(expect.arrayContaining(folders))
  })

  it('has commands that the proxy understands', () => {
    const command = at(compose, 'services', 'dragoman', 'command') as string[]
    expect(readCommandLine(command, {})).toMatchObject({
      command: 'serve',
      host: '0.0.0.0',
      port: 8787,
    })
  })
})

describe('deploy/kubernetes', () => {
  const documents = readdirSync('deploy/kubernetes').flatMap((name) =>
    yamlDocuments(read(`kubernetes/${name}`)),
  )
  const kind = (name: string) => documents.find((each) => at(each, 'kind') === name) ?? null
  const pod = at(kind('Deployment'), 'spec', 'template', 'spec')
  const container = at(pod, 'containers', 0)

  it('has a configuration that is valid, and the files that it names', () => {
    const { settings, files } = settingsOf(String(at(kind('ConfigMap'), 'data', 'dragoman.json')))
    const { lingerMs, drainMs } = settings.limits
    const grace = Number(at(pod, 'terminationGracePeriodSeconds'))
    expect(grace * 1000).toBeGreaterThan(lingerMs + drainMs)
    const folders = (at(container, 'volumeMounts') as Yaml[]).map((each) => at(each, 'mountPath'))
    for (const file of files) expect(folders).toContain(file.replace(/\/[^/]+$/, ''))
    const options = readCommandLine(at(container, 'args') as string[], {})
    expect(options).toMatchObject({ command: 'serve', watch: true, host: '0.0.0.0' })
    expect(folders).toContain(options.config?.replace(/\/[^/]+$/, ''))
  })

  it('asks /livez whether it lives, and /readyz whether it is ready, more often than it lingers', () => {
    expect(at(container, 'livenessProbe', 'httpGet', 'path')).toBe('/livez')
    expect(at(container, 'readinessProbe', 'httpGet', 'path')).toBe('/readyz')
    const { settings } = settingsOf(String(at(kind('ConfigMap'), 'data', 'dragoman.json')))
    const period = Number(at(container, 'readinessProbe', 'periodSeconds'))
    expect(period * 1000 * 2).toBeLessThan(settings.limits.lingerMs)
  })
})

describe('deploy/grafana-dashboard.json', () => {
  it('shows every metric that there is, and none that there is not', () => {
    const named = new Set<string>()
    const observer = createObserver({ version: '1', runtime: 'node' }, () => 0)
    // Of metrics without a series nothing is written: their names are in the page of operations.
    for (const [name] of readFileSync('docs/operations.md', 'utf8').matchAll(/dragoman_\w+/g))
      named.add(name)
    const written = observer.metrics({ open: () => 0, held: () => 0, streams: () => 0 })
    for (const [name] of written.matchAll(/dragoman_\w+/g)) expect(named).toContain(name)
    const made = readFileSync('src/observe/metrics.ts', 'utf8').matchAll(/'(dragoman_\w+)'/g)
    expect([...named].toSorted()).toEqual([...made].map(([, name]) => name).toSorted())
    const shown = [...read('grafana-dashboard.json').matchAll(/dragoman_\w+/g)].map(([name]) =>
      name.replace(/_bucket$/, ''),
    )
    expect([...new Set(shown)].toSorted()).toEqual([...named].toSorted())
  })
})
