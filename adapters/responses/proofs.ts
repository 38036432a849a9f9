import { bringsProvenText, writeEnvelope, type ProofSlot } from '../../src/model/proof.ts'
import type { Proof, Request } from '../../src/model/request.ts'
import type { Members } from '../../src/model/ext.ts'
import { DIALECT, factsOf, listOf } from './dialect.ts'

/** The value of `include` that asks for proofs. */
export const PROOFS = 'reasoning.encrypted_content'

export const asksForProofs = (members: Members): boolean =>
  listOf(members.peek('include')).includes(PROOFS)

/**
 * Whether the proof of a text may stand behind it as an item of its own. Programs read the answer as `output[-1]`, so
 * it stands at the end of a reply only where the caller asked for proofs or to see thoughts, or has brought such a one
 * back.
 */
export const mayFollowText = (request: Request): boolean =>
  factsOf(request).proofs === true ||
  request.reasoning?.visible === true ||
  bringsProvenText(request)

/** Writes a proof of this dialect as it is, any other in an envelope. */
export function writeProof(proof: Proof, redacted: true | undefined): string {
  const slot: ProofSlot = redacted ? 'redacted' : 'self'
  return proof.dialect === DIALECT && !redacted ? proof.value : writeEnvelope(proof, slot)
}
