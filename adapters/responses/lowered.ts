import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, listOf, Verbatim, type Json, type JsonObject } from '../../src/json/json.ts'
import { keyOf } from '../../src/rules/late-tools.ts'
import type { Lose } from '../../src/model/loss.ts'
import { shortenName } from '../../src/rules/names.ts'
import { withoutOthers, withoutRefused } from '../../src/check/fields.ts'
import { describeText, TEXT_TOOL_SCHEMA } from '../../src/rules/text-tools.ts'
import type { ServerFacts } from '../contract.ts'
import { objectIn, objectsOf, memberText } from './dialect.ts'
import { placeOf } from './wire.ts'
import { lowerHistory, takesLateTools, type Lowering } from './lowered-history.ts'
import { NAME } from './names.ts'
import { PROOFS } from './proofs.ts'
import { readTools } from './tools.ts'

/**
 * Fits a body to a server that speaks only a part of this dialect: what it lacks is said otherwise, or left out and
 * reported. The reader of replies restores the names, from the request as its caller sent it.
 */
export function lowered(body: JsonObject, server: ServerFacts | undefined, lose: Lose): JsonObject {
  if (!server) return body
  const declared = withLateTools(body, server, lose)
  const namespaces = new Set(
    objectsOf(declared['tools']).flatMap(({ type, name }) =>
      type === 'namespace' && typeof name === 'string' ? name : [],
    ),
  )
  const lowering: Lowering = {
    server,
    lose,
    flat: (name, namespace = '') =>
      shortenName(namespaces.has(namespace) ? `${namespace}__${name}` : name, NAME),
  }
  const tooled = withChoice(withTools(declared, lowering), lowering)
  return withOptions(lowerHistory(tooled, lowering), lowering)
}

/** Codex (since 0.144) declares its tools in an item of the conversation, before anything is said. */
function withLateTools(body: JsonObject, server: ServerFacts, lose: Lose): JsonObject {
  const input = objectsOf(body['input'])
  const late = input.filter(({ type }) => type === 'additional_tools')
  if (takesLateTools(server) || late.length === 0) return body
  const begun = input.findIndex(
    ({ type, role }) => type !== 'additional_tools' && role !== 'developer' && role !== 'system',
  )
  const isLater = begun >= 0 && input.slice(begun).some(({ type }) => type === 'additional_tools')
  if (isLater) lose('approximated', 'tools.late', 'offered from the beginning')
  const tools = [...listOf(body['tools']), ...late.flatMap(({ tools: more }) => listOf(more))]
  return withMembers(body, { tools })
}

function withTools(body: JsonObject, lowering: Lowering): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const known = new Set<string>()
  const written = withElements(tools, (tool) => lowerTool(tool, lowering)).filter((tool) => {
    const name =
      isObject(tool) && tool['type'] === 'function' ? memberText(tool, 'name') : undefined
    if (name === undefined) return true
    const isFirst = !known.has(name)
    known.add(name)
    if (!isFirst) lowering.lose('dropped', `tools.${name}`, 'another tool has this name')
    return isFirst
  })
  const isSame = written.length === tools.length && written.every((tool, at) => tool === tools[at])
  return isSame ? body : withMembers(body, { tools: written.length > 0 ? written : undefined })
}

function lowerTool(tool: Json, lowering: Lowering, namespace?: string): Json | readonly Json[] {
  const { server, lose, flat } = lowering
  if (!isObject(tool)) return tool
  const { type } = tool
  const name = memberText(tool, 'name') ?? ''
  if (type === 'namespace') {
    const inner = listOf(tool['tools'])
    if (server.namespaces !== false)
      return withMembers(tool, { tools: withElements(inner, (one) => lowerTool(one, lowering)) })
    const first = memberText(objectIn(inner[0]), 'name')
    if (tool['description'] && first) lose('dropped', `tools.${first}.namespace`)
    return inner.flatMap((one) => lowerTool(one, lowering, name))
  }
  if (type === 'function')
    return withMembers(tool, {
      name: namespace === undefined ? tool['name'] : flat(name, namespace),
      ...(server.strictTools === false && { strict: undefined }),
    })
  if (type === 'custom') {
    if (server.customTools === false) return asFunction(tool, flat(name, namespace), lowering)
    return namespace === undefined ? tool : withMembers(tool, { name: flat(name, namespace) })
  }
  if (server.hostedTools !== false) return tool
  const [read] = readTools([tool])
  return lose('dropped', `tools.${read ? keyOf(read).name : name}`) ?? []
}

/** A tool that takes free text, as a function of one text. */
function asFunction(tool: JsonObject, name: string, { server, lose }: Lowering): JsonObject {
  const said = memberText(tool, 'description')
  const { format } = tool
  const described = {
    kind: 'text' as const,
    name: memberText(tool, 'name') ?? '',
    ...(said !== undefined && { description: said }),
    ...(isObject(format) && { format }),
  }
  const description = describeText(described, lose)
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: new Verbatim(TEXT_TOOL_SCHEMA),
    ...(server.strictTools !== false && { strict: false }),
  }
}

/** xAI refuses a tool choice without tools. */
const NO_CHOICE = { tool_choice: undefined, parallel_tool_calls: undefined }

function withChoice(body: JsonObject, lowering: Lowering): JsonObject {
  const { tool_choice: choice } = body
  const { server, lose, flat } = lowering
  if (listOf(body['tools']).length === 0) {
    if (isObject(choice) || choice === 'required') lose('dropped', 'toolChoice', 'no tool is left')
    return withMembers(body, NO_CHOICE)
  }
  if (!isObject(choice)) return body
  const called = (one: JsonObject): JsonObject => {
    const name = memberText(one, 'name')
    if (name === undefined) return one
    const isFree = one['type'] === 'custom' && server.customTools === false
    const isFlat = server.namespaces === false
    return withMembers(one, {
      ...(isFree && { type: 'function' }),
      ...(isFlat && { name: flat(name, memberText(one, 'namespace')), namespace: undefined }),
    })
  }
  const isSeveral = choice['type'] === 'allowed_tools'
  const wanted = (isSeveral ? objectsOf(choice['tools']) : [choice]).map(called)
  const offered = wanted.filter((one) => isOffered(body, one))
  if (offered.length === 0) {
    lose('approximated', 'toolChoice', 'the tool is not offered')
    return withMembers(body, { tool_choice: 'auto' })
  }
  if (server.namedChoice !== false) {
    if (!isSeveral) return withMembers(body, { tool_choice: offered[0] })
    return withMembers(body, { tool_choice: withMembers(choice, { tools: offered }) })
  }
  // Only the tools that may be called are offered, and the choice becomes one word.
  const names = new Set(offered.map(({ name }) => name))
  const tools = withElements(listOf(body['tools']), (tool) =>
    isObject(tool) && names.has(tool['name']) ? tool : [],
  )
  const mode = isSeveral ? (choice['mode'] ?? 'auto') : 'required'
  return withMembers(body, { tools, tool_choice: mode })
}

/** Whether a chosen tool is offered; a tool that the server runs has a type and no name. */
const isOffered = ({ tools }: JsonObject, { type, name }: JsonObject): boolean =>
  objectsOf(tools).some((tool) =>
    name === undefined
      ? tool['type'] === type
      : tool['name'] === name || tool['type'] === 'namespace',
  )

function withOptions(body: JsonObject, { server, lose }: Lowering): JsonObject {
  const { drop = [], members, state, strictTools } = server
  const text = objectIn(body['text'])
  const format = objectIn(text['format'])
  if (drop.includes('verbosity') && text['verbosity'] !== undefined) lose('dropped', 'text')
  const settled = withMembers(body, {
    ...(state === false && { store: false, previous_response_id: undefined }),
    // Proofs are requested only to be brought back; where the server gives none, nothing is lost.
    ...(drop.includes('include') && asksForProofsAlone(body) && { include: undefined }),
    ...(isObject(body['text']) && {
      text: withMembers(text, {
        ...(drop.includes('verbosity') && { verbosity: undefined }),
        ...(strictTools === false &&
          format['strict'] !== undefined && { format: withMembers(format, { strict: undefined }) }),
      }),
    }),
  })
  const taken = withoutRefused(settled, drop, placeOf, lose)
  return members ? withoutOthers(taken, members, placeOf, lose) : taken
}

const asksForProofsAlone = ({ include }: JsonObject): boolean =>
  listOf(include).every((one) => one === PROOFS)
