import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { DEFAULT_RETENTION } from '../../config/defaults.ts'
import type { PoolEntry, Settings } from '../../config/settings.ts'
import { createHandler } from '../../http/app.ts'
import { toResponse } from '../../http/respond.ts'
import type { Store } from '../../memory/store.ts'
import { memoryStore } from '../../memory/stores/memory.ts'
import type { LogEntry } from '../../observe/entry.ts'
import { createObserver } from '../../observe/observer.ts'
import { placing } from '../../extras/places/placing.ts'
import { tasks } from '../../extras/tasks/tasks.ts'
import type { AppPorts } from '../../http/app-context.ts'
import { ConnectError, type Send, StaleConnectionError } from '../../ports.ts'
import { wholeBytes, utf8Text } from '../../json/bytes.ts'
import { listSecrets, secretsOf } from '../../upstream/secrets.ts'
import { shownUrl } from '../../extras/inspect/view.ts'
import { VERSION } from '../../version.ts'
import { errorCode } from '../process/files.ts'
import { type RecordedCall, type RecordedExchange, recordIn, textOf } from './record.ts'

/** A part of an exchange as it was and as it is now. */
interface Part {
  name: string
  was: string
  is: string
}

/**
 * Translates each exchange of a record again, with the ids and the clock that it had, and says which would come out
 * otherwise; false where one would. Nothing is sent.
 */
export async function verifyFile(
  file: string,
  settings: Settings,
  world: { directory: string; write(text: string): void },
): Promise<boolean> {
  const counts = { same: 0, otherwise: 0, unrepeatable: 0 }
  const verifier = new Verifier(settings)
  let line = 0
  for await (const text of linesOf(resolve(world.directory, file), file)) {
    line += 1
    if (text.trim() === '') continue
    const record = recordIn(text)
    const found = typeof record === 'string' ? record : await verifier.compare(record)
    const name = typeof record === 'string' ? '' : ` ${titleOf(record)}`
    if (found === undefined) counts.same += 1
    else if (typeof found === 'string') {
      counts.unrepeatable += 1
      world.write(`${file}:${line}${name}: not repeated: ${found}\n`)
    } else {
      counts.otherwise += 1
      world.write(`${file}:${line}${name}: ${difference(found)}\n`)
    }
  }
  const { same, otherwise, unrepeatable } = counts
  world.write(
    `${same + otherwise} exchanges repeated with ${VERSION}: ${same} as they were, ${otherwise} otherwise${unrepeatable > 0 ? `; ${unrepeatable} not repeated` : ''}\n`,
  )
  return otherwise === 0
}

async function* linesOf(path: string, file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity })
  } catch (error) {
    throw new Error(`${file} cannot be read (${errorCode(error)})`, { cause: error })
  }
}

const titleOf = ({ id, caller, dialect, model }: RecordedExchange): string =>
  `${id} (${caller.dialect} > ${dialect}, ${model})`

const CONTEXT = 40
const SHOWN = 120

/** Where two texts begin to differ, and how. */
function difference({ name, was, is }: Part): string {
  let at = 0
  while (at < was.length && was[at] === is[at]) at += 1
  const from = Math.max(0, at - CONTEXT)
  const shown = (text: string) => JSON.stringify(text.slice(from, from + SHOWN))
  return `${name} differs at character ${at + 1}\n  was ${shown(was)}\n  is  ${shown(is)}`
}

class Verifier {
  readonly #settings: Settings
  readonly #hide: (text: string) => string
  /** What earlier exchanges of the record have kept. */
  readonly #store: Store | undefined
  #now = 0

  constructor(settings: Settings) {
    const bounds = { ...DEFAULT_RETENTION, ...settings.retention }
    this.#settings = settings
    this.#hide = secretsOf(listSecrets(settings)).hideJson
    this.#store = settings.state === 'off' ? undefined : memoryStore(bounds, () => this.#now)
  }

  /** The first part that differs; undefined where none does; a text where it cannot be repeated, with the reason. */
  async compare(record: RecordedExchange): Promise<Part | string | undefined> {
    const { caller, cut, failure } = record
    if (cut) return 'its caller left before the end'
    if (failure === 'lost') return 'the connection to its upstream broke'
    if (textOf(caller.request) === undefined) return 'it was recorded without bodies'
    const { entry, answered, sent } = await this.#repeat(record)
    if (isForgotten(record, answered.status)) return 'it refers to what is not in the record'
    const to = { was: `${record.upstream} (${record.dialect})`, is: destinationOf(entry) }
    const known = keyFor(this.#settings, caller.name) !== undefined
    const plain = (text: string) => withoutChance(this.#hide(text), known)
    return [
      { name: 'the upstream', ...to },
      ...partsOf([...(record.earlier ?? []), record], sent, plain),
      { name: 'the status', was: String(caller.response.status), is: String(answered.status) },
      { name: 'the reply', was: plain(textOf(caller.response) ?? ''), is: plain(answered.text) },
    ].find(({ was, is }) => was !== is)
  }

  async #repeat(record: RecordedExchange) {
    const { request } = record.caller
    const times = timesOf(record)
    this.#now = record.at
    let entry: LogEntry | undefined
    const sent: Sent[] = []
    const ports: AppPorts = {
      send: replaying([...(record.earlier ?? []), record], sent),
      now: () => this.#now,
      randomId: chanceOf(record),
      log: (each) => (entry = each),
      placing,
      tasks,
      observer: createObserver({ version: VERSION, runtime: 'node' }, Date.now),
      ...(this.#store && { store: this.#store }),
      inspector: {
        watch: (seen, own, answer) => answer(seen, { ...own, now: () => (this.#now = times()) }),
      },
    }
    const answer = createHandler(pinned(this.#settings, record), ports)
    const query = new URLSearchParams(request.query)
    const address = `http://127.0.0.1${request.path}${query.size > 0 ? `?${query}` : ''}`
    const body = textOf(request) ?? ''
    const headers = headersOf(record, this.#settings)
    const asked = new Request(address, { method: request.method, headers, body })
    const response = toResponse(await answer(asked))
    const text = await response.text()
    return { entry, sent, answered: { status: response.status, text } }
  }
}

/** A reply to an earlier one that the record does not hold. */
const isForgotten = ({ caller }: RecordedExchange, status: number): boolean =>
  caller.response.status < 400 &&
  (status === 404 || status === 400) &&
  /"previous_response_id":"|"type":"item_reference"/.test(textOf(caller.request) ?? '')

const destinationOf = ({ upstream = 'none', upstreamDialect }: Partial<LogEntry> = {}): string =>
  `${upstream} (${upstreamDialect})`

interface Sent {
  url: string
  body: string
}

/** Answers as the upstream did. */
function replaying(calls: readonly RecordedCall[], sent: Sent[]): Send {
  return async ({ url, body }) => {
    const { response, failure } = calls[sent.length] ?? {}
    const isText = body && !(body instanceof ReadableStream)
    sent.push({ url, body: isText ? utf8Text(wholeBytes(body)) : '' })
    if (failure === 'stale') throw new StaleConnectionError()
    if (!response || failure === 'connect') throw new ConnectError()
    const headers = new Headers()
    for (const [name, value] of Object.entries(response.headers))
      if (!FRAMING.test(name)) headers.append(name, value)
    return { status: response.status, headers, body: new Response(textOf(response) ?? '').body }
  }
}

/** What was sent to upstreams, part by part. */
function partsOf(
  calls: readonly RecordedCall[],
  sent: readonly Sent[],
  plain: (text: string) => string,
): Part[] {
  const many = { name: 'the number of requests', was: `${calls.length}`, is: `${sent.length}` }
  const parts = calls.flatMap(({ request }, index): Part[] => {
    const { url = 'http://127.0.0.1', body = '' } = sent[index] ?? {}
    const address = new URL(shownUrl(url))
    const query = new URLSearchParams(request.query).toString()
    return [
      {
        name: 'the address',
        was: plain(`${request.path}?${query}`),
        is: plain(`${address.pathname}?${address.searchParams}`),
      },
      { name: 'the request', was: plain(textOf(request) ?? ''), is: plain(body) },
    ]
  })
  return [...parts, many]
}

/** What keeps a silent stream alive comes by the clock on the wall. */
const HEARTBEATS = /^(?:: ping|event: ping\ndata: \{"type": ?"ping"\})\n\n/gm
/** A session is named by a hash of the caller's key, which the record does not hold. */
const SESSIONS = /\b[0-9a-f]{40}\b/g

function withoutChance(text: string, isKeyKnown: boolean): string {
  const steady = text.replace(HEARTBEATS, '')
  return isKeyKnown ? steady : steady.replace(SESSIONS, '***')
}

/** The clock, step by step as it was read; behind its end it stands still. */
function timesOf({ at, clock }: RecordedExchange): () => number {
  let now = at
  let read = 0
  return () => {
    // The first step is the time itself.
    if (read > 0) now += clock[read] ?? 0
    read += 1
    return now
  }
}

function chanceOf({ ids }: RecordedExchange): () => string {
  let next = 0
  return () => ids[next++] ?? next.toString(16).padStart(32, '0')
}

/** Headers about the connection, or about a coding that the record does not have. */
const FRAMING = /^(?:connection|content-encoding|content-length|transfer-encoding|keep-alive)$/i
const OWN = /^(?:host|accept-encoding|expect|upgrade)$/i

function headersOf({ caller }: RecordedExchange, settings: Settings): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(caller.request.headers))
    if (!FRAMING.test(name) && !OWN.test(name) && !value.includes('***')) headers.set(name, value)
  const key = keyFor(settings, caller.name)
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  return headers
}

/** The key of a caller, where the configuration has it and not only its hash. */
function keyFor({ callers }: Settings, name: string): string | undefined {
  if (callers.kind === 'open') return undefined
  const index = callers.keys.findIndex((entry, at) =>
    typeof entry === 'string' ? name === `key-${at + 1}` : entry.name === name,
  )
  const entry = callers.keys[index]
  const key = typeof entry === 'object' ? entry.key : entry
  return typeof key === 'string' ? key : undefined
}

/** The same settings, by which those are asked who were asked, in their order. */
function pinned(settings: Settings, { caller, members }: RecordedExchange): Settings {
  const place = (name: string): number => {
    const at = members.findIndex((member) => member === name || member.startsWith(`${name}#`))
    return at < 0 ? members.length : at
  }
  const sorted = (pool: readonly PoolEntry[]) =>
    pool.toSorted((one, other) => place(one.name) - place(other.name))
  const upstreams = [...settings.upstreams].map(([name, upstream]) => {
    const keys = upstream.keys
      ?.map((key, at) => ({ key, at: place(`${name}#${at + 1}`) }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ key }) => key)
    return [name, { ...upstream, ...(keys && { keys }) }] as const
  })
  return {
    ...settings,
    upstreams: new Map(upstreams),
    routes: settings.routes.map(({ pool, failover, ...route }) => ({
      ...route,
      pick: 'order' as const,
      ...(pool && { pool: sorted(pool) }),
      ...(failover && { failover: { ...failover, sticky: 'off' as const } }),
    })),
    failover: { ...settings.failover, sticky: 'off' },
    ...(keyFor(settings, caller.name) === undefined && { callers: { kind: 'open' as const } }),
  }
}
