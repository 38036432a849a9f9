import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Adapter } from '../../adapters/adapter.ts'
import { adapters } from '../../adapters/index.ts'
import { stringify } from '../../src/canonical/json.ts'
import type { Block, Reply, Request } from '../../src/canonical/model.ts'
import { cuts, inPieces, plainReply, requestFor } from './arbitrary-replies.ts'
import { clientOf } from './clients.ts'
import { sealLines, sealOwners } from './compare.ts'
import { readRequest, writeReply, writeRequest } from './exchange.ts'
import { always, forEachPair } from './law.ts'
import { unfold } from '../../src/canonical/events.ts'

/** The proofs of one dialect alone: one upstream made the reply. */
function provenBy(reply: Reply, dialect: string): Reply {
  const blocks = reply.blocks.flatMap((block): Block[] => {
    if (!('seal' in block) || block.seal === undefined) return [block]
    if (block.seal.dialect === dialect) return [block]
    if (block.kind === 'reasoning' && block.redacted) return []
    const { seal: _, ...rest } = block
    return [rest]
  })
  return { ...reply, blocks }
}

const assistant = (request: Request): Block[] =>
  request.turns.filter((turn) => turn.role === 'assistant').flatMap((turn) => turn.blocks)

/** What a client sends next after it got the reply, whole or as a stream. */
function nextRequest(caller: Adapter, reply: Reply, places?: readonly number[]): string {
  const client = clientOf(caller.dialect)
  const events = places ? inPieces(reply, places) : unfold(reply)
  const { body = '', frames } = writeReply(caller, requestFor(reply), events)
  const received = (places && client.gather?.(frames)) ?? JSON.parse(body)
  return stringify(client.followUp(client.request('model-1', 'Hello'), received))
}

forEachPair((caller, upstream) => {
  it('brings every proof home, on the block that it belongs to', () => {
    always(plainReply, (whole) => {
      const reply = provenBy(whole, upstream.dialect)
      const request = readRequest(caller, nextRequest(caller, reply))
      expect(sealLines(assistant(request))).toEqual(sealLines(reply.blocks))
      expect(assistant(request).filter(isCall)).toHaveLength(reply.blocks.filter(isCall).length)
    })
  })

  it('brings every proof home from a stream, and the words with it', () => {
    always(fc.tuple(plainReply, cuts), ([whole, places]) => {
      const reply = provenBy(whole, upstream.dialect)
      const request = readRequest(caller, nextRequest(caller, reply, places))
      const blocks = assistant(request)
      expect(sealLines(blocks)).toEqual(sealLines(reply.blocks))
      expect(textOf(blocks)).toBe(textOf(reply.blocks))
    })
  })

  it('sends a proof to the dialect that issued it and to no other', () => {
    always(plainReply, (whole) => {
      const reply = provenBy(whole, upstream.dialect)
      const seals = reply.blocks.flatMap((block) =>
        'seal' in block && block.seal ? [block.seal.value] : [],
      )
      const request = readRequest(caller, nextRequest(caller, reply))
      for (const other of adapters) {
        const { text, losses } = writeRequest(other, request)
        expect(text).not.toMatch(CARRIER)
        if (other.dialect === upstream.dialect) continue
        if (seals.length > 0) expect(losses.length).toBeGreaterThan(0)
      }
    })
  })

  it('drops a damaged proof and keeps the rest', () => {
    always(fc.tuple(plainReply, fc.nat()), ([whole, where]) => {
      const reply = provenBy(whole, upstream.dialect)
      const text = nextRequest(caller, reply)
      const damaged = damage(text, where)
      if (damaged === undefined) return
      const request = readRequest(caller, damaged)
      const left = sealOwners(assistant(request))
      const all = sealOwners(reply.blocks)
      for (const seal of left) expect(all).toContain(seal)
      // One that travels twice, for clients that return only some of the parts, is still there once.
      const carriers = text.match(CARRIERS)?.length ?? 0
      if (carriers <= all.length) expect(left.length).toBeLessThan(all.length)
      expect(writeRequest(upstream, request).text).not.toMatch(CARRIER)
    })
  })
})

const textOf = (blocks: Block[]): string =>
  blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('')

const isCall = (block: Block): boolean => block.kind === 'tool-call'

/** As it is, or in base64; not a text of the conversation that looks a little like it. */
const CARRIER = /xseal1\.[a-z-]+\.[a-z]+\.\d+\.[0-9a-f]{14}\.[^"]*|eHNlYWwx[A-Za-z0-9+/]{24,}={0,2}/
const CARRIERS = new RegExp(CARRIER, 'g')

/** Swaps two different characters in the value of one carrier, as a careless client might. */
function damage(text: string, where: number): string | undefined {
  const found = [...text.matchAll(CARRIERS)]
  const match = found[where % Math.max(found.length, 1)]
  if (!match) return undefined
  const [carrier] = match
  const end = carrier.replace(/=+$/, '').length
  const at = end - 4
  const replacement = carrier[at] === 'A' ? 'B' : 'A'
  const broken = carrier.slice(0, at) + replacement + carrier.slice(at + 1)
  return text.slice(0, match.index) + broken + text.slice(match.index + carrier.length)
}
