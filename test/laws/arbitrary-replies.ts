import fc from 'fast-check'
import { DIALECTS } from '../../adapters/dialect.ts'
import { kits } from '../dialects/index.ts'
import { unfold, type Event } from '../../src/model/events.ts'
import { isRefusing } from '../../src/problems/refused.ts'
import type { Block, FinishReason, Reply, Request, Usage } from '../../src/model/request.ts'
import {
  anyProof,
  anyText,
  base64,
  brokenText,
  citationsOf,
  filledText,
  objectText,
  reasoningProof,
  proofOf,
  textToolName,
  titleOf,
  toolName,
} from './arbitrary.ts'

const id = fc.stringMatching(/^[a-zA-Z0-9_-]{6,30}$/)

/** Optional members are absent, never undefined. */
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const trim = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T

const plainText = fc.record({ kind: fc.constant('text' as const), text: filledText })
const provenText = fc
  .record({ kind: fc.constant('text' as const), text: anyText, proof: anyProof })
  .map((block): Block => block)
const citedText = filledText.chain((text) =>
  citationsOf(text).map((citations): Block => ({ kind: 'text', text, citations })),
)

const reasoning = fc
  .record({
    kind: fc.constant('reasoning' as const),
    text: filledText,
    proof: some(reasoningProof),
  })
  .map((block) => trim(block) as Block)
const proofOnly = reasoningProof.map((proof): Block => ({ kind: 'reasoning', text: '', proof }))
const redacted = proofOf('messages').map((proof): Block => ({
  kind: 'reasoning',
  text: '',
  redacted: true,
  proof,
}))

const jsonCall = (input: fc.Arbitrary<string>) =>
  fc
    .record({
      kind: fc.constant('tool-call' as const),
      id,
      name: toolName,
      form: fc.constant('json' as const),
      input,
      proof: some(anyProof),
    })
    .map((block) => trim(block) as Block)
const textCall = fc
  .record({
    kind: fc.constant('tool-call' as const),
    id,
    name: textToolName,
    form: fc.constant('text' as const),
    input: anyText,
  })
  .map((block): Block => block)

const refusal = filledText.map((text): Block => ({ kind: 'refusal', text }))
const media = fc
  .record({
    mediaType: fc.constantFrom('image/png', 'audio/wav', 'application/pdf', 'video/mp4'),
    data: base64,
  })
  .map(({ mediaType, data }): Block => ({ kind: 'media', mediaType, source: { data } }))
const code = fc.tuple(id, filledText, filledText).map(([callId, text, output]): Block[] => [
  { kind: 'code', id: callId, language: 'python', code: text },
  { kind: 'code-result', callId, outcome: 'ok', output },
])
const search = fc
  .tuple(id, fc.array(filledText, { minLength: 1, maxLength: 2 }), fc.option(fc.webUrl()))
  .map(([searchId, queries, url]): Block => ({
    kind: 'search',
    id: searchId,
    queries,
    ...(url === null ? { sources: [], failed: true } : { sources: [{ url, title: titleOf(url) }] }),
  }))
/** Blocks that one dialect knows, and one that none does. */
const OPAQUE: Block[] = [
  ...DIALECTS.map((dialect): Block => ({
    kind: 'opaque',
    dialect,
    value: kits[dialect].ask.opaque,
  })),
  { kind: 'opaque', dialect: 'future', value: { type: 'future_block' } },
]
const opaque = fc.constantFrom(...OPAQUE)

/** Blocks that every dialect has a place for: they must arrive as they are, with nothing to report. */
const plainBlocks = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: plainText },
    { weight: 2, arbitrary: provenText },
    { weight: 3, arbitrary: reasoning },
    proofOnly,
    redacted,
    { weight: 3, arbitrary: jsonCall(objectText) },
  ),
  { maxLength: 6 },
)

const richBlocks = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: plainBlocks },
      citedText.map((block) => [block]),
      anyText.map((text): Block[] => [{ kind: 'text', text }]),
      jsonCall(fc.oneof(objectText, brokenText, fc.constant(''))).map((block) => [block]),
      textCall.map((block) => [block]),
      refusal.map((block) => [block]),
      media.map((block) => [block]),
      code,
      search.map((block) => [block]),
      opaque.map((block) => [block]),
    ),
    { maxLength: 4 },
  )
  .map((groups) => uniqueIds(groups.flat()))

/** Ids are unique within a reply. */
function uniqueIds(blocks: Block[]): Block[] {
  const seen = new Set<string>()
  return blocks.filter((block) => {
    const id = block.kind === 'opaque' ? JSON.stringify(block.value) : 'id' in block && block.id
    if (id === false) return true
    const fresh = !seen.has(id)
    seen.add(id)
    return fresh
  })
}

const tokens = fc.nat({ max: 100_000 })
/** Sums of their parts, as usage is defined. */
const usage = (parts: { cacheWrite: boolean }): fc.Arbitrary<Usage> =>
  fc.tuple(tokens, tokens, tokens, tokens, tokens).map(([fresh, read, write, said, thought]) => ({
    input: fresh + read + (parts.cacheWrite ? write : 0),
    ...(read > 0 && { cacheRead: read }),
    ...(parts.cacheWrite && write > 0 && { cacheWrite: write }),
    output: said + thought,
    ...(thought > 0 && { reasoning: thought }),
  }))

const hasCall = (blocks: Block[]): boolean => blocks.some((block) => block.kind === 'tool-call')

const FINISHES: FinishReason[] = [
  'stop',
  'stop-sequence',
  'length',
  'context-window',
  'refusal',
  'safety',
  'recitation',
  'malformed-call',
  'pause',
  'other',
]

interface Parts {
  blocks: fc.Arbitrary<Block[]>
  usage: fc.Arbitrary<Usage>
  finishes: FinishReason[]
}

const arbitraryReplyFrom = ({ blocks, usage, finishes }: Parts): fc.Arbitrary<Reply> =>
  fc
    .record({
      id: fc.constant('reply-1'),
      blocks,
      usage: some(usage),
      finish: fc.constantFrom(...finishes),
      refused: some(filledText.map((explanation) => ({ explanation }))),
    })
    .map(({ finish, refused, ...rest }) =>
      trim({
        ...rest,
        ...(isRefusing(finish) && { refused }),
        model: 'model-1',
        finish: finish === 'stop' && hasCall(rest.blocks) ? ('tool-call' as const) : finish,
        stopSequence: finish === 'stop-sequence' ? 'END' : undefined,
      }),
    )
    .map((reply) => trim(reply) as Reply)

export const plainReply = arbitraryReplyFrom({
  blocks: plainBlocks.map(uniqueIds),
  usage: usage({ cacheWrite: false }),
  finishes: ['stop', 'length'],
})
export const richReply = arbitraryReplyFrom({
  blocks: richBlocks,
  usage: usage({ cacheWrite: true }),
  finishes: FINISHES,
})

/** As a program writes it, and as one that wants to break lines does. */
const SCHEMAS = [
  '{"type":"object"}',
  '{\r\n\t"type": "object",\r "description":\n\t"a\u2028b\u2029c\u0085d"\n}',
]

/** The request that a reply answers: it declares the tools that the reply calls, and asks for thoughts. */
export function requestFor(reply: Reply): Request {
  const calls = new Map(
    reply.blocks.flatMap((block) => (block.kind === 'tool-call' ? [[block.name, block.form]] : [])),
  )
  return {
    model: 'model-1',
    stream: true,
    system: [],
    turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'Hello' }] }],
    tools: [...calls].map(([name, form]) =>
      form === 'text'
        ? { kind: 'text', name }
        : { kind: 'function', name, schema: SCHEMAS[reply.blocks.length % 2] ?? '{}' },
    ),
    limits: {},
    sampling: {},
    reasoning: { mode: 'on', effort: 'medium', visible: true },
  }
}

/** The same reply in other pieces: deltas cut anywhere between characters, counts that grow. */
export function inPieces(reply: Reply, cuts: readonly number[]): Event[] {
  let next = 0
  const cut = () => cuts[next++ % Math.max(cuts.length, 1)] ?? 0
  return unfold(reply).flatMap((event): Event[] => {
    if (event.type !== 'block-delta') return [event]
    const characters = [...event.text]
    const pieces: Event[] = []
    while (characters.length > 0) {
      const text = characters.splice(0, 1 + (cut() % 7)).join('')
      pieces.push({ type: 'block-delta', text })
    }
    return pieces
  })
}

export const cuts = fc.array(fc.nat({ max: 100 }), { maxLength: 5 })
