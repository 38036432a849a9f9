import { isObject, toText, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import type {
  Capability,
  FunctionTool,
  HostedTool,
  Request,
  Tool,
  ToolChoice,
} from '../../src/model/request.ts'
import {
  isNamed,
  reportWidened,
  reportLeftOut,
  unique,
  type NamedTool,
  type ToolNames,
  toolName,
} from '../../src/rules/names.ts'
import { narrowParameters, widen } from '../../src/schema/narrow.ts'
import { closed } from '../../src/schema/strict.ts'
import { describeText, TEXT_TOOL_SCHEMA } from '../../src/rules/text-tools.ts'
import {
  DIALECT,
  many,
  keep,
  restOf,
  factsOf,
  opaque,
  CALLING_PATH,
  TOOL_CONFIG_PATH,
  prefixed,
} from './dialect.ts'
import type { Target } from '../contract.ts'
import { readScreen } from './client-tools.ts'
import { mixesTools } from './abilities.ts'
import type { WireDeclaration, WireTool, WireToolConfig } from './wire.ts'

/** Tools that the service runs, by the member that switches them on. */
export const HOSTED: ReadonlyMap<string, Capability> = new Map<string, Capability>([
  ['googleSearch', 'web-search'],
  ['googleSearchRetrieval', 'web-search'],
  ['urlContext', 'web-fetch'],
  ['codeExecution', 'code-execution'],
  ['fileSearch', 'file-search'],
])

/** The member for each tool that a caller of another dialect can switch on, because it needs no settings. */
const SWITCHES: Partial<Record<Capability, string>> = {
  'web-search': 'googleSearch',
  'web-fetch': 'urlContext',
  'code-execution': 'codeExecution',
}

/** The member with the functions that a request declares. */
export const DECLARATIONS = 'functionDeclarations'

/** The member that offers functions for a screen, which the caller runs. */
export const SCREEN = 'computerUse'

/** Reads the tools. `model`: the caller's name for the model. `isStrict`: the service enforces the schemas of calls. */
export function readTools(
  tools: WireTool | WireTool[] | undefined,
  model: string,
  isStrict: boolean,
): Tool[] {
  return many(tools).flatMap((tool) => {
    const { functionDeclarations, ...others } = tool
    const hosted = Object.entries(others).flatMap(([name, value]) => readHosted(name, value, model))
    return [...many(functionDeclarations).map((one) => readFunction(one, isStrict)), ...hosted]
  })
}

function readHosted(name: string, value: Json, model: string): Tool[] {
  const capability = HOSTED.get(name)
  const settings = isObject(value) ? value : undefined
  const screen = settings && name === SCREEN ? readScreen(settings, model) : []
  if (screen.length > 0) return screen
  if (!capability || !settings) return [{ ...opaque({ [name]: value }), name }]
  const { excludeDomains, ...others } = settings
  if (capability !== 'web-search' || !isWords(excludeDomains))
    return [{ kind: 'hosted', capability, ...keep(settings, { facts: { tool: name } }) }]
  const kept = keep(others, { facts: { tool: name, excludes: true } })
  return [{ kind: 'hosted', capability, blockedDomains: excludeDomains, ...kept }]
}

const isWords = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string')

/** The `behavior` of a function without whose result the model goes on (@google/genai 3.1). It waits by default. */
const ASYNC = 'NON_BLOCKING'
const WAITING: ReadonlySet<Json> = new Set(['BLOCKING', 'UNSPECIFIED'])

function readFunction(declaration: WireDeclaration, isStrict: boolean): FunctionTool {
  const { name, description, parameters, parametersJsonSchema, ...others } = declaration
  const { behavior, ...more } = others as JsonObject
  const isAsync = behavior === ASYNC
  const isPlain = behavior !== undefined && WAITING.has(behavior)
  const rest = isAsync || isPlain ? more : others
  const spelled = parametersJsonSchema ?? parameters
  const schema = spelled === undefined ? undefined : widen(toText(spelled))
  return {
    kind: 'function',
    name,
    ...(description !== undefined && { description }),
    ...(schema !== undefined && (isStrict ? { schema: closed(schema), strict: true } : { schema })),
    ...(isAsync && { async: true }),
    ...keep(rest, {
      facts: {
        ...(isPlain && { behavior }),
        ...(parameters !== undefined && { parameters }),
        ...(parametersJsonSchema !== undefined && { parametersJsonSchema }),
      },
    }),
  }
}

/** Asks the service to report its built-in tools in the reply. Without this it refuses them beside functions. */
export const INVOCATIONS = 'includeServerSideToolInvocations'
/** The leftover by which a caller of this dialect has asked for the mix itself. */
const MIXED = TOOL_CONFIG_PATH + INVOCATIONS

/**
 * Whether the proxy must ask for the mix: functions stand beside built-in tools, and the caller has not asked itself.
 */
export function needsMix(request: Request, target: Target): boolean {
  const { tools, toolChoice } = request
  if (restOf(request)[MIXED] === true) return false
  const both = tools.some(isDeclared) && toolChoice?.mode !== 'none' && tools.some(isOffered)
  return both && mixesTools(target)
}

const isOffered = (tool: Tool): boolean => !isNamed(tool) && nameOfHosted(tool) !== undefined

/** The `toolConfig` for a mix. With both kinds of tools the service refuses `AUTO`, so a free choice is `VALIDATED`. */
export function mixedConfig(calling: JsonObject): JsonObject {
  const isPlain = calling['mode'] === undefined || calling['mode'] === 'AUTO'
  const config = isPlain ? { ...calling, mode: 'VALIDATED' } : calling
  const isUsual = isPlain && Object.keys(config).length === 1
  return { [INVOCATIONS]: true, ...(!isUsual && { functionCallingConfig: config }) }
}

export const EXCLUSIVE = 'functions and built-in tools exclude each other'

/** The two facts about a request that `writeTools` needs besides its tools. */
export const toolSettings = (request: Request): readonly [isMixed: boolean, isNone: boolean] => [
  restOf(request)[MIXED] === true,
  request.toolChoice?.mode === 'none',
]

/** Inverse of `readTools`. Most models refuse functions and built-in tools in one request; then the functions stay. */
export function writeTools(
  lose: Lose,
  names: ToolNames,
  tools: readonly Tool[],
  isMixed: boolean,
  isNone: boolean,
  mayMix: boolean,
): JsonObject[] {
  const at = lossesIn(lose)
  const functions = tools.filter(isDeclared)
  const declarations = unique(
    functions.map((tool) => writeFunction(tool, names, at('tools', tool.name))),
    lose,
  )
  const isAlone = functions.length > 0 && !isMixed && !mayMix
  const hosted = tools.filter((tool) => !isNamed(tool))
  // `NONE` holds only for functions, so built-in tools must be left out.
  const offered = isNone ? [] : hosted
  reportLeftOut(hosted, offered, lose)
  const builtIn = [
    ...tools.flatMap(writeScreen),
    ...offered.flatMap((tool) => writeHosted(tool, isAlone, at('tools', toolName(tool)))),
  ]
  for (const tool of tools) if (tool.kind !== 'opaque' && tool.cache) lose('dropped', 'cache')
  return declarations.length > 0 ? [{ functionDeclarations: declarations }, ...builtIn] : builtIn
}

/** The settings that the functions for a screen were read from. */
function writeScreen(tool: Tool): JsonObject[] {
  const { screen } = isNamed(tool) ? factsOf(tool) : {}
  return isObject(screen) ? [{ [SCREEN]: screen }] : []
}

/** Whether a tool is a function of its own, and none of those for a screen. */
const isDeclared = (tool: Tool): tool is NamedTool => isNamed(tool) && !factsOf(tool).screen

/** Inverse of `readFunction`. A schema that came in this dialect goes back as it was. */
function writeFunction(tool: NamedTool, names: ToolNames, lose: LoseOf): JsonObject {
  const description = tool.kind === 'text' ? describeText(tool, lose) : tool.description
  const { behavior = tool.kind === 'function' && tool.async ? ASYNC : undefined } = factsOf(tool)
  return {
    ...restOf(tool),
    ...(behavior !== undefined && { behavior }),
    name: names.toWire(tool.name, tool.namespace),
    ...(description !== undefined && { description }),
    ...writeParameters(tool, lose),
  }
}

function writeParameters(tool: NamedTool, lose: LoseOf): JsonObject {
  if (tool.kind === 'text') return { parameters: narrowParameters(TEXT_TOOL_SCHEMA).schema ?? {} }
  const { parameters: raw, parametersJsonSchema: rawJsonSchema } = factsOf(tool)
  if (raw !== undefined || rawJsonSchema !== undefined)
    return {
      ...(raw !== undefined && { parameters: raw }),
      ...(rawJsonSchema !== undefined && { parametersJsonSchema: rawJsonSchema }),
    }
  if (tool.strict) lose('dropped', '.strict')
  if (tool.schema === undefined) return {}
  const { schema, lost } = narrowParameters(tool.schema)
  if (lost.length > 0) lose('approximated', '.schema', lost.join(', '))
  return schema ? { parameters: schema } : {}
}

/** The member that switches a tool on; undefined where there is none, or where it cannot say the tool's settings. */
function nameOfHosted(tool: Tool): string | undefined {
  if (tool.kind === 'opaque') return tool.dialect === DIALECT ? tool.name : undefined
  if (tool.kind !== 'hosted') return undefined
  return factsOf(tool).tool ?? SWITCHES[tool.capability]
}

function writeHosted(tool: Tool, besideFunctions: boolean, lose: LoseOf): JsonObject[] {
  if (tool.kind === 'opaque') return tool.dialect === DIALECT ? [tool.value] : []
  if (tool.kind === 'mcp') return lose('dropped', '') ?? []
  if (tool.kind !== 'hosted') return []
  const name = nameOfHosted(tool)
  if (!name || besideFunctions) {
    lose('dropped', '', name && EXCLUSIVE)
    return []
  }
  // One of the two platforms of this dialect refuses `excludeDomains`. A caller of this dialect knows its platform.
  const excludes = factsOf(tool).excludes && { excludeDomains: tool.blockedDomains ?? [] }
  const { blockedDomains: _, ...others } = tool
  reportOptions(excludes ? others : tool, lose)
  return [{ [name]: { ...restOf(tool), ...excludes } }]
}

const OPTIONS = ['allowedDomains', 'blockedDomains', 'maxUses', 'location', 'contextSize'] as const

function reportOptions(tool: Partial<HostedTool>, lose: LoseOf): void {
  for (const option of OPTIONS) if (tool[option] !== undefined) lose('dropped', `.${option}`)
}

const MODES: ReadonlyMap<string, ToolChoice['mode']> = new Map<string, ToolChoice['mode']>([
  ['AUTO', 'auto'],
  ['VALIDATED', 'auto'],
  ['ANY', 'required'],
  ['NONE', 'none'],
])
/**
 * The modes by number, which google-generativeai 0.8.6 writes over REST, as do all libraries that are generated from
 * the protocol buffers.
 */
const NUMBERED = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']

/** Reads `toolConfig`: how the model may choose, and other settings. */
export function readToolConfig(config: WireToolConfig | undefined): {
  toolChoice?: ToolChoice
  rest: JsonObject
} {
  const { functionCallingConfig, ...others } = config ?? {}
  const rest = prefixed(TOOL_CONFIG_PATH, others)
  if (!functionCallingConfig) return { rest }
  const { mode: spelled, allowedFunctionNames = [], ...more } = functionCallingConfig
  const named = (NUMBERED[Number(spelled ?? 0)] ?? String(spelled)).toUpperCase()
  const mode = MODES.get(named)
  const isNothing = named === 'MODE_UNSPECIFIED'
  const unread = mode || isNothing ? more : functionCallingConfig
  const kept = prefixed(CALLING_PATH, unread)
  if (!mode) return { rest: { ...rest, ...kept } }
  return {
    rest: { ...rest, ...kept },
    toolChoice: {
      mode,
      ...(allowedFunctionNames.length > 0 && { names: allowedFunctionNames }),
      ...keep(
        {},
        {
          facts: {
            ...(named === 'VALIDATED' && { mode: named }),
            ...(mode === 'auto' && allowedFunctionNames.length > 0 && { names: true }),
          },
        },
      ),
    },
  }
}

export const isValidated = ({ toolChoice }: { toolChoice?: ToolChoice }): boolean =>
  factsOf(toolChoice).mode !== undefined

const MODE_NAMES: Record<ToolChoice['mode'], string> = {
  auto: 'AUTO',
  required: 'ANY',
  none: 'NONE',
}

/** Inverse of `readToolConfig`. A choice among tools that were not written is left out. */
export function writeFunctionCalling(
  request: Request,
  target: Target,
  names: ToolNames,
  lose: Lose,
): JsonObject | undefined {
  const { toolChoice } = request
  if (request.parallelToolCalls === false) lose('dropped', 'parallelToolCalls')
  if (!toolChoice) return undefined
  const functions = request.tools.filter(isNamed)
  if (functions.length === 0) {
    if (toolChoice.mode === 'required') lose('dropped', 'toolChoice')
    return undefined
  }
  const { mode, names: wanted } = toolChoice
  const wireNames = wireNamesBy(functions, names)
  const known = wanted?.flatMap((name) => wireNames.get(name) ?? []) ?? []
  if (wanted && known.length < wanted.length) lose('dropped', 'toolChoice.names')
  if (mode === 'none' || wanted?.length === 0) return { mode: 'NONE' }
  // A free choice among some functions needs a mode that only newer models have.
  const isOpen = mode === 'auto' && known.length > 0 && factsOf(toolChoice).names !== true
  const isValid = isOpen && mixesTools(target)
  if (isOpen && !isValid) reportWidened(request, lose)
  const isForced = mode === 'required' || factsOf(toolChoice).names === true
  const isListed = known.length > 0 && (isForced || isValid)
  return {
    mode: mode === 'required' && wanted && known.length === 0 ? 'AUTO' : MODE_NAMES[mode],
    ...(isValid && { mode: 'VALIDATED' }),
    ...(isValidated(request) && { mode: 'VALIDATED' }),
    ...(isListed && { allowedFunctionNames: known }),
  }
}

/** The wire's names of functions by the caller's names. A name may stand in several namespaces. */
function wireNamesBy(
  functions: readonly NamedTool[],
  names: ToolNames,
): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(functions, ({ name }) => name)
  const wire = ({ name, namespace }: NamedTool) => names.toWire(name, namespace)
  return new Map([...groups].map(([name, tools]) => [name, tools.map(wire)]))
}
