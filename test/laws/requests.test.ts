import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Adapter } from '../../adapters/adapter.ts'
import { isObject, stringify, type Json } from '../../src/canonical/json.ts'
import type { Request, Turn } from '../../src/canonical/model.ts'
import { anyRequest } from './arbitrary-requests.ts'
import { clientOf } from './clients.ts'
import { differences } from './compare.ts'
import { readRequest, writeRequest, type Written } from './exchange.ts'
import { always, fail, forEachAdapter, forEachPair } from './law.ts'
import { requestAspects, unreported } from './requests.ts'

/** The request as a caller of this dialect would send it, and as it is then understood. */
function spoken(caller: Adapter, request: Request): Request {
  const { body } = writeRequest(caller, request)
  return readRequest(caller, stringify(body), { stream: request.stream })
}

/** Pictures by value are what every dialect has in common. */
function withoutOddMedia(turn: Turn): Turn {
  const blocks = turn.blocks.filter(
    (block) =>
      block.kind !== 'media' || ('data' in block.source && block.mediaType.startsWith('image/')),
  )
  return { ...turn, blocks: blocks.length > 0 ? blocks : [{ kind: 'text', text: 'Look.' }] }
}

const turnsOnly = (request: Request) =>
  new Map([['turns', requestAspects(request).get('turns') ?? '']])

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(frozen)
  }
  return value
}

const history = (adapter: Adapter, written: Written): string[] =>
  clientOf(adapter.dialect).history(written.body).map(stringify)

forEachAdapter((adapter) => {
  it('writes a request of its own dialect without a loss, and the same again and again', () => {
    always(anyRequest, (any) => {
      const request = spoken(adapter, any)
      const first = writeRequest(adapter, request)
      expect(first.losses).toEqual([])
      const second = writeRequest(adapter, spoken(adapter, request))
      expect(second.text).toBe(first.text)
    })
  })

  it('changes no request that it reads or writes', () => {
    always(
      anyRequest,
      (request) => {
        const { body } = writeRequest(adapter, frozen(request))
        const json: Json = frozen(JSON.parse(JSON.stringify(body)))
        expect(isObject(json)).toBe(true)
        readRequest(adapter, JSON.stringify(json))
      },
      300,
    )
  })
})

forEachPair((caller, upstream) => {
  it('carries a request or reports what is lost', () => {
    always(anyRequest, (any) => {
      const request = spoken(caller, any)
      const written = writeRequest(upstream, request)
      const arrived = readRequest(upstream, stringify(written.body), { stream: request.stream })
      fail(unreported(request, arrived, written.losses))
    })
  })

  it('carries texts, pictures, calls and results with nothing to report', () => {
    always(anyRequest, (any) => {
      const request = spoken(caller, { ...any, turns: any.turns.map(withoutOddMedia) })
      const written = writeRequest(upstream, request)
      const arrived = readRequest(upstream, stringify(written.body), { stream: request.stream })
      fail(differences(turnsOnly(request), turnsOnly(arrived)))
      expect(written.losses.filter(({ path }) => path.startsWith('turns'))).toEqual([])
    })
  })

  it('writes the beginning of a conversation the same in every later turn', () => {
    always(fc.tuple(anyRequest, fc.nat()), ([any, where]) => {
      const request = spoken(caller, any)
      const users = request.turns.flatMap((turn, index) =>
        turn.role === 'user' && request.turns[index + 1]?.role !== 'user' ? [index] : [],
      )
      const end = users[where % Math.max(users.length, 1)] ?? 0
      const earlier = { ...request, turns: request.turns.slice(0, end + 1) }
      const before = history(upstream, writeRequest(upstream, earlier))
      const after = history(upstream, writeRequest(upstream, request))
      expect(after.slice(0, before.length)).toEqual(before)
    })
  })
})
