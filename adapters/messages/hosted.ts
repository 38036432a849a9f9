import {
  sorted,
  stringify,
  toText,
  toValue,
  Verbatim,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type {
  Block,
  CodeBlock,
  CodeResultBlock,
  SearchBlock,
  Source,
  ToolChangeBlock,
  ToolKey,
  ToolSearchBlock,
} from '../../src/model/request.ts'
import { FOREIGN_ID } from '../../src/model/proof.ts'
import {
  beyondCaller,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  withoutNulls,
  keep,
  factsOf,
  opaque,
  restOf,
  type Facts,
} from './dialect.ts'
import type { WireBlock } from './wire.ts'

/**
 * Makes the id of a block that the proxy wrote for a foreign reply: ids of hosted tools get a prefix of their own. An
 * upstream takes back only the calls and results of hosted tools that it made itself, which are marked as native.
 */
export const foreignId = (id: string): string => (id.startsWith(FOREIGN_ID) ? id : FOREIGN_ID + id)

const nativeFacts = (id: string): Facts => (id.startsWith(FOREIGN_ID) ? {} : { native: true })

/** Whether an upstream of this dialect made the block. */
export const isNativeBlock = (block: Block): boolean =>
  block.kind !== 'opaque' && factsOf(block).native === true

/**
 * Whether a service of this dialect made a search for tools. Its id tells, also when it comes back from a caller of
 * another dialect.
 */
export const isNativeSearch = (id: string): boolean =>
  id.startsWith('srvtoolu_') && !id.startsWith(FOREIGN_ID)

const WEB_SEARCH = 'web_search'
const WEB_FETCH = 'web_fetch'

/** Tools that run code, with their language and the member of their input that holds the code. */
const CODE_TOOLS = [
  { name: 'code_execution', member: 'code', language: 'python' },
  { name: 'bash_code_execution', member: 'command', language: 'bash' },
] as const

const RESULT_SUFFIX = '_tool_result'

export const isSearchResult = (raw: WireBlock | undefined, id: Json | undefined): boolean =>
  raw?.type === WEB_SEARCH + RESULT_SUFFIX && raw.tool_use_id === id

/** Reads a call of a hosted tool. `result`: the next block, if it is the result of this call. */
export function readHostedCall(raw: WireBlock, result: JsonObject | undefined): Block {
  const { type: _, id: wireId, name, input, ...more } = raw
  const rest = beyondCaller(more)
  const id = textIn(wireId)
  if (textIn(name).startsWith(TOOL_SEARCH)) return readToolSearch(raw)
  const fields = objectIn(input === undefined ? undefined : toValue(input))
  if (name === WEB_SEARCH && typeof fields['query'] === 'string') {
    const { query, ...others } = fields
    const left = { ...rest, ...(Object.keys(others).length > 0 && { input: others }) }
    const { left: unread, ...found } = result ? readFound(result) : { sources: [], left: {} }
    const kept = keep(
      { ...(Object.keys(left).length > 0 && { call: left }), ...unread },
      { facts: { ...nativeFacts(id), ...(!result && { lacks: 'result' }) } },
    )
    const queries = query === '' ? [] : [String(query)]
    return { kind: 'search', id, queries, ...found, ...kept }
  }
  const tool = CODE_TOOLS.find((candidate) => candidate.name === name)
  const code = tool && fields[tool.member]
  if (!tool || typeof code !== 'string') return opaque(raw)
  const { [tool.member]: _code, ...others } = fields
  const left = { ...rest, ...(Object.keys(others).length > 0 && { input: others }) }
  return {
    kind: 'code',
    id,
    language: tool.language,
    code,
    ...keep(left, { facts: nativeFacts(id) }),
  }
}

const TOOL_SEARCH = 'tool_search_tool_'
const USUAL_SEARCH = 'tool_search_tool_bm25'
const FOUND = 'tool_search_tool_search_result'

function readToolSearch(raw: WireBlock): Block {
  const { type: _, id, name, input, ...rest } = raw
  const facts = { ...nativeFacts(textIn(id)), ...(name !== USUAL_SEARCH && { type: textIn(name) }) }
  const text = input === undefined ? '{}' : toText(input)
  return {
    kind: 'tool-search',
    id: textIn(id),
    input: text,
    ...keep(beyondCaller(rest), { facts }),
  }
}

export const writeToolSearch = (block: ToolSearchBlock, id: string): JsonObject => ({
  type: 'server_tool_use',
  id,
  name: factsOf(block).type ?? USUAL_SEARCH,
  input: new Verbatim(block.input),
  ...restOf(block),
})

/** Reads the tools that the service found, by their names. The result of a search that failed is a leftover. */
export function readFoundTools(raw: WireBlock): Block {
  const { type: _, tool_use_id, content, ...rest } = raw
  const { type, tool_references, ...left } = withoutNulls(objectIn(content))
  const isFound = type === FOUND && Object.keys(left).length === 0
  const tools = objectsIn(tool_references).map(({ tool_name }) => ({ name: textIn(tool_name) }))
  return {
    kind: 'tool-change',
    change: 'add',
    tools,
    searchId: textIn(tool_use_id),
    ...keep(
      { ...rest, ...(!isFound && { content: content ?? null }) },
      { facts: nativeFacts(textIn(tool_use_id)) },
    ),
  }
}

export const writeFoundTools = (
  block: ToolChangeBlock,
  id: string,
  nameOf: (key: ToolKey) => string,
): JsonObject => ({
  type: 'tool_search_tool_result',
  tool_use_id: id,
  content: {
    type: FOUND,
    tool_references: block.tools.map((key) => ({
      type: 'tool_reference',
      tool_name: nameOf(key),
    })),
  },
  ...restOf(block),
})

/** Inverse of `readHostedCall` for a search: the call and its result. */
export function writeSearch(block: SearchBlock, id: string): JsonObject[] {
  const { call, result, error } = restOf(block)
  const { lacks } = factsOf(block)
  const { input, ...rest } = objectIn(call)
  const query = block.queries.join('; ')
  const use = {
    type: 'server_tool_use',
    id,
    name: WEB_SEARCH,
    input: { query, ...objectIn(input) },
    ...rest,
  }
  const found = {
    type: WEB_SEARCH + RESULT_SUFFIX,
    tool_use_id: id,
    content: error ?? (block.failed ? NOT_MADE : block.sources.map(writeSource)),
    ...objectIn(result),
  }
  return [...(lacks === 'call' ? [] : [use]), ...(lacks === 'result' ? [] : [found])]
}

const NOT_MADE = { type: `${WEB_SEARCH}${RESULT_SUFFIX}_error`, error_code: 'unavailable' }

/**
 * Writes a page that another service could not open (`WebFetchToolResultErrorBlock`). A page that it opened cannot be
 * written: `web_fetch_result` holds the text of the page, which such a service does not tell.
 */
export const writeFailedFetch = ({ sources }: SearchBlock, id: string): JsonObject[] => [
  { type: 'server_tool_use', id, name: WEB_FETCH, input: { url: sources[0]?.url ?? '' } },
  {
    type: WEB_FETCH + RESULT_SUFFIX,
    tool_use_id: id,
    content: { type: `${WEB_FETCH}${RESULT_SUFFIX}_error`, error_code: 'url_not_accessible' },
  },
]

/** Reads a search result that does not follow its call. */
export function readLoneResult(raw: WireBlock): Block {
  const id = textIn(raw.tool_use_id)
  const { left, ...found } = readFound(raw)
  const kept = keep(left, { facts: { ...nativeFacts(id), lacks: 'call' } })
  return { kind: 'search', id, queries: [], ...found, ...kept }
}

function readFound(raw: WireBlock): Pick<SearchBlock, 'sources' | 'failed'> & { left: JsonObject } {
  const { type: _, tool_use_id: _id, content, ...more } = raw
  const rest = beyondCaller(more)
  const failed = content !== undefined && !Array.isArray(content)
  return {
    sources: objectsIn(content).map(readSource),
    ...(failed && { failed }),
    left: {
      ...(Object.keys(rest).length > 0 && { result: rest }),
      ...(failed && { error: content }),
    },
  }
}

function readSource(raw: WireBlock): Source {
  const { type: _, url, title, page_age, encrypted_content, ...rest } = raw
  const left = {
    ...rest,
    ...(typeof page_age === 'string' && { page_age }),
    ...(encrypted_content !== undefined && encrypted_content !== '' && { encrypted_content }),
  }
  return { url: textIn(url), ...(typeof title === 'string' && { title }), ...keep(left) }
}

const writeSource = (source: Source): JsonObject => ({
  type: 'web_search_result',
  title: source.title ?? '',
  url: source.url,
  encrypted_content: '',
  page_age: null,
  ...restOf(source),
})

/** Inverse of `readHostedCall` for code. */
export function writeCode(block: CodeBlock, id: string): JsonObject {
  const tool = CODE_TOOLS.find((candidate) => candidate.language === block.language)
  const { name, member } = tool ?? CODE_TOOLS[0]
  const { input, ...rest } = restOf(block)
  const fields = { [member]: block.code, ...objectIn(input) }
  return { type: 'server_tool_use', id, name, input: fields, ...rest }
}

/** Whether a hosted tool of this dialect runs the language. */
export const runs = (language: string): boolean =>
  CODE_TOOLS.some((tool) => tool.language === language.toLowerCase())

/** The exit status of a command that ran out of time, as in shells. */
const TIMED_OUT = 124
const DEADLINE_CODE = 'execution_time_exceeded'

const CODE_RESULT = CODE_TOOLS[0].name + RESULT_SUFFIX

export function readCodeResult(raw: WireBlock): Block {
  const { type, tool_use_id, content, ...rest } = raw
  const callId = textIn(tool_use_id)
  const said = readOutcome(objectIn(content))
  const block: CodeResultBlock = { kind: 'code-result', callId, ...said }
  const isSaid = same(writeOutcome(block, textIn(type)), withoutNulls(objectIn(content)))
  const left = { ...rest, ...(!isSaid && { content: content ?? null }) }
  const facts = {
    ...nativeFacts(callId),
    ...(type !== CODE_RESULT && { type: textIn(type) }),
  }
  return { ...block, ...keep(left, { facts }) }
}

/** Inverse of `readCodeResult`. */
export function writeCodeResult(block: CodeResultBlock, callId: string): JsonObject {
  const { content, ...rest } = restOf(block)
  const wireType = factsOf(block).type || CODE_RESULT
  return {
    type: wireType,
    tool_use_id: callId,
    content: content ?? writeOutcome(block, wireType),
    ...rest,
  }
}

function readOutcome({
  error_code,
  return_code,
  stdout,
  stderr,
}: JsonObject): Pick<CodeResultBlock, 'outcome' | 'output'> {
  const code = textIn(error_code)
  if (code !== '') return { outcome: code === DEADLINE_CODE ? 'deadline' : 'failed', output: code }
  const status = numberIn(return_code) ?? 0
  const output = [textIn(stdout), textIn(stderr)].filter(Boolean).join('\n')
  if (status === 0) return { outcome: 'ok', output }
  return { outcome: status === TIMED_OUT ? 'deadline' : 'failed', output }
}

const STATUS = { ok: 0, failed: 1, deadline: TIMED_OUT } satisfies Record<
  CodeResultBlock['outcome'],
  number
>

const writeOutcome = ({ outcome, output }: CodeResultBlock, type: string): JsonObject => ({
  type: type.replace(RESULT_SUFFIX, '_result'),
  stdout: outcome === 'ok' ? output : '',
  stderr: outcome === 'ok' ? '' : output,
  return_code: STATUS[outcome],
  content: [],
})

/** Whether two values are equal, regardless of the order of members. */
const same = (first: Json, second: Json): boolean =>
  stringify(sorted(first)) === stringify(sorted(second))
