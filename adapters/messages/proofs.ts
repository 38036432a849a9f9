import type { Json, JsonObject } from '../../src/json/json.ts'
import { withTail } from '../../src/model/events.ts'
import type { Block, ReasoningBlock, Request, Proof } from '../../src/model/request.ts'
import {
  bringsProvenText,
  fromBase64,
  isEnvelope,
  proofMark,
  readEnvelope,
  writeEnvelope,
  type ProofSlot,
} from '../../src/model/proof.ts'
import { DIALECT, factsOf, keep, listIn, objectIn, objectsIn, textIn } from './dialect.ts'
import type { WireBlock, WireBody, WireMessage } from './wire.ts'

/**
 * Stands for a missing proof, in an envelope: clients that keep thoughts by their signatures return none without one,
 * or fail.
 */
const UNPROVEN: Proof = { dialect: DIALECT, value: '' }

/** The signature of a thought. A foreign proof stands there in an envelope. */
export const writeSignature = (proof: Proof | undefined, slot: ProofSlot): string =>
  proof?.dialect === DIALECT && slot === 'self'
    ? proof.value
    : writeEnvelope(proof ?? UNPROVEN, slot)

/** A thought without text that only carries the proof of another block. */
export const envelopeBlock = (proof: Proof, slot: ProofSlot): JsonObject => ({
  type: 'thinking',
  thinking: '',
  signature: writeEnvelope(proof, slot),
})

/**
 * Whether a proof may stand behind the last text of a reply. Programs often read the answer as `content.at(-1).text`
 * (the examples of @anthropic-ai/sdk read `content[0]`, which thoughts break too). So a proof stands there only where
 * the caller asked for thoughts or has brought such a proof back. Claude Code 2.1 asks for thoughts, but prints the
 * last block.
 */
export function mayFollowText(request: Request): boolean {
  if (request.client?.printsLastBlock) return false
  return asksForThoughts(request) || bringsProvenText(request)
}

/** Whether the request has `thinking`. With an effort alone the service answers without thoughts. */
const asksForThoughts = ({ reasoning }: Request): boolean =>
  reasoning !== undefined && reasoning.mode !== 'off' && !factsOf(reasoning).effortAlone

/** Gathers the blocks of one message, and gives each proof back to the block that it was taken from. */
export class ProofReader {
  readonly blocks: Block[] = []
  /** A proof of another dialect came back changed, or its block is missing. */
  damaged = false
  readonly #pending: Proof[] = []
  readonly #calls: Proof[] = []

  add(block: Block): void {
    const call = block.kind === 'tool-call' ? this.#calls.shift() : undefined
    const isProven = block.kind === 'reasoning' || ('proof' in block && block.proof !== undefined)
    const proof = call ?? (isProven ? undefined : this.#pending.shift())
    this.blocks.push(proof ? this.#proven(block, proof) : block)
  }

  /** A `thinking` or `redacted_thinking` block. */
  reasoning(raw: WireBlock): void {
    const { type, thinking, signature: _, data: _data, ...rest } = raw
    const text = textIn(thinking)
    const signatureText = proofIn(raw)
    const left = keep(rest)
    if (!isEnvelope(signatureText)) {
      const proof = signatureText === '' ? undefined : { dialect: DIALECT, value: signatureText }
      const redacted = type === 'redacted_thinking'
      return this.add(reasoning({ text, redacted, proof, left }))
    }
    const carried = readEnvelope(signatureText)
    const proof = carried?.proof.value === '' ? undefined : carried?.proof
    switch (carried?.slot) {
      case 'self':
        return this.add(reasoning({ text, proof, left }))
      case 'redacted':
        return this.add(reasoning({ text, redacted: text === '', proof, left }))
      case undefined:
        this.damaged = true
        return this.#visible(text)
      default:
        this.#visible(text)
        if (proof && carried) this.#place(proof, carried.slot)
    }
  }

  end(): void {
    if (this.#pending.length + this.#calls.length > 0) this.damaged = true
  }

  /** Text that a caller put into a block made here is kept. */
  #visible(text: string): void {
    if (text !== '') this.add({ kind: 'reasoning', text })
  }

  #place(proof: Proof, slot: ProofSlot): void {
    const before = this.blocks.at(-1)
    // The proof of a thought stands on the thought itself, so a client has moved this proof in front of its block.
    const isMoved = slot === 'previous' && (!before || before.kind === 'reasoning')
    if (slot === 'call') this.#calls.push(proof)
    else if (slot === 'next' || isMoved) this.#pending.push(proof)
    else if (slot === 'empty') this.add({ kind: 'text', text: '', proof })
    else if (before) this.blocks.splice(-1, 1, this.#proven(before, proof))
    else this.damaged = true
  }

  #proven(block: Block, proof: Proof): Block {
    const proven = withTail(block, { proof })
    if (!('proof' in proven)) this.damaged = true
    return proven
  }
}

interface Thought {
  text: string
  redacted?: boolean
  proof: Proof | undefined
  left: Pick<ReasoningBlock, 'ext'>
}

const reasoning = ({ text, redacted, proof, left }: Thought): ReasoningBlock => ({
  kind: 'reasoning',
  text,
  ...(redacted && { redacted }),
  ...(proof && { proof }),
  ...left,
})

export const isThought = ({ type }: WireBlock): boolean =>
  type === 'thinking' || type === 'redacted_thinking'

export const isCall = ({ type }: WireBlock): boolean => type === 'tool_use'

/**
 * Whether the model's last message lacks the thought at its beginning that a model with a budget for thinking requires,
 * while it calls tools or goes on with its own words (`goesOn`).
 */
export const lacksProof = (blocks: readonly WireBlock[], goesOn: boolean): boolean =>
  !blocks.slice(0, 1).some(isThought) && (goesOn || blocks.some(isCall))

/** Whether a conversation ends so. `mayGoOn`: the model goes on with its own words, if they are the end. */
export function endsUnproven({ messages }: WireBody, mayGoOn: boolean): boolean {
  const list: WireMessage[] = objectsIn(messages)
  const last = list.findLast(({ role }) => role === 'assistant')
  return last !== undefined && lacksProof(objectsIn(last.content), mayGoOn && last === list.at(-1))
}

/** The proof in a thought. ADK 2.13 over LiteLLM takes a signature for bytes, and returns an envelope in base64. */
export const proofIn = ({ type, signature, data }: WireBlock): string =>
  fromBase64(textIn(type === 'redacted_thinking' ? data : signature))

/** The proof of the last thought in a body; empty without one. */
export function lastProofIn({ messages }: WireBody): string {
  const list: readonly Json[] = listIn(messages)
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const { role, content }: WireMessage = objectIn(list[index])
    if (role !== 'assistant') continue
    const proof = proofIn(objectsIn(content).findLast(isThought) ?? {})
    if (proof !== '') return proof
  }
  return ''
}

/**
 * Which thoughts of a conversation the service still takes. It binds each thought to the one that was sent before it.
 * From a run of thoughts some may be missing at the beginning or at the end, but none in the middle, and none may be
 * put back later. So a thought is left out whose predecessor is not the one before it, and so are those bound to it.
 * The model's next thoughts are bound to the last one that was sent.
 */
export class ProofChain {
  #last: Proof | undefined
  #isBroken = false
  /**
   * The thought before this one in its turn has no proof, so one that names no predecessor (`Proof.after`) is not
   * taken.
   */
  #isGap = false

  /** A chain for the next turn, which goes on from here. */
  next(): ProofChain {
    const other = new ProofChain()
    other.#last = this.#last
    other.#isBroken = this.#isBroken
    return other
  }

  /** Whether the service takes the block behind those before it. */
  takes(block: Block): boolean {
    const proof = block.kind === 'reasoning' ? block.proof : undefined
    if (proof?.dialect !== DIALECT) {
      this.#isGap = block.kind === 'reasoning'
      return true
    }
    if (proof.after === undefined && this.#isGap) return false
    this.#isGap = false
    this.#isBroken = !this.#isBound(proof)
    if (!this.#isBroken) this.#last = proof
    return !this.#isBroken
  }

  #isBound({ after }: Proof): boolean {
    if (after === undefined) return !this.#isBroken
    return this.#last === undefined || after === proofMark(this.#last.value)
  }
}

/** The chain at the beginning of each conversation. It is never changed. */
export const NO_PROOFS = new ProofChain()
