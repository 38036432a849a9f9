import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold, unfold, verify, type Folded } from '../../src/model/events.ts'
import type { Reply } from '../../src/model/request.ts'
import { grammarOf } from '../grammar/index.ts'
import { cuts, inPieces, plainReply, requestFor, richReply } from './arbitrary-replies.ts'
import {
  differences,
  replyAspects,
  proofLines,
  formDifferences,
  withoutForeignProofs,
} from './compare.ts'
import { unreportedInReply } from './excuses.ts'
import { readBodyText, readFrames, writeReply } from './exchange.ts'
import { always, fail, forEachAdapter } from './law.ts'

const richInPieces = fc.tuple(richReply, cuts)
const plainInPieces = fc.tuple(plainReply, cuts)

describe('a reply as events', () => {
  it('is in normal form and folds back to itself', () => {
    always(richInPieces, ([reply, places]) => {
      const events = inPieces(reply, places)
      expect(verify(events)).toBeUndefined()
      expect(fold(events)).toEqual({ reply })
      expect(fold(unfold(reply))).toEqual({ reply })
    })
  })
})

forEachAdapter((adapter) => {
  const grammar = grammarOf(adapter.dialect)

  const own = (folded: Folded) => withoutForeignProofs(folded, adapter.dialect)

  const exchange = (reply: Reply, places: readonly number[]) => {
    const request = requestFor(reply)
    const written = writeReply(adapter, request, inPieces(reply, places))
    const streamed = readFrames(adapter, request, written.frames)
    const whole = readBodyText(adapter, request, written.body ?? '')
    return { written, streamed, whole }
  }

  it('writes what every client of the dialect accepts', () => {
    always(richInPieces, ([reply, places]) => {
      const written = writeReply(adapter, requestFor(reply), inPieces(reply, places))
      expect(grammar.check(written.frames)).toBeUndefined()
      expect(grammar.checkBody(JSON.parse(written.body ?? ''))).toBeUndefined()
    })
  })

  it('carries text, reasoning, proofs, calls and counts without any loss', () => {
    always(plainInPieces, ([reply, places]) => {
      const { written, streamed } = exchange(reply, places)
      // That neighbouring texts are one is no loss, though it may be said.
      expect(written.losses.filter(({ detail = '' }) => !/joined/.test(detail))).toEqual([])
      const [said, heard] = [own({ reply }), own(streamed)]
      fail(differences(replyAspects(said), replyAspects(heard)))
      expect(proofLines(heard.reply.blocks)).toEqual(proofLines(said.reply.blocks))
    })
  })

  it('reports in a stream whatever does not come back from it', () => {
    always(richInPieces, ([reply, places]) => {
      const { written, streamed } = exchange(reply, places)
      fail(unreportedInReply(own({ reply }), own(streamed), written.losses))
    })
  })

  it('says as a whole what it says as a stream', () => {
    always(richInPieces, ([reply, places]) => {
      const { written, streamed, whole } = exchange(reply, places)
      fail(formDifferences(streamed, whole, written.losses))
    })
  })

  it('writes the same bytes for the same reply, however it is cut', () => {
    always(plainInPieces, ([reply, places]) => {
      const request = requestFor(reply)
      const events = inPieces(reply, places)
      const once = writeReply(adapter, request, events)
      expect(writeReply(adapter, request, events)).toEqual(once)
      expect(writeReply(adapter, request, unfold(reply)).body).toBe(once.body)
    })
  })
})
