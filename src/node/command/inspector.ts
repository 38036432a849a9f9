import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject } from '../../json/json.ts'
import type { Settings } from '../../config/settings.ts'
import { placing } from '../../extras/places/placing.ts'
import type { AppPorts } from '../../http/app-context.ts'
import { createFetchHandler } from '../../http/app.ts'
import { isOwnPage, PAGE_HEADERS } from '../../extras/inspect/access.ts'
import type { KeptExchange } from '../../extras/inspect/kept.ts'
import type { KeptBody } from '../../extras/inspect/kept-body.ts'
import { createRecorder, type LastExchanges } from '../../extras/inspect/recorder.ts'
import { detailOf, hiderOf, rowOf, type Showing } from '../../extras/inspect/view.ts'
import { costOf, type PriceList } from '../../observe/cost.ts'
import { type Inspector, randomId } from '../../ports.ts'
import { hashedOwner } from '../../memory/records.ts'
import { type Store, storeKey } from '../../memory/store.ts'
import { authenticator } from '../../upstream/credentials.ts'
import { type Secrets, secretsOf } from '../../upstream/secrets.ts'
import { createServer } from '../server/http.ts'
import { conversationOf } from './conversation.ts'
import { pageFiles } from './page-files.ts'
import { repliedLosses } from '../upstream/reply-places.ts'
import { Head } from '../server/request.ts'

const LOCAL = '127.0.0.1'
const MOST_VIEWERS = 5
/** A viewer that has this many bytes waiting is dropped, so that no exchange waits for it. */
const SLOW_BYTES = 4_194_304
const GATHER_MS = 100
const BEAT_MS = 15_000
const MOST_ASKED_BYTES = 65_536

export interface PageOptions {
  port: number
  settings(): Settings
  secrets(): readonly string[]
  prices: PriceList
  /** Where conversations are kept, to find what a request refers to. */
  store?: Store | undefined
  /** What the proxy itself does its exchanges with: one that is sent again is one of them. */
  ports(): AppPorts
}

export interface RunningInspector {
  readonly ports: { inspector: Inspector }
  /** The address with the token in its fragment, which browsers do not send. */
  readonly url: string
  stop(): void
}

/** Serves the page on a listener of its own that only this machine reaches. Rejects when it cannot listen. */
export async function startInspector(options: PageOptions): Promise<RunningInspector> {
  const { secrets } = options
  const recorder = createRecorder({ now: Date.now, secrets })
  const token = randomBytes(32).toString('base64url')
  const server = new PageServer(recorder, token, options)
  const port = await server.listen(options.port)
  return {
    ports: { inspector: recorder.inspector },
    url: `http://${LOCAL}:${port}/#${token}`,
    stop: () => server.close(),
  }
}

const FRAME = 'page.html'

/** The files that a browser gets without the token, by path. */
const filesByPath = (): ReadonlyMap<string, { type: string; text: string }> =>
  new Map(
    Object.entries(pageFiles()).map(([name, text]) => [
      name === FRAME ? '/' : `/${name}`,
      { type: `${typeOf(name)}; charset=utf-8`, text },
    ]),
  )

const typeOf = (name: string): string =>
  name === FRAME ? 'text/html' : name.endsWith('.css') ? 'text/css' : 'text/javascript'

type Reply = { status: number; body?: unknown }

class PageServer {
  readonly #recorder: LastExchanges
  readonly #token: Buffer
  readonly #options: PageOptions
  readonly #files = filesByPath()
  readonly #viewers = new Set<ServerResponse>()
  readonly #server = createServer((incoming, outgoing) => {
    this.#answer(incoming, outgoing).catch(() => outgoing.destroy())
  })
  readonly #showing: Showing
  #port = 0

  constructor(recorder: LastExchanges, token: string, options: PageOptions) {
    this.#recorder = recorder
    this.#token = digest(token)
    this.#options = options
    const { settings, secrets, prices } = options
    this.#showing = {
      hide: hider(secrets),
      cost: ({ upstream = '', sentModel, usage }) =>
        costOf(settings().upstreams.get(upstream), sentModel, usage, prices),
      upstreamAt: (url) => upstreamAt(url, settings()),
    }
  }

  listen(port: number): Promise<number> {
    const server = this.#server
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, LOCAL, () => {
        server.off('error', reject)
        const address = server.address()
        this.#port = typeof address === 'object' && address ? address.port : port
        resolve(this.#port)
      })
      // The page's server does not keep the process alive.
      server.unref()
    })
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const head = new Head(incoming)
    const { pathname, searchParams } = new URL(incoming.url ?? '/', `http://${LOCAL}`)
    if (head.hosts !== 1 || !isOwnPage(head, this.#port)) return say(outgoing, { status: 403 })
    const file = incoming.method === 'GET' ? this.#files.get(pathname) : undefined
    if (file)
      return void outgoing
        .writeHead(200, { ...PAGE_HEADERS, 'content-type': file.type })
        .end(file.text)
    if (!this.#isKnown(head.get('authorization'))) return say(outgoing, { status: 403 })
    if (incoming.method === 'GET' && pathname === '/feed')
      return this.#feed(outgoing, Number(searchParams.get('after')) || 0)
    const asked = incoming.method === 'POST' ? await bodyOf(incoming) : undefined
    say(outgoing, await this.#replyTo(`${incoming.method} ${pathname}`, asked))
  }

  #isKnown(authorization: string | null): boolean {
    const [, shown = ''] = /^Bearer (\S+)$/.exec(authorization ?? '') ?? []
    return timingSafeEqual(digest(shown), this.#token)
  }

  async #replyTo(what: string, asked: unknown): Promise<Reply> {
    if (what === 'GET /upstreams')
      return { status: 200, body: upstreamsOf(this.#options.settings()) }
    if (what === 'POST /clear') {
      this.#recorder.clear()
      return { status: 204 }
    }
    if (what === 'POST /search')
      return {
        status: 200,
        body: found(this.#recorder.list(), textOf(asked, 'text'), this.#showing),
      }
    const [, action = '', number = ''] = ACTION.exec(what) ?? []
    const kept = this.#recorder.find(Number(number))
    if (!kept) return { status: 404 }
    return { status: 200, body: await this.#of(kept, action, asked) }
  }

  async #of(kept: KeptExchange, action: string, asked: unknown): Promise<unknown> {
    const hide = hiderOf(kept, this.#showing)
    if (action === 'GET /exchange') return detailOf(kept, this.#showing)
    if (action === 'POST /conversation') return conversationOf(kept, hide)
    if (action === 'POST /send') return sentAgain(kept, asked, this.#options)
    return explainFor(kept, asked, this.#options, hide)
  }

  /** Sends changes as lines of JSON for as long as there is a reader. */
  #feed(outgoing: ServerResponse, after: number): void {
    if (this.#viewers.size >= MOST_VIEWERS) return say(outgoing, { status: 503 })
    const recorder = this.#recorder
    let last = after
    const write = () => {
      const kept = recorder.list()
      const rows = kept.filter(({ changed }) => changed > last)
      last = Math.max(last, ...rows.map(({ changed }) => changed))
      const line = {
        first: kept[0]?.number,
        last,
        rows: rows.map((each) => rowOf(each, this.#showing)),
      }
      outgoing.write(`${JSON.stringify(line)}\n`)
      if (outgoing.writableLength > SLOW_BYTES) outgoing.destroy()
    }
    let due: NodeJS.Timeout | undefined
    const deaf = recorder.listen(() => {
      due ??= setTimeout(() => {
        due = undefined
        write()
      }, GATHER_MS).unref()
    })
    const beat = setInterval(() => outgoing.write('\n'), BEAT_MS).unref()
    this.#viewers.add(outgoing)
    outgoing
      .on('error', () => {})
      .on('close', () => {
        deaf()
        clearTimeout(due)
        clearInterval(beat)
        this.#viewers.delete(outgoing)
      })
    outgoing.writeHead(200, { ...PAGE_HEADERS, 'content-type': 'application/x-ndjson' })
    write()
  }
}

const MOST_KNOWN = 16

/** Remembers the last maskers: there are few callers, and each sends the same key again. */
function hider(current: () => readonly string[]): Showing['hide'] {
  const knownSecrets = new Map<string, Secrets>()
  return (text, secrets) => {
    const all = [...new Set([...current(), ...secrets])]
    const name = all.join('\n')
    const known = knownSecrets.get(name)
    if (known) return known.hide(text)
    if (knownSecrets.size >= MOST_KNOWN) knownSecrets.clear()
    const made = secretsOf(all)
    knownSecrets.set(name, made)
    return made.hide(text)
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function say(outgoing: ServerResponse, { status, body }: Reply): void {
  if (body === undefined) return void outgoing.writeHead(status, PAGE_HEADERS).end()
  const text = JSON.stringify(body)
  outgoing.writeHead(status, { ...PAGE_HEADERS, 'content-type': 'application/json' }).end(text)
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const piece of incoming.setEncoding('utf8')) {
    text += piece
    if (text.length > MOST_ASKED_BYTES) throw new Error('more was asked than anybody asks')
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const ACTION = /^(GET \/exchange|POST \/(?:conversation|explain|send))\/(\d+)$/

function upstreamAt(url: string, { upstreams }: Settings) {
  const known = [...upstreams.values()].find(({ base }) => url.startsWith(base))
  return known && { upstream: known.name, upstreamDialect: known.dialect }
}

/** The numbers of the exchanges in whose bodies a text stands. Secrets are no part of what is searched. */
function found(list: readonly KeptExchange[], text: string, showing: Showing): number[] {
  const wanted = text.toLowerCase()
  const holds = (body: KeptBody, type: string | null, hide: (words: string) => string) => {
    const raw = body.shown((words) => words, type).text
    return raw?.toLowerCase().includes(wanted) === true && hide(raw).toLowerCase().includes(wanted)
  }
  return list
    .filter((kept) => {
      const { body, headers, calls, answer } = kept
      const hide = hiderOf(kept, showing)
      return (
        holds(body, headers.get('content-type'), hide) ||
        calls.some(({ reply, replied }) =>
          holds(reply, replied?.get('content-type') ?? null, hide),
        ) ||
        (answer !== undefined && holds(answer.body, answer.headers['content-type'] ?? null, hide))
      )
    })
    .map(({ number }) => number)
}

/** Carries a request out once more, at an upstream of choice: an exchange like any other, with its line in the list. */
async function sentAgain(
  kept: KeptExchange,
  asked: unknown,
  { settings, ports }: PageOptions,
): Promise<unknown> {
  const now = settings()
  const upstream = textOf(asked, 'upstream')
  const as = textOf(asked, 'model')
  const { text, cut } = kept.body.shown((words) => words, kept.headers.get('content-type'))
  if (!now.upstreams.has(upstream) || text === undefined || cut)
    return { error: 'The body was not kept whole, or there is no such upstream.' }
  const route = { model: '*', upstream, ...(as !== '' && { as }) }
  const answer = createFetchHandler({ ...now, callers: { kind: 'open' }, routes: [route] }, ports())
  const names = [...(kept.headers.keys?.() ?? [])].filter((name) => !UNSENT.test(name))
  const headers = names.map((name): [string, string] => [name, kept.headers.get(name) ?? ''])
  const address = `http://${LOCAL}${kept.url}`
  const reply = await answer(new Request(address, { method: kept.method, headers, body: text }))
  await reply.arrayBuffer()
  return { status: reply.status }
}

/** The body was unpacked before it was kept, and goes to another door. */
const UNSENT =
  /^(?:host|origin|connection|content-(?:length|encoding)|accept-encoding|transfer-encoding|expect|sec-.*)$/

const upstreamsOf = ({ upstreams }: Settings): object[] =>
  [...upstreams.values()].map(({ name, dialect }) => ({ name, dialect }))

const textOf = (asked: unknown, name: string): string => {
  const value: unknown = typeof asked === 'object' && asked ? Reflect.get(asked, name) : undefined
  return typeof value === 'string' ? value : ''
}

/** What another upstream would be sent for the same request, and what would be lost. Nothing is sent. */
async function explainFor(
  kept: KeptExchange,
  asked: unknown,
  options: PageOptions,
  hide: (text: string) => string,
): Promise<unknown> {
  const settings = options.settings()
  const upstream = textOf(asked, 'upstream')
  const as = textOf(asked, 'model')
  const { text, cut } = kept.body.shown(hide, kept.headers.get('content-type'))
  if (!settings.upstreams.has(upstream) || text === undefined || cut)
    return { error: 'The body was not kept whole, or there is no such upstream.' }
  const route = { model: '*', upstream, ...(as !== '' && { as }) }
  const answer = createFetchHandler(
    { ...settings, callers: { kind: 'open' }, routes: [route] },
    {
      send: () => Promise.reject(new Error('nothing is sent')),
      now: Date.now,
      randomId,
      log: () => undefined,
      placing,
      ...(options.store && { store: await storeFor(kept, settings, options.store) }),
    },
  )
  const passed = [...(kept.headers.keys?.() ?? [])].filter((name) => PASSED.test(name))
  const headers = passed.map((name): [string, string] => [name, kept.headers.get(name) ?? ''])
  const address = `http://${LOCAL}/explain${kept.url.replace(/^\/explain(?=\/)/, '')}`
  const reply = await answer(new Request(address, { method: 'POST', headers, body: text }))
  const parsed: unknown = JSON.parse(hide(await reply.text()))
  const replied = isObject(parsed)
    ? repliedLosses(kept, { text, upstream, as }, settings, hide)
    : []
  return replied.length > 0 ? Object.assign({}, parsed, { replied }) : parsed
}

/** The part of the store that belongs to the caller of an exchange, to read in it as a caller without a key. */
async function storeFor(
  { headers, url }: KeptExchange,
  { callers }: Settings,
  store: Store,
): Promise<Store> {
  const { searchParams } = new URL(url, `http://${LOCAL}`)
  const { identity } = authenticator(callers)(headers, searchParams)
  const owner = await hashedOwner({ identity }, { owners: new Map() })
  return {
    get: (key) => store.get(storeKey(owner, key.slice(key.indexOf('/') + 1))),
    put: async () => undefined,
    delete: async () => false,
    close: async () => undefined,
  }
}

/** Headers that a dialect reads beside the body. */
const PASSED = /^(?:content-type|(?:anthropic|provider|openai)-[\w-]+|x-claude-[\w-]+|user-agent)$/
