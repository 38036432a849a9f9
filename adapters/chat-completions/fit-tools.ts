import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, listOf, Verbatim, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossesIn, type LoseOf } from '../../src/model/loss.ts'
import { freeTextMembers } from '../openai/smaller-servers.ts'
import { callersSchema, originOf } from '../openai/origins.ts'
import { isFlat, objectIn, objectsIn, textIn, toolType } from './dialect.ts'
import { fitMark, type ServerFit } from './fit-history.ts'
import { readReasoning } from './reasoning.ts'
import { toolNameIn } from './tools.ts'

export function withTools(body: JsonObject, context: ServerFit): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const at = lossesIn(context.lose)
  const written = withElements(tools, (tool) => {
    if (!isObject(tool)) return tool
    const noted = originOf(tool)?.place
    const named = toolNameIn(tool) || textIn(typeOf(tool))
    return fitTool(tool, noted === undefined ? at('tools', named) : at(noted), context)
  })
  return written === tools
    ? body
    : withMembers(body, { tools: written.length > 0 ? written : undefined })
}

const typeOf = (tool: JsonObject): Json | undefined => tool['type'] || toolType(tool)

function fitTool(said: JsonObject, lose: LoseOf, context: ServerFit): JsonObject | JsonObject[] {
  const { server } = context
  const type = typeOf(said)
  const typed = type === said['type'] ? said : withMembers(said, { type })
  const tool = fitMark(typed, context)
  if (type === 'function') return server.strictTools === false ? loose(tool, lose) : tool
  if (type === 'custom') {
    if (server.customTools !== false) return tool
    const { custom, ...beside } = tool
    return isFlat(tool)
      ? { type: 'function', function: asFunction(tool, lose) }
      : { ...beside, type: 'function', function: asFunction(objectIn(custom), lose) }
  }
  if (server.hostedTools !== false) return tool
  return lose('dropped', '') ?? []
}

/** A function that is not strict. A schema that was closed for strict mode is again the caller's own. */
function loose(tool: JsonObject, lose: LoseOf): JsonObject {
  const declared = objectIn(tool['function'])
  const { strict, parameters } = declared
  if (strict === undefined) return tool
  if (strict === true) lose('dropped', '.strict')
  const callers = parameters instanceof Verbatim ? callersSchema(parameters) : undefined
  return withMembers(tool, {
    function: withMembers(declared, {
      strict: undefined,
      ...(callers !== undefined && { parameters: new Verbatim(callers) }),
    }),
  })
}

/** A tool that takes free text, as a function of one text. */
function asFunction({ name, description, format: said }: JsonObject, lose: LoseOf): JsonObject {
  const { type = 'text', grammar, ...rest } = objectIn(said)
  const format = isObject(said) ? { type, ...objectIn(grammar), ...rest } : undefined
  return { name: name ?? '', ...freeTextMembers({ description, format }, lose) }
}

export function withChoice(body: JsonObject, context: ServerFit): JsonObject {
  const { tool_choice: choice } = body
  if (choice === undefined || choice === null) return body
  const { server, lose } = context
  if (listOf(body['tools']).length === 0 && body['functions'] === undefined) {
    if (isForcing(choice)) lose('dropped', 'toolChoice', 'no tool is left')
    return withMembers(body, { tool_choice: undefined, parallel_tool_calls: undefined })
  }
  if (isForcing(choice) && server.forcedWhileThinking === false && thinksIn(body)) {
    lose('approximated', 'toolChoice', 'the model may not be forced while it thinks')
    const unforced = asUnforced(choice)
    return isObject(unforced)
      ? withNarrowChoice(body, unforced, context)
      : withMembers(body, { tool_choice: unforced })
  }
  if (isObject(choice)) return withNarrowChoice(body, choice, context)
  const isSpelled = choice === 'required' || (choice === 'any' && server.requiredChoice)
  return isSpelled ? withMembers(body, { tool_choice: requiredBy(context) }) : body
}

const requiredBy = ({ server }: ServerFit): string => server.requiredChoice ?? 'required'

export const isForcing = (choice: Json): boolean =>
  isObject(choice)
    ? !isObject(choice['allowed_tools']) || objectIn(choice['allowed_tools'])['mode'] === 'required'
    : choice === 'required' || choice === 'any'

/** The same choice without force: among several it stays one among those. */
export function asUnforced(choice: Json): Json {
  const { allowed_tools: allowed } = objectIn(choice)
  if (!isObject(choice) || !isObject(allowed)) return 'auto'
  return withMembers(choice, { allowed_tools: withMembers(allowed, { mode: 'auto' }) })
}

/** Whether the request asks for thinking; what the model does unasked is for its service to say. */
function thinksIn(body: JsonObject): boolean {
  const { reasoning } = readReasoning(body)
  return reasoning !== undefined && reasoning.mode !== 'off'
}

/** Fits a choice of one tool that has to be called, or of several to choose from. */
function withNarrowChoice(body: JsonObject, choice: JsonObject, context: ServerFit): JsonObject {
  const { server, lose, keepsOffer } = context
  const { allowed_tools: allowed } = choice
  if (!isObject(allowed)) {
    if (server.namedChoice === false) return withOnly(body, [choice], requiredBy(context))
    return withMembers(body, { tool_choice: asNamed(choice, context) })
  }
  const tools = listOf(allowed['tools'])
  if (server.allowedTools !== false && server.namedChoice !== false) {
    const named = withElements(tools, (tool) => (isObject(tool) ? asNamed(tool, context) : tool))
    const several = withMembers(choice, { allowed_tools: withMembers(allowed, { tools: named }) })
    return withMembers(body, { tool_choice: several })
  }
  const mode = allowed['mode'] === 'required' ? requiredBy(context) : 'auto'
  const narrowed = withOnly(body, objectsIn(tools), mode)
  if (narrowed['tools'] === body['tools']) return narrowed
  lose('approximated', 'toolChoice', `the others ${keepsOffer ? 'stay' : 'are not'} on offer`)
  return keepsOffer ? withMembers(body, { tool_choice: mode }) : narrowed
}

const asNamed = (choice: JsonObject, { server }: ServerFit): JsonObject =>
  choice['type'] === 'custom' && server.customTools === false
    ? { type: 'function', function: { name: toolNameIn(choice) } }
    : choice

/** Only the tools that may be called are offered, and the choice becomes one word. */
export function withOnly(
  body: JsonObject,
  chosen: readonly JsonObject[],
  mode: string,
): JsonObject {
  const names = new Set(chosen.map(toolNameIn))
  const tools = withElements(listOf(body['tools']), (tool) =>
    isObject(tool) && names.has(toolNameIn(tool)) ? tool : [],
  )
  return withMembers(body, { ...(tools.length > 0 && { tools }), tool_choice: mode })
}
