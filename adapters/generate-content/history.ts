import type { Block, ReasoningBlock, Proof, Turn } from '../../src/model/request.ts'
import { callBook, type CallBook } from './calls.ts'
import { leftovers, many, note } from './dialect.ts'
import { readPart } from './parts.ts'
import type { WireContent, WirePart } from './wire.ts'

/** Contents that are one turn. */
interface Stanza extends Pick<WireContent, 'role'> {
  path: string
  parts: { part: WirePart; path: string }[]
  rest: object
}

export function readTurns(contents: WireContent[]): Turn[] {
  const book = callBook()
  return stanzas(contents).map((stanza) => readTurn(stanza, book))
}

/** Some clients keep every chunk of a streamed answer as a content of its own: together they are a turn again. */
function stanzas(contents: WireContent[]): Stanza[] {
  const list: Stanza[] = []
  for (const [index, { role, parts, ...rest }] of contents.entries()) {
    const path = `contents.${index}`
    const placed = many(parts).map((part, at) => ({ part, path: `${path}.parts.${at}` }))
    const last = role === 'model' && Object.keys(rest).length === 0 ? list.at(-1) : undefined
    if (last?.role === 'model') last.parts.push(...placed)
    else list.push({ path, role, parts: placed, rest })
  }
  return list
}

function readTurn({ path, role, parts, rest }: Stanza, book: CallBook): Turn {
  const isModel = role === 'model'
  if (isModel) book.turn()
  const blocks = parts.flatMap((placed) => readPart(placed.part, { path: placed.path, book }))
  return {
    role: isModel ? 'assistant' : role === 'system' ? 'system' : 'user',
    blocks: pairCode(isModel ? once(joined(blocks)) : blocks, path),
    ...leftovers(rest),
  }
}

/**
 * Clients keep a streamed answer as the pieces in which it came. They are one block again, as the model that
 * wrote it knows it: a proof on the last piece is that of the whole.
 */
function joined(blocks: Block[]): Block[] {
  const result: Block[] = []
  for (const block of blocks) {
    const last = result.at(-1)
    const both = last && join(last, block)
    if (both) result[result.length - 1] = both
    else result.push(block)
  }
  return result
}

function join(first: Block, second: Block): Block | undefined {
  if (first.kind === 'text' && second.kind === 'text' && !first.proof && !first.ext && !second.ext)
    return { ...second, text: first.text + second.text }
  if (first.kind !== 'reasoning' || second.kind !== 'reasoning' || second.redacted) return undefined
  if (first.proof || first.ext || second.ext) return undefined
  return { ...second, text: first.text + second.text }
}

/**
 * A thought that a call repeats stands where it stood, unless the client returns thoughts themselves. One that
 * came back without its proof, which some clients keep on calls alone, has it again.
 */
function once(blocks: Block[]): Block[] {
  const repeats = blocks.filter((block) => readRepeated(block) !== undefined)
  if (repeats.length === 0) return blocks
  const returnsThoughts = blocks.some(
    (block) => isThought(block) && readRepeated(block) === undefined,
  )
  const proofs = repeatedProofs(repeats)
  const settled: Block[] = []
  for (const block of blocks) {
    const before = readRepeated(block)
    if (before === undefined) settled.push(proven(block, proofs))
    else if (!returnsThoughts) {
      settled.splice(Math.max(0, settled.length - before), 0, withoutNote(block))
    }
  }
  return settled
}

/** The thought with the proof that is repeated with the same words, where it has none of its own. */
function proven(block: Block, proofs: ReadonlyMap<string, Proof>): Block {
  if (!isThought(block) || block.proof) return block
  const proof = proofs.get(block.text)
  return proof ? { ...block, proof } : block
}

/** The first proof of each wording. */
function repeatedProofs(repeats: readonly Block[]): ReadonlyMap<string, Proof> {
  const proofs = new Map<string, Proof>()
  for (const block of repeats)
    if (isThought(block) && block.proof && !proofs.has(block.text))
      proofs.set(block.text, block.proof)
  return proofs
}

function withoutNote(block: Block): Block {
  if (block.kind !== 'reasoning') return block
  const { ext: _note, ...thought } = block
  return thought
}

const isThought = (block: Block): block is ReasoningBlock =>
  block.kind === 'reasoning' && block.text !== ''

function readRepeated(block: Block): number | undefined {
  const before = block.kind === 'reasoning' ? note(block.ext, 'repeated') : undefined
  return typeof before === 'number' ? before : undefined
}

/** Code and its result belong together by their order where the wire has no ids. */
function pairCode(blocks: Block[], path: string): Block[] {
  let last = ''
  return blocks.map((block, index) => {
    if (block.kind === 'code') {
      last = block.id || `code_${path.replaceAll('.', '_')}_${index}`
      return { ...block, id: last }
    }
    return block.kind === 'code-result' && block.callId === '' ? { ...block, callId: last } : block
  })
}
