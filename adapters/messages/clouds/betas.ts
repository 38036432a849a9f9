import { editedText, withElements, withMembers } from '../../../src/json/edit.ts'
import { isObject, parse, parseObject, type Json, type JsonObject } from '../../../src/json/json.ts'
import { slicesAt } from '../../../src/json/slices.ts'
import { tell, lossesIn, type Lose } from '../../../src/model/loss.ts'
import { leftOutFile } from '../../../src/rules/media.ts'
import { keyOf } from '../../../src/rules/late-tools.ts'
import type { BetaRequest, BetaRules, ServerFacts } from '../../contract.ts'
import { FAST_BETA, SCREEN_BETAS, UPDATES_BETA } from '../abilities.ts'
import { listIn, objectIn, objectsIn, textIn } from '../dialect.ts'
import { COMPACT_BETA, CONTEXT_BETA, SUMMARY_BETA } from '../fields.ts'
import { MCP_BETA } from '../mcp.ts'
import { FILES_BETA } from '../media.ts'
import { readTool } from '../tools.ts'
import { placeOf } from '../wire.ts'
import { withBlocks } from './blocks.ts'

/**
 * Betas as clouds take them. A cloud refuses a request with a beta that it does not know ("invalid beta flag"), and
 * with a feature whose beta is missing ("Extra inputs are not permitted"). So both are left out together.
 */

/** Whether a beta passes. `names`: as in `ServerFacts.betas`. */
export function passes(beta: string, names: readonly string[]): boolean {
  const kept = names.filter((name) => !name.startsWith('!'))
  return !isRefused(beta, names) && (kept.length === 0 || kept.some((name) => isNamed(beta, name)))
}

const isRefused = (beta: string, names: readonly string[]): boolean =>
  names.some((name) => name.startsWith('!') && isNamed(beta, name.slice(1)))

/** A `*` at the end of a name stands for any ending. */
const isNamed = (beta: string, name: string): boolean =>
  name.endsWith('*') ? beta.startsWith(name.slice(0, -1)) : beta === name

/**
 * Betas with another name at clouds: the search for tools (litellm, anthropic_beta_headers_config.json), and the oldest
 * screen, which clouds have as a newer one (@ai-sdk/amazon-bedrock 4.0.186).
 */
const STAND_INS: Readonly<Record<string, string>> = {
  'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19',
  'computer-use-2024-10-22': 'computer-use-2025-01-24',
}

/** The betas that the server takes, or stand-ins for them. The others are reported. */
function siftedBetas(asked: Iterable<string>, { betas: names }: ServerFacts, lose: Lose): string[] {
  if (!names) return [...asked]
  const at = lossesIn(lose)
  const sifted = [...asked].flatMap((beta) => {
    if (passes(beta, names)) return [beta]
    const other = STAND_INS[beta]
    if (other !== undefined && passes(other, names)) return [other]
    return at('betas', shown(beta))('dropped', '') ?? []
  })
  return [...new Set(sifted)]
}

/** The betas in the headers, each once. */
export function betasIn(headers: Readonly<Record<string, string>>): string[] {
  const value = headers['anthropic-beta'] ?? headers['provider-beta'] ?? ''
  return [...new Set(value.split(',').map((beta) => beta.trim()))].filter((beta) => beta !== '')
}

/** The headers of a request, with only the betas that the server takes. */
function siftHeaders(
  headers: Readonly<Record<string, string>>,
  server: ServerFacts,
  lose: Lose,
): Record<string, string> {
  const { 'anthropic-beta': one, 'provider-beta': other, ...others } = headers
  if (!server.betas || (one ?? other) === undefined) return { ...headers }
  const asked = betasIn(headers)
  const taken = siftedBetas(asked, server, lose)
  if (taken.length === asked.length && taken.every((beta, at) => beta === asked[at]))
    return { ...headers }
  const value = taken.join(',')
  return value === '' ? others : { ...others, 'anthropic-beta': value, 'provider-beta': value }
}

/** A written request, without the betas that the server does not take and without what they are for. */
function sift({ headers, body: text }: BetaRequest, server: ServerFacts, lose: Lose) {
  const before = parseObject(text)
  const body = before ? editedText(text, before, withoutBetas(before, server, lose)) : text
  return { headers: siftHeaders(headers, server, lose), body }
}

/** The betas of a request that a refusal names. */
function refused(said: string, { headers, body }: BetaRequest): string[] {
  if (!/beta/i.test(said)) return []
  const listed = slicesAt(body, ['anthropic_beta']).flatMap(({ start, end }) =>
    listIn(parse(body.slice(start, end))).map(textIn),
  )
  const words = new Set(said.match(/[\w.-]+/g))
  return [...new Set([...betasIn(headers), ...listed])].filter((beta) => words.has(beta))
}

export const BETAS: BetaRules = {
  // The first words are Amazon's (claude-code#49370), the others Google's (claude-code#34802).
  words: /invalid beta flag|Unexpected value\(s\) .{0,400} for the .{0,3}anthropic-beta/,
  siftHeaders,
  sift,
  refused,
}

/** The name of a beta for a report. It comes from the caller and will stand in a header. */
const shown = (beta: string): string => beta.replaceAll(/[^\w.-]/g, '_').slice(0, 64)

/** Betas of which a feature needs one. */
type Needed = readonly [string, ...string[]]

const CONTEXT: Needed = [CONTEXT_BETA]
const COMPACT: Needed = [COMPACT_BETA]
const MCP: Needed = [MCP_BETA, 'mcp-client-2025-04-04']
const SCOPE: Needed = ['prompt-caching-scope-2026-01-05']
const UPDATES: Needed = [UPDATES_BETA]
export const EAGER: Needed = ['fine-grained-tool-streaming-2025-05-14']
const FILES: Needed = [FILES_BETA]
export const SEARCHED: Needed = ['tool-search-tool-2025-10-19', 'advanced-tool-use-2025-11-20']
const RUN: Needed = ['code-execution-2025-08-25', 'code-execution-2025-05-22']

const MEMBERS: readonly (readonly [string, Needed])[] = [
  ['context_management', CONTEXT],
  ['compaction', [SUMMARY_BETA]],
  ['mcp_servers', MCP],
  ['speed', [FAST_BETA]],
  ['output_format', ['structured-outputs-2025-11-13', 'structured-outputs-2025-12-15']],
  ['container', ['skills-2025-10-02', ...RUN]],
]

const TOOLS: readonly (readonly [RegExp, Needed])[] = [
  [/^mcp_toolset/, MCP],
  ...Object.entries(SCREEN_BETAS).map(([type, beta]) => [RegExp(`^${type}$`), [beta]] as const),
  [/^web_search_/, ['web-search-2025-03-05']],
  [/^web_fetch_/, ['web-fetch-2025-09-10']],
  [/^code_execution_/, RUN],
  [/^tool_search_tool_/, SEARCHED],
  [/^advisor_/, ['advisor-tool-2026-03-01']],
]

const TOOL_MEMBERS: readonly (readonly [string, Needed])[] = [
  ['eager_input_streaming', EAGER],
  ['defer_loading', SEARCHED],
  ['allowed_callers', SEARCHED],
  ['input_examples', SEARCHED],
]

interface Sieve {
  readonly names: readonly string[]
  readonly lose: Lose
}

/**
 * Whether a feature is left out: one of its betas was refused, or none of them passes. After a refusal it is not known
 * with which of them the request was sent.
 */
const isOut = ({ names }: Sieve, needed: Needed): boolean =>
  needed.some((beta) => isRefused(beta, names)) || !needed.some((beta) => passes(beta, names))

/** Whether a server takes a feature that needs this beta. */
export const takesBeta = ({ betas: names }: ServerFacts, beta: string): boolean =>
  names === undefined || passes(beta, names)

/** Reports the beta of a feature that is left out. */
const loseBeta = ({ lose }: Sieve, [beta]: Needed, what: string): undefined =>
  lossesIn(lose)('betas', beta)('dropped', '', what)

/** Takes out of a body what needs a beta that the server does not take. */
export function withoutBetas(body: JsonObject, server: ServerFacts, lose: Lose): JsonObject {
  const { betas: names } = server
  if (!names) return body
  const sieve = { names, lose }
  const edits = [
    withBodyBetas,
    withoutMembers,
    withoutTools,
    withoutSummary,
    withoutUpdates,
    withoutMcp,
    withoutFiles,
  ]
  const sifted = edits.reduce((edited, edit) => edit(edited, sieve), body)
  return isOut(sieve, SCOPE) ? withoutScopes(sifted, sieve) : sifted
}

/** Sifts the list of betas in the body, where Bedrock takes it. */
function withBodyBetas(body: JsonObject, { names, lose }: Sieve): JsonObject {
  const { anthropic_beta: asked } = body
  if (!Array.isArray(asked)) return body
  const sifted = siftedBetas(asked.map(textIn), { betas: names }, lose)
  const isSame = sifted.length === asked.length && sifted.every((beta, at) => beta === asked[at])
  return isSame
    ? body
    : withMembers(body, { anthropic_beta: sifted.length > 0 ? sifted : undefined })
}

function withoutMembers(body: JsonObject, sieve: Sieve): JsonObject {
  const out = MEMBERS.filter(([name, needed]) => name in body && isOut(sieve, needed))
  for (const [name, needed] of out) {
    loseBeta(sieve, needed, name)
    tell(sieve.lose, { code: 'dropped', path: placeOf(name) })
  }
  return withMembers(body, Object.fromEntries(out.map(([name]) => [name, undefined])))
}

function withoutTools(body: JsonObject, sieve: Sieve): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const at = lossesIn(sieve.lose)
  const kept = withElements(tools, (tool) => {
    if (!isObject(tool)) return tool
    const type = textIn(tool['type'])
    const row = TOOLS.find(([types, needed]) => types.test(type) && isOut(sieve, needed))
    if (!row) return withoutMarks(tool, sieve)
    loseBeta(sieve, row[1], type)
    return at('tools', keyOf(readTool(tool)).name || type)('dropped', '') ?? []
  })
  return withMembers(body, { tools: kept.length > 0 || tools.length === 0 ? kept : undefined })
}

function withoutMarks(tool: JsonObject, sieve: Sieve): JsonObject {
  const out = TOOL_MEMBERS.filter(([name, needed]) => name in tool && isOut(sieve, needed))
  for (const [name, needed] of out) loseBeta(sieve, needed, name)
  return withMembers(tool, Object.fromEntries(out.map(([name]) => [name, undefined])))
}

/** Takes out the wish for a summary, which is one edit of the context among others. */
function withoutSummary(body: JsonObject, sieve: Sieve): JsonObject {
  const managed = objectIn(body['context_management'])
  const edits = listIn(managed['edits'])
  const kept = withElements(edits, (edit) =>
    textIn(objectIn(edit)['type']).startsWith('compact_') ? [] : edit,
  )
  if (kept === edits || !isOut(sieve, COMPACT)) return body
  loseBeta(sieve, COMPACT, 'context_management')
  sieve.lose('dropped', 'compaction.threshold')
  const others = kept.length > 0 ? withMembers(managed, { edits: kept }) : undefined
  return withMembers(body, { context_management: others })
}

function withoutUpdates(body: JsonObject, sieve: Sieve): JsonObject {
  const thinking = objectIn(body['thinking'])
  if (thinking['display'] !== 'updates' || !isOut(sieve, UPDATES)) return body
  loseBeta(sieve, UPDATES, 'thinking.display')
  return withMembers(body, { thinking: withMembers(thinking, { display: undefined }) })
}

/** Takes out calls of MCP servers from the conversation, which are refused like the servers. */
function withoutMcp(body: JsonObject, sieve: Sieve): JsonObject {
  if (!isOut(sieve, MCP)) return body
  return withBlocks(body, sieve.lose, (block, lose) => {
    const type = textIn(block['type'])
    if (!type.startsWith('mcp_tool_')) return block
    loseBeta(sieve, MCP, type)
    return lose('dropped', '') ?? []
  })
}

/** Replaces a file that the service keeps by a text that names it. */
function withoutFiles(body: JsonObject, sieve: Sieve): JsonObject {
  if (!isOut(sieve, FILES)) return body
  return withBlocks(body, sieve.lose, (block, lose) => {
    const { type, file_id: id } = objectIn(block['source'])
    if (type !== 'file' && block['type'] !== 'container_upload') return block
    loseBeta(sieve, FILES, 'file_id')
    lose('dropped', '')
    return { type: 'text', text: leftOutFile(textIn(block['title']) || textIn(id)) }
  })
}

/**
 * Takes the `scope` out of cache marks. With it Claude Code marks the part of its prompt that all its users have in
 * common.
 */
function withoutScopes(body: JsonObject, sieve: Sieve): JsonObject {
  const plain = (value: Json): Json => {
    if (!isObject(value)) return value
    const mark = objectIn(value['cache_control'])
    if (mark['scope'] === undefined) return value
    loseBeta(sieve, SCOPE, 'cache_control.scope')
    return withMembers(value, { cache_control: withMembers(mark, { scope: undefined }) })
  }
  const each = (list: Json | undefined): Json | undefined =>
    Array.isArray(list) ? withElements(list, plain) : list
  const messages = Array.isArray(body['messages'])
    ? withElements(body['messages'], (message) =>
        isObject(message) && objectsIn(message['content']).length > 0
          ? withMembers(message, { content: each(message['content']) })
          : message,
      )
    : body['messages']
  return withMembers(body, { system: each(body['system']), tools: each(body['tools']), messages })
}
