import { describe, expect, it } from 'vitest'
import { codeOf, importsOf, sources } from './sources.ts'

/**
 * The rooms of the house, and what each may ask: imports point one way, down this list. A room may import from
 * itself, so that the order inside of it is held by the test for cycles.
 */
const ROOMS = {
  json: [],
  model: ['json'],
  models: ['json', 'model', 'rules'],
  rules: ['json', 'model'],
  problems: ['json', 'model'],
  check: ['json', 'model'],
  schema: ['json', 'model'],
  // What a summary is, as requests and events: whoever asks for one brings the upstream.
  compaction: ['json', 'model', 'rules'],
  stream: ['json', 'model', 'eventsource-parser', 'problems', 'check'],
  contract: ['json', 'model', 'models', 'stream', 'rules', 'check'],
  dialect: [
    'json',
    'model',
    'models',
    'schema',
    'stream',
    'contract',
    'rules',
    'problems',
    'check',
  ],
  openai: ['contract', 'json', 'model', 'models', 'rules', 'schema'],
  dialects: ['contract', 'dialect', 'json', 'model', 'rules'],
  config: ['contract', 'dialects', 'json', 'model', 'models', 'zod', 'rules'],
  observe: ['config', 'model', 'models', 'problems', 'check'],
  recall: ['json', 'model', 'ports', 'lru-cache'],
  ports: ['json', 'model', 'stream', 'memory', 'observe'],
  places: ['json', 'model', 'ports', 'stream', 'rules'],
  upstream: [
    'config',
    'contract',
    'dialects',
    'json',
    'model',
    'models',
    'ports',
    'stream',
    'version',
    'problems',
    'check',
  ],
  // Tokens and signatures, with the crypto of the web alone, so that every runtime has them.
  keys: ['config', 'json', 'model', 'ports', 'stream', 'upstream'],
  memory: ['config', 'contract', 'json', 'model', 'stream', 'lru-cache', 'problems'],
  exchange: [
    'compaction',
    'config',
    'contract',
    'dialects',
    'json',
    'keys',
    'memory',
    'model',
    'models',
    'observe',
    'ports',
    'stream',
    'upstream',
    'rules',
    'problems',
  ],
  sockets: ['contract', 'exchange', 'json', 'model', 'ports', 'problems', 'stream'],
  tasks: [
    'config',
    'exchange',
    'json',
    'keys',
    'model',
    'ports',
    'stream',
    'upstream',
    'version',
    'problems',
  ],
  http: [
    'config',
    'contract',
    'dialects',
    'exchange',
    'json',
    'memory',
    'model',
    'observe',
    'ports',
    'sockets',
    'stream',
    'upstream',
    'version',
    'hono',
    'rules',
    'problems',
  ],
  demo: ['config', 'contract', 'dialects', 'json', 'model', 'ports', 'stream', 'rules', 'problems'],
  inspect: ['json', 'model', 'observe', 'ports', 'stream'],
  workers: ['config', 'json', 'memory', 'model', 'ports'],
  version: [],
} as const satisfies Record<string, readonly string[]>

type Room = keyof typeof ROOMS

/** What an exchange can do without (`src/extras/`): a platform brings it, behind a port. */
const EXTRAS: readonly string[] = ['recall', 'places', 'inspect', 'tasks', 'demo']

/** What each entry brings, and so what a program carries that imports it. */
const CARRIED = {
  'src/translator.ts': ['places'],
  'src/named-translator.ts': ['places'],
  'src/worker.ts': ['demo', 'recall', 'tasks'],
  'src/index.ts': ['demo', 'places', 'tasks'],
  'src/node.ts': ['demo', 'inspect', 'places', 'recall', 'tasks'],
}

/** Entries put the rooms together for a platform, and so do the room of Node and what a Worker does at its start. */
const isEntry = (path: string): boolean =>
  /^src\/(?:index|node|worker|(?:named-)?translator)\.ts$/.test(path) ||
  path.startsWith('src/node/') ||
  path === 'src/workers/warm.ts'

const PLACES: readonly (readonly [RegExp, Room])[] = [
  [/^adapters\/(?:contract|dialect|server-facts|server-sources|servers)\.ts$/, 'contract'],
  [/^src\/(?:memory\/conversation|sockets\/mode)\.ts$/, 'contract'],
  [/^adapters\/(?:index|cursor)\.ts$/, 'dialects'],
  // What the two dialects of one maker share; no other dialect asks it.
  [/^adapters\/openai\//, 'openai'],
  [/^adapters\/[\w-]+\//, 'dialect'],
  [/^src\/ports\.ts$/, 'ports'],
  [/^src\/version\.ts$/, 'version'],
]

function roomOf(path: string): Room | undefined {
  const place = PLACES.find(([pattern]) => pattern.test(path))
  if (place) return place[1]
  const [, folder = ''] = /^src\/(?:extras\/)?([\w-]+)\//.exec(path) ?? []
  return folder in ROOMS ? (folder as Room) : undefined
}

const packageOf = (target: string): string => target.split('/')[0] ?? target

function allowed(from: string, target: string): boolean {
  if (isEntry(from)) return from !== 'src/worker.ts' || !target.startsWith('src/node')
  const room = roomOf(from)
  if (!room) return false
  const isPath = /^(?:src|adapters)\//.test(target)
  const asked = isPath ? roomOf(target) : packageOf(target)
  if (asked === undefined) return false
  // A dialect knows no other one.
  if (room === 'dialect' && asked === 'dialect') return folderOf(from) === folderOf(target)
  if (asked === 'openai') return room === asked || OPENAI_DIALECTS.has(folderOf(from))
  return asked === room || (ROOMS[room] as readonly string[]).includes(asked)
}

const OPENAI_DIALECTS = new Set(['adapters/chat-completions', 'adapters/responses'])

/** What is kept of a stream is its text, so that a memory sees that too. */
function isOpenTo(path: string, target: string): boolean {
  if (!path.startsWith('adapters/')) return true
  const open = ['src/stream/wire-events.ts']
  if (path === 'adapters/contract.ts') open.push('src/stream/codec.ts')
  if (path.includes('/memory/')) open.push('src/stream/event-text.ts')
  return open.includes(target)
}

/** What comes back is judged and told by the plan of the request alone, so that not even the types of it are known. */
const FROM_ITS_PLAN =
  /^src\/exchange\/(?:answers|compaction\/(?!asked\.ts)|reply|stored|attempts\/(?:attempt|count)\.ts)/
/** How a request is routed, read and written. Whose signatures a reply has is asked of the accounts. */
const EARLIER = /^src\/exchange\/(?:stages\.ts|request\/(?!plan\.ts|accounts\.ts))/
/** What comes after a request is planned. */
const LATER = /^src\/exchange\/(?:answers|attempts|reply|stored)\//

const crossing = (from: RegExp, to: RegExp): string[] =>
  sources
    .filter(({ path }) => from.test(path))
    .flatMap((source) =>
      importsOf(source)
        .filter((target) => to.test(target))
        .map((target) => `${source.path} imports ${target}`),
    )

const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/')

/** A folder is a floor plan: what does not fit on one has rooms within it. A dialect has the files that are named for all. */
const MOST_FILES = 16
const MOST_FILES_OF_A_DIALECT = 33

describe('boundaries', () => {
  it('has no folder with more files than one takes in at a look', () => {
    const counts = new Map<string, number>()
    for (const { path } of sources) {
      const folder = path.slice(0, path.lastIndexOf('/'))
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    const crowded = [...counts].filter(
      ([folder, count]) =>
        count > (folder.startsWith('adapters/') ? MOST_FILES_OF_A_DIALECT : MOST_FILES),
    )
    expect(crowded).toEqual([])
  })

  it('finds the sources', () => expect(sources.length).toBeGreaterThan(40))

  it('are kept by every import', () => {
    const crossings = sources.flatMap((source) =>
      importsOf(source)
        .filter((target) => !allowed(source.path, target))
        .map((target) => `${source.path} imports ${target}`),
    )
    expect(crossings).toEqual([])
  })

  it('let no stage of an exchange reach back, nor a request know of its reply', () => {
    expect(crossing(FROM_ITS_PLAN, EARLIER)).toEqual([])
    expect(crossing(EARLIER, LATER)).toEqual([])
  })

  it('are tight: what they forbid would be found', () => {
    expect(EARLIER.test('src/exchange/request/planner.ts')).toBe(true)
    expect(EARLIER.test('src/exchange/stages.ts')).toBe(true)
    expect(FROM_ITS_PLAN.test('src/exchange/reply/pass.ts')).toBe(true)
    expect(LATER.test('src/exchange/reply/pass.ts')).toBe(true)
    expect(allowed('adapters/messages/blocks.ts', 'adapters/responses/blocks.ts')).toBe(false)
    expect(allowed('adapters/messages/wire.ts', 'zod')).toBe(false)
    expect(allowed('adapters/messages/fit.ts', 'adapters/openai/origins.ts')).toBe(false)
    expect(allowed('adapters/openai/origins.ts', 'adapters/responses/wire.ts')).toBe(false)
    expect(allowed('src/config/schema.ts', 'zod')).toBe(true)
    expect(allowed('src/json/json.ts', 'src/model/problem.ts')).toBe(false)
    expect(allowed('src/memory/records.ts', 'src/exchange/exchange.ts')).toBe(false)
    expect(allowed('src/exchange/exchange.ts', 'hono')).toBe(false)
    expect(allowed('src/exchange/reply/pass.ts', 'src/extras/places/placing.ts')).toBe(false)
    expect(allowed('src/http/app.ts', 'node:http')).toBe(false)
    expect(allowed('src/worker.ts', 'src/node/upstream/send.ts')).toBe(false)
    expect(allowed('src/elsewhere/x.ts', 'src/json/json.ts')).toBe(false)
    expect(
      importsOf({ path: 'src/a/b.ts', text: "import {\n  x,\n} from '../c.ts'", lines: [] }),
    ).toEqual(['src/c.ts'])
  })

  it('lead to no extra but from an entry that brings it', () => {
    const asking = Object.entries(ROOMS).filter(([, asked]: [string, readonly string[]]) =>
      asked.some((room) => EXTRAS.includes(room)),
    )
    expect(asking).toEqual([])
    const carried = Object.keys(CARRIED).map((entry) => {
      const rooms = reachedFrom(entry).map((path): string | undefined => roomOf(path))
      return [entry, EXTRAS.filter((extra) => rooms.includes(extra)).toSorted()]
    })
    expect(Object.fromEntries(carried)).toEqual(CARRIED)
  })

  it('show adapters the events of a stream as objects, and nothing of what makes them fast', () => {
    const crossings = sources.flatMap((source) =>
      importsOf(source)
        .filter((target) => target.startsWith('src/stream/'))
        .filter((target) => !isOpenTo(source.path, target))
        .map((target) => `${source.path} imports ${target}`),
    )
    expect(crossings).toEqual([])
    expect(isOpenTo('adapters/messages/reader.ts', 'src/stream/pieces/delta-templates.ts')).toBe(
      false,
    )
    expect(isOpenTo('adapters/messages/writer.ts', 'src/stream/event-text.ts')).toBe(false)
  })

  it('go round in no circle, not even of types', () => {
    expect(cyclesIn(new Map(sources.map((source) => [source.path, importsOf(source)])))).toEqual([])
    const circle = { a: ['b'], b: ['c'], c: ['b'] }
    expect(cyclesIn(new Map(Object.entries(circle)))).toEqual([['b', 'c']])
  })

  it('nobody imports the entry of Node', () => {
    const importers = sources.filter((source) => importsOf(source).includes('src/node.ts'))
    expect(importers).toEqual([])
  })

  it('zod comes as a namespace, which is a fifth of the size', () => {
    const named = sources.filter((source) => /import \{[^}]*\} from 'zod'/.test(source.text))
    expect(named.map(({ path }) => path)).toEqual([])
    // A class out of the inner namespace brings all of it, with every language of its messages: half a megabyte.
    const inner = sources.filter((source) =>
      /instanceof z\.core|[^\w]z\.core\.\$?\w+\(/.test(source.text),
    )
    expect(inner.map(({ path }) => path)).toEqual([])
  })
})

/** All sources that one leads to, by whatever import. */
function reachedFrom(entry: string): string[] {
  const reached = new Set([entry])
  for (const path of reached)
    for (const source of sources)
      if (source.path === path) for (const target of importsOf(source)) reached.add(target)
  return [...reached]
}

/** Tarjan's algorithm: the groups of files of which each can be reached from each. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const cycles: string[][] = []
  const visit = (node: string): number => {
    const index = order.size
    order.set(node, index)
    path.push(node)
    let low = index
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (path.includes(next)) low = Math.min(low, lowest.get(next) ?? order.get(next) ?? low)
    }
    lowest.set(node, low)
    if (low === index) {
      const group = path.splice(path.indexOf(node))
      if (group.length > 1) cycles.push(group.toSorted())
    }
    return low
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return cycles
}

describe('purity', () => {
  /** Base64 is no input: the same text gives the same bytes on every platform, only not as fast. */
  const PURE =
    /^(?:adapters|src\/(?:json(?!\/base64)|model|rules|problems|check|schema))\/|^src\/stream\/(?!time|stream-out)/
  /** A date in a text is what it is at any time. */
  const IMPURE =
    /\b(?:Date(?!\.parse\b)|performance|crypto|fetch|process|console|setTimeout|setInterval|queueMicrotask|globalThis)\b|\bMath\.random\b/g
  /** Members and words of the wire that share a name with something impure. */
  const MEMBER = /(?:\.|\w)$/

  it('adapters, model, JSON and framing have no hidden input', () => {
    const impure = sources
      .filter(({ path }) => PURE.test(path))
      .flatMap((source) => {
        const code = codeOf(source)
        return [...code.matchAll(IMPURE)]
          .filter(({ index }) => !MEMBER.test(code.slice(0, index)))
          .map(({ 0: word, index }) => `${source.path}:${lineOf(code, index)} ${word}`)
      })
    expect(impure).toEqual([])
  })

  it('process is seen by the entry of Node alone', () => {
    const users = sources.filter(
      (source) => !/^src\/node[/.]/.test(source.path) && /\bprocess\.\w/.test(codeOf(source)),
    )
    expect(users.map(({ path }) => path)).toEqual([])
  })

  it('the core names no dialect', () => {
    const naming = sources
      // What other proxies call their upstreams is told in the names of ours.
      .filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/node/init/'))
      .filter(({ text }) => /'(?:messages|generate-content|responses|chat-completions)'/.test(text))
    expect(naming.map(({ path }) => path)).toEqual([])
  })
})

describe('losses', () => {
  /** The beginning of a place, as a text with a number or a name in it. */
  const PLACE = /`(?:(?:turns|system|tools|reply|betas)\.|\.(?:blocks|content)\.)[^`$]*\$\{/g
  /** What is refused is told where it stands in what the caller sent, and names of one kind are listed. */
  const OTHERS: readonly string[] = [
    'adapters/messages/mcp.ts `tools.${',
    'adapters/responses/client-tools.ts `reply.computer.${',
    'adapters/responses/writer.ts `reply.${',
    'adapters/responses/writer.ts `reply.${',
  ]
  const AS_PLACE = /\bas (?:NotedPlace|LossName|LostPart)\b/

  const placesIn = (text: string): string[] => [...text.matchAll(PLACE)].map(([found]) => found)

  it('are placed by whoever walks: no adapter puts a place together', () => {
    const put = sources
      .filter(({ path }) => path.startsWith('adapters/'))
      .flatMap(({ path, text }) => placesIn(text).map((found) => `${path} ${found}`))
    expect(put).toEqual(OTHERS)
    expect(placesIn('lose(`turns.${index}.seal`), at(`.blocks.${0}`), `${path}.seal`')).toEqual([
      '`turns.${',
      '`.blocks.${',
    ])
  })

  it('have no text for a place but from the one function that gives places out', () => {
    const casting = sources.filter((source) => AS_PLACE.test(codeOf(source)))
    expect(casting.map(({ path }) => path)).toEqual(['src/model/loss.ts'])
  })
})

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length
