/**
 * A real server behind all four dialects of callers: llama.cpp with a model of random weights, whose chat,
 * responses and messages endpoints are the upstreams. It is installed into a folder of its own, which takes half a
 * minute; where that is not possible, this says so and is skipped.
 *
 *     npm run llama
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dialect, DIALECTS } from '../../adapters/dialect.ts'
import type { Json } from '../../src/json/json.ts'
import { type App, createApp } from '../../src/index.ts'
import { kits } from '../dialects/index.ts'
import { framesIn } from '../line-reader.ts'
import { SERVERS } from '../profiles/servers.ts'
import { SESSIONS } from '../profiles/sessions.ts'
import { siteOf } from '../profiles/stand-in.ts'
import { type RealServer, startServer } from './server.ts'

const SPOKEN = ['chat-completions', 'responses', 'messages'] as const
type Spoken = (typeof SPOKEN)[number]

const TURN_MS = 30_000
const SCHEMA = {
  type: 'object',
  properties: { word: { type: 'string', enum: ['hello'] } },
  required: ['word'],
  additionalProperties: false,
}
/** With what schemas of real tools have, and servers that make grammars of them stumble over. */
const TOOL = {
  name: 'look_up',
  schema: {
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 1, description: 'Where' },
      days: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
      kind: { enum: ['sun', 'rain'] },
      near: { type: 'array', items: { $ref: '#/$defs/place' } },
    },
    required: ['city'],
    additionalProperties: false,
    $defs: { place: { type: 'object', properties: { name: { type: 'string' } } } },
  },
}
/** Random weights make no call that can be read; then the server says so. */
const NONSENSE = /peg-native|does not match the expected/
const UNBEGUN = /ended its stream before the reply was complete/

const appFor = ({ url }: RealServer): App =>
  createApp({
    upstreams: Object.fromEntries(
      SPOKEN.map((dialect) => [
        dialect,
        { dialect, url, key: 'no-key-is-needed', profile: 'llama.cpp', maxOutputTokens: 64 },
      ]),
    ),
    routes: SPOKEN.map((upstream) => ({ model: `${upstream}/*`, upstream, as: 'tiny' })),
    callers: 'open',
  })

interface Told {
  status: number
  text: string
  losses: string
}

const toldBy = async (answer: Response): Promise<Told> => ({
  status: answer.status,
  losses: answer.headers.get('x-dragoman-losses') ?? '',
  text: await answer.text(),
})

/** One exchange over one pair. */
class Exchange {
  readonly #app: App
  readonly #from: Dialect
  readonly #to: Spoken
  readonly #model: string

  constructor(app: App, from: Dialect, to: Spoken) {
    this.#app = app
    this.#from = from
    this.#to = to
    this.#model = `${to}/tiny`
  }

  #post(body: object, stream: boolean, signal = AbortSignal.timeout(TURN_MS), path?: string) {
    const { http, ask } = kits[this.#from]
    const init = {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...ask.needed, ...http.body(this.#model, stream, body) }),
    }
    const url = `http://proxy.example${path ?? http.path(encodeURIComponent(this.#model), stream)}`
    return this.#app.fetch(url, init)
  }

  async ask(body: object, stream = false): Promise<Told> {
    return toldBy(await this.#post(body, stream))
  }

  async count(body: object): Promise<Told> {
    const path = kits[this.#from].http.count?.path(encodeURIComponent(this.#model))
    return toldBy(await this.#post(body, false, undefined, path))
  }

  /** Leaves with the first piece of a stream. */
  async leave(body: object): Promise<void> {
    const leaving = new AbortController()
    const answer = await this.#post(body, true, leaving.signal)
    const reader = answer.body?.getReader()
    await reader?.read()
    leaving.abort()
    await reader?.cancel().catch(() => {})
  }

  /** What the strictest client of the dialect would find wrong with an answer. */
  wrong({ status, text }: Told, stream: boolean): string | undefined {
    if (status !== 200) return `${status} ${text.slice(0, 200)}`
    // What it says in its own dialect passes as it is, however it says it.
    if (this.#from === this.#to) return text === '' ? 'nothing' : undefined
    const { grammar } = kits[this.#from]
    const fault = stream
      ? grammar.check(framesIn(text))
      : grammar.checkBody(JSON.parse(text) as Json)
    return fault && `${fault}: ${text.slice(-300)}`
  }
}

type Check = (exchange: Exchange, from: Dialect, to: Spoken, server: RealServer) => Promise<unknown>

/** Members of a request, put together; one dialect has most of them in one object. */
const together = (...parts: object[]): object =>
  parts.reduce<Record<string, unknown>>((whole, part) => {
    for (const [key, value] of Object.entries(part)) {
      const before = whole[key]
      whole[key] = isPlain(before) && isPlain(value) ? { ...before, ...value } : value
    }
    return whole
  }, {})
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const both = async (check: (stream: boolean) => Promise<string | undefined>) => {
  const wrong = await check(false)
  return wrong ?? (await check(true))
}

const CHECKS: Record<string, Check> = {
  text: (exchange, from) =>
    both(async (stream) => {
      const { ask } = kits[from]
      const told = await exchange.ask(together(ask.text('Hello'), ask.bounds(0, 16)), stream)
      return exchange.wrong(told, stream)
    }),
  schema: (exchange, from, to) =>
    both(async (stream) => {
      const { ask } = kits[from]
      const body = together(ask.text('Say it'), ask.answerIn(SCHEMA), ask.bounds(0, 64))
      const told = await exchange.ask(body, stream)
      const wrong = exchange.wrong(told, stream)
      if (wrong !== undefined) return wrong
      // Its other endpoints take no notice of a schema (2026.10), which the caller is told.
      if (to !== 'chat-completions')
        return /format|output_config/.test(told.losses)
          ? undefined
          : `nothing of the schema: ${told.losses}`
      return joinPieces(told.text).includes('"hello"') ? undefined : told.text.slice(-300)
    }),
  tools: (exchange, from, to) =>
    both(async (stream) => {
      const { ask } = kits[from]
      const body = together(ask.text('Look'), ask.offer([TOOL]), ask.bounds(0, 32))
      const told = await exchange.ask(body, stream)
      // A stream without a word has no beginning in its own dialect, and clients of that stumble (2026.10).
      if (from === to && stream && UNBEGUN.test(told.text)) return undefined
      return NONSENSE.test(told.text) ? undefined : exchange.wrong(told, stream)
    }),
  history: async (exchange, from) => {
    const { ask } = kits[from]
    const offered = ask.offer([{ name: 'f', schema: { type: 'object' } }])
    const body = { ...offered, ...ask.called('{"x":1}', 'sun'), ...ask.bounds(0, 16) }
    const told = await exchange.ask(body)
    return NONSENSE.test(told.text) ? undefined : exchange.wrong(told, false)
  },
  overflow: async (exchange, from) => {
    const { ask } = kits[from]
    const told = await exchange.ask(together(ask.text('word '.repeat(5000)), ask.bounds(0, 8)))
    const isTold = told.status === 400 && /too long|exceed|context/i.test(told.text)
    return isTold ? undefined : `${told.status} ${told.text.slice(0, 200)}`
  },
  picture: async (exchange, from) => {
    const { ask } = kits[from]
    const told = await exchange.ask({
      ...ask.image('https://127.0.0.1:1/a.png'),
      ...ask.bounds(0, 8),
    })
    const isTold = told.status >= 400 && told.status < 600 && /"error"/.test(told.text)
    return isTold ? undefined : `${told.status} ${told.text.slice(0, 200)}`
  },
  count: async (exchange, from) => {
    const { ask, http } = kits[from]
    if (!http.count) return undefined
    const { status, text } = await exchange.count(ask.text('Hello'))
    return status === 200 && /\d/.test(text) ? undefined : `${status} ${text.slice(0, 200)}`
  },
  cancel: async (exchange, from, _, server) => {
    const { ask } = kits[from]
    const before = cancelled(server)
    // One may be over before its caller leaves.
    for (let tries = 0; tries < 5 && cancelled(server) === before; tries += 1) {
      await exchange.leave(together(ask.text('Go on'), ask.bounds(1, 3000)))
      await new Promise((settle) => setTimeout(settle, 200))
    }
    return cancelled(server) > before ? undefined : 'the server was not told'
  },
}

const cancelled = (server: RealServer): number => server.log().split('cancel task').length

/** The words of a reply, whose pieces stand in JSON, and whose JSON stands in pieces. */
const joinPieces = (text: string): string =>
  text
    .replaceAll(/"(?:content|text|delta)":"((?:[^"\\]|\\.)*)"|[^]/g, (_, piece) => piece ?? '')
    .replaceAll('\\', '')

async function tried(server: RealServer): Promise<number> {
  const app = appFor(server)
  let failed = 0
  for (const from of DIALECTS)
    for (const to of SPOKEN) {
      const exchange = new Exchange(app, from, to)
      const faults: string[] = []
      for (const [name, check] of Object.entries(CHECKS)) {
        const wrong = await check(exchange, from, to, server).catch((error: unknown) => error)
        if (wrong !== undefined) faults.push(`${name}: ${String(wrong)}`)
      }
      failed += faults.length
      console.log(`${from.padEnd(17)} over ${to.padEnd(17)} ${faults.join('\n  ') || 'works'}`)
    }
  return failed
}

const PATHS: Readonly<Record<string, string>> = {
  'chat-completions': '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
}
/** Without a projector it says so of pictures. */
const BLIND = /image input is not supported/

/** What agents send where the stand-in for this server answers them, told to the server itself. */
async function refusedAgents({ url }: RealServer): Promise<number> {
  let refused = 0
  for (const standIn of SERVERS.filter(({ profile }) => profile === 'llama.cpp'))
    for (const { agent, play } of SESSIONS) {
      const site = siteOf(standIn, standIn.profile)
      await play(site)
      for (const body of site.sent) {
        const { stream: _, stream_options: __, ...whole } = body
        const bound = standIn.dialect === 'responses' ? 'max_output_tokens' : 'max_tokens'
        const answer = await fetch(`${url}${PATHS[standIn.dialect]}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...whole, [bound]: 4 }),
          signal: AbortSignal.timeout(TURN_MS),
        })
        const text = await answer.text()
        if (answer.ok || NONSENSE.test(text) || BLIND.test(text)) continue
        refused += 1
        console.log(`${agent} over ${standIn.dialect}: ${answer.status} ${text.slice(0, 200)}`)
      }
    }
  if (refused === 0) console.log(`${SESSIONS.length} agents are refused nothing`)
  return refused
}

const home = mkdtempSync(join(tmpdir(), 'dragoman-server-'))
try {
  const server = await startServer(home)
  if (typeof server === 'string') {
    console.log(`SKIPPED: no real server was asked, because ${server}`)
  } else {
    const all = async () => (await tried(server)) + (await refusedAgents(server))
    const failed = await all().finally(() => server.stop())
    if (failed > 0) throw new Error(`${failed} did not work`)
  }
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 3 })
}
