import {
  defined,
  isObject,
  parseObject,
  pickMembers,
  stringify,
  toText,
  withoutNulls,
  wordIn,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type {
  Block,
  FunctionTool,
  Request,
  Screen,
  ToolCallBlock,
  ToolKey,
  ToolResultBlock,
} from '../../src/model/request.ts'
import type { Lose } from '../../src/model/loss.ts'
import * as computer from '../../src/rules/computer.ts'
import { readPart } from './blocks.ts'
import { membersBeside } from '../../src/model/ext.ts'
import { writeCallId } from './names.ts'
import {
  factsOf,
  isOrigin,
  keep,
  listOf,
  objectIn,
  objectsOf,
  opaque,
  memberText,
} from './dialect.ts'

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
  /** The result of a call as text, or as what it shows. */
  readResult(item: JsonObject): { text: string; isError?: boolean; shown?: Block }
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
  return [wordIn(stdout), wordIn(stderr), ended].filter(Boolean).join('\n')
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
  readResult: (item) => ({ text: objectsOf(item['output']).map(printed).join('\n') }),
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
  readResult: (item) => ({ text: memberText(item, 'output') ?? '' }),
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
  readResult: (item) => ({
    text: memberText(item, 'output') ?? memberText(item, 'status') ?? '',
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
  readResult: () => ({ text: '' }),
}

/** Callers list actions in one call; a canonical call has one action (`src/rules/computer.ts`). */
const COMPUTER: ClientTool = {
  name: computer.COMPUTER,
  older: 'computer_use_preview',
  call: 'computer_call',
  output: 'computer_call_output',
  prefix: 'cu_',
  description: '',
  schema: {},
  read: ({ action, actions }) => actions ?? (action === undefined ? [] : [action]),
  write(single) {
    const actions = computer.toListed(single)
    return { pending_safety_checks: [], action: actions[0] ?? {}, actions }
  },
  readResult(item) {
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
  const isSearch = memberText(value, 'type')?.startsWith('tool_search') === true
  return isElsewhere || (isSearch && value['execution'] !== 'client')
}

/** Members of a tool, a call or a result that follow from its type, or only name a default. */
const SAID = new Set(
  'type id call_id status action actions operation arguments execution output max_output_length tools display_width display_height'.split(
    ' ',
  ),
)

/**
 * The members that a function cannot express: callers of the tool other than the model, and whatever the environment
 * has besides its type.
 */
function leftIn(value: JsonObject): JsonObject {
  const { caller, environment, ...others } = membersBeside(value, SAID) ?? {}
  const { type: _, ...place } = withoutNulls(objectIn(environment))
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
  const kept = keep(rest, { facts: { tool } })
  if (known === COMPUTER)
    return { ...computer.screenFunction(screenIn(tool), computer.LISTED_ACTIONS), ...kept }
  return {
    kind: 'function',
    name: known.name,
    description: typeof description === 'string' ? description : known.description,
    schema: schemaIn(parameters) ?? stringify(known.schema),
    ...kept,
  }
}

function screenIn({ display_width, display_height, environment }: JsonObject): Screen {
  const isSized = typeof display_width === 'number' && typeof display_height === 'number'
  return {
    words: 'listed',
    ...(typeof environment === 'string' && { place: environment }),
    ...(isSized && { width: display_width, height: display_height }),
  }
}

/**
 * A call of such a tool, and one for each action on a screen; none for another kind of item, and for a call that the
 * service itself answers. `isShown`: the last action has to be a screenshot, because the service wants one.
 */
export function readClientCalls(item: JsonObject, isShown = false): ToolCallBlock[] {
  const known = byCall.get(memberText(item, 'type') ?? '')
  const id = memberText(item, 'call_id')
  if (!known || id === undefined || isHosted(item)) return []
  const call: ToolCallBlock = {
    kind: 'tool-call',
    id,
    name: known.name,
    form: 'json',
    input: '',
    ...keep(leftIn(item), { facts: { item } }),
  }
  const args = known.read(item)
  if (known !== COMPUTER) return [{ ...call, input: toText(args) }]
  const list = objectsOf(args)
  const singles = isShown ? list.flatMap(computer.toSingle) : computer.toSingles(list)
  const isAdded = isShown && singles.at(-1)?.['action'] !== 'screenshot'
  if (isAdded || singles.length === 0) singles.push({ action: 'screenshot' })
  const mark = isAdded ? 's' : ''
  const part: ToolCallBlock = { ...call, ...keep({}, { facts: { part: true } }) }
  delete part.ext
  return singles.map((single, index) => ({
    ...(index === 0 ? call : part),
    id: singles.length > 1 ? `${id}_${index + 1}of${singles.length}${mark}` : id,
    input: stringify(single),
  }))
}

/**
 * The result of a call; undefined for another kind of item. The older shell names its call by `id`. `found`: the
 * tools that a search found, by their names.
 */
export function readClientOutput(
  item: JsonObject,
  found: readonly ToolKey[],
): ToolResultBlock | undefined {
  const known = byOutput.get(memberText(item, 'type') ?? '')
  const callId =
    memberText(item, 'call_id') ?? (known === LOCAL_SHELL ? memberText(item, 'id') : undefined)
  if (!known || callId === undefined || isHosted(item)) return undefined
  const { text, isError, shown } = known.readResult(item)
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

/** Whether a block is written with the item of another one. */
export const isPartOfItem = (block: ToolCallBlock | ToolResultBlock): boolean =>
  factsOf(block).part === true

/** A result for each call of one item. The last one has what the item's result shows. */
export function resultsOf(
  result: ToolResultBlock,
  calls: readonly ToolCallBlock[],
): ToolResultBlock[] {
  const { kind, name, form } = result
  const part = { kind, name, form, content: [], ...keep({}, { facts: { part: true } }) }
  return calls.map(({ id: callId }, index) => ({
    ...(index === calls.length - 1 ? result : part),
    callId,
  }))
}

/** How a call is written for a caller of this dialect that offered such a tool. */
export interface ClientCall {
  readonly type: string
  readonly prefix: string
  /** The members made from the arguments; none where these are no object. */
  members(args: string): JsonObject
}

export function clientCall(request: Request, name: string, lose: Lose): ClientCall | undefined {
  const isOffered = request.tools.some(
    (tool) =>
      tool.kind === 'function' && tool.name === name && isOrigin(tool) && factsOf(tool).tool,
  )
  const known = isOffered ? TOOLS.find((tool) => tool.name === name) : undefined
  if (!known) return undefined
  const { call: type, prefix } = known
  const members = (input: string): JsonObject => {
    const args = parseObject(input) ?? {}
    if (known === COMPUTER && !computer.isListed(args))
      lose('approximated', 'reply.computer', `no word for ${memberText(args, 'action') ?? 'it'}`)
    return known.write(args)
  }
  return { type, prefix, members }
}

/** A text before a call with pending checks, for a caller whose dialect has no word for them. */
const checkWords = (checks: readonly JsonObject[]): string =>
  [
    'Before the next action is done these checks have to be confirmed:',
    ...checks.map(
      ({ code, message }) => `- ${[code, message].map(wordIn).filter(Boolean).join(': ')}`,
    ),
    'To answer it with its result confirms them; to answer it with an error does not.',
  ].join('\n')

const CHECKS = 'pending_safety_checks'

/** The calls of an item, for a caller that may know single actions, perhaps as a set of tools. */
export function callsFor(item: JsonObject, request: Request, lose: Lose): Block[] {
  const screen = computer.findScreen(request, 'single')
  const calls = readClientCalls(item, screen !== undefined)
  if (!screen || calls[0]?.name !== COMPUTER.name) return calls
  const listed = objectsOf(COMPUTER.read(item))
  if (listed.some(({ path }) => listOf(path).length > 2))
    lose('approximated', 'reply.computer', 'a drag is told by its ends')
  const checks = objectsOf(item[CHECKS])
  const blocks = calls.map(({ kind, id, name, form, input: said }, index): ToolCallBlock => {
    const call = { kind, id, name, form }
    const { action = '', ...args } = parseObject(said) ?? {}
    const input = { ...args, ...(index === 0 && checks.length > 0 && { [CHECKS]: checks }) }
    return screen.namespace === undefined
      ? { ...call, input: stringify({ action, ...input }) }
      : { ...call, name: wordIn(action), namespace: screen.namespace, input: stringify(input) }
  })
  if (checks.length === 0) return blocks
  lose('approximated', `reply.computer.${CHECKS}`, 'told in words')
  return [{ kind: 'text', text: checkWords(checks) }, ...blocks]
}

/** The id of one of several calls of an item: the item's id, their number, and whether a screenshot was added. */
const PART = /^(.+)_\d+of(\d+)(s?)$/

function singleIn({ name, namespace, input }: ToolCallBlock): JsonObject | undefined {
  const args = parseObject(input)
  if (namespace === COMPUTER.name) return args && { action: name, ...args }
  return name === COMPUTER.name && namespace === undefined ? args : undefined
}

/** A screenshot as its address. */
function addressOf(block: Block): string[] {
  if (block.kind !== 'media' || !block.mediaType.startsWith('image/')) return []
  const { mediaType, source } = block
  if ('data' in source) return [`data:${mediaType};base64,${source.data}`]
  return 'url' in source ? [source.url] : []
}

/** The item of some calls, and that of their answers; undefined where they cannot be one item. */
function writeScreenCall(
  id: string,
  calls: readonly ToolCallBlock[],
  answers: readonly ToolResultBlock[],
) {
  const [, , count = 1, mark] = PART.exec(calls[0]?.id ?? '') ?? []
  const singles = calls.map(singleIn).filter((single) => single !== undefined)
  const isWhole = [singles, answers].every(({ length }) => length === Number(count))
  const isFailed = answers.some(({ isError }) => isError)
  if (!isWhole || isFailed || !singles.every(computer.isListed)) return undefined
  const shown = answers.flatMap(({ content }) => content)
  const image_url = shown.flatMap(addressOf).at(-1)
  if (image_url === undefined) return undefined
  const checks = objectsOf(singles[0]?.[CHECKS])
  const actions = singles
    .slice(0, mark ? -1 : undefined)
    .map((single) => pickMembers(single, (key) => key !== CHECKS && key !== 'duration'))
    .flatMap(computer.toListed)
  const call_id = writeCallId(id)
  return {
    words: checkWords(checks),
    call: opaque({
      type: COMPUTER.call,
      id: writeCallId(COMPUTER.prefix + id),
      call_id,
      actions,
      [CHECKS]: checks,
      status: 'completed',
    }),
    output: opaque({
      type: COMPUTER.output,
      call_id,
      output: { type: 'computer_screenshot', image_url },
      ...(checks.length > 0 && { acknowledged_safety_checks: checks }),
    }),
    texts: shown.filter((block) => block.kind === 'text'),
  }
}

/**
 * Writes the service's own tool for a screen, for a caller that knows single actions. A call stays that of a function
 * where it failed, has no screenshot, or has an action that the service has no word for. So only a result confirms
 * checks.
 */
export function withScreen(request: Request, lose: Lose): Request {
  const screen = computer.findScreen(request, 'single')
  if (!screen) return request
  if (screen.screen?.width) lose('dropped', 'tools.computer.size')
  const blocks = request.turns.flatMap((turn) => turn.blocks)
  const results = Map.groupBy(
    blocks.filter((block) => block.kind === 'tool-result'),
    ({ callId }) => callId,
  )
  const calls = blocks.filter((block) => block.kind === 'tool-call')
  const written = new Map<Block, readonly Block[]>()
  const said = new Set<string>()
  for (const [id, group] of Map.groupBy(calls, (call) => PART.exec(call.id)?.[1] ?? call.id)) {
    const answers = group.flatMap((call) => results.get(call.id) ?? [])
    const [first] = group
    const last = answers.at(-1)
    const item = writeScreenCall(id, group, answers)
    if (!item || !first || !last) continue
    if ([...group, ...answers].some(({ cache }) => cache)) lose('dropped', 'cache')
    said.add(item.words)
    for (const block of [...group, ...answers]) written.set(block, [])
    written.set(first, [item.call])
    written.set(last, [item.output, ...item.texts])
  }
  const isSaid = (block: Block) => block.kind === 'text' && said.has(block.text)
  return {
    ...request,
    tools: request.tools.flatMap((tool) => {
      if (tool === screen) return { ...opaque({ type: COMPUTER.name }), name: COMPUTER.name }
      return tool.kind === 'function' && tool.screen ? [] : tool
    }),
    turns: request.turns.map((turn) => ({
      ...turn,
      blocks: turn.blocks.flatMap((block) => written.get(block) ?? (isSaid(block) ? [] : block)),
    })),
  }
}
