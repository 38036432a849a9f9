import { withMembers } from '../../src/json/edit.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { NO_PROOF } from '../../src/model/proof.ts'
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import type { SameEdits } from '../contract.ts'
import { proving } from './abilities.ts'
import { DIALECT } from './dialect.ts'
import { fit, turnCounter } from './fit.ts'
import { findElements, findKey, withinList, withinMember } from './wire.ts'
import { resourceName } from './paths.ts'
import { readProof, SIGNATURE } from './proofs.ts'

/**
 * Edits the body of a caller of this dialect for an upstream of this dialect. The body of a count may hold a whole
 * request.
 */
export function edit(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject {
  const counted = withinMember(body, 'generateContentRequest', (request) =>
    editRequest(request, edits, lose),
  )
  return editRequest(counted, edits, lose)
}

function editRequest(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject {
  const { facts, foreign, model, readsProof = () => true, sentTo = model ?? '' } = edits
  const own = foreign ? withoutForeign(body, readsProof, lose) : body
  // Where a proof was taken out, the service may ask for one.
  const about = own === body ? facts : proving({ model: sentTo, facts })
  const sent = fit(own, { model: sentTo, facts: about }, lose)
  return model === undefined || typeof sent['model'] !== 'string'
    ? sent
    : withMembers(sent, { model: resourceName(model) })
}

type ReadsProof = NonNullable<SameEdits['readsProof']>

/** Takes out proofs of other services. A content that becomes empty goes too, because the service refuses it. */
function withoutForeign(body: JsonObject, reads: ReadsProof, lose: Lose): JsonObject {
  const turnOf = turnCounter()
  const turnAt = lossesIn(lose)
  return withinList(body, 'contents', (content) => {
    const at = lossesIn(turnAt('turns', turnOf(content)))
    const own = withinList(content, 'parts', (part, index) =>
      ownPart(part, reads, at('.blocks', index)),
    )
    return own !== content && findElements(own, 'parts').length === 0 ? [] : own
  })
}

function ownPart(part: JsonObject, reads: ReadsProof, lose: LoseOf): JsonObject | [] {
  const key = findKey(part, SIGNATURE)
  const signature = key === undefined ? undefined : part[key]
  if (key === undefined || typeof signature !== 'string' || signature === NO_PROOF) return part
  const { damaged, proof, slot } = readProof(signature)
  if (slot === undefined && !damaged) return part
  if (proof?.dialect === DIALECT && reads(proof.account))
    return withMembers(part, { [key]: proof.value })
  lose('dropped', '.seal')
  const bare = withMembers(part, { [key]: undefined })
  return saysNothing(bare) ? [] : bare
}

const saysNothing = (part: JsonObject): boolean =>
  Object.entries(part).every(([key, value]) => key === 'thought' || (key === 'text' && !value))
