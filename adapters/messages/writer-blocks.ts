import { loseOfReply } from '../../src/rules/foreign.ts'
import { parseObject, toText, Verbatim, type JsonObject } from '../../src/json/json.ts'
import type { Block, Request, ToolCallBlock } from '../../src/model/request.ts'
import { shortenName, flatName } from '../../src/rules/names.ts'
import { FOREIGN_ID, writeSummaryEnvelope } from '../../src/model/proof.ts'
import { lowerInput } from '../../src/rules/text-tools.ts'
import { written, type BlockTable, type WriteReplyContext } from '../contract.ts'
import { CALL_ID, DIALECT, factsOf } from './dialect.ts'
import * as hosted from './hosted.ts'
import * as mcp from './mcp.ts'

/** The end of a block that came in pieces: its last delta, if there is one, and the whole block. */
export interface Closing {
  last?: JsonObject
  gathered: JsonObject
}

/** Writes the blocks of one reply, in pieces or whole. */
export class ReplyBlocks {
  readonly #context: WriteReplyContext
  readonly #ids = new Map<string, string>()
  #lastHosted = ''
  #opened: JsonObject = {}
  /** The number of calls so far. `broken`: of how many the input is no object. */
  calls = 0
  broken = 0

  constructor(context: WriteReplyContext) {
    this.#context = context
  }

  /** The empty block of a start event, with all members that strict clients require. */
  opening(block: Block): JsonObject {
    if (block.kind === 'reasoning') return { type: 'thinking', thinking: '', signature: '' }
    if (block.kind === 'tool-call') {
      this.#opened = this.#call(block)
      return { ...this.#opened, input: {} }
    }
    return { type: 'text', text: '' }
  }

  /** A piece of a block; undefined for a block that can only be written whole. */
  delta(block: Block, text: string): JsonObject | undefined {
    switch (block.kind) {
      case 'text':
      case 'refusal':
        return { type: 'text_delta', text }
      case 'reasoning':
        return { type: 'thinking_delta', thinking: text }
      case 'tool-call':
        return block.form === 'json' ? { type: 'input_json_delta', partial_json: text } : undefined
      default:
        return undefined
    }
  }

  closing(block: Block): Closing {
    if (block.kind === 'tool-call') return this.#closeCall(block)
    if (block.kind === 'refusal') this.#context.lose('approximated', 'reply.refusal')
    const text = 'text' in block ? block.text : ''
    return { gathered: { type: 'text', text } }
  }

  /**
   * Writes a block in one piece. A block that is empty, or unknown in this dialect (which is reported), becomes none.
   */
  whole(block: Block): JsonObject[] {
    const blocks = written(this.#table, block, undefined) ?? []
    return block.kind === 'opaque' ? blocks : blocks.map(withCaller)
  }

  /** Divides a whole block into a start event and a delta. Clients ignore an input that stands in a start event. */
  split(block: JsonObject): { opening: JsonObject; delta?: JsonObject } {
    const { type, input, signature } = block
    if (type === 'thinking')
      return {
        opening: { ...block, signature: '' },
        delta: { type: 'signature_delta', signature: signature ?? '' },
      }
    // The service streams a summary above a threshold in a delta, and one that was asked for now whole.
    if (type === 'compaction' && isWishForLater(this.#context.request)) {
      const { content = null, encrypted_content = null } = block
      return {
        opening: { ...block, content: null, encrypted_content: null },
        delta: { type: 'compaction_delta', content, encrypted_content },
      }
    }
    const isCall = type === 'server_tool_use' || type === 'mcp_tool_use'
    if (!isCall || input === undefined) return { opening: block }
    return {
      opening: { ...block, input: {} },
      delta: { type: 'input_json_delta', partial_json: toText(input) },
    }
  }

  readonly #table: BlockTable<JsonObject[], undefined> = {
    text: () => [],
    refusal: () => [],
    reasoning: () => [],
    // A call is written in pieces, so it is never written here.
    'tool-call': () => [],
    'tool-result': (block) => this.#unknown(block),
    media: (block) => this.#unknown(block),
    code: (block) => {
      this.#lastHosted = this.#hostedId(block.id, hosted.isNativeBlock(block))
      if (!hosted.runs(block.language)) this.#context.lose('approximated', 'reply.code.language')
      return [hosted.writeCode(block, this.#lastHosted)]
    },
    'code-result': (block) => {
      const native = hosted.isNativeBlock(block)
      const call = this.#ids.get(block.callId) ?? (native ? '' : this.#lastHosted)
      return [hosted.writeCodeResult(block, call || this.#hostedId(block.callId, native))]
    },
    search: (block) => {
      if (block.queries.length > 1) this.#context.lose('approximated', 'reply.search.queries')
      if (block.opened === 'read')
        return this.#context.lose('dropped', 'reply.search.page', 'its text is not known')
      const id = this.#hostedId(block.id, hosted.isNativeBlock(block))
      return block.opened ? hosted.writeFailedFetch(block, id) : hosted.writeSearch(block, id)
    },
    'mcp-call': (block) => mcp.writeMcpCall(block),
    'mcp-listing': (block) => {
      const { lose, request } = this.#context
      // An empty list would say that the server has no tools.
      if (block.error !== undefined || !request.client?.knowsListings) return this.#unknown(block)
      return [mcp.writeListing(block, loseOfReply(lose, block))]
    },
    'tool-search': (block) => {
      this.#lastHosted = this.#hostedId(block.id, hosted.isNativeBlock(block))
      return [hosted.writeToolSearch(block, this.#lastHosted)]
    },
    'tool-change': (block) => {
      if (block.searchId === undefined) return this.#unknown(block)
      const id =
        this.#ids.get(block.searchId) ?? this.#hostedId(block.searchId, hosted.isNativeBlock(block))
      return [hosted.writeFoundTools(block, id, flatName)]
    },
    opaque: (block) => {
      if (block.dialect === DIALECT) return [block.value]
      if (!block.summary) return []
      const content =
        block.words ?? 'The conversation before this was summed up by the service that answers.'
      const encrypted_content = writeSummaryEnvelope(block)
      return [{ type: 'compaction', content, encrypted_content, tool_changes: null }]
    },
  }

  #unknown(block: Block): undefined {
    return loseOfReply(this.#context.lose, block)('dropped', '')
  }

  #hostedId(id: string, native: boolean): string {
    const known = shortenName(id || this.#context.newId(FOREIGN_ID), CALL_ID)
    const wireId = native ? known : hosted.foreignId(known)
    this.#ids.set(id, wireId)
    return wireId
  }

  #call(block: ToolCallBlock): JsonObject {
    this.calls += 1
    const { namespace, form } = block
    // Callers of this dialect declare neither namespaces, besides toolsets, nor free-form tools.
    const isInSet = namespace !== undefined && this.#isInSet(block)
    if ((namespace && !isInSet) || form === 'text')
      this.#context.lose('approximated', 'reply.tool-call.name')
    return {
      type: 'tool_use',
      id: block.id || this.#context.newId('toolu_'),
      ...(isInSet ? { name: block.name, toolset_name: namespace } : { name: flatName(block) }),
    }
  }

  /** Whether the call is one of a toolset, whose name stands apart (`toolset_name`). */
  #isInSet({ name, namespace }: ToolCallBlock): boolean {
    return this.#context.request.tools.some(
      (tool) =>
        tool.kind === 'function' &&
        tool.name === name &&
        tool.namespace === namespace &&
        factsOf(tool).set !== undefined,
    )
  }

  #closeCall(block: ToolCallBlock): Closing {
    const text = block.form === 'text' ? lowerInput(block.input) : block.input
    const input = text.trim() === '' ? '{}' : text
    const valid = parseObject(input) !== undefined
    if (!valid) {
      this.broken += 1
      this.#context.lose('approximated', 'reply.tool-call.input', 'not a JSON object')
    }
    return {
      ...(block.form === 'text' && { last: { type: 'input_json_delta', partial_json: text } }),
      gathered: { ...this.#opened, input: valid ? new Verbatim(input) : {} },
    }
  }
}

/**
 * Adds the `caller` of a call that the model made itself. anthropic-java 3.14 throws where a program asks for a missing
 * one.
 */
const withCaller = (block: JsonObject): JsonObject =>
  /^(?:server_tool_use|web_(?:search|fetch)_tool_result)$/.test(String(block['type']))
    ? { ...block, caller: block['caller'] ?? { type: 'direct' } }
    : block

const isWishForLater = ({ compact }: Request): boolean =>
  compact !== undefined && compact.now !== true
