import { describe, expect, it } from 'vitest'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import { translator } from '../../src/named-translator.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { kits, PAIRS } from '../dialects/index.ts'
import { probeReply } from './silent-replies.ts'

describe.each(PAIRS)('%s from %s', (from, to) => {
  const caller = adapterOf(from)
  const upstream = adapterOf(to)
  const { body, only } = kits[to].say.full

  it('is told of whatever a reply says, or that it is not', () => {
    const found = probeReply(caller, upstream, emptyRequest('', true), body, 10_000)
    expect(found?.silent).toEqual([])
    expect(found?.reported).toBeGreaterThan(8)
  })

  it('is told the same by the library', () => {
    const { losses } = translator({ from, to }).reply(body)
    expect(losses).toContainEqual({ code: 'dropped', path: `reply.${only}` })
  })
})
