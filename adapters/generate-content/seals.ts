import { decodeBase64, encodeBase64 } from '../../src/canonical/base64.ts'
import type { Seal } from '../../src/canonical/model.ts'
import {
  carrySeal,
  fingerprint,
  isCarrier,
  readCarrier,
  type SealSlot,
} from '../../src/canonical/seal.ts'
import { DIALECT } from './dialect.ts'

/** What a `thoughtSignature` says of the part that it stands on. */
export interface ReadSeal {
  seal?: Seal
  slot?: SealSlot
  damaged?: true
  repeated?: Repeated
}

export interface Repeated {
  text: string
  /** How many parts stand between the thought and the one that repeats it. */
  before: number
}

/** Accepted by the service in place of a proof, for a call that the model never made itself. */
export const NO_PROOF = 'skip_thought_signature_validator'

/**
 * What a carrier on a part says: the proof is that of the part itself, or of a thought before it that has no
 * words and therefore no part of its own (`previous`; `redacted` when it never had any).
 */
export type WrittenSlot = 'self' | 'previous' | 'redacted'

/** Whether the signature is that of the part that it stands on. */
export const isItsOwn = (slot: SealSlot | undefined): boolean =>
  slot !== 'redacted' && slot !== 'previous'

/** A signature that a caller sent back: this dialect's own proof, or a foreign one that travels in it. */
export function readSeal(signature: string): ReadSeal {
  if (signature === NO_PROOF) return {}
  const own = { seal: { dialect: DIALECT, value: signature } }
  if (!signature.startsWith(CARRIER_BASE64)) return own
  const text = decodeBase64(signature)
  const [carrier = '', ...tails] = text?.split(BREAK) ?? []
  const carried = readCarrier(carrier)
  const repeated = tails.length > 0 ? readRepeated(tails.join(BREAK)) : undefined
  if (carried && (tails.length === 0 || repeated))
    return { ...carried, ...(repeated && { repeated }) }
  // Longer values may begin like a carrier by chance, but none that decodes to its whole prefix.
  return text !== undefined && !isCarrier(text) ? own : { damaged: true }
}

/** Never part of a proof. */
const BREAK = '\0'

/**
 * A thought with its proof, for the call that follows it: some clients return no thoughts, but calls with all
 * that is on them.
 */
export function repeatThought(seal: Seal, { text, before }: Repeated): string {
  const carrier = carrySeal(seal, 'previous')
  return encodeBase64(`${carrier}${BREAK}${before}.${fingerprint(text)}.${text}`)
}

function readRepeated(tail: string): Repeated | undefined {
  const [, before, sum, text = ''] = /^(\d{1,4})\.([0-9a-f]{14})\.(.*)$/s.exec(tail) ?? []
  return sum === fingerprint(text) ? { text, before: Number(before) } : undefined
}

/** For a caller's eyes: every part has room for a signature, so nothing is lost here. */
export function writeSeal(seal: Seal, slot: WrittenSlot): string {
  return seal.dialect === DIALECT ? seal.value : encodeBase64(carrySeal(seal, slot))
}

/** How the base64 of every carrier begins. */
const CARRIER_BASE64 = encodeBase64('xseal1.').slice(0, 8)
