import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { readCommandLine } from '../../src/node/command/options.ts'
import { createObserver } from '../../src/observe/observer.ts'
import { sources } from '../sources.ts'
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
    files.map((name, index) => [
      `file:${name}`,
      name.endsWith('url') ? 'redis://:password@redis:6379' : `secret-${index}-0123456789`,
    ]),
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
    const paths = mounted.map((name) => `/run/secrets/${String(name)}`)
    expect(paths.toSorted()).toEqual(files.toSorted())
    for (const name of mounted) expect(at(compose, 'secrets', String(name), 'file')).toBeTruthy()
  })

  it('keeps its secrets out of the repository and of what an image is built from', () => {
    const secrets = Object.values(at(compose, 'secrets') as Record<string, Yaml>)
    const folders = secrets.map((each) => dirname(join('deploy', String(at(each, 'file')))))
    for (const list of ['.gitignore', '.dockerignore'])
      expect(readFileSync(list, 'utf8').split('\n')).toEqual(expect.arrayContaining(folders))
  })

  it('lets no container write outside its volumes, or keep a capability that it does not need', () => {
    for (const service of Object.values(at(compose, 'services') as Record<string, Yaml>)) {
      expect(at(service, 'read_only')).toBe(true)
      expect(at(service, 'cap_drop')).toEqual(['ALL'])
      expect(at(service, 'security_opt')).toEqual(['no-new-privileges:true'])
    }
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

/** The chart as it is rendered for a release, as far as its templates go: values, JSON of values, conditions. */
function rendered(file: string, values: Yaml): string {
  const placed = (expression: string): string => {
    const [, path = '', filter = ''] = /^\.(\S+)(?: \| (\w+))?$/.exec(expression.trim()) ?? []
    if (path === 'Release.Name') return 'dragoman'
    const value = at(values, ...path.replace('Values.', '').split('.'))
    return filter === 'toJson' ? JSON.stringify(value) : String(value)
  }
  return read(`helm/templates/${file}`)
    .replaceAll(/^\{\{- (?:if .*|end) \}\}\n/gm, '')
    .replaceAll(/\{\{(.*?)\}\}/g, (_, expression: string) => placed(expression))
}

const chart = readdirSync('deploy/helm/templates').flatMap((file) =>
  yamlDocuments(rendered(file, yamlDocuments(read('helm/values.yaml'))[0] ?? null)),
)
const manifests = readdirSync('deploy/kubernetes').flatMap((name) =>
  yamlDocuments(read(`kubernetes/${name}`)),
)

describe.each([
  ['deploy/kubernetes', manifests],
  ['deploy/helm', chart],
])('%s', (_, documents) => {
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

describe('Pod Security "restricted"', () => {
  const pods = [...manifests, ...chart].flatMap((each) =>
    ['Deployment', 'StatefulSet'].includes(String(at(each, 'kind')))
      ? [at(each, 'spec', 'template', 'spec')]
      : [],
  )

  it.each(pods.map((pod) => [pod]))('takes each pod', (pod) => {
    expect(at(pod, 'securityContext', 'runAsNonRoot')).toBe(true)
    expect(at(pod, 'securityContext', 'seccompProfile', 'type')).toBe('RuntimeDefault')
    expect(at(pod, 'automountServiceAccountToken')).toBe(false)
    for (const container of at(pod, 'containers') as Yaml[]) {
      expect(at(container, 'securityContext')).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(at(container, 'resources', 'requests', 'memory')).toBeTruthy()
    }
  })

  it('is asked of every pod that is there', () => {
    expect(pods).toHaveLength(3)
  })
})

describe('the image', () => {
  it('is built with every package that the sources import, and no other', () => {
    const script = readFileSync('scripts/build-tools.mjs', 'utf8')
    const [, list = ''] = /new Set\(\[([^\]]*)\]/.exec(script) ?? []
    const kept = [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name)
    const imported = sources.flatMap(({ text }) =>
      [...text.matchAll(/(?:from|import\()\s*'((?:@[\w-]+\/)?[\w-]+)(?=['/])/g)].map(
        ([, name = '']) => name,
      ),
    )
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    const needed = new Set(imported.filter((name) => name in devDependencies))
    const forTypes = ['@cloudflare/workers-types', '@types/node', 'esbuild', 'typescript']
    expect(kept.toSorted()).toEqual([...needed, ...forTypes].toSorted())
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
