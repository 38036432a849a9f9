import type { Adapter, CacheOptions } from '../../adapters/contract.ts'
import { DIALECTS } from '../../adapters/dialect.ts'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { accountOf, serviceOf, type Bill, type Service } from '../cache/billing.ts'
import { marked } from '../cache/marks.ts'
import { readRequest, writeRequest } from '../laws/exchange.ts'
import { linksIn, promptOf } from './chains.ts'
import type { Recorded } from './records.ts'
import type { Tally } from './tally.ts'

type Spoken = Pick<Recorded, 'id' | 'dialect' | 'model' | 'request'>

/** Recorded sessions, each from its first request that is known to its last. */
function sessionsIn<T extends Spoken>(records: readonly T[]): T[][] {
  const links = linksIn(records)
  const before = new Map(links.map(({ earlier, later }) => [later, earlier]))
  const followed = new Set(before.values())
  const ends = [...before.keys()].filter((record) => !followed.has(record))
  return ends.map((end) => {
    const session = [end]
    for (let next = before.get(end); next && !session.includes(next); next = before.get(next))
      session.unshift(next)
    return session
  })
}

const DERIVED: CacheOptions = { mode: 'derive', session: () => 'session-1' }
const MARKS = { cache_control: undefined, prompt_cache_key: undefined }

/** The bodies for an upstream; undefined where one of them cannot be said there. */
function spokenTo(caller: Adapter, upstream: Adapter, session: readonly Spoken[]) {
  try {
    return session.map(({ request = {}, model }): JsonObject => {
      const read = readRequest(caller, stringify(request), { model })
      return plain(writeRequest(upstream, read, DERIVED).body)
    })
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

const plain = (body: JsonObject): JsonObject => JSON.parse(stringify(body))

/** The same words from a client of the upstream's own dialect, which marks and names its sessions as it should. */
function direct(upstream: Adapter, body: JsonObject): JsonObject {
  const bare = JSON.parse(stringify(body), (key, value) => (key in MARKS ? undefined : value))
  return upstream.dialect === 'messages' ? marked(bare) : { ...bare, prompt_cache_key: 'own' }
}

const LEAST_TOKENS = 1024
const CHARACTERS_PER_TOKEN = 4
/** In steps of which a cache reads. */
const STEP_TOKENS = 128

/** What of each request the one before it has said, in tokens; 0 where it is too little for a cache. */
function repeated(bodies: readonly JsonObject[]): number {
  const texts = bodies.map((body) => {
    const { head, turns } = promptOf(body)
    return [head, ...turns].join('\n')
  })
  const shared = texts.slice(1).map((text, index) => {
    const earlier = texts[index] ?? ''
    let at = 0
    while (at < text.length && text[at] === earlier[at]) at += 1
    const tokens = Math.floor(at / CHARACTERS_PER_TOKEN) - STEP_TOKENS
    return tokens < LEAST_TOKENS ? 0 : tokens
  })
  return shared.reduce((sum, tokens) => sum + tokens, 0)
}

export class RecordedBills {
  readonly #sums = new Map<
    string,
    { through: Bill[]; direct: Bill[]; repeated: number; sessions: number }
  >()

  /** Bills every recorded session at every service: through the proxy, and from a client of its own. */
  replay(tally: Tally, adapters: readonly Adapter[], records: readonly Spoken[]): void {
    for (const session of sessionsIn(records)) {
      const keys = new Set(session.map(({ request }) => request?.['prompt_cache_key']))
      // The client itself has said that its requests share no cache.
      if (keys.size > 1) continue
      const caller = adapters.find(({ dialect }) => dialect === session[0]?.dialect)
      for (const upstream of adapters) {
        const bodies = caller && caller !== upstream && spokenTo(caller, upstream, session)
        if (!bodies) continue
        this.#bill(tally, [caller, upstream], session.at(-1)?.id ?? '', bodies)
      }
    }
  }

  #bill(tally: Tally, [caller, upstream]: [Adapter, Adapter], id: string, bodies: JsonObject[]) {
    const pair = `${caller.dialect} <- ${upstream.dialect}`
    const [one, other] = [createBill(upstream), createBill(upstream)]
    const through = bodies.map((body) => one(body))
    const own = bodies.map((body) => other(direct(upstream, body)))
    const said = repeated(bodies)
    tally.count(pair, 'bills', id, dearer(through, own, said))
    const sum = this.#sums.get(pair) ?? { through: [], direct: [], repeated: 0, sessions: 0 }
    sum.through.push(...through.slice(1))
    sum.direct.push(...own.slice(1))
    sum.repeated += said
    if (said > 0) sum.sessions += 1
    this.#sums.set(pair, sum)
  }

  *lines(): Generator<string> {
    for (const [pair, sum] of [...this.#sums].toSorted()) {
      if (sum.repeated === 0) continue
      const [through, own] = [readIn(sum.through), readIn(sum.direct)]
      const percent = (tokens: number) => `${((100 * tokens) / sum.repeated).toFixed(1)} %`
      const costs = costOf(sum.through) / costOf(sum.direct)
      yield `${pair}: of what ${sum.sessions} sessions said again, ${percent(through)} read from caches (directly ${percent(own)}), at ${costs.toFixed(3)} of the direct cost`
    }
  }
}

function createBill({ dialect }: Adapter): Service {
  const name = DIALECTS.find((known) => known === dialect)
  if (!name) throw new Error(`no service speaks ${dialect}`)
  return serviceOf(name)
}

const readIn = (bills: readonly Bill[]): number => bills.reduce((sum, { read }) => sum + read, 0)
const costOf = (bills: readonly Bill[]): number => accountOf(bills).cost

function dearer(through: readonly Bill[], own: readonly Bill[], said: number): string | undefined {
  const [one, other] = [accountOf(through), accountOf(own)]
  if (one.share < other.share - 0.01) return `a share of ${one.share} is read, not ${other.share}`
  if (one.cost > other.cost * 1.02) return `it costs ${one.cost}, not ${other.cost}`
  const share = said === 0 ? 1 : readIn(through.slice(1)) / said
  return share < 0.9 ? `${share} of what was said again is read` : undefined
}
