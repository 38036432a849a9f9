import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { isObject, parse, stringify, type Json } from '../../src/json/json.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { kits, PAIRS } from '../dialects/index.ts'
import { writeRequest } from '../laws/exchange.ts'
import { accountOf, serviceOf, type Account, type Bill } from './billing.ts'
import { siteOf } from './exchange.ts'
import { marked } from './marks.ts'
import { sessionOf } from './session.ts'

const TURNS = 30
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
