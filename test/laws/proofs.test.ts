import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { decodeBase64 } from '../../src/json/base64.ts'
import { stringify } from '../../src/json/json.ts'
import type { Block, Reply, Request } from '../../src/model/request.ts'
import { cuts, inPieces, plainReply, requestFor } from './arbitrary-replies.ts'
import { clientOf } from './clients.ts'
import { proofLines, proofOwners } from './compare.ts'
import { readRequest, writeReply, writeRequest } from './exchange.ts'
import { always, forEachPair } from './law.ts'
import { unfold } from '../../src/model/events.ts'

/** The proofs of one dialect alone: one upstream made the reply. */
function provenBy(reply: Reply, dialect: string): Reply {
  const blocks = reply.blocks.flatMap((block): Block[] => {
    if (!('proof' in block) || block.proof === undefined) return [block]
    if (block.proof.dialect === dialect) return [block]
    if (block.kind === 'reasoning' && block.redacted) return []
    const { proof: _, ...rest } = block
    return [rest]
  })
  return { ...reply, blocks }
}

const inAnyPieces = fc.tuple(plainReply, cuts)
const withPlace = fc.tuple(plainReply, fc.nat())

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
      expect(proofLines(assistant(request))).toEqual(proofLines(reply.blocks))
      expect(assistant(request).filter(isCall)).toHaveLength(reply.blocks.filter(isCall).length)
    })
  })

  it('brings every proof home from a stream, and the words with it', () => {
    always(inAnyPieces, ([whole, places]) => {
      const reply = provenBy(whole, upstream.dialect)
      const request = readRequest(caller, nextRequest(caller, reply, places))
      const blocks = assistant(request)
      expect(proofLines(blocks)).toEqual(proofLines(reply.blocks))
      expect(toText(blocks)).toBe(toText(reply.blocks))
    })
  })

  it('sends a proof to the dialect that issued it and to no other', () => {
    always(plainReply, (whole) => {
      const reply = provenBy(whole, upstream.dialect)
      const proofs = reply.blocks.flatMap((block) =>
        'proof' in block && block.proof ? [block.proof.value] : [],
      )
      const request = readRequest(caller, nextRequest(caller, reply))
      for (const other of adapters) {
        const { text, losses } = writeRequest(other, request)
        expect(text).not.toMatch(ENVELOPE)
        if (other.dialect === upstream.dialect) continue
        if (proofs.length > 0) expect(losses.length).toBeGreaterThan(0)
      }
    })
  })

  it('drops a damaged proof and keeps the rest', () => {
    always(withPlace, ([whole, where]) => {
      const reply = provenBy(whole, upstream.dialect)
      const text = nextRequest(caller, reply)
      const envelopes: readonly string[] = text.match(ENVELOPES) ?? []
      const hurt = envelopes[where % envelopes.length]
      if (hurt === undefined) return
      const request = readRequest(caller, text.replace(hurt, damage(hurt)))
      const left = proofOwners(assistant(request))
      const all = proofOwners(reply.blocks)
      expect(all).toEqual(expect.arrayContaining(left))
      expect(left.length).toBeLessThanOrEqual(all.length)
      // One that travels twice, for clients that return only some of the parts, is still there once.
      const others = envelopes.toSpliced(envelopes.indexOf(hurt), 1).map(opened).join('\0')
      for (const proof of all)
        if (!others.includes(valueIn(proof))) expect(left).not.toContain(proof)
      expect(writeRequest(upstream, request).text).not.toMatch(ENVELOPE)
    })
  })
})

const toText = (blocks: Block[]): string =>
  blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('')

const isCall = (block: Block): boolean => block.kind === 'tool-call'

/** As it is, or in base64; not a text of the conversation that looks a little like it. */
const ENVELOPE =
  /xseal1\.[a-z-]+\.[a-z]+\.\d+\.[0-9a-f]{14}\.[^"]*|eHNlYWwx[A-Za-z0-9+/]{24,}={0,2}/
const ENVELOPES = new RegExp(ENVELOPE, 'g')

/** An envelope with another character in its value, as a careless client might send it. */
function damage(envelope: string): string {
  const at = envelope.replace(/=+$/, '').length - 4
  return envelope.slice(0, at) + (envelope[at] === 'A' ? 'B' : 'A') + envelope.slice(at + 1)
}

/** What an envelope says, which may be one proof or several. */
const opened = (envelope: string): string =>
  envelope.startsWith('xseal1') ? envelope : (decodeBase64(envelope) ?? '')

/** The value of a proof, as `proofOwners` tells it behind its kind and its dialect. */
const valueIn = (owner: string): string => owner.split(' ').slice(2).join(' ')
