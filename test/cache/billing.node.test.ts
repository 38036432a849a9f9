import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { isObject, listOf, parse, stringify, type Json } from '../../src/json/json.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { kits, PAIRS } from '../dialects/index.ts'
import { writeRequest } from '../laws/exchange.ts'
import { accountOf, serviceOf, type Account, type Bill } from './billing.ts'
import { siteOf } from './exchange.ts'
import { marked } from './marks.ts'
import { sessionOf } from './session.ts'

const TURNS = 30
/** The dialects that have a form of asking for a summary. */
const SUMS = new Set<Dialect>(['messages', 'responses'])
/** What a session costs that a client of one dialect has with a service of another, or of its own. */
async function billed(caller: Dialect, upstream: Dialect): Promise<Account> {
  const service = serviceOf(upstream)
  const bills: Bill[] = []
  const site = siteOf({
    caller,
    upstream,
    reply: (body) => {
      bills.push(service(body))
      return kits[upstream].say.hello.body
    },
  })
  for (const request of sessionOf('bill', TURNS, false)) {
    const written: Json = parse(stringify(writeRequest(adapterOf(caller), request).body))
    const body = isObject(written) ? written : {}
    const said = caller === 'messages' ? marked(body) : body
    const { model: _, ...rest } = said
    const response = await site.ask('model-1', rest, { 'session-id': 'session-1' })
    expect(response.status).toBe(200)
  }
  expect(bills).toHaveLength(TURNS)
  return accountOf(bills)
}

const known = new Map<Dialect, Promise<Account>>()

function directly(upstream: Dialect): Promise<Account> {
  const account = known.get(upstream) ?? billed(upstream, upstream)
  known.set(upstream, account)
  return account
}

/** Of the conversation that a summary turn sends, how much the service has read before. */
async function sharedBy(caller: Dialect, upstream: Dialect): Promise<number> {
  const service = serviceOf(upstream)
  const bills: Bill[] = []
  const site = siteOf({
    caller,
    upstream,
    reply: (body) => {
      bills.push(service(body))
      return kits[upstream].say.hello.body
    },
  })
  const requests = sessionOf('sum', TURNS, false).map((request) => {
    const written: Json = parse(stringify(writeRequest(adapterOf(caller), request).body))
    const { model: _, ...rest } = isObject(written) ? written : {}
    return caller === 'messages' ? marked(rest) : rest
  })
  for (const request of requests) await site.ask('model-1', request, { 'session-id': 'session-1' })
  const last = requests.at(-1) ?? {}
  const order =
    caller === 'messages'
      ? { ...last, compaction: { type: 'summarize' } }
      : { ...last, input: [...listOf(last['input']), { type: 'compaction_trigger' }] }
  const response = await site.ask('model-1', order, { 'session-id': 'session-1' })
  expect(response.status).toBe(200)
  expect(JSON.stringify(site.sent.at(-1))).toContain('will be replaced by a summary')
  const { read = 0, write = 0, plain = 0 } = bills.at(-1) ?? {}
  return read / (read + write + plain)
}

describe('what a summary of a session costs', () => {
  it.each(PAIRS.filter(([caller, upstream]) => caller !== upstream && SUMS.has(caller)))(
    '%s from %s: nine tenths of its prompt are read from the cache',
    async (caller, upstream) => {
      expect(await sharedBy(caller, upstream)).toBeGreaterThan(0.9)
    },
  )
})

describe('what a session of thirty turns costs', () => {
  it.each(PAIRS)('%s from %s: what its own client would pay', async (caller, upstream) => {
    const direct = await directly(upstream)
    const through = await billed(caller, upstream)
    expect(direct.share).toBeGreaterThan(0.9)
    expect(through.share).toBeGreaterThan(0.9)
    expect(through.share).toBeGreaterThan(direct.share - 0.01)
    expect(through.cost).toBeLessThan(direct.cost * 1.02)
  })
})
