import { defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { nothingLost, type Lose } from '../../src/model/loss.ts'
import type { Effort, Proof, ReasoningOptions, Request } from '../../src/model/request.ts'
import { bringsProvenText, writeEnvelope, type ProofSlot } from '../../src/model/proof.ts'
import { DIALECT, keepRest, restOf, factsOf, listOf, memberText, objectsOf } from './dialect.ts'
import { EFFORTS, nearestEffort } from '../../src/rules/effort.ts'
import { nearestTo } from '../../src/models/thinking.ts'
import { Members } from '../../src/model/ext.ts'

/** The model's effort when none is given. */
const DEFAULT_EFFORT: Effort = 'medium'

/** The efforts that every reasoning model has: a budget becomes one of these. */
const USUAL_EFFORTS: readonly Effort[] = ['low', 'medium', 'high']
const usualEffort = (budget: number): Effort =>
  nearestTo(nearestEffort(budget), USUAL_EFFORTS) ?? DEFAULT_EFFORT

export const readEffort = (value: Json | undefined): Effort | undefined =>
  EFFORTS.find((known) => known === value)

/**
 * The values of `reasoning.context` that other services can follow: their models are shown all thoughts that a request
 * holds, and `current_turn` leaves the earlier ones out of it.
 */
const CONTEXTS: readonly unknown[] = ['auto', 'current_turn', 'all_turns']

export function readContext(request: Members): Json | undefined {
  const value = request.peek('reasoning')
  const context = isObject(value) ? value['context'] : undefined
  return CONTEXTS.includes(context) ? context : undefined
}

/** Undefined where neither effort nor summary is set; such options stay leftovers of the request. */
export function readReasoningOptions(request: Members): ReasoningOptions | undefined {
  const value = request.peek('reasoning')
  if (!isObject(value)) return undefined
  const members = new Members(value)
  if (CONTEXTS.includes(value['context'])) members.any('context')
  const effort = readEffort(members.peek('effort'))
  const older = members.text('generate_summary')
  const summary = members.text('summary') ?? older
  if (effort === undefined && summary === undefined) {
    if (Object.values(members.rest()).every((member) => member === null)) request.any('reasoning')
    return undefined
  }
  request.any('reasoning')
  if (effort !== undefined) members.any('effort')
  return defined({
    mode: effort === 'none' ? ('off' as const) : ('on' as const),
    effort: effort ?? DEFAULT_EFFORT,
    visible: summary === undefined ? undefined : true,
    detail: summary === 'auto' ? undefined : summary,
    ...keepRest(members, {
      ...(effort === undefined && { effort: 'default' }),
      ...(older !== undefined && { summary: 'generate_summary' }),
    }),
  })
}

export function writeReasoningOptions(
  { reasoning: options, ...request }: Request,
  own: boolean,
  lose: Lose,
  efforts?: readonly Effort[],
): JsonObject | undefined {
  const { context } = factsOf(request)
  if (!options) return context === undefined ? undefined : { context }
  const facts = factsOf(options)
  const effort = facts.effort === 'default' ? undefined : writeEffort(options, lose, efforts)
  const summary = options.visible ? (options.detail ?? 'auto') : undefined
  const key = facts.summary ?? 'summary'
  const written = defined({
    effort,
    [key]: own || options.mode !== 'off' ? summary : undefined,
    context,
    ...restOf(options),
  }) as JsonObject
  return Object.keys(written).length > 0 ? written : undefined
}

function writeEffort(
  options: ReasoningOptions,
  lose: Lose,
  efforts: readonly Effort[] | undefined,
): Effort | undefined {
  const { mode, effort, budget } = options
  if (mode === 'off') {
    if (effort !== undefined && effort !== 'none') lose('dropped', 'reasoning.effort')
    return 'none'
  }
  if (effort !== undefined) {
    if (budget !== undefined) lose('dropped', 'reasoning.budget')
    if (mode === 'adaptive') lose('approximated', 'reasoning.mode')
    return effort
  }
  if (budget !== undefined) {
    lose('approximated', 'reasoning.budget')
    return nearestTo(usualEffort(budget), efforts)
  }
  // A model that is told no effort decides itself, which comes nearest to adaptive thinking here.
  return mode === 'adaptive'
    ? lose('approximated', 'reasoning.mode')
    : nearestTo(DEFAULT_EFFORT, efforts)
}

/** The reasoning settings in a reply, as requested. Both members have to be there. */
export function showReasoning(request: Request): JsonObject {
  return { effort: null, summary: null, ...writeReasoningOptions(request, true, nothingLost) }
}

/** Whether an item is a thought without a proof: an upstream knows it by its id or by its words. */
export const isUnproven = ({ type, encrypted_content: proof }: JsonObject): boolean =>
  type === 'reasoning' && (proof ?? '') === ''

/** Whether an item is a thought with a proof. */
export const isProven = (item: JsonObject): boolean =>
  item['type'] === 'reasoning' && !isUnproven(item)

export const hasWords = ({ summary, content }: JsonObject): boolean =>
  [...objectsOf(summary), ...objectsOf(content)].some((part) => Boolean(memberText(part, 'text')))

/** The value of `include` that asks for proofs. */
export const PROOFS = 'reasoning.encrypted_content'

export const asksForProofs = (members: Members): boolean =>
  listOf(members.peek('include')).includes(PROOFS)

/**
 * Whether the proof of a text may stand behind it as an item of its own. Programs read the answer as `output[-1]`, so a
 * proof ends a reply only where the caller asked for proofs or to see thoughts, or has brought such a proof back.
 */
export const mayFollowText = (request: Request): boolean =>
  factsOf(request).proofs === true ||
  request.reasoning?.visible === true ||
  bringsProvenText(request)

/** Writes a proof of this dialect as it is. A foreign one, or one without words, goes into an envelope that says so. */
export function writeProof(proof: Proof, redacted: true | undefined): string {
  const slot: ProofSlot = redacted ? 'redacted' : 'self'
  return proof.dialect === DIALECT && !redacted ? proof.value : writeEnvelope(proof, slot)
}
