import { defined, isObject, withoutNulls, type Json, type JsonObject } from '../../src/json/json.ts'
import type { LoseOf } from '../../src/model/loss.ts'
import type {
  Capability,
  HostedTool,
  CodeBlock,
  CodeResultBlock,
  Block,
  MediaBlock,
  OpaqueBlock,
} from '../../src/model/request.ts'
import {
  DIALECT,
  listOf,
  lookup,
  objectsOf,
  memberText,
  keep,
  keepRest,
  restOf,
  factsOf,
  objectIn,
  opaque,
} from './dialect.ts'
import { Members } from '../../src/model/ext.ts'
import { isMinted } from '../../src/model/ids.ts'
import type { ItemContext } from './blocks.ts'
import { summaryWords } from '../../src/rules/notes.ts'
import { readSummaryEnvelope, refuseDamagedSummary } from '../../src/model/proof.ts'
import { isDecodable } from '../../src/rules/media.ts'
import { invalid, type ProblemError } from '../../src/model/problem.ts'
import type { WriteReplyContext } from '../contract.ts'
import { typeOfItem, type WireItem } from './wire.ts'

/** Hosted tools, with the default name of each. */
const CAPABILITIES: readonly [RegExp, Capability, string][] = [
  [/^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/, 'web-search', 'web_search'],
  [/^code_interpreter$/, 'code-execution', 'code_interpreter'],
  [/^file_search$/, 'file-search', 'file_search'],
  [/^tool_search$/, 'tool-search', 'tool_search'],
  [/^computer(?:_use_preview)?$/, 'computer', 'computer_use_preview'],
]

export const findCapability = (type: string): Capability | undefined =>
  CAPABILITIES.find(([pattern]) => pattern.test(type))?.[1]

const hostedType = (capability: Capability): string | undefined =>
  CAPABILITIES.find(([, known]) => known === capability)?.[2]

export function readHosted(tool: JsonObject, capability: Capability): HostedTool {
  const members = new Members(tool)
  const type = members.any('type')
  if (capability === 'code-execution') passContainer(members)
  if (capability === 'tool-search') members.passDefault('execution', 'server')
  const search = capability === 'web-search' ? readSearch(members) : {}
  const asDomains = capability === 'web-search' && Array.isArray(members.peek('domains'))
  const kept = keepRest(members, {
    ...(type !== undefined && type !== hostedType(capability) && { type }),
    ...(asDomains && { domains: true }),
  })
  return defined({ kind: 'hosted' as const, capability, ...search, ...kept })
}

function passContainer(members: Members): void {
  const { type, ...others } = withoutNulls(objectIn(members.peek('container')))
  if (type === 'auto' && Object.keys(others).length === 0) members.pass('container')
}

const strings = (values: Json[]): string[] => values.filter((value) => typeof value === 'string')

function readSearch(
  members: Members,
): Pick<HostedTool, 'allowedDomains' | 'location' | 'contextSize'> {
  // `medium` is the default, so it says nothing.
  const size = members.text('search_context_size')
  const contextSize = size === 'medium' ? undefined : size
  const location = members.object('user_location')
  const domains = members.list('domains')
  const allowedDomains = domains ? strings(domains) : readFilters(members)
  return defined({ allowedDomains, location, contextSize })
}

function readFilters(members: Members): string[] | undefined {
  const filters = members.peek('filters')
  if (!isObject(filters) || !Array.isArray(filters['allowed_domains'])) return undefined
  const { allowed_domains: allowed, ...rest } = filters
  members.any('filters')
  if (Object.keys(rest).length > 0) members.leave('filters', rest)
  return strings(listOf(allowed))
}

interface HostedContext {
  readonly own: boolean
  readonly lose: LoseOf
}

/**
 * File search and computer use need stores and screens that only a caller of this dialect can name. The dialect has
 * no tool that fetches pages.
 */
export function writeHosted(
  tool: HostedTool,
  { own, lose }: HostedContext,
): JsonObject | undefined {
  if (tool.cache) lose('dropped', 'cache')
  if (tool.capability === 'web-search') return writeSearch(tool, lose)
  if (tool.capability === 'code-execution') return writeCodeInterpreter(tool)
  if (tool.capability === 'tool-search') return { type: 'tool_search', ...restOf(tool) }
  const type = hostedType(tool.capability)
  return own && type !== undefined
    ? { type: factsOf(tool).type ?? type, ...restOf(tool) }
    : lose('dropped', '')
}

function writeCodeInterpreter(tool: HostedTool): JsonObject {
  return { type: 'code_interpreter', container: { type: 'auto' }, ...restOf(tool) }
}

function writeSearch(tool: HostedTool, lose: LoseOf): JsonObject {
  const { allowedDomains, blockedDomains, maxUses, location, contextSize } = tool
  if (blockedDomains) lose('dropped', '.blockedDomains')
  if (maxUses !== undefined) lose('dropped', '.maxUses')
  const { filters, ...rest } = restOf(tool)
  const asDomains = factsOf(tool).domains === true
  const allowed = allowedDomains && !asDomains ? { allowed_domains: allowedDomains } : {}
  const filtered = { ...allowed, ...(isObject(filters) && filters) }
  return defined({
    type: factsOf(tool).type ?? 'web_search',
    ...(asDomains && { domains: allowedDomains ?? [] }),
    ...(Object.keys(filtered).length > 0 && { filters: filtered }),
    ...(filters === null && { filters }),
    user_location: location,
    search_context_size: contextSize,
    ...rest,
  }) as JsonObject
}

const OUTCOMES: Record<string, CodeResultBlock['outcome']> = {
  failed: 'failed',
  incomplete: 'deadline',
}
export const STATUS_OF_OUTCOME: Record<CodeResultBlock['outcome'], string> = {
  ok: 'completed',
  failed: 'failed',
  deadline: 'incomplete',
}

/**
 * Code and its output are one item here. An item with outputs alone belongs to the code before it: it is written
 * where a proof had to stand between the two.
 */
export interface ReadCode {
  code?: CodeBlock
  result?: CodeResultBlock
}

/** `before`: the id of the code that was read last. */
export function readCode(item: WireItem, before: string | undefined): ReadCode {
  const members = new Members(item)
  members.any('type')
  const id = members.text('id') ?? ''
  const text = members.text('code') ?? ''
  const outputs = members.list('outputs')
  if (text === '' && outputs) return { result: readResult(item, before ?? id, outputs, true) }
  members.pass('status', 'container_id')
  const code = defined({
    kind: 'code' as const,
    id,
    language: 'python',
    code: text,
    ...keepRest(members),
  })
  return outputs ? { code, result: readResult(item, id, outputs, false) } : { code }
}

function readResult(
  item: WireItem,
  callId: string,
  outputs: Json[],
  isAlone: boolean,
): CodeResultBlock {
  const [only] = objectsOf(outputs)
  const logs = objectsOf(outputs).flatMap((output) => memberText(output, 'logs') ?? [])
  const isLog = outputs.length === 1 && only?.['type'] === 'logs'
  // Pictures in an output have a place only in this dialect.
  const isMore = logs.length < outputs.length
  const { type: _, outputs: __, ...head } = item
  const facts = { ...(!isLog && !isMore && { outputs }), ...(isAlone && { head }) }
  return defined({
    kind: 'code-result' as const,
    callId,
    outcome: lookup(OUTCOMES, item.status) ?? 'ok',
    output: logs.join('\n'),
    ...keep(isMore ? { outputs } : {}, { facts }),
  })
}

/** Outputs other than a single log stay as they came. */
export const writeOutputs = (block: CodeResultBlock): Json =>
  factsOf(block).outputs ?? restOf(block)['outputs'] ?? [{ type: 'logs', logs: block.output }]

export function writeCode(
  block: CodeBlock,
  result: CodeResultBlock | undefined,
  { own, lose }: ItemContext,
): JsonObject | undefined {
  if (block.proof) lose('dropped', '.seal')
  if (!own || isMinted(block.id)) return lose('dropped', '')
  return {
    type: 'code_interpreter_call',
    id: block.id,
    code: block.code,
    outputs: result ? writeOutputs(result) : null,
    ...restOf(block),
  }
}

/** Outputs are written with their code, unless they came alone. */
export function writeCodeResult(
  block: CodeResultBlock,
  { own, lose }: ItemContext,
): JsonObject | undefined {
  const { head } = factsOf(block)
  if (block.proof) lose('dropped', '.seal')
  if (!own || isMinted(block.callId) || isMinted(head?.['id'])) return lose('dropped', '')
  if (!head) return undefined
  return { type: 'code_interpreter_call', ...head, outputs: writeOutputs(block) }
}

/** The result right behind the code at a place. */
export function findResult(blocks: readonly Block[], at: number): CodeResultBlock | undefined {
  const code = blocks[at]
  const result = blocks[at + 1]
  return code?.kind === 'code' && result?.kind === 'code-result' && result.callId === code.id
    ? result
    : undefined
}

const CALL = 'image_generation_call'
const USUAL = 'png'

/** A picture that the model drew; undefined for any other item, and for one without a picture. */
export function readDrawing(item: WireItem): MediaBlock | undefined {
  const { result, id, type, status, output_format: format, ...rest } = item
  if (type !== CALL || typeof result !== 'string' || result === '') return undefined
  const head = defined({ id, type, status, output_format: format })
  const mediaType = `image/${typeof format === 'string' ? format : USUAL}`
  return {
    kind: 'media',
    mediaType,
    source: { data: result },
    ...keep(rest, { facts: { item: head } }),
  }
}

/** The same for a reply, where the picture may be incomplete. */
export function readDrawn(item: WireItem): MediaBlock | undefined {
  const drawing = readDrawing(item)
  return drawing && isDecodable(drawing) ? drawing : undefined
}

/** Inverse of `readDrawing`, for a request that came in this dialect. */
export function ownDrawing(block: Block): JsonObject | undefined {
  const item = block.kind === 'media' ? factsOf(block).item : undefined
  if (block.kind !== 'media' || !item || !('data' in block.source)) return undefined
  if (isMinted(item['id'])) return undefined
  return { ...item, ...restOf(block), result: block.source.data }
}

/** A drawing for a caller; undefined for other media. */
export function writeDrawing(block: MediaBlock, id: string): JsonObject | undefined {
  const { source, mediaType } = block
  if (!('data' in source) || !mediaType.startsWith('image/')) return undefined
  const format = mediaType.slice('image/'.length)
  return {
    id,
    type: CALL,
    status: 'completed',
    result: source.data,
    ...(format !== USUAL && { output_format: format }),
  }
}

/** A summary by the service, or the one in an envelope. Throws for a damaged envelope in a request (`index`). */
export function readSummary(item: WireItem, index?: number): OpaqueBlock | undefined {
  const summary = summaryIn(item)
  if (summary === undefined) return undefined
  if (index !== undefined) refuseDamagedSummary(summary, `input.${index}`)
  return (
    readSummaryEnvelope(summary) ?? {
      ...opaque(item),
      summary: true,
    }
  )
}

/** A summary of another service that anybody can read, as the user's words; undefined for any other block. */
export function writeForeignSummary(block: OpaqueBlock): JsonObject | undefined {
  const text = summaryWords(block, DIALECT)
  return text === undefined
    ? undefined
    : { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}

/**
 * The text of a summary; undefined for an item that is none. Codex (0.171.0) has two more names for a summary; an item
 * that has one of these names and no text is none.
 */
export const summaryIn = (item: WireItem): string | undefined =>
  /^(?:context_)?compaction(?:_summary)?$/.test(memberText(item, 'type') ?? '')
    ? (memberText(item, 'encrypted_content') ?? (item.type === 'compaction' ? '' : undefined))
    : undefined

/** The trigger orders a summary of what stands before it, so nothing may stand behind it. */
export function misplacedTrigger(index: number): ProblemError {
  const place = `input.${index}`
  return invalid(`${place}: a compaction_trigger has to be the last item, and the only one.`, place)
}

/** The user's messages in an input, which the answer of `/v1/responses/compact` repeats. */
export function saidByUser(input: Json | undefined): JsonObject[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return objectsOf(input).filter(
    (item) => typeOfItem(item) === 'message' && memberText(item, 'role') === 'user',
  )
}

/** The answer of that path: what the user said, word for word, and behind it the summary. */
export function writeCompacted(
  { id, created_at, output, usage }: JsonObject,
  { request, newId }: Pick<WriteReplyContext, 'request' | 'newId'>,
): JsonObject {
  const said = (factsOf(request).said ?? []).map(({ id: own, content, ...item }) => ({
    ...item,
    id: typeof own === 'string' ? own : newId('msg_'),
    type: 'message',
    status: 'completed',
    role: 'user',
    content: typeof content === 'string' ? [{ type: 'input_text', text: content }] : content,
  }))
  return defined({
    id,
    object: 'response.compaction',
    created_at,
    output: [...said, ...objectsOf(output)],
    usage,
  }) as JsonObject
}
