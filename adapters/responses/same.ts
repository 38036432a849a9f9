import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { isMinted } from '../../src/model/ids.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Proof } from '../../src/model/request.ts'
import {
  isEnvelope,
  readEnvelope,
  readSummaryEnvelope,
  refuseSummary,
} from '../../src/model/proof.ts'
import { withoutRefused } from '../../src/check/fields.ts'
import type { ModelFacts, SameEdits } from '../contract.ts'
import { DIALECT, memberText } from './dialect.ts'
import { LEAST_OUTPUT_TOKENS } from './fields.ts'
import { summaryIn, writeForeignSummary } from './hosted.ts'
import { lowered } from './lowered.ts'
import { CanonicalPlaces } from './lowered-history.ts'
import { hasWords, isUnproven } from './reasoning.ts'
import { placeOf, type WireItem } from './wire.ts'

/** Edits the body of a caller of this dialect for an upstream of this dialect. */
export function edit(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject {
  const { model, facts, foreign, nameless, resolved } = edits
  const whole = resolved ? withMembers(body, edits.unkept ? UNREFERRED : ALONE) : body
  const own = foreign ? withItems(whole, ownItems(edits, lose)) : whole
  const unnamed = nameless ? withItems(own, withoutNames(nameless)) : own
  const marked = facts.cacheBreakpoints === false ? withItems(unnamed, withoutMarks(lose)) : unnamed
  const taken = withoutRefused(bounded(marked, facts, lose), facts.drop, placeOf, lose)
  const sent = lowered(taken, facts.server, lose)
  return model === undefined || typeof sent['model'] !== 'string'
    ? sent
    : withMembers(sent, { model })
}

/**
 * The references are written out and the exchange is stored here, so the upstream must not store it: no caller could
 * ask for that copy or delete it.
 */
const ALONE = { previous_response_id: undefined, store: false }
const UNREFERRED = { previous_response_id: undefined, store: undefined }

type EditItem = (item: Json, index: number) => Json | readonly Json[]

function withItems(body: JsonObject, editItem: EditItem): JsonObject {
  const { input } = body
  return Array.isArray(input) ? withMembers(body, { input: withElements(input, editItem) }) : body
}

/** Takes out what an upstream would search for in vain: proofs of other services, and ids made here. */
function ownItems(edits: SameEdits, lose: Lose): EditItem {
  const { resolved, facts, readsProof = () => true } = edits
  const places = new CanonicalPlaces()
  return (item, index) => {
    if (!isObject(item)) return item
    const place = places.next(item)
    const { type, id }: WireItem = item
    if (type === 'reasoning') {
      // Without a proof an upstream finds thoughts by their id; records kept here have lost that id.
      const isKnown =
        facts.server?.unprovenThoughts === true ||
        (!isMinted(id) && !(resolved && id === undefined))
      return ownReasoning(item, { isKnown, readsProof, place, lose }) ?? []
    }
    const summary = readForeignSummary(item, index)
    if (summary) return summary
    if (!isMinted(id) || type === 'item_reference') return item
    if (isRun(item)) return lose('dropped', place) ?? []
    // The upstream does not know the id of an item that stands for a call of an MCP server.
    return type === 'mcp_call' ? item : withMembers(item, { id: undefined })
  }
}

const withoutNames =
  (nameless: ReadonlySet<Json | undefined>): EditItem =>
  (item) =>
    isObject(item) && isUnproven(item) && nameless.has(item['id'])
      ? withMembers(item, { id: undefined })
      : item

/** A summary that is in words; undefined for any other item. Throws for one that another service has sealed. */
function readForeignSummary(item: WireItem, index: number): JsonObject | undefined {
  const summary = summaryIn(item) ?? ''
  const carried = readSummaryEnvelope(summary)
  const written = carried && writeForeignSummary(carried)
  if (!written) refuseSummary(summary, `input[${index}]`)
  return written
}

/** Items that an upstream knows only where it ran them itself. */
const isRun = ({ type, result }: JsonObject): boolean =>
  type === 'web_search_call' ||
  type === 'code_interpreter_call' ||
  (type === 'image_generation_call' && typeof result === 'string' && result !== '')

interface Reasoned {
  /** The upstream can take it without a proof. */
  readonly isKnown: boolean
  readonly readsProof: (account: string | undefined) => boolean
  readonly place: string
  readonly lose: Lose
}

/** Undefined, and reported, for thoughts without a proof that the upstream reads or an id that it knows. */
function ownReasoning(
  item: WireItem,
  { isKnown, readsProof, place, lose }: Reasoned,
): JsonObject | undefined {
  const sealed = memberText(item, 'encrypted_content') ?? ''
  const carried = readEnvelope(sealed)?.proof
  const proof: Proof = carried ?? { dialect: isEnvelope(sealed) ? '' : DIALECT, value: sealed }
  const isForeign = sealed !== '' && !(proof.dialect === DIALECT && readsProof(proof.account))
  if (isForeign) lose('dropped', `${place}.seal`)
  if (!isForeign && (isKnown || sealed !== ''))
    return withoutMintedId(carried ? withMembers(item, { encrypted_content: carried.value }) : item)
  return hasWords(item) ? lose('dropped', place) : undefined
}

const withoutMintedId = (item: WireItem): JsonObject =>
  isMinted(item.id) ? withMembers(item, { id: undefined }) : item

const MARK = 'prompt_cache_breakpoint'

/** Takes out cache marks for a model that does not take them. */
function withoutMarks(lose: Lose): EditItem {
  const unmark = (part: Json): Json =>
    isObject(part) && part[MARK] !== undefined
      ? (lose('dropped', 'cache') ?? withMembers(part, { [MARK]: undefined }))
      : part
  const withParts = (item: WireItem, member: string): JsonObject => {
    const parts = item[member]
    return Array.isArray(parts)
      ? withMembers(item, { [member]: withElements(parts, unmark) })
      : item
  }
  return (item) => (isObject(item) ? withParts(withParts(item, 'content'), 'output') : item)
}

function bounded(body: JsonObject, facts: ModelFacts, lose: Lose): JsonObject {
  const { max_output_tokens: asked } = body
  const { maxOutputTokens: most } = facts
  if (typeof asked !== 'number' || most === undefined || asked <= most) return body
  lose('approximated', 'limits.maxOutputTokens')
  return withMembers(body, { max_output_tokens: Math.max(LEAST_OUTPUT_TOKENS, most) })
}
