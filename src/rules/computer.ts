import {
  amountIn,
  listOf,
  objectsOf,
  stringify,
  wordIn,
  type Json,
  type JsonObject,
} from '../json/json.ts'
import type { FunctionTool, Request, Screen } from '../model/request.ts'

/**
 * There are two spellings of actions on a screen. A call has one *single* action, a name with its arguments
 * (`{action: 'left_click', coordinate: [1, 2]}`); the model of a conversation uses these. Or a call has several
 * *listed* ones, each with a type (`{type: 'click', button: 'left', x: 1, y: 2}`). An action that only one of the
 * spellings has keeps its name in the other.
 */
type Action = JsonObject

/** The name of the tool. */
export const COMPUTER = 'computer'

/** Single actions that lists have too, and those that they lack. */
export const LISTED_ACTIONS =
  'key type mouse_move left_click left_click_drag right_click middle_click double_click triple_click scroll wait screenshot'.split(
    ' ',
  )
export const UNLISTED_ACTIONS = 'hold_key cursor_position left_mouse_down left_mouse_up zoom'.split(
  ' ',
)

const NUMBERS = { type: 'array', items: { type: 'integer' } }
const STRING = { type: 'string' }
export const DIRECTION = { ...STRING, enum: ['up', 'down', 'left', 'right'] }

/** The tool for a screen as a function, for models without one of their own. */
export function screenFunction(screen: Screen, actions: readonly string[]): FunctionTool {
  const { width, height, place } = screen
  const of = place === undefined ? '' : ` of ${place}`
  const size = width && height ? ` The screen${of} has ${width} by ${height} pixels.` : ''
  const properties = {
    action: { ...STRING, enum: [...actions] },
    coordinate: NUMBERS,
    start_coordinate: NUMBERS,
    region: NUMBERS,
    text: STRING,
    duration: { type: 'number' },
    scroll_direction: DIRECTION,
    scroll_amount: { type: 'integer' },
  }
  return {
    kind: 'function',
    name: COMPUTER,
    description: `Acts on a screen and shows it. A coordinate is x and y in pixels from the upper left; key and type take text, as in ctrl+s.${size}`,
    schema: stringify({ type: 'object', properties, required: ['action'] }),
    screen,
  }
}

/** Types of listed actions (a click has its button), and the single actions of the same meaning. */
const WORDS =
  'left left_click,right right_click,wheel middle_click,move mouse_move,keypress key,drag left_click_drag'
/** Buttons that single actions lack, with the keys that do the same. */
const AWAY = 'back alt+Left,forward alt+Right'
/** Keys as lists name them and as chords do; others differ at most in their case. */
const KEYS =
  'ENTER Return,ESC Escape,BACKSPACE BackSpace,ARROWUP Up,ARROWDOWN Down,ARROWLEFT Left,ARROWRIGHT Right,PAGEUP Page_Up,PAGEDOWN Page_Down,CMD super,TAB Tab,DELETE Delete,HOME Home,END End'

const pairsIn = (list: string): [string, string][] =>
  list.split(',').map((pair) => pair.split(' ', 2) as [string, string])
const turned = (map: ReadonlyMap<string, string>) => new Map([...map].map(([a, b]) => [b, a]))

const SINGLE = new Map(pairsIn(WORDS))
const LISTED = turned(SINGLE)
const AWAY_KEYS = new Map(pairsIn(AWAY))
const CHORDED = new Map(pairsIn(KEYS))
const KEY_NAMES = turned(CHORDED)

const writeChord = (keys: Json[]): string =>
  keys
    .map(wordIn)
    .map((key) => CHORDED.get(key) ?? (/^F\d|[a-z]/.test(key) ? key : key.toLowerCase()))
    .join('+')

/** A plus sign is also a key. */
const readChord = (chord: Json): string[] =>
  wordIn(chord)
    .split(/\+(?!$)/)
    .map((key) => KEY_NAMES.get(key) ?? (/[A-Z]/.test(key) ? key : key.toUpperCase()))

/** How often a key is pressed at most: each time is an action of its own in a list. */
const MOST_REPEATS = 100

/** Pixels for a click of the wheel: no document says how many. */
const NOTCH = 100
const WAYS = [
  ['up', 'scroll_y', -NOTCH],
  ['down', 'scroll_y', NOTCH],
  ['left', 'scroll_x', -NOTCH],
  ['right', 'scroll_x', NOTCH],
] as const

/** The single actions for a listed one: two where it scrolls both down and aside. */
export function toSingle(listed: Action): Action[] {
  const { type = 'screenshot', button, x, y = 0, keys, path, scroll_x, scroll_y, ...rest } = listed
  const word = wordIn(type === 'click' ? (button ?? 'left') : type)
  const away = AWAY_KEYS.get(word)
  if (away !== undefined) return [{ action: 'key', text: away }]
  const held = listOf(keys)
  const single = {
    action: SINGLE.get(word) ?? word,
    ...(x !== undefined && { coordinate: [x, y] }),
    ...(type === 'wait' && { duration: 1 }),
    ...rest,
    ...(held.length > 0 && { text: writeChord(held) }),
  }
  if (type === 'drag') {
    const points = objectsOf(path).map((point) => [point['x'] ?? 0, point['y'] ?? 0])
    return [{ ...single, start_coordinate: points[0] ?? [], coordinate: points.at(-1) ?? [] }]
  }
  if (type !== 'scroll') return [single]
  return WAYS.flatMap(([scroll_direction, member, notch]) => {
    const share = amountIn(member === 'scroll_x' ? scroll_x : scroll_y) / notch
    const scroll_amount = Math.max(1, Math.round(share))
    return share > 0 ? [{ ...single, scroll_direction, scroll_amount }] : []
  })
}

/**
 * The single actions of a list. What `toListed` repeats is one action here; `toSingle` makes no repeated ones, since
 * not every caller knows them.
 */
export function toSingles(list: readonly Action[]): Action[] {
  const singles = list.flatMap(toSingle)
  const [first] = singles
  const { length } = singles
  const isOne = new Set(singles.map((single) => stringify(single))).size === 1
  if (!first || !isOne || length === 1) return singles
  if (length === 3 && first['action'] === 'left_click')
    return [{ ...first, action: 'triple_click' }]
  return first['action'] === 'key' ? [{ ...first, repeat: length }] : singles
}

const pointIn = (place: Json | undefined): JsonObject => {
  const [x, y] = listOf(place)
  return x === undefined || y === undefined ? {} : { x, y }
}

/** Inverse of `toSingle`; more than one only for what lists say by repeating it. */
export function toListed(single: Action): Action[] {
  const { action = 'screenshot', coordinate, start_coordinate, text, repeat, ...others } = single
  const { scroll_direction, scroll_amount, ...rest } = others
  const isTriple = action === 'triple_click'
  const word = isTriple ? 'left' : LISTED.get(wordIn(action))
  const isClick = isTriple || (word !== undefined && wordIn(action).endsWith('_click'))
  const way = WAYS.find(([direction]) => direction === scroll_direction)
  const listed = {
    type: isClick ? 'click' : (word ?? action),
    ...(isClick && { button: word ?? '' }),
    ...(word === 'drag'
      ? { path: [pointIn(start_coordinate), pointIn(coordinate)] }
      : pointIn(coordinate)),
    ...(way && {
      scroll_x: 0,
      scroll_y: 0,
      [way[1]]: way[2] * (amountIn(scroll_amount ?? 1) || 0),
    }),
    ...rest,
    ...(text !== undefined && (action === 'type' ? { text } : { keys: readChord(text) })),
  }
  const times = Math.min(MOST_REPEATS, Math.max(1, amountIn(repeat) || 1))
  return Array.from({ length: isTriple ? 3 : times }, () => listed)
}

/** Whether lists have a type for a single action, and it says the place that they need. */
export const isListed = ({ action, coordinate }: Action): boolean =>
  LISTED_ACTIONS.includes(wordIn(action)) &&
  (coordinate !== undefined || !/click|move|scroll/.test(wordIn(action)))

/** The tool for a screen that is on offer from the beginning, if its caller uses this spelling. */
export const findScreen = ({ tools }: Request, words: Screen['words']): FunctionTool | undefined =>
  tools.find(
    (tool): tool is FunctionTool =>
      tool.kind === 'function' && tool.screen?.words === words && !tool.late && !tool.deferred,
  )
