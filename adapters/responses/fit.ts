import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, listOf, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { keyOf } from '../../src/rules/late-tools.ts'
import { lossesIn, type At, type Lose, type LoseOf } from '../../src/model/loss.ts'
import { shortenName } from '../../src/rules/names.ts'
import { withoutOthers, withoutRefused } from '../../src/check/fields.ts'
import { inWords } from '../../src/rules/text-tools.ts'
import type { ServerFacts } from '../contract.ts'
import { freeTextMembers } from '../openai/smaller-servers.ts'
import { PROVEN, servedBy } from './abilities.ts'
import type { Placed } from './calls.ts'
import { objectIn, objectsOf, memberText } from './dialect.ts'
import { withoutText } from './fields.ts'
import { CountedItems, fitHistory, instructs, WrittenItems, type ServerFit } from './fit-history.ts'
import { fitModel, type FitTarget } from './fit-model.ts'
import { NAME } from './names.ts'
import { PROOFS } from './reasoning.ts'
import { readTools } from './tools.ts'
import { placeOf } from './wire.ts'

/**
 * Fits a body of this dialect to the facts about its model and its server: what they lack is said otherwise, or left
 * out and reported. What fits stays the same object. The reader of replies restores names, by the request as its caller
 * sent it. `placed`: the items of a body that was written here. An unknown server then has the facts that are safe; a
 * caller of this dialect is not corrected by them.
 */
export function fit(
  body: JsonObject,
  target: FitTarget,
  lose: Lose,
  placed?: readonly Placed[],
): JsonObject {
  const { facts } = target
  const isPlain = Object.keys(facts).length === 0
  if (isPlain && !(placed && needsCare(body))) return body
  const fitted = isPlain ? body : fitModel(body, target, lose)
  const takes = servedBy(facts)
  const isWhole = !facts.server && takes.late && takes.deferred && takes.efforts
  if (isWhole && !placed) return fitted
  const server = placed ? { ...PROVEN, ...facts.server } : (facts.server ?? {})
  const items = placed ? new WrittenItems(placed, lose) : new CountedItems(lose)
  const about = { server, takes, lose, items }
  return isWhole ? fitSaid(fitted, { ...about, flat: (name) => name }) : fitServer(fitted, about)
}

/** Whether a body holds anything for which those facts matter. */
const needsCare = ({ input, text }: JsonObject): boolean =>
  text !== undefined || listOf(input).some(isThought)

const isThought = (item: Json): boolean => isObject(item) && item['type'] === 'reasoning'

const fitSaid = (body: JsonObject, context: ServerFit): JsonObject =>
  fitHistory(withJsonWord(body, context), context)

function fitServer(body: JsonObject, about: Omit<ServerFit, 'flat'>): JsonObject {
  const { server, takes, lose } = about
  const said = withText(takes.efforts ? body : withLastEffort(body), server, lose)
  const declared = takes.late ? said : withLateTools(said, lose)
  const named = { ...about, flat: flatNames(declared) }
  return withOptions(fitSaid(withChoice(withTools(declared, named), named), named), named)
}

/** Names tools for a server without namespaces. A call gets the name that its tool has in the list of tools. */
function flatNames({ tools }: JsonObject): ServerFit['flat'] {
  const namespaces = new Set(
    objectsOf(tools).flatMap(({ type, name }) =>
      type === 'namespace' && typeof name === 'string' ? name : [],
    ),
  )
  return (name, namespace = '') =>
    shortenName(namespaces.has(namespace) ? `${namespace}__${name}` : name, NAME)
}

/** A server that takes no change of the effort gets the conversation's last one for all of it. */
function withLastEffort(body: JsonObject): JsonObject {
  const efforts = objectsOf(body['input']).flatMap(({ type, reasoning }) =>
    type === 'configuration_update' ? (memberText(objectIn(reasoning), 'effort') ?? []) : [],
  )
  const effort = efforts.at(-1)
  if (effort === undefined) return body
  return withMembers(body, { reasoning: withMembers(objectIn(body['reasoning']), { effort }) })
}

/**
 * Moves the tools that a conversation declares into the list of tools. Codex (since 0.144) declares all its tools in an
 * item before anything is said, where the move loses nothing.
 */
function withLateTools(body: JsonObject, lose: Lose): JsonObject {
  const input = objectsOf(body['input'])
  const late = input.filter(({ type }) => type === 'additional_tools')
  if (late.length === 0) return body
  const begun = input.findIndex(
    ({ type, role }) => type !== 'additional_tools' && role !== 'developer' && role !== 'system',
  )
  const isLater = begun >= 0 && input.slice(begun).some(({ type }) => type === 'additional_tools')
  if (isLater) lose('approximated', 'tools.late', 'offered from the beginning')
  const tools = [...listOf(body['tools']), ...late.flatMap(({ tools: more }) => listOf(more))]
  return withMembers(body, { tools })
}

function withTools(body: JsonObject, context: ServerFit): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const known = new Set<string>()
  const shown = new Set(
    context.takes.deferred ? [] : objectsOf(tools).filter(isDeferred).map(nameIn),
  )
  const at = lossesIn(context.lose)
  const written = withElements(tools, (tool) => fitTool(tool, at, context)).filter((tool) => {
    const name =
      isObject(tool) && tool['type'] === 'function' ? memberText(tool, 'name') : undefined
    if (name === undefined) return true
    const isFirst = !known.has(name)
    known.add(name)
    // A deferred tool that is on offer already need not be found, so a second declaration of it is no loss.
    if (!isFirst && !shown.has(name)) at('tools', name)('dropped', '', 'another tool has this name')
    return isFirst
  })
  const isSame = written.length === tools.length && written.every((tool, at) => tool === tools[at])
  return isSame ? body : withMembers(body, { tools: written.length > 0 ? written : undefined })
}

const isDeferred = ({ defer_loading }: JsonObject): boolean => defer_loading === true
const nameIn = (tool: JsonObject): string => memberText(tool, 'name') ?? ''

function fitTool(
  tool: Json,
  at: At,
  context: ServerFit,
  namespace?: string,
): Json | readonly Json[] {
  if (!isObject(tool)) return tool
  const { server, takes, lose } = context
  const { type } = tool
  if (type === 'namespace') return fitNamespace(tool, at, context)
  if (type === 'function' || type === 'custom') {
    const isShown = isDeferred(tool) && !takes.deferred
    if (isShown) lose('approximated', 'tools.deferred', 'offered from the beginning')
    return fitNamed(
      isShown ? withMembers(tool, { defer_loading: undefined }) : tool,
      { ...context, lose: at('tools', nameIn(tool)) },
      namespace,
    )
  }
  const isSearch = type === 'tool_search' && tool['execution'] !== 'client'
  if (server.hostedTools !== false && (takes.deferred || !isSearch)) return tool
  const [read] = readTools([tool])
  return at('tools', read ? keyOf(read).name : nameIn(tool))('dropped', '') ?? []
}

function fitNamespace(tool: JsonObject, at: At, context: ServerFit): Json | readonly Json[] {
  const inner = listOf(tool['tools'])
  if (context.server.namespaces !== false)
    return withMembers(tool, { tools: withElements(inner, (one) => fitTool(one, at, context)) })
  const first = memberText(objectIn(inner[0]), 'name')
  if (tool['description'] && first) at('tools', first)('dropped', '.namespace')
  return inner.flatMap((one) => fitTool(one, at, context, nameIn(tool)))
}

interface ToolFit extends ServerFit {
  readonly lose: LoseOf
}

function fitNamed(tool: JsonObject, context: ToolFit, namespace: string | undefined): JsonObject {
  const { server, lose, flat } = context
  const said = nameIn(tool)
  const isFree = tool['type'] === 'custom'
  if (isFree && server.customTools === false)
    return asFunction(tool, flat(said, namespace), context)
  const isLoose = !isFree && server.strictTools === false
  if (isLoose && tool['strict'] === true) lose('dropped', '.strict')
  return withMembers(tool, {
    ...(namespace !== undefined && { name: flat(said, namespace) }),
    ...(isLoose && { strict: undefined }),
  })
}

/** A tool that takes free text, as a function of one text. */
const asFunction = (
  { description, format }: JsonObject,
  name: string,
  { server, lose }: ToolFit,
): JsonObject => ({
  type: 'function',
  name,
  ...freeTextMembers({ description, format }, lose),
  ...(server.strictTools !== false && { strict: false }),
})

/** xAI refuses a tool choice without tools. */
const NO_CHOICE = { tool_choice: undefined, parallel_tool_calls: undefined }

function withChoice(body: JsonObject, { server, lose, flat }: ServerFit): JsonObject {
  const { tool_choice: choice } = body
  const tools = toolsIn(body)
  if (tools.length === 0) {
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
  const offered = withElements(isSeveral ? listOf(choice['tools']) : [choice], (one) => {
    const named = isObject(one) ? called(one) : {}
    return tools.some((tool) => isChosen(named, tool)) ? named : []
  })
  if (offered.length === 0) {
    lose('approximated', 'toolChoice', 'the tool is not offered')
    return withMembers(body, { tool_choice: 'auto' })
  }
  const isSayable = server.namedChoice !== false && !(isSeveral && server.allowedTools === false)
  if (isSayable)
    return withMembers(body, {
      tool_choice: isSeveral ? withMembers(choice, { tools: offered }) : offered[0],
    })
  // Only the tools that may be called are offered, and the choice becomes one word.
  const names = new Set(objectsOf(offered).map(({ name }) => name))
  if (isSeveral) lose('approximated', 'toolChoice', 'the others are not offered')
  return withMembers(body, {
    tools: withElements(listOf(body['tools']), (tool) =>
      isObject(tool) && names.has(tool['name']) ? tool : [],
    ),
    tool_choice: isSeveral ? (choice['mode'] ?? 'auto') : 'required',
  })
}

/** The tools before the conversation, and those that it brings. */
const toolsIn = ({ tools, input }: JsonObject): JsonObject[] => [
  ...objectsOf(tools),
  ...objectsOf(input).flatMap((item) =>
    item['type'] === 'additional_tools' ? objectsOf(item['tools']) : [],
  ),
]

/** Whether a choice means this tool: by its type where the server runs it, else by its name, in any namespace. */
const isChosen = ({ type, name }: JsonObject, tool: JsonObject): boolean =>
  name === undefined || (type !== 'function' && type !== 'custom')
    ? tool['type'] === type
    : tool['name'] === name || tool['type'] === 'namespace'

/** Fits `text`: the format of the answer and its verbosity. */
function withText(body: JsonObject, server: ServerFacts, lose: Lose): JsonObject {
  const left = withoutText(body, server, lose)
  const text = objectIn(left['text'])
  const format = objectIn(text['format'])
  if (server.strictTools !== false || format['strict'] === undefined) return left
  if (format['strict'] === true) lose('dropped', 'format.strict')
  const loose = withMembers(format, { strict: undefined })
  return withMembers(left, { text: withMembers(text, { format: loose }) })
}

/**
 * OpenAI, among others, refuses plain JSON mode where no message holds the word JSON. Only the first messages are
 * searched, because they stay as they are while the conversation goes on. An earlier reply or a stored prompt may hold
 * the word unseen.
 */
function withJsonWord(body: JsonObject, { server, lose }: ServerFit): JsonObject {
  const { input, text } = body
  const isAsked = objectIn(objectIn(text)['format'])['type'] === 'json_object'
  const isElsewhere = ELSEWHERE.some((key) => (body[key] ?? null) !== null)
  if (!server.jsonWord || !isAsked || isElsewhere) return body
  const items: Json[] =
    typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : listOf(input)
  const begin = items.findIndex((item) => !isObject(item) || !instructs(item))
  const first = items.slice(0, begin < 0 ? items.length : begin + 1)
  if (
    /json/i.test(stringify([...first, ...(server.systemFirst ? [body['instructions'] ?? ''] : [])]))
  )
    return body
  lose('defaulted', 'format', 'asked for in words as well')
  const words = { type: 'message', role: 'developer', content: inWords({ type: 'json' }) }
  return withMembers(body, { input: items.toSpliced(Math.max(begin, 0), 0, words) })
}

const ELSEWHERE = ['previous_response_id', 'conversation', 'prompt'] as const

function withOptions(body: JsonObject, { server, lose }: ServerFit): JsonObject {
  const { drop = [], members } = server
  const kept = server.state === false ? unkept(body, lose) : body
  const settled = withMembers(server.safetyIdentifier === false ? withUser(kept, lose) : kept, {
    // Proofs are requested only to be brought back; where the server gives none, nothing is lost.
    ...(drop.includes('include') && asksForProofsAlone(body) && { include: undefined }),
  })
  const taken = withoutRefused(settled, drop, placeOf, lose)
  return members ? withoutOthers(taken, members, placeOf, lose) : taken
}

/** Asks a server without a memory to store nothing and to continue nothing. */
function unkept(body: JsonObject, lose: Lose): JsonObject {
  if (body['store'] === true) lose('dropped', 'store', 'the upstream keeps no replies')
  return withMembers(body, { store: false, previous_response_id: undefined })
}

/** Names the end user in the older member, for a server without the newer one. The newer one's value wins. */
function withUser(body: JsonObject, lose: Lose): JsonObject {
  const { safety_identifier: id, user } = body
  if (typeof id !== 'string') return body
  if (typeof user === 'string' && user !== id) lose('dropped', 'user')
  return withMembers(body, { user: id, safety_identifier: undefined })
}

const asksForProofsAlone = ({ include }: JsonObject): boolean =>
  listOf(include).every((one) => one === PROOFS)
