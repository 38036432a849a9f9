import { sseFrame } from '../../src/stream/sse.ts'
import { describe, expect, it } from 'vitest'
import { unfold, type Event } from '../../src/model/events.ts'
import type { Block, FinishReason } from '../../src/model/request.ts'
import { writeEnvelope } from '../../src/model/proof.ts'
import { encodeBase64 } from '../../src/json/base64.ts'
import { call, hear, hearStream, read, reply, tell, tellReply, text } from './help.ts'

const parts = (chunk: { candidates: { content: { parts: unknown[] } }[] }) =>
  chunk.candidates[0]?.content.parts
const foreign = { dialect: 'messages', value: 'c2lnbmF0dXJl' }
const start: Event = { type: 'start', id: 'r-1', model: 'm' }

const cited = (start: number, end: number) => ({
  url: 'https://example.com',
  title: 'A',
  start,
  end,
})

describe('a written reply', () => {
  it('ends on a chunk with a part, whatever came before', () => {
    const { chunks, body } = tell([start, { type: 'finish', reason: 'stop' }])
    expect(chunks).toHaveLength(1)
    expect(chunks[0]).toEqual(body)
    expect(body).toEqual({
      candidates: [
        { content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP', index: 0 },
      ],
      usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
      modelVersion: 'the-model',
      responseId: 'r-1',
    })
  })

  it('says each piece at once, and the reason and the counts behind the last one', () => {
    const { chunks, frames } = tell([
      start,
      { type: 'block-start', block: text('') },
      { type: 'block-delta', text: 'Hel' },
      { type: 'block-delta', text: 'lo' },
      { type: 'block-end', tail: {} },
      { type: 'usage', usage: { input: 10, cacheRead: 4, output: 8, reasoning: 3, toolUse: 2 } },
      { type: 'finish', reason: 'stop' },
    ])
    expect(chunks.map(parts)).toEqual([[{ text: 'Hel' }], [{ text: 'lo' }], [{ text: '' }]])
    expect(chunks[1]).not.toHaveProperty('usageMetadata')
    expect(chunks[2].usageMetadata).toEqual({
      promptTokenCount: 8,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 3,
      toolUsePromptTokenCount: 2,
      totalTokenCount: 18,
    })
    expect(frames.every((frame) => frame.event === undefined)).toBe(true)
  })

  it('has each call whole in one part, with its id', () => {
    const { chunks } = tell([
      start,
      {
        type: 'block-start',
        block: { kind: 'tool-call', id: 'toolu_1', name: 'f', form: 'json', input: '' },
      },
      { type: 'block-delta', text: '{"n":' },
      { type: 'block-delta', text: '2512292042121000001}' },
      { type: 'block-end', tail: { proof: foreign } },
      { type: 'finish', reason: 'tool-call' },
    ])
    expect(chunks).toHaveLength(1)
    expect(parts(chunks[0])).toMatchObject([
      {
        functionCall: { id: 'toolu_1', name: 'f' },
        thoughtSignature: encodeBase64(writeEnvelope(foreign, 'self')),
      },
    ])
    expect(chunks[0].candidates[0].finishReason).toBe('STOP')
  })

  it('is one line for every frame, also with arguments that are not', () => {
    const { frames } = tellReply({
      kind: 'tool-call',
      id: '1',
      name: 'f',
      form: 'json',
      input: '{\r\n  "a" : 1\n}',
    })
    const texts = frames.map((frame) => sseFrame(frame))
    expect(texts.every((text) => /^data: [^\r\n]+\n\n$/.test(text))).toBe(true)
  })

  it('lets nobody carry out a call that was cut', () => {
    const cut: Block = { kind: 'tool-call', id: '1', name: 'f', form: 'json', input: '{"a":' }
    const { body, losses } = tell(unfold({ ...reply(cut), finish: 'tool-call' }))
    expect(body.candidates[0]).toMatchObject({ finishReason: 'MALFORMED_FUNCTION_CALL' })
    expect(losses).toContain('approximated reply.tool-call.input')
    expect(tell(unfold({ ...reply(cut), finish: 'length' })).body.candidates[0].finishReason).toBe(
      'MAX_TOKENS',
    )
  })

  it.each<[FinishReason, string, string[]]>([
    ['stop', 'STOP', []],
    ['length', 'MAX_TOKENS', []],
    ['safety', 'SAFETY', []],
    ['recitation', 'RECITATION', []],
    ['malformed-call', 'MALFORMED_FUNCTION_CALL', []],
    ['other', 'OTHER', []],
    ['stop-sequence', 'STOP', ['approximated reply.finish']],
    ['context-window', 'MAX_TOKENS', ['approximated reply.finish']],
    ['refusal', 'SAFETY', ['approximated reply.finish']],
    ['pause', 'OTHER', ['approximated reply.finish']],
  ])('ends for %s with %s', (reason, name, losses) => {
    const said = tell([start, { type: 'finish', reason }])
    expect(said.body.candidates[0].finishReason).toBe(name)
    expect(said.losses).toEqual(losses)
  })

  it('ends with the error and nothing behind it', () => {
    const problem = { kind: 'overloaded' as const, message: 'busy' }
    const { chunks, body } = tell([
      start,
      { type: 'block-start', block: text('') },
      { type: 'block-delta', text: 'Half' },
      { type: 'error', problem },
      { type: 'finish', reason: 'stop' },
    ])
    expect(chunks).toHaveLength(2)
    expect(parts(chunks[0])).toEqual([{ text: 'Half' }])
    expect(chunks[1]).toEqual({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } })
    expect(body).toEqual(chunks[1])
    expect(tell([{ type: 'error', problem }]).chunks).toHaveLength(1)
  })

  it('says what has no place', () => {
    const { losses } = tellReply(
      { kind: 'refusal', text: 'No.' },
      { kind: 'opaque', dialect: 'messages', value: { type: 'container_upload' } },
      { kind: 'search', id: 's', queries: ['a'], sources: [] },
      {
        kind: 'text',
        text: 'b',
        citations: [{ url: 'https://example.com', quote: 'q', fileId: 'f' }],
      },
    )
    expect(losses.toSorted()).toEqual(
      [
        'approximated reply.refusal',
        'approximated reply.search',
        'dropped reply.container_upload',
        'dropped reply.citations.fileId',
        'dropped reply.citations.quote',
        'reordered reply.search',
      ]
        .toSorted()
        .concat('approximated reply.blocks')
        .toSorted(),
    )
  })

  it('grounds a text where it is cited, in bytes, each source once', () => {
    const { body, chunks } = tellReply({
      kind: 'text',
      text: 'Grüße. Ja.',
      citations: [cited(0, 6), cited(7, 10)],
    })
    const metadata = {
      groundingChunks: [{ web: { uri: 'https://example.com', title: 'A' } }],
      groundingSupports: [
        { segment: { startIndex: 0, endIndex: 8, text: 'Grüße.' }, groundingChunkIndices: [0] },
        { segment: { startIndex: 9, endIndex: 12, text: 'Ja.' }, groundingChunkIndices: [0] },
      ],
    }
    expect(body.candidates[0].groundingMetadata).toEqual(metadata)
    expect(chunks.at(-1).candidates[0].groundingMetadata).toEqual(metadata)
    expect(hear(JSON.stringify(body)).reply.blocks[0]).toMatchObject({
      citations: [cited(0, 6), cited(7, 10)],
    })
  })

  it('does not repeat a long text for thousands of citations of it', () => {
    const long = 'Grüße. '.repeat(1000)
    const citations = Array.from({ length: 2000 }, (_, index) => ({
      url: `https://example.com/${index}`,
    }))
    const { body, chunks, losses } = tellReply(
      { kind: 'text', text: 'Vorweg. ' },
      { kind: 'text', text: long, citations },
      ...citations.map(({ url }): Block => ({ kind: 'text', text: 'So.', citations: [{ url }] })),
    )
    expect(losses).toContain('dropped reply.citations.text')
    const supports = body.candidates[0].groundingMetadata.groundingSupports
    expect(supports).toHaveLength(4000)
    expect(supports[0].segment.text).toBe(long)
    expect(supports[1999].segment).toEqual({ startIndex: 8, endIndex: 9008 })
    expect(supports[2000].segment).toEqual({ startIndex: 9008, endIndex: 9011, text: 'So.' })
    expect(supports[3999].segment).toMatchObject({ startIndex: 9008 + 1999 * 3 })
    expect(JSON.stringify(body).length).toBeLessThan(1_500_000)
    expect(JSON.stringify(chunks).length).toBeLessThan(4_000_000)
    expect(chunks.at(-1).candidates[0].groundingMetadata).toEqual(
      body.candidates[0].groundingMetadata,
    )
  })

  it('comes back as it was, in one piece and in many', () => {
    const blocks: Block[] = [
      {
        kind: 'reasoning',
        text: 'Hmm.',
        proof: { dialect: 'generate-content', value: 'cmVhc29u' },
      },
      { kind: 'text', text: 'Let me see.' },
      { kind: 'code', id: 'c-1', language: 'python', code: 'print(1)' },
      { kind: 'code-result', callId: 'c-1', outcome: 'failed', output: 'no' },
      { kind: 'media', mediaType: 'image/png', source: { data: 'AA==' } },
      { kind: 'tool-call', id: 't-1', name: 'f', form: 'json', input: '{"a":1}' },
    ]
    const { body, frames } = tellReply(...blocks)
    expect(hear(JSON.stringify(body)).reply.blocks).toEqual(blocks)
    expect(hearStream(frames.map(({ data }): unknown => JSON.parse(data))).reply.blocks).toEqual(
      blocks,
    )
  })
})

const echoed = (...blocks: Block[]) => {
  const { chunks, body } = tellReply(...blocks)
  const pieces = chunks.map(
    (chunk: { candidates: { content: unknown }[] }) => chunk.candidates[0]?.content,
  )
  return [read({ contents: pieces }), read({ contents: [body.candidates[0].content] })]
}

describe('proofs of another dialect', () => {
  /** The history as a client keeps it: each chunk’s content, or the whole one. */

  it.each<[string, Block[]]>([
    ['a thought', [{ kind: 'reasoning', text: 'A long thought.', proof: foreign }, text('Yes.')]],
    [
      'a redacted thought before a text',
      [{ kind: 'reasoning', text: '', redacted: true, proof: foreign }, text('Yes.')],
    ],
    [
      'a thought without words before a call',
      [
        { kind: 'reasoning', text: '', proof: foreign },
        { kind: 'tool-call', id: 't', name: 'f', form: 'json', input: '{}' },
      ],
    ],
    [
      'two thoughts without words',
      [
        { kind: 'reasoning', text: '', redacted: true, proof: foreign },
        { kind: 'reasoning', text: '', proof: foreign },
        text('Yes.'),
      ],
    ],
    [
      'a thought without words at the end',
      [text('Yes.'), { kind: 'reasoning', text: '', redacted: true, proof: foreign }],
    ],
    [
      'a redacted thought before a thought',
      [
        { kind: 'reasoning', text: '', redacted: true, proof: foreign },
        { kind: 'reasoning', text: 'Hm.', proof: foreign },
        text('Yes.'),
      ],
    ],
    [
      'a call',
      [{ kind: 'tool-call', id: 't', name: 'f', form: 'json', input: '{}', proof: foreign }],
    ],
  ])('come home with %s', (_, blocks) => {
    const plain = blocks.map((block) =>
      block.kind === 'tool-call'
        ? { ...block, origin: { dialect: 'generate-content', facts: { id: 't' } } }
        : block,
    )
    for (const request of echoed(...blocks))
      expect(request.turns).toEqual([{ role: 'assistant', blocks: plain }])
  })

  it('are dropped when they are damaged, and nothing else with them', () => {
    const envelope = encodeBase64(writeEnvelope(foreign, 'self'))
    for (const thoughtSignature of [
      envelope.slice(0, -4),
      envelope.replace(/.{8}$/, 'AAAAAAAA'),
      `${envelope}!`,
    ]) {
      const { turns } = read({
        contents: [{ role: 'model', parts: [{ text: 'Hm.', thought: true, thoughtSignature }] }],
      })
      expect(turns[0]?.blocks).toEqual([{ kind: 'reasoning', text: 'Hm.', damagedProof: true }])
    }
  })

  it('come home on calls when the client returns no thoughts', () => {
    const thought: Block = { kind: 'reasoning', text: 'First the weather.', proof: foreign }
    const spoken: Block[] = [thought, text('Let me see.'), call('t', 'f')]
    const { body, chunks } = tellReply(...spoken)
    for (const one of [body.candidates[0].content.parts, chunks.flatMap(parts)]) {
      const calls = one.filter((part: { thought?: boolean }) => part.thought !== true)
      const { turns } = read({ contents: [{ role: 'model', parts: calls }] })
      expect(turns[0]?.blocks).toMatchObject(spoken)
    }
  })

  it('are not what clients put on a call that has none', () => {
    const part = {
      functionCall: { name: 'f' },
      thoughtSignature: 'skip_thought_signature_validator',
    }
    expect(
      read({ contents: [{ role: 'model', parts: [part] }] }).turns[0]?.blocks[0],
    ).not.toHaveProperty('proof')
  })
})
