import { stringify, type JsonObject } from '../../src/json/json.ts'
import { describeAction, readActions, type Action } from '../../src/model/action-sets.ts'
import type { FunctionTool } from '../../src/model/request.ts'
import { keep, objectIn, readCache, textIn, withoutNulls } from './dialect.ts'

interface Typed {
  description: string
  properties: JsonObject
  required: string[]
  /** What its other members tell the model. */
  about?(raw: JsonObject): string
}

const STRING = { type: 'string' }
const INTEGER = { type: 'integer' }
const NUMBER = { type: 'number' }
const STRINGS = { type: 'array', items: STRING }
const INTEGERS = { type: 'array', items: INTEGER }
const DIRECTION = { type: 'string', enum: ['up', 'down', 'left', 'right'] }
const SPOT = {
  type: 'object',
  description: 'A coordinate of x and y, or a ref to an element.',
  properties: { coordinate: INTEGERS, ref: STRING },
}

/** What the members of the toolsets take, by its name. */
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

/** Members and what they take; what stands before a bar they cannot do without (`@anthropic-ai/sdk` 1.12). */
const COMPUTER = `key text|repeat, hold_key text duration, type text, cursor_position, mouse_move coordinate,
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
  ['computer', COMPUTER],
  ['browser', BROWSER],
])

/** What both tools that change files are told about the change. */
const EDITED = {
  path: STRING,
  file_text: STRING,
  old_str: STRING,
  new_str: STRING,
  insert_line: INTEGER,
  insert_text: STRING,
  view_range: { type: 'array', items: INTEGER },
} as const

/** Tools that the caller runs, by the beginning of their dated types, with what the model knows of them by type. */
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
      // The inserted text has had two names.
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
  [
    'computer',
    {
      description:
        'Acts on a screen and shows it. A coordinate is x and y in pixels from the upper left; key and type take text, as in ctrl+s.',
      properties: {
        action: {
          type: 'string',
          enum: COMPUTER.split(/,\s+/).map((member) => member.split(' ', 1)[0] ?? ''),
        },
        coordinate: INTEGERS,
        start_coordinate: INTEGERS,
        region: INTEGERS,
        text: STRING,
        duration: NUMBER,
        scroll_direction: DIRECTION,
        scroll_amount: INTEGER,
      },
      required: ['action'],
      about: ({ display_width_px, display_height_px }) =>
        typeof display_width_px === 'number' && typeof display_height_px === 'number'
          ? ` The screen has ${display_width_px} by ${display_height_px} pixels.`
          : '',
    },
  ],
])

/**
 * Reads a set of tools as functions in a namespace of its name, by which their calls come home; undefined for any
 * other tool. The first one holds the set as it came.
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
  ...(defer_loading === true && { deferred: true }),
  ...keep({}, { facts: { set: true } }),
})

/** The size of a screen, of which the description tells. */
function sizeApart(raw: JsonObject): [JsonObject, JsonObject] {
  const { display_width_px = null, display_height_px = null, ...others } = raw
  return [{ display_width_px, display_height_px }, others]
}

/** Reads such a tool as a function for other dialects; undefined for any other tool. */
export function readTyped(raw: JsonObject): FunctionTool | undefined {
  const { name, cache_control, ...rest } = raw
  const typed = TYPED.get(textIn(raw['type']).replace(/_\d+$/, ''))
  if (!typed) return undefined
  const { description, about, ...schema } = typed
  const [size, others] = about ? sizeApart(rest) : [{}, rest]
  return {
    kind: 'function',
    name: textIn(name),
    description: description + (about?.(raw) ?? ''),
    schema: stringify({ type: 'object', ...schema }),
    ...readCache(cache_control),
    ...keep(withoutNulls(others), { facts: { typed: about ? size : true } }),
  }
}
