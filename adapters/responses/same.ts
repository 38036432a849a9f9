import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { isMinted } from '../../src/model/ids.ts'
import type { Lose, LoseOf } from '../../src/model/loss.ts'
import type { Proof } from '../../src/model/request.ts'
import {
  isEnvelope,
  readEnvelope,
  readSummaryEnvelope,
  refuseSummary,
} from '../../src/model/proof.ts'
import type { SameEdits } from '../contract.ts'
import { keepsReplies, takesWords } from './abilities.ts'
import { DIALECT, memberText } from './dialect.ts'
import { summaryIn, writeForeignSummary } from './hosted.ts'
import { fit } from './fit.ts'
import { CountedItems } from './fit-history.ts'
import { hasWords, isUnproven } from './reasoning.ts'
import type { WireItem } from './wire.ts'

/** Edits the body of a caller of this dialect for an upstream of this dialect. */
export function edit(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject {
  const { model, sentTo, facts } = edits
  const named = sentTo ?? model ?? memberText(body, 'model') ?? ''
  const sent = fit(cleaned(body, edits, lose), { model: named, facts }, lose)
  return model === undefined || typeof sent['model'] !== 'string'
    ? sent
    : withMembers(sent, { model })
}

/** Takes out what only other services or this proxy can read. */
function cleaned(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject {
  const { facts, foreign, nameless, resolved } = edits
  const isAlone = resolved || !keepsReplies(facts)
  const whole = isAlone ? withMembers(body, edits.unkept ? UNREFERRED : ALONE) : body
  const own = foreign ? withItems(whole, ownItems(edits, lose)) : whole
  return nameless ? withItems(own, withoutNames(nameless)) : own
}

/**
 * The exchange is stored here, and its references are written out, so the upstream must not store it: no caller could
 * ask for that copy or delete it.
 */
const ALONE = { previous_response_id: undefined, store: false }
/** The same for a path that stores nothing and does not know `store`. */
const UNREFERRED = { previous_response_id: undefined, store: undefined }

type EditItem = (item: Json, index: number) => Json | readonly Json[]

function withItems(body: JsonObject, editItem: EditItem): JsonObject {
  const { input } = body
  return Array.isArray(input) ? withMembers(body, { input: withElements(input, editItem) }) : body
}

/** Takes out what an upstream would search for in vain: proofs of other services, and ids made here. */
function ownItems(edits: SameEdits, lose: Lose): EditItem {
  const { resolved, facts, readsProof = () => true } = edits
  const isOpen = takesWords(facts)
  const items = new CountedItems(lose)
  return (item, index) => {
    if (!isObject(item)) return item
    items.next(item)
    const loseHere = items.of()
    const { type, id }: WireItem = item
    if (type === 'reasoning') {
      // Without a proof an upstream finds thoughts by their id; records kept here have lost that id.
      const isKnown = !isMinted(id) && !(resolved && id === undefined)
      return ownReasoning(item, { isKnown, isOpen, readsProof, lose: loseHere }) ?? []
    }
    const summary = readForeignSummary(item, index)
    if (summary) return summary
    if (!isMinted(id) || type === 'item_reference') return item
    if (isRun(item)) return loseHere('dropped', '') ?? []
    // An `mcp_call` has to have an id, so it keeps one that the upstream does not know.
    return type === 'mcp_call' ? item : withMembers(item, { id: undefined })
  }
}

const withoutNames =
  (nameless: ReadonlySet<Json | undefined>): EditItem =>
  (item) =>
    isObject(item) && isUnproven(item) && nameless.has(item['id'])
      ? withMembers(item, { id: undefined })
      : item

/** A summary in words, as a message; undefined for another item. Throws for one that only another service can read. */
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
  /** The upstream knows the thoughts by their id. */
  readonly isKnown: boolean
  /** The upstream knows the thoughts by their words. */
  readonly isOpen: boolean
  readonly readsProof: (account: string | undefined) => boolean
  readonly lose: LoseOf
}

/** Undefined, and reported, for thoughts that the upstream knows neither by a proof nor by an id or their words. */
function ownReasoning(
  item: WireItem,
  { isKnown, isOpen, readsProof, lose }: Reasoned,
): JsonObject | undefined {
  const sealed = memberText(item, 'encrypted_content') ?? ''
  const carried = readEnvelope(sealed)?.proof
  const proof: Proof = carried ?? { dialect: isEnvelope(sealed) ? '' : DIALECT, value: sealed }
  const isForeign = sealed !== '' && !(proof.dialect === DIALECT && readsProof(proof.account))
  if (isForeign) lose('dropped', '.seal')
  if (!isForeign && (isKnown || isOpen || sealed !== ''))
    return withoutMintedId(carried ? withMembers(item, { encrypted_content: carried.value }) : item)
  if (isOpen && hasWords(item))
    return withoutMintedId(withMembers(item, { encrypted_content: undefined }))
  return hasWords(item) ? lose('dropped', '') : undefined
}

const withoutMintedId = (item: WireItem): JsonObject =>
  isMinted(item.id) ? withMembers(item, { id: undefined }) : item
