import { encodeBase64 } from '../../src/json/base64.ts'
import { NO_PROOF } from '../../src/model/proof.ts'
import type { Block, Proof, ReasoningBlock, TextBlock } from '../../src/model/request.ts'
import {
  writeEnvelope,
  fingerprint,
  fromBase64,
  isEnvelope,
  readEnvelope,
  type ProofSlot,
} from '../../src/model/proof.ts'
import { DIALECT, factsOf } from './dialect.ts'

export const SIGNATURE = 'thoughtSignature'

/** What a `thoughtSignature` says of the part that it stands on, and of thoughts before it. */
export interface ReadProof {
  proof?: Proof
  slot?: ProofSlot
  damaged?: true
  repeated?: Repeated[]
  /** The proofs of thoughts without words that stood one behind the other. */
  silent?: Silent[]
}

interface Silent {
  proof: Proof
  slot: ProofSlot
}

export interface Repeated {
  proof: Proof
  text: string
  /**
   * How many parts stand between the thought and the call that repeats it. Thoughts do not count, and neighbouring
   * texts are one.
   */
  before: number
}

/**
 * What the envelope on a part proves: the part itself (`self`), or a thought before it that has no words and so no part
 * of its own (`previous`; `redacted` where it never had words).
 */
export type WrittenSlot = 'self' | 'previous' | 'redacted'

/** Whether the signature proves the part that it stands on. */
export const isItsOwn = (slot: ProofSlot | undefined): boolean =>
  slot !== 'redacted' && slot !== 'previous'

/** Reads a signature that a caller sent back: a proof of this dialect, or a foreign proof in an envelope. */
export function readProof(signature: string): ReadProof {
  if (signature === NO_PROOF) return {}
  // langchain4j 1.19 joins the signatures of a JSON reply by lines, and puts them on its first call. The last one is
  // taken.
  const text = fromBase64(signature.slice(signature.lastIndexOf('\n') + 1))
  if (!isEnvelope(text)) return { proof: { dialect: DIALECT, value: signature } }
  if (!text.includes(BREAK)) return readEnvelope(text) ?? { damaged: true }
  const parts = text.split(NEXT)
  const silent = parts.map(readEnvelope)
  if (silent.every((one) => one !== undefined)) return { slot: 'previous', silent }
  const repeated = parts.map(readRepeated)
  return repeated.every((one) => one !== undefined)
    ? { slot: 'previous', repeated }
    : { damaged: true }
}

/** Separates the fields of a repeated thought; two of them separate thoughts. A proof never holds it. */
const BREAK = '\0'
const NEXT = `${BREAK}${BREAK}`

/**
 * Writes thoughts with their proofs for the call that follows them. Clients that return no thoughts still return calls
 * with everything on them.
 */
export const repeatThoughts = (thoughts: readonly Repeated[]): string =>
  encodeBase64(
    thoughts
      .map(({ proof, text, before }) =>
        [writeEnvelope(proof, 'previous'), `${before}.${fingerprint(text)}.${text}`].join(BREAK),
      )
      .join(NEXT),
  )

/** Joins the signatures of thoughts without words into one for the part that follows them. */
export const joinSilent = (signatures: readonly string[]): string =>
  encodeBase64(signatures.map(fromBase64).join(NEXT))

function readRepeated(one: string): Repeated | undefined {
  const at = one.indexOf(BREAK)
  const { proof } = readEnvelope(one.slice(0, at)) ?? {}
  const [, before, sum, text = ''] =
    /^(\d{1,4})\.([0-9a-f]{14})\.(.*)$/s.exec(one.slice(at + 1)) ?? []
  return proof && sum === fingerprint(text) ? { proof, text, before: Number(before) } : undefined
}

/** Writes a proof for a caller. Every part has room for a signature, so no proof is lost here. */
export function writeProof(proof: Proof, slot: WrittenSlot): string {
  return proof.dialect === DIALECT ? proof.value : encodeBase64(writeEnvelope(proof, slot))
}

/**
 * Keeps either a thought or its copy on a call: the thought in its place, if the client returns thoughts. A client may
 * keep proofs only on calls, so a thought that came back without its proof gets the proof of its copy.
 */
export function once(read: Block[]): Block[] {
  const blocks = read.map(homed)
  const repeats = blocks.filter((block) => placesBefore(block) !== undefined)
  if (repeats.length === 0) return blocks
  const returnsThoughts = blocks.some(
    (block) => isThought(block) && placesBefore(block) === undefined,
  )
  const copied = new Set(repeats.map(proofValue))
  const proofs = missingProofs(blocks)
  const settled: Block[] = []
  for (const block of blocks) {
    const before = placesBefore(block)
    if (before === undefined) settled.push(proven(withoutCopied(block, copied), proofs))
    else if (!returnsThoughts) {
      let at = Math.max(0, settled.length - before)
      // A thought without words stood behind this one, but came back on the part behind both.
      while (isSilent(settled[at - 1])) at -= 1
      settled.splice(at, 0, withoutNote(block))
    }
  }
  return settled
}

/**
 * Moves a foreign proof from a text to the thought before it, since no other dialect proves texts. LiteLLM 1.110 puts
 * the signatures of a message on its parts anew, and none on its thoughts.
 */
function homed(block: Block, index: number, blocks: readonly Block[]): Block {
  const behind = blocks[index + 1]
  if (isUnproven(block) && isForeignText(behind)) return { ...block, proof: behind.proof }
  if (!isForeignText(block) || !isUnproven(blocks[index - 1])) return block
  const { proof: _, ...text } = block
  return text
}

const isUnproven = (block: Block | undefined): block is ReasoningBlock =>
  isThought(block) && !block.proof

const isForeignText = (block: Block | undefined): block is TextBlock & { proof: Proof } =>
  block?.kind === 'text' && block.proof !== undefined && block.proof.dialect !== DIALECT

/**
 * Takes a proof off a text that is also on a copy of a thought: agno 3.1 puts the signature of a thought on the text
 * behind it, and returns no thoughts.
 */
function withoutCopied(block: Block, copied: ReadonlySet<string | undefined>): Block {
  if (!isForeignText(block) || !copied.has(block.proof.value)) return block
  const { proof: _, ...text } = block
  return text
}

/** Gives a thought without a proof the proof of its copy, found by the same words. Each proof is given once. */
function proven(block: Block, proofs: Map<string, Proof>): Block {
  if (!isUnproven(block)) return block
  const proof = proofs.get(block.text)
  proofs.delete(block.text)
  return proof ? { ...block, proof } : block
}

/** For each text of a copy its first proof, unless a thought in its place has that proof. */
function missingProofs(blocks: readonly Block[]): Map<string, Proof> {
  const proofs = new Map<string, Proof>()
  const held = new Set<string>()
  for (const block of blocks) {
    if (!isThought(block) || !block.proof) continue
    if (placesBefore(block) === undefined) held.add(block.proof.value)
    else if (!proofs.has(block.text)) proofs.set(block.text, block.proof)
  }
  for (const [text, { value }] of proofs) if (held.has(value)) proofs.delete(text)
  return proofs
}

const proofValue = (block: Block): string | undefined =>
  block.kind === 'reasoning' ? block.proof?.value : undefined

function withoutNote(block: Block): Block {
  if (block.kind !== 'reasoning') return block
  const { origin: _, ...thought } = block
  return thought
}

const isThought = (block: Block | undefined): block is ReasoningBlock =>
  block?.kind === 'reasoning' && block.text !== ''

const isSilent = (block: Block | undefined): boolean =>
  block?.kind === 'reasoning' && block.text === ''

function placesBefore(block: Block): number | undefined {
  return block.kind === 'reasoning' ? factsOf(block).before : undefined
}
