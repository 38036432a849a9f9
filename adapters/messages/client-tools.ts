import { parseObject, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { describeAction, readActions, type Action } from '../../src/rules/action-sets.ts'
import {
  COMPUTER,
  DIRECTION,
  screenFunction,
  findScreen,
  UNLISTED_ACTIONS,
} from '../../src/rules/computer.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Block, FunctionTool, Request } from '../../src/model/request.ts'
import { keep, numberIn, objectIn, readCache, textIn, withoutNulls } from './dialect.ts'

interface Typed {
  description: string
  properties: JsonObject
  required: string[]
}

const STRING = { type: 'string' }
const INTEGER = { type: 'integer' }
const NUMBER = { type: 'number' }
const STRINGS = { type: 'array', items: STRING }
const INTEGERS = { type: 'array', items: INTEGER }
const SPOT = {
  type: 'object',
  description: 'A coordinate of x and y, or a ref to an element.',
  properties: { coordinate: INTEGERS, ref: STRING },
}

/** The types of the parameters of both toolsets, by name. Any other parameter is a text. */
const PARAMETERS: JsonObject = {
  coordinate: INTEGERS,
  start_coordinate: INTEGERS,
  region: INTEGERS,
  duration: NUMBER,
  repeat: INTEGER,
  depth: INTEGER,
  scroll_amount: INTEGER,
  scroll_direction: DIRECTION,
  document_ids: STRINGS,
  paths: STRINGS,
  target: SPOT,
  from: SPOT,
  value: {},
}

/** The tools of each toolset with their parameters; those before the bar are required (`@anthropic-ai/sdk` 1.12). */
const SCREEN = `key text|repeat, hold_key text duration, type text, cursor_position, mouse_move coordinate,
left_mouse_down, left_mouse_up, left_click |coordinate text, left_click_drag start_coordinate coordinate|text,
right_click |coordinate text, middle_click |coordinate text, double_click |coordinate text,
triple_click |coordinate text, scroll scroll_direction scroll_amount|coordinate text, wait duration, screenshot,
zoom region`
const BROWSER = `close_tab tab_id, double_click target|modifiers tab_id, file_upload target|document_ids paths tab_id,
find query|tab_id, form_input target value|tab_id, get_page_text |tab_id, hold_key text duration|tab_id,
hover target|tab_id, javascript_exec text|tab_id, key text|repeat tab_id, left_click_drag from target|tab_id,
left_click target|modifiers tab_id, left_mouse_down target|tab_id, left_mouse_up target|tab_id, list_tabs,
middle_click target|modifiers tab_id, mouse_move target|tab_id, navigate url|tab_id, new_tab, read_console |tab_id,
read_network |tab_id, read_page |depth filter ref tab_id, right_click target|modifiers tab_id, screenshot |tab_id,
scroll scroll_direction target|scroll_amount tab_id, scroll_to target|tab_id, switch_tab tab_id,
triple_click target|modifiers tab_id, type text|tab_id, wait duration|tab_id, zoom region|tab_id`
const SETS = new Map([
  [COMPUTER, SCREEN],
  ['browser', BROWSER],
])

/** The parameters that both tools for files have. */
const EDITED = {
  path: STRING,
  file_text: STRING,
  old_str: STRING,
  new_str: STRING,
  insert_line: INTEGER,
  insert_text: STRING,
  view_range: { type: 'array', items: INTEGER },
} as const

/**
 * Tools that the caller runs, by their types without the date. The model knows description and schema from the type, so
 * they stand here for other dialects.
 */
const TYPED = new Map<string, Typed>([
  [
    'bash',
    {
      description: 'Runs a command in a shell that stays open, or starts the shell again.',
      properties: { command: STRING, restart: { type: 'boolean' } },
      required: [],
    },
  ],
  [
    'text_editor',
    {
      // Two versions of the tool have different names for the inserted text.
      description:
        'Views a file (its lines view_range) or a folder, creates a file with file_text, replaces the only old_str by new_str, or inserts insert_text (given as new_str too) after insert_line.',
      properties: {
        command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] },
        ...EDITED,
      },
      required: ['command', 'path'],
    },
  ],
  [
    'memory',
    {
      description:
        'Keeps files below /memories: views a file (its lines view_range) or a folder, creates a file with file_text, replaces the only old_str by new_str, inserts insert_text after insert_line, deletes path, or renames old_path to new_path.',
      properties: {
        command: {
          type: 'string',
          enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'],
        },
        ...EDITED,
        old_path: STRING,
        new_path: STRING,
      },
      required: ['command'],
    },
  ],
])

/**
 * Reads a toolset as functions in a namespace of its name, by which their calls come back. The first function holds the
 * toolset as it came. Undefined for any other tool.
 */
export function readToolset(raw: JsonObject): FunctionTool[] | undefined {
  const [, set = ''] = /^(\w+)_toolset_\d+$/.exec(textIn(raw['type'])) ?? []
  const members = SETS.get(set)
  if (members === undefined) return undefined
  const { cache_control, ...rest } = raw
  const offered = readActions(members, PARAMETERS).flatMap((action) => {
    const config = objectIn(objectIn(raw['configs'])[action.name])
    return config['enabled'] === false ? [] : [memberOf(set, action, config)]
  })
  const [first, ...others] = offered
  if (!first) return undefined
  return [
    { ...first, ...readCache(cache_control), ...keep({}, { facts: { set: rest } }) },
    ...others,
  ]
}

const memberOf = (set: string, action: Action, { defer_loading }: JsonObject): FunctionTool => ({
  kind: 'function',
  ...action,
  namespace: set,
  description: describeAction(set, action.name),
  ...(set === COMPUTER && { screen: { words: 'single' } }),
  ...(defer_loading === true && { deferred: true }),
  ...keep({}, { facts: { set: true } }),
})

/** The type of a tool without the date of its version. */
export const undated = (type: Json | undefined): string => textIn(type).replace(/_\d+$/, '')

/** Reads a tool that the model knows by its type as a function for other dialects; undefined for any other tool. */
export function readTyped(raw: JsonObject): FunctionTool | undefined {
  const { type, name, cache_control, ...rest } = raw
  const kind = undated(type)
  if (kind === COMPUTER) return readScreen(raw)
  const typed = TYPED.get(kind)
  if (!typed) return undefined
  const { description, ...schema } = typed
  return {
    kind: 'function',
    name: textIn(name),
    description,
    schema: stringify({ type: 'object', ...schema }),
    ...readCache(cache_control),
    // Other dialects have no versions of this tool, so nothing is lost with its version.
    ...keep(withoutNulls(rest), { facts: { typed: { type: textIn(type) } } }),
  }
}

/** Reads the tool for a screen. The description tells other dialects the size. */
function readScreen({ cache_control: mark, ...raw }: JsonObject): FunctionTool {
  const { name: _, type = null, display_width_px = null, display_height_px = null, ...rest } = raw
  const [width, height] = [numberIn(display_width_px), numberIn(display_height_px)]
  const size = width && height ? { width, height } : {}
  const actions = readActions(SCREEN, PARAMETERS).map(({ name }) => name)
  return {
    ...screenFunction({ words: 'single', ...size }, actions),
    ...readCache(mark),
    ...keep(withoutNulls(rest), {
      facts: { typed: { type, display_width_px, display_height_px } },
    }),
  }
}

/**
 * Puts the model's own tool for a screen, of this type, into the request of a caller that knows lists of actions. That
 * is a toolset, or a tool that has to be given the size.
 */
export function withScreen(request: Request, type: string | undefined, lose: Lose): Request {
  const tool = findScreen(request, 'listed')
  const { width, height, place } = tool?.screen ?? {}
  const isSet = type?.includes('set')
  if (!tool || type === undefined || !(isSet || (width && height))) return request
  if (place !== undefined) lose('dropped', 'tools.computer.environment')
  if (isSet && width) lose('dropped', 'tools.computer.size')
  const configs = Object.fromEntries(UNLISTED_ACTIONS.map((name) => [name, { enabled: false }]))
  const size = { display_width_px: width ?? null, display_height_px: height ?? null }
  const native: FunctionTool = {
    kind: 'function',
    name: COMPUTER,
    ...keep({}, { facts: isSet ? { set: { type, configs } } : { typed: { type, ...size } } }),
  }
  const tools = request.tools.map((one) => (one === tool ? native : one))
  if (!isSet) return { ...request, tools }
  const turns = request.turns.map((turn) => ({ ...turn, blocks: turn.blocks.map(asMember) }))
  return { ...request, tools, turns }
}

/** Makes a call of the tool for a screen, or its result, that of a tool of the toolset. */
function asMember(block: Block): Block {
  if (block.kind === 'tool-result' && block.name === COMPUTER)
    return { ...block, ...keep({}, { facts: { setName: COMPUTER } }) }
  const args = block.kind === 'tool-call' && block.name === COMPUTER && parseObject(block.input)
  if (!args) return block
  const { action, ...input } = args
  const member = { name: textIn(action), namespace: COMPUTER, input: stringify(input) }
  return { ...block, ...member, ...keep({}, { facts: { set: true } }) }
}

/** Inverse of `asMember` for the input of a call, for a caller that knows only the one tool. */
export const fromMember =
  (name: string) =>
  (input: string): string =>
    stringify({ action: name, ...parseObject(input) })
