import { DAMAGED } from '../../src/rules/foreign.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import { isEnvelope, readEnvelope } from '../../src/model/proof.ts'
import type { SameEdits } from '../contract.ts'
import { withCounting } from './usage.ts'
import { DIALECT, textIn, unlessEmpty } from './dialect.ts'
import { fit } from './fit.ts'
import { countTurn, uncounted } from './fit-history.ts'
import { isOwnEntry, signatureIn, unsigned } from './proofs.ts'

/** Edits the body of a caller of this dialect for an upstream of this dialect. */
export function edit(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject {
  const { model, facts, foreign, usage, readsProof = () => true } = edits
  const own = foreign ? cleaned(body, readsProof, lose) : body
  const fitted = fit(own, { model: model ?? textIn(body['model']), facts }, lose)
  const sent = usage ? withCounting(fitted, facts) : fitted
  return model === undefined || (sent['model'] !== undefined && typeof sent['model'] !== 'string')
    ? sent
    : withMembers(sent, { model })
}

type ReadsProof = NonNullable<SameEdits['readsProof']>

/** Takes out proofs of other services that this proxy has handed on in envelopes. */
function cleaned(body: JsonObject, reads: ReadsProof, lose: Lose): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const at = lossesIn(lose)
  const counted = uncounted()
  const own = withElements(messages, (message) => {
    if (!isObject(message)) return message
    countTurn(counted, message['role'])
    if (message['role'] !== 'assistant') return message
    const loseHere = at('turns', counted.turn)
    return withOwnCalls(withOwnDetails(message, reads, loseHere), loseHere)
  })
  return withMembers(body, { messages: own })
}

function withOwnDetails(message: JsonObject, reads: ReadsProof, lose: LoseOf): JsonObject {
  const { reasoning_details: details } = message
  if (!Array.isArray(details)) return message
  const own = withElements(details, (entry) => ownEntry(entry, reads, lose) ?? [])
  if (own === details) return message
  return withMembers(message, { reasoning_details: own.length > 0 ? own : undefined })
}

/**
 * Takes out an entry for another dialect's proof. One without a proof goes unreported: its words stand in the
 * message too.
 */
function ownEntry(entry: Json, reads: ReadsProof, lose: LoseOf): Json | undefined {
  if (!isObject(entry) || !isOwnEntry(entry)) return entry
  const value = textIn(entry['data']) || textIn(entry['signature'])
  if (!isEnvelope(value)) return value === '' ? undefined : entry
  const proof = readEnvelope(value)?.proof
  if (proof?.dialect !== DIALECT || !reads(proof.account))
    return lose('dropped', '.seal', proof ? undefined : DAMAGED)
  return withMembers(
    entry,
    entry['data'] === undefined ? { signature: proof.value } : { data: proof.value },
  )
}

function withOwnCalls(message: JsonObject, lose: LoseOf): JsonObject {
  const { tool_calls: calls } = message
  if (!Array.isArray(calls)) return message
  const own = withElements(calls, (call) => {
    if (!isObject(call)) return call
    const { extra_content } = call
    if (!isEnvelope(signatureIn(extra_content))) return call
    lose('dropped', '.seal')
    return withMembers(call, { extra_content: unlessEmpty(unsigned(extra_content)) })
  })
  return own === calls ? message : withMembers(message, { tool_calls: own })
}
