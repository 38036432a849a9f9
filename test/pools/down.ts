import { readSettings } from '../../src/config/config.ts'
import { createHandler } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { fingerprint, writeEnvelope } from '../../src/model/proof.ts'
import { createSend } from '../../src/node/upstream/send.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { randomId } from '../../src/ports.ts'
import { allKits } from '../dialects/index.ts'
import type { Kit } from '../dialects/kit.ts'
import { lineServer, type Line, type LineServer } from '../faults/line.ts'
import { CLOSED_PORT } from '../ports.ts'

/**
 * A pool of two whose first member is down in one of the ways of the table in docs/pools.md, over real sockets, in
 * every pair of dialects. Between two calls so much time goes by that the member is tried anew.
 */

/** What a member does to its requests, and what the caller is to hear of it. */
export interface Fault {
  name: string
  act(line: Line, kit: Kit): void
  /** What allows a hop, where the defaults do not. */
  failover?: { unknown?: boolean; attemptMs?: number }
  /** The reply has begun, so that nothing leads to the other member. */
  isShown?: boolean
  /** Only streams have it. */
  streams?: boolean
  /** Nothing listens there. */
  isRefused?: boolean
  /** It takes its time. */
  isSlow?: boolean
}

/** Long enough for a busy machine. */
const ATTEMPT_MS = 1500

const status = (code: number, headers: Record<string, string> = {}): Fault => ({
  name: String(code),
  act: (line, { voice }) => void line.answer(voice.refusal, { status: code, ...headers }),
})

const cut = { failover: { unknown: true }, streams: true }

export const FAULTS: readonly Fault[] = [
  ...[408, 409, 429, 500, 502, 503, 504, 529, 401, 402, 403].map((code) => status(code)),
  { ...status(429, { 'retry-after': '7' }), name: '429 with a wait' },
  { name: 'no connection', act: () => undefined, isRefused: true },
  { name: 'reset', act: (line) => line.reset(), failover: { unknown: true } },
  { name: 'end', act: (line) => line.fin(), failover: { unknown: true } },
  { name: 'silence', act: () => undefined, failover: { attemptMs: ATTEMPT_MS }, isSlow: true },
  {
    name: 'overload within a stream that has shown nothing',
    act: (line, { voice }) =>
      void line.open().chunk(voice.failure.replace('server_error', 'server_is_overloaded')).close(),
    streams: true,
  },
  {
    name: 'cut before the first event',
    act: (line) => void line.open().raw('\r\n').reset(),
    ...cut,
  },
  {
    name: 'cut after the first event',
    act(line, { voice }) {
      line.open().chunk(voice.opening)
      setTimeout(() => line.reset(), 20)
    },
    isShown: true,
    ...cut,
  },
]

export interface Cell {
  fault: Fault
  caller: Kit
  upstream: Kit
  stream: boolean
}

export const nameOf = ({ fault, caller, upstream, stream }: Cell): string =>
  `${caller.voice.dialect} over ${upstream.voice.dialect}, ${stream ? 'stream' : 'body'}, ${fault.name}`

export const cells: readonly Cell[] = FAULTS.flatMap((fault) =>
  allKits.flatMap((caller) =>
    allKits.flatMap((upstream) =>
      (fault.streams ? [true] : [true, false]).map((stream) => ({
        fault,
        caller,
        upstream,
        stream,
      })),
    ),
  ),
)

/** What became of the calls of a cell. */
export interface Tally {
  calls: number
  /** Calls that asked the first member before the second. */
  hops: number
  /** Requests that brought the first member a proof that it had made, and the second one a proof of the first. */
  proofs: number
  foreign: number
  wrong: string[]
}

/** Base64, as one of the dialects demands of a proof. */
const PROOF = Buffer.from('a proof of the first account').toString('base64')
/** Longer than a refused key is left alone, and than a session stays with a member. */
const PAUSE_MS = 3_700_000

const isStream = (request: string): boolean => /streamGenerateContent|"stream":true/.test(request)

function answerWell(line: Line, { voice }: Kit): void {
  if (isStream(line.request)) {
    const stream = line.open()
    stream.chunk(voice.opening + voice.closing).close()
  } else line.answer(voice.whole)
}

/** Both members, one after the other; of different accounts where the proxy can tell whose proof is whose. */
function configFor({ fault, caller, upstream }: Cell, port: number) {
  const isMixed = caller !== upstream
  const member = (name: string, at: number) => ({
    dialect: upstream.voice.dialect,
    url: `http://127.0.0.1:${at}`,
    key: `k-${name}-0123456789abcdef`,
    account: isMixed ? name : 'both',
  })
  return {
    upstreams: {
      one: member('one', fault.isRefused ? CLOSED_PORT : port),
      two: member('two', port),
    },
    routes: [{ model: '*', upstream: ['one', 'two'] }],
    failover: fault.failover ?? {},
  }
}

/** The conversation of a caller, with a proof of the first account in it. */
function makeBody({ caller, upstream, stream }: Cell, call: number): string {
  const own = { dialect: upstream.voice.dialect, value: PROOF, account: fingerprint('one') }
  // A text of generate-content carries the proof of what stood before it.
  const slot = caller.voice.dialect === 'generate-content' ? 'next' : 'self'
  const envelope = caller === upstream ? PROOF : writeEnvelope(own, slot)
  const body = JSON.stringify(caller.http.body('m', stream, caller.ask.proven.body(envelope)))
  return body.replace('"hi"', `"call ${call}."`)
}

/** One cell, so many calls. */
export async function play(cell: Cell, calls: number): Promise<Tally> {
  const { fault, caller, upstream, stream } = cell
  const server = await lineServer(
    (request) => /k-(?:one|two)/.exec(request)?.[0] ?? '',
    (key) => (line) => (key === 'k-one' ? fault.act(line, upstream) : answerWell(line, upstream)),
  )
  const sockets = createSend()
  const log: LogEntry[] = []
  let passed = 0
  const answer = createHandler(readSettings(configFor(cell, server.port), {}), {
    send: sockets.send,
    now: () => Date.now() + passed,
    randomId,
    log: (entry) => log.push(entry),
  })
  const tally: Tally = { calls, hops: 0, proofs: 0, foreign: 0, wrong: [] }
  for (let call = 0; call < calls; call += 1) {
    passed += PAUSE_MS
    const request = new Request(`http://127.0.0.1${caller.http.path('m', stream)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: makeBody(cell, call),
    })
    const response = toResponse(await answer(request))
    const text = await response.text()
    const isWhole = response.status === 200 && text.includes('lo')
    if (!(fault.isShown ? response.status === 200 : isWhole))
      tally.wrong.push(`${nameOf(cell)}, call ${call}: ${response.status} ${text.slice(0, 300)}`)
    const hopped = (log.at(-1)?.attempts?.length ?? 0) > 1
    if (hopped) tally.hops += 1
    if (hopped === Boolean(fault.isShown))
      tally.wrong.push(`${nameOf(cell)}, call ${call}: hopped ${hopped}`)
  }
  sockets.destroy()
  server.close()
  count(tally, server, cell)
  return tally
}

/** Each call was carried out once, and by whom; and which proofs went where. */
function count(tally: Tally, { lines }: LineServer, cell: Cell): void {
  const { fault, caller, upstream } = cell
  const [one = [], two = []] = ['k-one', 'k-two'].map((key) => lines.get(key))
  for (let call = 0; call < tally.calls; call += 1) {
    const asked = (all: readonly Line[]) =>
      all.filter(({ request }) => request.includes(`call ${call}.`)).length
    const carriedOut = fault.isShown ? asked(one) + asked(two) : asked(two)
    if (carriedOut !== 1)
      tally.wrong.push(`${nameOf(cell)}, call ${call}: carried out ${carriedOut} times`)
  }
  tally.proofs = proven(one)
  tally.foreign = caller === upstream ? 0 : proven(two)
}

const proven = (lines: readonly Line[]): number =>
  lines.filter(({ request }) => request.includes(PROOF)).length
