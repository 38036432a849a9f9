import { defined, type Json, type JsonObject, wellFormed } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { isMinted } from '../../src/model/ids.ts'
import type { Block, ReasoningBlock, SearchBlock, ToolCallBlock } from '../../src/model/request.ts'
import { isEnvelope, readEnvelope, type Enveloped, type ProofSlot } from '../../src/model/proof.ts'
import {
  DIALECT,
  wireForm,
  listOf,
  Members,
  objectsOf,
  ownLeftovers,
  spelled,
  textIn,
} from './members.ts'
import { writeCallId, type WireNames } from './names.ts'

/** What one item of an assistant's turn is. A carrier is no block: its proof belongs to a neighbour. */
export type ReadItem = { blocks: Block[] } | { carried: Enveloped }

export interface ItemContext {
  readonly path: string
  readonly names: WireNames
  readonly own: boolean
  /** The model takes marks of what to cache. */
  readonly marks: boolean
  readonly lose: Lose
}

export function readCall(item: JsonObject): ToolCallBlock {
  const members = new Members(item)
  const form = members.any('type') === 'custom_tool_call' ? 'text' : 'json'
  members.spell('id', 'status')
  return defined({
    kind: 'tool-call' as const,
    id: members.text('call_id') ?? '',
    name: members.text('name') ?? '',
    namespace: members.text('namespace') || undefined,
    form,
    input: members.text(form === 'text' ? 'input' : 'arguments') ?? '',
    ext: members.ext(),
  })
}

export function writeCall(block: ToolCallBlock, context: ItemContext): JsonObject {
  const { id, name, namespace, form, input, proof } = block
  if (proof) context.lose('dropped', `${context.path}.seal`)
  if (block.cache) context.lose('dropped', 'cache')
  return {
    type: form === 'text' ? 'custom_tool_call' : 'function_call',
    ...ownId(block, form === 'text' ? 'ctc' : 'fc'),
    ...spelled(block, 'status'),
    call_id: writeCallId(id),
    ...context.names.toWire(name, namespace),
    ...(form === 'text'
      ? { input }
      : { arguments: input.trim() === '' ? '{}' : wellFormed(input) }),
    ...ownLeftovers(block),
  }
}

/** An upstream refuses an id whose prefix is not that of the item's type, and looks for one that it does not know. */
function ownId(block: Block, prefix: string): JsonObject {
  const id = block.kind === 'opaque' ? undefined : wireForm(block)['id']
  return typeof id === 'string' && id.startsWith(prefix) && !isMinted(id) ? { id } : {}
}

/** The parts of a summary are paragraphs. */
export const PARAGRAPH = '\n\n'

const readTexts = (parts: Json | undefined): string[] =>
  objectsOf(parts).flatMap((part) => textIn(part, 'text') || [])

const OF_ANOTHER = new Set<ProofSlot>(['call', 'next', 'previous'])

export function readReasoning(item: JsonObject): ReadItem {
  const members = new Members(item)
  members.any('type')
  members.spell('id', 'status')
  const proof = members.text('encrypted_content')
  const carried = proof === undefined ? undefined : readEnvelope(proof)
  if (carried && OF_ANOTHER.has(carried.slot)) return { carried }
  const block: ReasoningBlock = { kind: 'reasoning', text: reasoningText(members) }
  if (carried) {
    block.proof = carried.proof
    if (carried.slot === 'redacted') block.redacted = true
  } else if (proof !== undefined && isEnvelope(proof)) members.leave('damagedSeal', true)
  else if (proof) block.proof = { dialect: DIALECT, value: proof }
  return { blocks: [defined({ ...block, ext: members.ext() })] }
}

/** The summary is what a reader is meant to see; some servers give the thoughts themselves in its place. */
function reasoningText(members: Members): string {
  const summary = members.any('summary') ?? null
  const content = members.peek('content')
  const summaries = readTexts(summary)
  const texts = readTexts(content)
  const isSimple = summaries.length === 1 && Object.keys(objectsOf(summary)[0] ?? {}).length === 2
  if (!isSimple && (summaries.length > 0 || texts.length > 0)) members.note('summary', summary)
  if (summaries.length > 0) return summaries.join(PARAGRAPH)
  members.spell('content')
  return texts.join(PARAGRAPH)
}

export function writeReasoning(
  block: ReasoningBlock,
  context: ItemContext,
): JsonObject | undefined {
  const { own, path, lose } = context
  const { damagedProof, ...rest } = ownLeftovers(block)
  const isOwnProof = block.proof?.dialect === DIALECT
  if (damagedProof === true || (block.proof && !isOwnProof)) lose('dropped', `${path}.seal`)
  // Without a proof it is its id by which an upstream knows it again.
  const { id } = wireForm(block)
  const isKnown = own && typeof id === 'string' && !isMinted(id)
  const isKept = isOwnProof || (isKnown && !block.proof && damagedProof !== true)
  if (!isKept) return block.text === '' ? undefined : lose('dropped', path)
  const summary = block.text === '' ? [] : [{ type: 'summary_text', text: block.text }]
  return {
    type: 'reasoning',
    ...ownId(block, 'rs'),
    summary,
    ...spelled(block, 'summary', 'content', 'status'),
    ...(block.proof && { encrypted_content: block.proof.value }),
    ...rest,
  }
}

export function readSearch(item: JsonObject): SearchBlock {
  const members = new Members(item)
  members.any('type')
  const id = members.text('id') ?? ''
  const action = members.object('action')
  if (action) members.note('action', action)
  if (typeof members.peek('status') === 'string') members.spell('status')
  return defined({ kind: 'search' as const, id, ...readAction(action), ext: members.ext() })
}

function readAction(action: JsonObject = {}): Pick<SearchBlock, 'queries' | 'sources'> {
  const queries = listOf(action['queries']).filter((query) => typeof query === 'string')
  const query = textIn(action, 'query') ?? textIn(action, 'pattern')
  const sources = objectsOf(action['sources']).flatMap((source) => {
    const url = textIn(source, 'url')
    return url === undefined ? [] : [{ url }]
  })
  const page = textIn(action, 'url')
  return {
    queries: queries.length > 0 || query === undefined ? queries : [query],
    sources: page === undefined ? sources : [...sources, { url: page }],
  }
}

export function writeAction({ queries, sources }: SearchBlock): JsonObject {
  return {
    type: 'search',
    ...(queries[0] !== undefined && { query: queries[0] }),
    queries,
    sources: sources.map(({ url }) => ({ type: 'url', url })),
  }
}

export function writeSearch(
  block: SearchBlock,
  { own, path, lose }: ItemContext,
): JsonObject | undefined {
  if (!own || isMinted(block.id)) return lose('dropped', path)
  return {
    type: 'web_search_call',
    ...(block.id !== '' && { id: block.id }),
    ...spelled(block, 'status', 'action'),
    ...ownLeftovers(block),
  }
}
