import { DAMAGED } from '../../src/rules/foreign.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import {
  FOREIGN_ID,
  isEnvelope,
  readEnvelope,
  refuseSummary,
  type Enveloped,
} from '../../src/model/proof.ts'
import type { ModelFacts, SameEdits } from '../contract.ts'
import { openedSummary } from './blocks.ts'
import { readCitation, isNativeCitation } from './citations.ts'
import { DIALECT, listIn, objectIn, objectsIn, textIn } from './dialect.ts'
import { fit } from './fit.ts'
import { endsUnproven, proofIn } from './proofs.ts'
import type { WireBlock, WireBody, WireMessage } from './wire.ts'

/** Edits the body of a caller of this dialect for an upstream of this dialect. */
export function edit(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject {
  const { model, facts, sentTo = model ?? textIn(body['model']) } = edits
  const target = { model: sentTo, facts }
  const sent = fit(cleaned(body, edits, lose), target, lose)
  return model === undefined || typeof sent['model'] !== 'string'
    ? sent
    : withMembers(sent, { model })
}

/**
 * Takes out what only other services can read. Where the server takes thoughts without a proof, thoughts of other
 * services go on as their words.
 */
function cleaned(
  body: JsonObject,
  { facts, foreign, readsProof = () => true }: SameEdits,
  lose: Lose,
) {
  if (!foreign) return body
  const isOpen = facts.server?.unprovenThoughts === true
  const own = withoutForeign(body, { isOpen, readsProof, lose })
  return own === body || isOpen ? own : thinkingProven(own, body, facts, lose)
}

/** Takes out what other services made: proofs in envelopes, and calls of tools that they ran. */
function withoutForeign(body: WireBody, taken: Taken): JsonObject {
  if (!Array.isArray(body.messages)) return body
  const at = lossesIn(taken.lose)
  const messages = withElements(body.messages, (message, index) => {
    if (!isObject(message)) return message
    const { content }: WireMessage = message
    if (!Array.isArray(content)) return message
    const place = `messages.${index}`
    const own = ownContent(content, place, { ...taken, lose: at('turns', index) })
    // The service refuses a message without content.
    if (own.length === 0 && content.length > 0) return []
    return own.some(isSummary) ? parts(message, own, place) : withMembers(message, { content: own })
  })
  return withMembers(body, { messages })
}

const isSummary = (block: Json): boolean => isObject(block) && block['type'] === 'compaction'

/** Divides a message at its summaries. Each summary becomes a message of the user in words, in its place. */
function parts(message: JsonObject, content: readonly Json[], place: string): Json[] {
  const said: JsonObject[] = []
  let run: Json[] = []
  const flush = () => {
    if (run.length > 0) said.push(withMembers(message, { content: run }))
    run = []
  }
  for (const [index, block] of content.entries()) {
    const text = isObject(block) ? openedSummary(block, `${place}.content.${index}`) : undefined
    if (text === undefined) run.push(block)
    else {
      flush()
      said.push({ role: 'user', content: [{ type: 'text', text }] })
    }
  }
  flush()
  return said
}

interface Taken {
  /** The server takes thoughts without a proof. */
  readonly isOpen: boolean
  readonly readsProof: (account: string | undefined) => boolean
  readonly lose: Lose
}

interface OwnContext extends Taken {
  /** Tells what is lost of the message. */
  readonly lose: LoseOf
}

/** `message`: the place of the message in the caller's body. */
function ownContent(content: Json[], message: string, context: OwnContext): Json[] {
  const at = lossesIn(context.lose)
  // The number of the block in the model, where an envelope for another block counts as none.
  let count = 0
  let search: Json | undefined
  return withElements(content, (block, index) => {
    if (!isObject(block)) return block
    const lose = at('.blocks', count)
    if (isEnvelope(proofIn(block))) {
      const settled = settledThought(block, lose, context)
      if (settled || thoughtIn(block) !== '') count += 1
      return settled ?? []
    }
    const own = openedSummary(block, `${message}.content.${index}`)
    if (own === undefined && isSummary(block))
      refuseSummary(textIn(block['encrypted_content']), `${message}.content.${index}`)
    // In the model a search and its result are one block.
    const { type, id, tool_use_id }: WireBlock = block
    if (tool_use_id === search && search !== undefined) return []
    count += 1
    if (!isForeignRun(block)) return type === 'text' ? ownText(block, lose) : block
    search = type === 'server_tool_use' ? id : undefined
    return lose('dropped', '', `${textIn(type)} of another service`) ?? []
  })
}

const thoughtIn = ({ thinking }: WireBlock): string => textIn(thinking)

/** The thought with its proof of this dialect; undefined, and reported, where it has another proof. */
function settledThought(
  block: JsonObject,
  lose: LoseOf,
  { isOpen, readsProof, lose: loseOfMessage }: OwnContext,
): JsonObject | undefined {
  const carried = readEnvelope(proofIn(block))
  if (!carried) loseOfMessage('dropped', '.seal', DAMAGED)
  else if (isOwn(carried) && readsProof(carried.proof.account)) return withOwnProof(block, carried)
  else if (carried.proof.value !== '') lose('dropped', '.seal')
  const text = thoughtIn(block)
  if (text !== '' && isOpen) return withMembers(block, { signature: '' })
  if (text !== '') lose('dropped', '', 'reasoning without a signature')
  return undefined
}

const isOwn = ({ proof }: Enveloped): boolean => proof.dialect === DIALECT && proof.value !== ''

const withOwnProof = (block: WireBlock, { proof, slot }: Enveloped): JsonObject =>
  slot === 'redacted' || block.type === 'redacted_thinking'
    ? { type: 'redacted_thinking', data: proof.value }
    : withMembers(block, { signature: proof.value })

/** Whether another service ran the tool; then this one would not find the call. */
function isForeignRun({ type, id, tool_use_id }: WireBlock): boolean {
  if (type === 'server_tool_use') return textIn(id).startsWith(FOREIGN_ID)
  return textIn(type).endsWith('_tool_result') && textIn(tool_use_id).startsWith(FOREIGN_ID)
}

/** Takes out citations of sources that another service found. */
function ownText(block: JsonObject, lose: LoseOf): JsonObject {
  const { citations } = block
  if (!Array.isArray(citations)) return block
  const own = withElements(citations, (citation) =>
    isObject(citation) && !isNativeCitation(readCitation(citation)) ? [] : citation,
  )
  if (own === citations) return block
  lose('dropped', '.citations')
  return withMembers(block, { citations: own.length > 0 ? own : undefined })
}

/** Turns thinking off for this request where the model's last thoughts were proven by another service. */
function thinkingProven(
  body: WireBody,
  before: WireBody,
  { prefill }: ModelFacts,
  lose: Lose,
): JsonObject {
  if (objectIn(body.thinking)['type'] !== 'enabled') return body
  const last = objectsIn(body.messages).findLast(({ role }) => role === 'assistant')
  const isAsBefore = last === undefined || listIn(before.messages).includes(last)
  if (isAsBefore || !endsUnproven(body, prefill !== false)) return body
  lose('approximated', 'reasoning.mode', 'no signature of reasoning')
  return withMembers(body, { thinking: undefined })
}
