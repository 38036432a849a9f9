import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { isObject, type Json, type JsonObject, objectsOf, stringify } from '../../src/json/json.ts'
import { unfold } from '../../src/model/events.ts'
import type { Block, Reply } from '../../src/model/request.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { othersThan } from '../dialects/index.ts'
import { cuts, inPieces, plainReply, requestFor } from '../laws/arbitrary-replies.ts'
import { clientOf } from '../laws/clients.ts'
import { readRequest, writeReply, writeRequest } from '../laws/exchange.ts'
import { always } from '../laws/law.ts'

/**
 * `@ai-sdk/openai-compatible` (3.0.35) brings back the text of all thoughts in one member, and of a call what stands
 * beside it in the delta with its name; entries of `reasoning_details` it drops.
 */

const chat = adapterOf('chat-completions')
const OTHERS = othersThan('chat-completions')
const client = clientOf('chat-completions')

const wholeOrInPieces = fc.tuple(plainReply, fc.option(cuts, { nil: undefined }))

interface Played {
  reply: Reply
  places?: readonly number[]
  change?: (message: JsonObject) => JsonObject
}

/** The next request of such a client. */
function nextRequest({ reply, places, change = (message) => message }: Played): string {
  const events = places ? inPieces(reply, places) : unfold(reply)
  const { body = '', frames } = writeReply(chat, requestFor(reply), events)
  const received = (places && client.gather?.(frames)) ?? JSON.parse(body)
  const asked = client.followUp(client.request('model-1', 'Hello'), received)
  const messages = objectsOf(asked['messages']).map((message) => {
    const { reasoning_details: _, ...kept } = message
    return message['role'] === 'assistant' ? change(kept) : message
  })
  return stringify({ ...asked, messages })
}

const said = (text: string): Block[] =>
  readRequest(chat, text).turns.flatMap(({ role, blocks }) => (role === 'assistant' ? blocks : []))

/** What is proven before the last call of a reply, but for calls, which have proofs of their own beside them. */
function provenBeforeCalls({ blocks }: Reply): string[] {
  const last = blocks.findLastIndex(({ kind }) => kind === 'tool-call')
  return provenIn(blocks.slice(0, Math.max(0, last)))
}

/** The proofs, with the words of the thoughts that they prove. */
const provenIn = (blocks: Block[]): string[] =>
  blocks.flatMap((block) => {
    const proof = block.kind === 'tool-call' ? undefined : proofOf(block)
    return proof ? [`${proof.value} ${block.kind === 'reasoning' ? block.text : ''}`] : []
  })

const proofOf = (block: Block) => ('proof' in block ? block.proof : undefined)

/** The proofs of one dialect alone: one upstream made the reply. */
const provenBy = (reply: Reply, dialect: Dialect): Reply => ({
  ...reply,
  blocks: reply.blocks.flatMap((block): Block[] => {
    const proof = proofOf(block)
    if (!proof || proof.dialect === dialect) return [block]
    if (block.kind === 'reasoning' && block.redacted) return []
    const { proof: _, ...rest } = block as Block & { proof?: unknown }
    return [rest as Block]
  }),
})

const ENVELOPE = /xseal1\.[a-z-]+\.[a-z]+\.\d+\.[0-9a-f]{14}\./

const proofsIn = (blocks: Block[]): string[] =>
  blocks.flatMap((block) => proofOf(block)?.value ?? [])

describe.each(OTHERS)('over %s', (dialect) => {
  it('what proves the thoughts before a call stands beside it, whole and as a stream', () => {
    always(wholeOrInPieces, ([whole, places]) => {
      const reply = provenBy(whole, dialect)
      const played = { reply, ...(places && { places }) }
      const lines = provenBeforeCalls(reply)
      expect(provenIn(said(nextRequest(played)))).toEqual(lines)
    })
  })

  it('and is sent to nobody else', () => {
    always(plainReply, (whole) => {
      const request = readRequest(chat, nextRequest({ reply: provenBy(whole, dialect) }))
      for (const other of OTHERS)
        expect(writeRequest(adapterOf(other), request).text).not.toMatch(ENVELOPE)
    })
  })
})

const THOUGHT = { kind: 'reasoning', text: 'hm, so', proof: { dialect: 'messages', value: 'c2ln' } }
const HIDDEN = {
  kind: 'reasoning',
  text: '',
  redacted: true,
  proof: { dialect: 'messages', value: 'cmVk' },
}
const CALL = { kind: 'tool-call', id: 'call_a', name: 'f', form: 'json', input: '{}' }
const reply = {
  id: 'x',
  model: 'm',
  blocks: [THOUGHT, HIDDEN, CALL, { ...THOUGHT, text: 'then' }, { ...CALL, id: 'call_b' }],
  finish: { reason: 'tool-call' },
} as unknown as Reply

const withText = (text: Json | undefined) => (message: JsonObject) => ({
  ...message,
  reasoning_content: text ?? null,
})

const withMine = (message: JsonObject) => ({
  ...message,
  tool_calls: objectsOf(message['tool_calls']).map((call) => ({
    ...call,
    extra_content: { ...(isObject(call['extra_content']) && call['extra_content']), mine: 1 },
  })),
})

describe('a client that changes what it was told', () => {
  it('gets each thought back where it was', () => {
    expect(said(nextRequest({ reply }))).toMatchObject(reply.blocks)
  })

  it.each<[string, string | undefined, number]>([
    ['without its words', undefined, 1],
    ['with other words', 'hm, no, then', 1],
    ['with words behind', 'hm, sothen and more', 3],
  ])('sends no proof for a thought %s', (_, text, proofs) => {
    const blocks = said(nextRequest({ reply, change: withText(text) }))
    expect(proofsIn(blocks)).toHaveLength(proofs)
    const words = blocks.map((block) => (block.kind === 'reasoning' ? block.text : '')).join('')
    expect(words).toBe(text ?? '')
  })

  it('keeps what else stands beside a call', () => {
    const blocks = said(nextRequest({ reply, change: withMine }))
    expect(proofsIn(blocks)).toHaveLength(3)
    expect(blocks.filter(({ kind }) => kind === 'tool-call')).toMatchObject([
      { ext: { 'chat-completions': { extra_content: { mine: 1 } } } },
      {},
    ])
  })
})
