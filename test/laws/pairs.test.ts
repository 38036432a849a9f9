import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Adapter } from '../../adapters/contract.ts'
import { stringify } from '../../src/json/json.ts'
import type { Request, Turn } from '../../src/model/request.ts'
import { anyRequest } from './arbitrary-requests.ts'
import { clientOf } from './clients.ts'
import { differences } from './compare.ts'
import { readRequest, spokenBy, spokenOnce, writeRequest, type Written } from './exchange.ts'
import { always, fail, forEachPair } from './law.ts'
import { requestAspects, unreported } from './requests.ts'

/** Pictures by value are what every dialect has in common. */
function withoutOddMedia(turn: Turn): Turn {
  const blocks = turn.blocks.filter(
    (block) =>
      block.kind !== 'media' || ('data' in block.source && block.mediaType.startsWith('image/')),
  )
  return { ...turn, blocks: blocks.length > 0 ? blocks : [{ kind: 'text', text: 'Look.' }] }
}

const requestAndPlace = fc.tuple(anyRequest, fc.nat())

const turnsOnly = (request: Request) =>
  new Map([['turns', requestAspects(request).get('turns') ?? '']])

const history = (adapter: Adapter, written: Written): string[] =>
  clientOf(adapter.dialect).history(written.body).map(stringify)

forEachPair((caller, upstream) => {
  it('carries a request or reports what is lost', () => {
    always(anyRequest, (any) => {
      const request = spokenOnce(caller, any)
      const written = writeRequest(upstream, request)
      const arrived = readRequest(upstream, stringify(written.body), { stream: request.stream })
      fail(unreported(request, arrived, written.losses))
    })
  })

  it('carries texts, pictures, calls and results with nothing to report', () => {
    always(anyRequest, (any) => {
      // A format may have to be asked for in words.
      const { format: _, ...plain } = any
      const request = spokenBy(caller, { ...plain, turns: any.turns.map(withoutOddMedia) })
      const written = writeRequest(upstream, request)
      const arrived = readRequest(upstream, stringify(written.body), { stream: request.stream })
      fail(differences(turnsOnly(request), turnsOnly(arrived)))
      expect(written.losses.filter(({ path }) => path.startsWith('turns'))).toEqual([])
    })
  })

  it('writes the beginning of a conversation the same in every later turn', () => {
    always(requestAndPlace, ([any, where]) => {
      const request = spokenOnce(caller, any)
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
