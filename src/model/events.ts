import { defined } from '../json/json.ts'
import type {
  Block,
  BlockOf,
  Citation,
  Ext,
  FinishReason,
  Logprob,
  Proof,
  RefusalDetails,
  Reply,
  Usage,
} from './request.ts'
import { append } from './logprobs.ts'
import type { Key } from './paths.ts'
import type { Problem } from './problem.ts'

/**
 * A reply as it comes: `start (block-start (block-delta | logprobs | citation)* block-end | usage)* (finish | error)`,
 * at most one block open. `block-start` carries the block with its body empty; the body comes in deltas and
 * the proof, known last, in the tail. Blocks without a text body come whole in `block-start`.
 */
export type Event =
  | StartEvent
  | { type: 'block-start'; block: Block }
  | { type: 'block-delta'; text: string }
  /** Of the tokens of a text, in their order; they stand before the delta that they came with. */
  | { type: 'logprobs'; logprobs: readonly Logprob[] }
  | { type: 'citation'; citation: Citation }
  | { type: 'block-end'; tail: Tail }
  | { type: 'usage'; usage: Usage }
  | FinishEvent
  | { type: 'error'; problem: Problem }
  | CandidateEvent

/**
 * An event of a further answer, for callers that asked for several (`candidateCount`). `index` counts from 1, since
 * the reply itself is the first. The events of each candidate follow the grammar above by themselves, without counts
 * and errors: these belong to the whole reply. They may come between any two events from the start on, and each
 * candidate has finished before the reply does.
 */
export interface CandidateEvent {
  type: 'candidate'
  index: number
  event: Event
}

export interface StartEvent {
  type: 'start'
  id: string
  model: string
  /** When the service began the reply, in seconds since 1970, where it says so in a stream. */
  created?: number
  /** What is counted already, where the service says it with its first words. */
  usage?: Usage
  withheld?: readonly Withheld[]
  ext?: Ext
}

export interface FinishEvent {
  type: 'finish'
  reason: FinishReason
  stopSequence?: string
  /** What is known only now; all of it, also what the start has said already. */
  withheld?: readonly Withheld[]
  refused?: RefusalDetails
  ext?: Ext
}

/** A proof in the request that the model was not shown, and why: `prefix`, `model`, `end_user`, `turn_boundary`. */
export interface Withheld {
  /** Its place in the request, or the id of its element. */
  at?: readonly Key[]
  id?: string | undefined
  /** The type of its element, where the upstream tells no place. */
  type?: string
  reason: string
  /** It was shown all the same. */
  shown?: true
}

/** The place of such proofs among what is lost. */
export const WITHHELD = 'reply.withheld'

const SHOWN = {
  start: false,
  'block-start': true,
  'block-delta': true,
  logprobs: true,
  citation: true,
  'block-end': true,
  usage: false,
  finish: true,
  error: true,
} as const satisfies Record<Exclude<Event['type'], 'candidate'>, boolean>

/** Whether an event shows something of the reply. */
export const isShown = (event: Event): boolean =>
  event.type === 'candidate' ? isShown(event.event) : SHOWN[event.type]

/** What becomes known of a block only at its end. `ext` replaces members of the same name, per dialect. */
export interface Tail {
  proof?: Proof
  ext?: Ext
}

/** The proof of a block that ends: it comes with the end, unless it was known before. */
export const closingProof = (block: Block, tail: Tail): Proof | undefined =>
  tail.proof ?? ('proof' in block ? block.proof : undefined)

/** The member that deltas append to, or undefined for a block that comes whole. */
export function streamedText(block: Block): string | undefined {
  switch (block.kind) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return block.text
    case 'tool-call':
      return block.input
    case 'code':
      return block.code
    case 'media':
    case 'tool-result':
    case 'code-result':
    case 'search':
    case 'mcp-call':
    case 'mcp-listing':
    case 'tool-search':
    case 'tool-change':
    case 'opaque':
      return undefined
    default:
      return block satisfies never
  }
}

/** The same block with another body; a block without one comes back as it is. */
export function withBody(block: Block, body: string): Block {
  switch (block.kind) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return { ...block, text: body }
    case 'tool-call':
      return { ...block, input: body }
    case 'code':
      return { ...block, code: body }
    default:
      return block
  }
}

/** Merges leftovers, dialect by dialect; the later ones win. */
export function mergeExt(first: Ext | undefined, second: Ext | undefined): Ext | undefined {
  if (!first || !second) return second ?? first
  const merged = { ...first }
  for (const [dialect, fields] of Object.entries(second))
    merged[dialect] = { ...merged[dialect], ...fields }
  return merged
}

/** A block with what its tail adds. */
export function withTail(block: Block, tail: Tail): Block {
  if (block.kind === 'opaque') return block
  const ext = mergeExt(block.ext, tail.ext)
  const extended = ext ? { ...block, ext } : block
  return tail.proof && takesProof(extended) ? { ...extended, proof: tail.proof } : extended
}

type ProofBlock = BlockOf<'text' | 'media' | 'reasoning' | 'tool-call' | 'code' | 'code-result'>

const PROOF_BLOCKS: ReadonlySet<Block['kind']> = new Set<ProofBlock['kind']>([
  'text',
  'media',
  'reasoning',
  'tool-call',
  'code',
  'code-result',
])

/** Blocks that may have a proof. */
export const takesProof = (block: Block): block is ProofBlock => PROOF_BLOCKS.has(block.kind)

/** A whole reply as events. Inverse of `fold`. */
export function unfold(reply: Reply): Event[] {
  const events: Event[] = [
    defined({ type: 'start' as const, id: reply.id, model: reply.model, ext: reply.ext }),
  ]
  for (const block of reply.blocks) events.push(...unfoldBlock(block))
  if (reply.usage) events.push({ type: 'usage', usage: reply.usage })
  const { finish: reason, stopSequence, refused } = reply
  events.push(defined({ type: 'finish' as const, reason, stopSequence, refused }))
  return events
}

export function unfoldBlock(block: Block): Event[] {
  const body = streamedText(block)
  if (body === undefined)
    return [
      { type: 'block-start', block },
      { type: 'block-end', tail: {} },
    ]
  const { bare, proof, citations, logprobs } = undress(block)
  const events: Event[] = [{ type: 'block-start', block: withBody(bare, '') }]
  if (logprobs.length > 0) events.push({ type: 'logprobs', logprobs })
  if (body !== '') events.push({ type: 'block-delta', text: body })
  for (const citation of citations) events.push({ type: 'citation', citation })
  events.push({ type: 'block-end', tail: proof ? { proof } : {} })
  return events
}

interface Undressed {
  bare: Block
  proof?: Proof | undefined
  citations: readonly Citation[]
  logprobs: readonly Logprob[]
}

function undress(block: Block): Undressed {
  const none = { citations: [], logprobs: [] }
  if (block.kind === 'text') {
    const { proof, citations = [], logprobs = [], ...bare } = block
    return { bare, proof, citations, logprobs }
  }
  if (block.kind === 'reasoning' || block.kind === 'tool-call' || block.kind === 'code') {
    const { proof, ...bare } = block
    return { ...none, bare, proof }
  }
  return { ...none, bare: block }
}

/** The content of a stream so far. Without a finish and a problem it was cut off. */
export interface Folded {
  reply: Omit<Reply, 'finish'> & { finish?: FinishReason }
  problem?: Problem
  /** The further candidates, in the order of their indexes. */
  others?: Folded[]
}

interface OpenBlock {
  block: Block
  parts: string[]
  citations: Citation[]
  logprobs: Logprob[]
}

function wholeBlock({ block, parts, citations, logprobs }: OpenBlock): Block {
  const whole = withBody(block, parts.join(''))
  if (whole.kind !== 'text') return whole
  return {
    ...whole,
    ...(logprobs.length > 0 && { logprobs }),
    ...(citations.length > 0 && { citations }),
  }
}

/** Gathers a stream. A block that is still open at the end counts as far as it came. */
export function fold(events: Iterable<Event>): Folded {
  const folded: Folded = { reply: { id: '', model: '', blocks: [] } }
  const { reply } = folded
  const others = new Map<number, Event[]>()
  let open: OpenBlock | undefined
  const close = (tail: Tail) => {
    if (open) reply.blocks.push(withTail(wholeBlock(open), tail))
    open = undefined
  }
  for (const event of events) {
    switch (event.type) {
      case 'start':
        Object.assign(reply, defined({ id: event.id, model: event.model, ext: event.ext }))
        break
      case 'block-start':
        open = opened(event.block)
        break
      case 'block-delta':
        open?.parts.push(event.text)
        break
      case 'citation':
        open?.citations.push(event.citation)
        break
      case 'logprobs':
        if (open) append(open.logprobs, event.logprobs)
        break
      case 'block-end':
        close(event.tail)
        break
      case 'usage':
        reply.usage = { ...reply.usage, ...event.usage }
        break
      case 'finish':
        finishReply(reply, event)
        break
      case 'error':
        folded.problem = event.problem
        break
      case 'candidate':
        listAt(others, event.index).push(event.event)
        break
      default:
        event satisfies never
    }
  }
  close({})
  return others.size === 0 ? folded : { ...folded, others: foldedOthers(others) }
}

const opened = (block: Block): OpenBlock => ({
  block,
  parts: [streamedText(block) ?? ''],
  citations: [],
  logprobs: [],
})

function finishReply(reply: Folded['reply'], event: Event & { type: 'finish' }): void {
  reply.finish = event.reason
  if (event.stopSequence !== undefined) reply.stopSequence = event.stopSequence
  if (event.refused) reply.refused = event.refused
  const ext = mergeExt(reply.ext, event.ext)
  if (ext) reply.ext = ext
}

const foldedOthers = (others: ReadonlyMap<number, Event[]>): Folded[] =>
  [...others].toSorted(([one], [other]) => one - other).map(([, list]) => fold(list))

function listAt(lists: Map<number, Event[]>, index: number): Event[] {
  const list = lists.get(index) ?? []
  lists.set(index, list)
  return list
}

/** Checks the grammar above; the text says what is wrong and where. */
export function verify(events: readonly Event[]): string | undefined {
  let open: Block | undefined
  let ended = false
  for (const [index, event] of events.entries()) {
    const wrong = (what: string) => `event ${index} (${event.type}): ${what}`
    if (ended) return wrong('comes after the end')
    // A failure before the reply began needs no start.
    if (index === 0 && event.type === 'error') ended = true
    else if ((index === 0) !== (event.type === 'start'))
      return wrong('a stream starts once, with start')
    switch (event.type) {
      case 'block-start':
        if (open) return wrong(`${open.kind} is still open`)
        if ((streamedText(event.block) ?? '') !== '') return wrong('the body belongs into deltas')
        open = event.block
        break
      case 'block-delta':
        if (!open || streamedText(open) === undefined) return wrong('no block with a body is open')
        if (event.text === '') return wrong('is empty')
        break
      case 'logprobs':
      case 'citation':
        if (open?.kind !== 'text') return wrong('no text block is open')
        break
      case 'block-end':
        if (!open) return wrong('no block is open')
        open = undefined
        break
      case 'finish':
        if (open) return wrong(`${open.kind} is still open`)
        ended = true
        break
      case 'error':
        ended = true
        break
      case 'candidate':
        if (['candidate', 'error', 'usage'].includes(event.event.type))
          return wrong(`${event.event.type} is not said of a candidate`)
        break
      case 'start':
      case 'usage':
        break
      default:
        event satisfies never
    }
  }
  return ended ? verifyOthers(events) : 'the stream has no end'
}

/** A failure may come before the candidates have ended. */
function verifyOthers(events: readonly Event[]): string | undefined {
  const others = new Map<number, Event[]>()
  for (const event of events)
    if (event.type === 'candidate') listAt(others, event.index).push(event.event)
  if (events.at(-1)?.type === 'error') return undefined
  for (const [index, list] of others) {
    const fault = verify(list)
    if (fault !== undefined) return `candidate ${index}: ${fault}`
  }
  return undefined
}
