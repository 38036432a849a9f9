import { decodeBase64 } from '../json/base64.ts'
import { parseObject, stringify } from '../json/json.ts'
import { invalid } from './problem.ts'
import type { Block, OpaqueBlock, Proof, Request } from './request.ts'

/**
 * A proof of reasoning travels through a foreign dialect in that dialect's own opaque field, as
 * `xseal1.<dialect>.<slot>.<length>.<sum>.<value>`: no state is needed to bring it home. Length and sum
 * tell a damaged envelope from a whole one, because the upstream would refuse the whole conversation for it. Where
 * several accounts of a dialect are asked, the mark of the one that made it stands behind the dialect: `@<mark>`; then
 * what the proof before it was, where it is bound to that one: `~<fingerprint>`.
 */
export interface Enveloped {
  proof: Proof
  slot: ProofSlot
}

/**
 * What the proof belongs to: the block that carries it; the next tool call of the turn, or the next or the
 * previous block, where those have no opaque field in the foreign dialect; nothing visible at all (redacted);
 * or a text without a single character, which no caller could bring back (empty). That of a call stands before
 * it and skips what is between, because clients put text behind all thoughts and calls behind all text.
 */
export type ProofSlot = 'self' | 'call' | 'next' | 'previous' | 'redacted' | 'empty'

const PREFIX = 'xseal1.'
const ENVELOPE =
  /^xseal1\.([a-z0-9-]{1,64})(?:@([0-9a-f]{14}))?(?:~([0-9a-f]{14}))?\.(self|call|next|previous|redacted|empty)\.(\d{1,9})\.([0-9a-f]{14})\.(.*)$/s

export function writeEnvelope(proof: Proof, slot: ProofSlot): string {
  const { dialect, account, after, value } = proof
  const owner = account === undefined ? dialect : `${dialect}@${account}`
  const bond = after === undefined ? '' : `~${after}`
  return `${PREFIX}${owner}${bond}.${slot}.${value.length}.${fingerprint(value)}.${value}`
}

/** True for an envelope, also a damaged one: it must not reach an upstream. */
export const isEnvelope = (value: string): boolean => value.startsWith(PREFIX)

/** The prefix as base64, which is how a dialect with binary proofs spells it. */
const PREFIX_BASE64 = 'eHNlYWwx'

/**
 * The envelope in a value that is one in base64: so a dialect with binary proofs spells it, and clients that take every
 * proof for bytes. A damaged one stays one; any other value is left as it is.
 */
export function fromBase64(value: string): string {
  if (!value.startsWith(PREFIX_BASE64)) return value
  const text = decodeBase64(value) ?? PREFIX
  // Other values may begin like an envelope by chance, but none decodes to the whole prefix.
  return isEnvelope(text) ? text : value
}

/** How the id of a tool begins that another upstream has run, where one of this dialect knows only its own. */
export const FOREIGN_ID = 'hosted_'

/** Whether a value somewhere in JSON text may be one of these: a quick look, before anything is parsed. */
export const mayHoldEnvelope = (json: string): boolean =>
  BEGINNING.test(json) && (CARRIED.test(json) || RUN.test(json))

/** An envelope of this or of another version, whole or damaged. */
const ANY_VERSION = 'xseal\\d*\\.'

const CARRIED = new RegExp(`"(?:${ANY_VERSION}|${PREFIX_BASE64})`)
/** Other ids may begin like those of such tools; none is one without their blocks. */
const RUN = /"(?:server_tool_use|\w{1,40}_tool_result)"/

/** A pattern looks for all at once, and for texts that begin with a quote it is faster than a search. */
const BEGINNING = new RegExp(
  `"(?:${ANY_VERSION}|${PREFIX_BASE64}|(?:tool_use_)?id"\\s*:\\s*"${FOREIGN_ID})`,
)

/** Undefined when the value is no envelope or is damaged. */
export function readEnvelope(value: string): Enveloped | undefined {
  const match = isEnvelope(value) ? ENVELOPE.exec(value) : null
  if (!match) return undefined
  const [, dialect = '', account, after, slot, length, sum, inner = ''] = match
  if (Number(length) !== inner.length || sum !== fingerprint(inner)) return undefined
  const marks = { ...(account !== undefined && { account }), ...(after !== undefined && { after }) }
  return { proof: { dialect, value: inner, ...marks }, slot: slot as ProofSlot }
}

/** 53 bits of a text as 14 hexadecimal digits: stable everywhere, not meant against attackers. */
export function fingerprint(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (2097151 & low).toString(16).padStart(6, '0') + (high >>> 0).toString(16).padStart(8, '0')
}

/** What stands for a proof in `Proof.after`. Its end tells it from others, and a long history has hundreds. */
export const proofMark = (value: string): string => fingerprint(value.slice(-64))

/** Whether the caller has brought back a proof behind a text: then it takes one there in the reply. */
export const bringsProvenText = ({ turns }: Pick<Request, 'turns'>): boolean =>
  turns.some(({ role, blocks }) => role === 'assistant' && blocks.some(isProvenText))

const isProvenText = (block: Block): boolean => block.kind === 'text' && block.proof !== undefined

/** A summary for the opaque field of a foreign dialect. */
export const writeSummaryEnvelope = ({ dialect, value }: OpaqueBlock): string =>
  writeEnvelope({ dialect, value: stringify(value) }, 'self')

/** Inverse of `writeSummaryEnvelope`; undefined for what is none. */
export function readSummaryEnvelope(value: string): OpaqueBlock | undefined {
  const proof = readEnvelope(value)?.proof
  const block = proof && parseObject(proof.value)
  if (!block) return undefined
  const { content } = block
  // A service that tells its summary in words has them there, and words go anywhere.
  if (typeof content === 'string' && content !== '') return summaryMadeHere(content)
  return { kind: 'opaque', dialect: proof.dialect, value: block, summary: true }
}

/** Stands for a dialect in a summary that none of them has to read: it is told in words to every upstream. */
const HERE = 'here'

/** A summary in words. Its envelope is text, so any process opens it, for any upstream. */
export const summaryMadeHere = (words: string): OpaqueBlock => ({
  kind: 'opaque',
  dialect: HERE,
  value: { type: 'compaction', content: words },
  summary: true,
  words,
})

/** Whether nothing of it is lost in words, since it is nothing else. */
export const isMadeHere = ({ dialect }: OpaqueBlock): boolean => dialect === HERE

const ANY_ENVELOPE = new RegExp(`^${ANY_VERSION}`)

/** Throws for a summary that cannot be opened: a conversation without it has lost its beginning. */
export function refuseDamagedSummary(value: string, place: string): void {
  if (!ANY_ENVELOPE.test(value) || readSummaryEnvelope(value)) return
  const what = 'this summary came back damaged, or another version of this proxy made it'
  throw invalid(`${place}: ${what}; send it as it was given, or leave it out.`, place)
}

/** The same for one that goes to a service which did not write it. */
export function refuseSummary(value: string, place: string): void {
  refuseDamagedSummary(value, place)
  if (!isEnvelope(value)) return
  const what = 'only the service that wrote this summary can read it'
  throw invalid(`${place}: ${what}; leave it out, or send the request to such a service.`, place)
}

/** A service accepts this value in place of a proof, for a call that its model did not make itself. */
export const NO_PROOF = 'skip_thought_signature_validator'
