import type { JsonObject } from '../../src/canonical/json.ts'
import { withTail } from '../../src/canonical/events.ts'
import type { Block, ReasoningBlock, Request, Seal } from '../../src/canonical/model.ts'
import { carrySeal, isCarrier, readCarrier, type SealSlot } from '../../src/canonical/seal.ts'
import { DIALECT, extOf, own, textIn } from './dialect.ts'

/** There are clients that send back no thought without a signature, or refuse to go on: a carrier of nothing. */
const UNPROVEN: Seal = { dialect: DIALECT, value: '' }

/** Reasoning with its proof. A foreign proof travels as the signature, in the form of a carrier. */
export const writeSignature = (seal: Seal | undefined, slot: SealSlot): string =>
  seal?.dialect === DIALECT && slot === 'self' ? seal.value : carrySeal(seal ?? UNPROVEN, slot)

/** A block that has no text and exists for the proof of another one. */
export const carrierBlock = (seal: Seal, slot: SealSlot): JsonObject => ({
  type: 'thinking',
  thinking: '',
  signature: carrySeal(seal, slot),
})

/**
 * Whether a proof may stand behind the last text of a reply. `content.at(-1).text` is how the answer is often
 * read (the examples of @anthropic-ai/sdk have `content[0]`, which thinking breaks too), so it may only where
 * the caller has asked for thoughts, or has brought such a proof back. Claude Code 2.1 asks for thoughts and
 * prints the last block all the same.
 */
export function mayFollowText(request: Request): boolean {
  if (extOf(request)['printsLast'] === true) return false
  if (asksForThoughts(request)) return true
  return request.turns.some(({ role, blocks }) => role === 'assistant' && blocks.some(isProvenText))
}

/** An effort alone is none: the service answers with thoughts only where `thinking` stands. */
const asksForThoughts = ({ reasoning }: Request): boolean =>
  reasoning !== undefined && reasoning.mode !== 'off' && extOf(reasoning)['thinking'] !== null

const isProvenText = (block: Block): boolean => block.kind === 'text' && block.seal !== undefined

/** Gathers the blocks of one message, and gives proofs back to the blocks that they were taken from. */
export class ProofReader {
  readonly blocks: Block[] = []
  /** Something that was meant to be a proof of another dialect came back changed, or its block did not. */
  damaged = false
  readonly #pending: Seal[] = []
  readonly #calls: Seal[] = []

  add(block: Block): void {
    const call = block.kind === 'tool-call' ? this.#calls.shift() : undefined
    const isProven = block.kind === 'reasoning' || ('seal' in block && block.seal !== undefined)
    const seal = call ?? (isProven ? undefined : this.#pending.shift())
    this.blocks.push(seal ? this.#sealed(block, seal) : block)
  }

  /** A `thinking` or `redacted_thinking` block. */
  reasoning(raw: JsonObject): void {
    const { type, thinking, signature, data, ...rest } = raw
    const text = textIn(thinking)
    const proof = textIn(type === 'redacted_thinking' ? data : signature)
    const left = own(rest)
    if (!isCarrier(proof)) {
      const seal = proof === '' ? undefined : { dialect: DIALECT, value: proof }
      const redacted = type === 'redacted_thinking'
      return this.add(reasoning({ text, redacted, seal, left }))
    }
    const carried = readCarrier(proof)
    const seal = carried?.seal.value === '' ? undefined : carried?.seal
    switch (carried?.slot) {
      case 'self':
        return this.add(reasoning({ text, seal, left }))
      case 'redacted':
        return this.add(reasoning({ text, redacted: text === '', seal, left }))
      case undefined:
        this.damaged = true
        return this.#visible(text)
      default:
        this.#visible(text)
        if (seal && carried) this.#place(seal, carried.slot)
    }
  }

  end(): void {
    if (this.#pending.length + this.#calls.length > 0) this.damaged = true
  }

  /** A caller that put text into a block of ours meant it. */
  #visible(text: string): void {
    if (text !== '') this.add({ kind: 'reasoning', text })
  }

  #place(seal: Seal, slot: SealSlot): void {
    const before = this.blocks.at(-1)
    // Thoughts carry their own proofs, so this one was put before its block.
    const isMoved = slot === 'previous' && (!before || before.kind === 'reasoning')
    if (slot === 'call') this.#calls.push(seal)
    else if (slot === 'next' || isMoved) this.#pending.push(seal)
    else if (slot === 'empty') this.add({ kind: 'text', text: '', seal })
    else if (before) this.blocks.splice(-1, 1, this.#sealed(before, seal))
    else this.damaged = true
  }

  #sealed(block: Block, seal: Seal): Block {
    const sealed = withTail(block, { seal })
    if (!('seal' in sealed)) this.damaged = true
    return sealed
  }
}

interface Thought {
  text: string
  redacted?: boolean
  seal: Seal | undefined
  left: Pick<ReasoningBlock, 'ext'>
}

const reasoning = ({ text, redacted, seal, left }: Thought): ReasoningBlock => ({
  kind: 'reasoning',
  text,
  ...(redacted && { redacted }),
  ...(seal && { seal }),
  ...left,
})
