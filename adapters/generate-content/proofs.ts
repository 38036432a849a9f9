import { decodeBase64, encodeBase64 } from '../../src/json/base64.ts'
import type { Proof } from '../../src/model/request.ts'
import {
  writeEnvelope,
  fingerprint,
  isEnvelope,
  readEnvelope,
  type ProofSlot,
} from '../../src/model/proof.ts'
import { DIALECT } from './dialect.ts'

/** The meaning of a `thoughtSignature` for the part that it stands on. */
export interface ReadProof {
  proof?: Proof
  slot?: ProofSlot
  damaged?: true
  repeated?: Repeated
}

export interface Repeated {
  text: string
  /** How many parts stand between the thought and the one that repeats it. */
  before: number
}

/** The service accepts this value in place of a proof, for a call that the model did not make itself. */
export const NO_PROOF = 'skip_thought_signature_validator'

/**
 * What the envelope on a part proves: the part itself, or a thought before it that has no words and so no part of
 * its own (`previous`; `redacted` where it never had words).
 */
export type WrittenSlot = 'self' | 'previous' | 'redacted'

/** Whether the signature proves the part that it stands on. */
export const isItsOwn = (slot: ProofSlot | undefined): boolean =>
  slot !== 'redacted' && slot !== 'previous'

/** Reads a signature that a caller sent back: a proof of this dialect, or a foreign proof in an envelope. */
export function readProof(signature: string): ReadProof {
  if (signature === NO_PROOF) return {}
  const own = { proof: { dialect: DIALECT, value: signature } }
  if (!signature.startsWith(ENVELOPE_BASE64)) return own
  const text = decodeBase64(signature)
  const [envelope = '', ...tails] = text?.split(BREAK) ?? []
  const carried = readEnvelope(envelope)
  const repeated = tails.length > 0 ? readRepeated(tails.join(BREAK)) : undefined
  if (carried && (tails.length === 0 || repeated))
    return { ...carried, ...(repeated && { repeated }) }
  // Other values may begin like an envelope by chance, but none decodes to the whole prefix.
  return text !== undefined && !isEnvelope(text) ? own : { damaged: true }
}

/** Separates the fields; never occurs in a proof. */
const BREAK = '\0'

/**
 * A thought with its proof, on the call that follows it. Clients that return no thoughts still return calls with
 * everything on them.
 */
export function repeatThought(proof: Proof, { text, before }: Repeated): string {
  const envelope = writeEnvelope(proof, 'previous')
  return encodeBase64(`${envelope}${BREAK}${before}.${fingerprint(text)}.${text}`)
}

function readRepeated(tail: string): Repeated | undefined {
  const [, before, sum, text = ''] = /^(\d{1,4})\.([0-9a-f]{14})\.(.*)$/s.exec(tail) ?? []
  return sum === fingerprint(text) ? { text, before: Number(before) } : undefined
}

/** Writes a proof for a caller. Every part has room for a signature, so no proof is lost here. */
export function writeProof(proof: Proof, slot: WrittenSlot): string {
  return proof.dialect === DIALECT ? proof.value : encodeBase64(writeEnvelope(proof, slot))
}

/** How the base64 of every envelope begins. */
const ENVELOPE_BASE64 = encodeBase64('xseal1.').slice(0, 8)
