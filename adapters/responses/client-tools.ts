import {
  defined,
  isObject,
  parseObject,
  stringify,
  toText,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type {
  Block,
  FunctionTool,
  Request,
  ToolCallBlock,
  ToolKey,
  ToolResultBlock,
} from '../../src/model/request.ts'
import { readPart } from './blocks.ts'
import { membersBeside } from '../../src/model/ext.ts'
import { factsOf, isOrigin, keep, listOf, objectIn, objectsOf, textIn } from './dialect.ts'

/**
 * Tools that the caller runs and that this service's models know by their type. For any other service they become
 * functions, whose calls return to the caller as the items that it knows (openai 7.57, `ResponseInputItem`).
 */
interface ClientTool {
  readonly name: string
  /** An older type of the same tool. */
  readonly older?: string
  readonly call: string
  readonly output: string
  /** The prefix of the ids of its calls. */
  readonly prefix: string
  readonly description: string
  readonly schema: JsonObject
  /** Converts the item of a call to the arguments of a function, and back. */
  read(item: JsonObject): Json
  write(args: JsonObject): JsonObject
  /** What of the tool itself the model has to know. */
  about?(tool: JsonObject): string
  /** The result of a call as text, or as what it shows. */
  told(item: JsonObject): { text: string; isError?: boolean; shown?: Block }
}

const STRING = { type: 'string' }
const INTEGER = { type: 'integer' }
const STRINGS = { type: 'array', items: STRING }

const schemaOf = (properties: JsonObject, required: string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
})

const stringsIn = (value: Json | undefined): Json[] =>
  typeof value === 'string' ? [value] : listOf(value)

/** The output of a command, and how it ended where it failed. */
function printed(entry: JsonObject): string {
  const { stdout, stderr, outcome } = entry
  const { type, exit_code } = objectIn(outcome)
  const ended =
    type === 'timeout'
      ? 'timed out'
      : exit_code !== undefined && exit_code !== 0
        ? `exit code ${toText(exit_code)}`
        : ''
  return [stdout, stderr, ended]
    .filter((text) => typeof text === 'string' && text !== '')
    .join('\n')
}

const SHELL: ClientTool = {
  name: 'shell',
  call: 'shell_call',
  output: 'shell_call_output',
  prefix: 'sh_',
  description: 'Runs commands in a shell, one after the other, and says what each printed.',
  schema: schemaOf({ commands: STRINGS, timeout_ms: INTEGER, max_output_length: INTEGER }, [
    'commands',
  ]),
  read: (item) => item['action'] ?? {},
  write: ({ commands, ...more }) => ({
    action: { timeout_ms: null, max_output_length: null, ...more, commands: stringsIn(commands) },
    environment: null,
  }),
  told: (item) => ({ text: objectsOf(item['output']).map(printed).join('\n') }),
}

const LOCAL_SHELL: ClientTool = {
  name: 'local_shell',
  call: 'local_shell_call',
  output: 'local_shell_call_output',
  prefix: 'lsh_',
  description: 'Runs a command, given as its words, and says what it printed.',
  schema: schemaOf(
    {
      command: STRINGS,
      env: { type: 'object', additionalProperties: STRING },
      timeout_ms: INTEGER,
      user: STRING,
      working_directory: STRING,
    },
    ['command'],
  ),
  read(item) {
    const { type: _, ...args } = objectIn(item['action'])
    return args
  },
  write: ({ command, ...more }) => ({
    action: { env: {}, ...more, type: 'exec', command: stringsIn(command) },
  }),
  told: (item) => ({ text: textIn(item, 'output') ?? '' }),
}

const APPLY_PATCH: ClientTool = {
  name: 'apply_patch',
  call: 'apply_patch_call',
  output: 'apply_patch_call_output',
  prefix: 'apc_',
  description:
    'Creates, changes or deletes one file. The diff of create_file has each line behind a +; that of update_file has hunks that begin with @@, whose lines begin with a space, a - or a +.',
  schema: schemaOf(
    {
      operation: schemaOf(
        {
          type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
          path: STRING,
          diff: STRING,
        },
        ['type', 'path'],
      ),
    },
    ['operation'],
  ),
  read: (item) => ({ operation: item['operation'] ?? {} }),
  write: ({ operation, ...args }) => ({ operation: isObject(operation) ? operation : args }),
  told: (item) => ({
    text: textIn(item, 'output') ?? textIn(item, 'status') ?? '',
    isError: item['status'] === 'failed',
  }),
}

const TOOL_SEARCH: ClientTool = {
  name: 'tool_search',
  call: 'tool_search_call',
  output: 'tool_search_output',
  prefix: 'tsc_',
  description: 'Searches for tools that are not offered yet; what is found can be called.',
  schema: schemaOf({ query: STRING }, ['query']),
  read: (item) => item['arguments'] ?? {},
  write: (args) => ({ arguments: args, execution: 'client' }),
  told: () => ({ text: '' }),
}

const POINT = { x: INTEGER, y: INTEGER }
const ACTIONS = 'click double_click drag keypress move screenshot scroll type wait'
const BUTTONS = ['left', 'right', 'wheel', 'back', 'forward']

const COMPUTER: ClientTool = {
  name: 'computer',
  older: 'computer_use_preview',
  call: 'computer_call',
  output: 'computer_call_output',
  prefix: 'cu_',
  description:
    'Acts on a screen, one action after the other, and shows it afterwards. Places are pixels from the upper left; click and double_click have a place and a button, drag a path, keypress keys, scroll a place and distances, type a text.',
  schema: schemaOf(
    {
      actions: {
        type: 'array',
        items: schemaOf(
          {
            type: { type: 'string', enum: ACTIONS.split(' ') },
            ...POINT,
            button: { type: 'string', enum: BUTTONS },
            keys: STRINGS,
            text: STRING,
            path: { type: 'array', items: schemaOf(POINT, ['x', 'y']) },
            scroll_x: INTEGER,
            scroll_y: INTEGER,
          },
          ['type'],
        ),
      },
    },
    ['actions'],
  ),
  about({ display_width, display_height, environment }) {
    const place = typeof environment === 'string' ? ` of ${environment}` : ''
    const isSized = typeof display_width === 'number' && typeof display_height === 'number'
    return isSized ? ` The screen${place} has ${display_width} by ${display_height} pixels.` : ''
  },
  read: ({ action, actions }) => ({ actions: actions ?? (action === undefined ? [] : [action]) }),
  write({ actions, ...action }) {
    const list = isObject(actions) ? [actions] : Array.isArray(actions) ? actions : [action]
    return { pending_safety_checks: [], action: list[0] ?? action, actions: list }
  },
  told(item) {
    const output = objectIn(item['output'])
    const { type, ...picture } = output
    const isPicture = type === 'computer_screenshot'
    const part = isPicture ? { type: 'input_image', ...picture } : output
    return { text: '', shown: readPart(part, 'input') }
  },
}

const TOOLS: readonly ClientTool[] = [SHELL, LOCAL_SHELL, APPLY_PATCH, TOOL_SEARCH, COMPUTER]
const byCall = new Map(TOOLS.map((tool) => [tool.call, tool]))
const byOutput = new Map(TOOLS.map((tool) => [tool.output, tool]))

/**
 * Whether the service itself runs the tool, in a container or over its own list of tools; then no other service can.
 */
function isHosted(value: JsonObject): boolean {
  const place = objectIn(value['environment'])['type']
  const isElsewhere = place !== undefined && place !== 'local'
  const isSearch = textIn(value, 'type')?.startsWith('tool_search') === true
  return isElsewhere || (isSearch && value['execution'] !== 'client')
}

/** Members of a tool, a call or a result that follow from its type, or only name a default. */
const SAID = new Set(
  'type id call_id status action actions operation arguments execution output max_output_length tools display_width display_height'.split(
    ' ',
  ),
)

/**
 * The members that a function cannot express: other callers of the tool, and settings of its place beyond being the
 * caller's own.
 */
function leftIn(value: JsonObject): JsonObject {
  const { caller, environment, ...others } = membersBeside(value, SAID) ?? {}
  const { type: _, ...place } = objectIn(environment)
  return {
    ...others,
    ...(caller !== undefined && objectIn(caller)['type'] !== 'direct' && { caller }),
    ...(Object.keys(place).length > 0 && { environment: place }),
  }
}

/** The schema as text; it is text already where the whole request was read with schemas as text. */
function schemaIn(parameters: Json | undefined): string | undefined {
  const text = parameters === undefined ? '' : toText(parameters)
  return text.trimStart().startsWith('{') ? text : undefined
}

/** The tool as a function for other services; undefined for a tool of another kind. */
export function readClientTool(tool: JsonObject): FunctionTool | undefined {
  const { type } = tool
  const known = TOOLS.find(({ name, older }) => name === type || older === type)
  if (!known || isHosted(tool)) return undefined
  const { description, parameters, ...rest } = leftIn(tool)
  return {
    kind: 'function',
    name: known.name,
    description:
      typeof description === 'string'
        ? description
        : known.description + (known.about?.(tool) ?? ''),
    schema: schemaIn(parameters) ?? stringify(known.schema),
    ...keep(rest, { facts: { tool } }),
  }
}

/** A call of such a tool; undefined for another kind of item, and for a call that the service itself answers. */
export function readClientCall(item: JsonObject): ToolCallBlock | undefined {
  const known = byCall.get(textIn(item, 'type') ?? '')
  const id = textIn(item, 'call_id')
  if (!known || id === undefined || isHosted(item)) return undefined
  return {
    kind: 'tool-call',
    id,
    name: known.name,
    form: 'json',
    input: toText(known.read(item)),
    ...keep(leftIn(item), { facts: { item } }),
  }
}

/**
 * The result of a call; undefined for another kind of item. The older shell names its call by `id`. `found`: the
 * tools that a search found, by their names.
 */
export function readClientOutput(
  item: JsonObject,
  found: readonly ToolKey[],
): ToolResultBlock | undefined {
  const known = byOutput.get(textIn(item, 'type') ?? '')
  const callId = textIn(item, 'call_id') ?? (known === LOCAL_SHELL ? textIn(item, 'id') : undefined)
  if (!known || callId === undefined || isHosted(item)) return undefined
  const { text, isError, shown } = known.told(item)
  const said = text === '' ? [] : [{ kind: 'text' as const, text }]
  return defined({
    kind: 'tool-result' as const,
    callId,
    name: known.name,
    form: 'json' as const,
    content: known === TOOL_SEARCH ? [foundTools(found)] : shown ? [shown] : said,
    isError: isError || undefined,
    ...keep(leftIn(item), { facts: { item } }),
  })
}

const foundTools = (found: readonly ToolKey[]): Block => ({
  kind: 'tool-change',
  change: 'add',
  tools: [...found],
})

/** A tool, a call or a result as it came, for the service that knows it. */
export const clientItem = (block: Block): JsonObject | undefined =>
  block.kind === 'opaque' || block.kind === 'media' ? undefined : factsOf(block).item

/** How a call is written for a caller of this dialect that offered such a tool. */
export interface ClientCall {
  readonly type: string
  readonly prefix: string
  /** The members made from the arguments; none where these are no object. */
  members(args: string): JsonObject
}

export function clientCall(request: Request, name: string): ClientCall | undefined {
  const isOffered = request.tools.some(
    (tool) =>
      tool.kind === 'function' && tool.name === name && isOrigin(tool) && factsOf(tool).tool,
  )
  const known = isOffered ? TOOLS.find((tool) => tool.name === name) : undefined
  if (!known) return undefined
  const { call: type, prefix } = known
  return { type, prefix, members: (args) => known.write(parseObject(args) ?? {}) }
}
