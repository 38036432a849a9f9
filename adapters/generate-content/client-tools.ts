import { hasOlderScreen } from './abilities.ts'
import { listOf, toText, type JsonObject } from '../../src/json/json.ts'
import { describeAction, readActions } from '../../src/rules/action-sets.ts'
import type { FunctionTool } from '../../src/model/request.ts'
import { keep } from './dialect.ts'

const INTEGER = { type: 'integer' }
const SHARE = { ...INTEGER, minimum: 0, maximum: 999 }
const PARAMETERS: JsonObject = {
  ...Object.fromEntries(
    'x y start_x start_y end_x end_y destination_x destination_y'
      .split(' ')
      .map((name) => [name, SHARE]),
  ),
  seconds: INTEGER,
  magnitude: INTEGER,
  magnitude_in_pixels: INTEGER,
  press_enter: { type: 'boolean' },
  clear_before_typing: { type: 'boolean' },
  direction: { type: 'string', enum: ['up', 'down', 'left', 'right'] },
}
/** The keys of `hotkey` are a list; those of the older `key_combination` are a text. */
const LISTED: JsonObject = { ...PARAMETERS, keys: { type: 'array', items: { type: 'string' } } }

/**
 * The functions of each environment with their parameters, and those of models before Gemini 3 (guide on computer use,
 * 2026-07-30).
 */
const TOUCH = `click x y, wait |seconds, type text|press_enter, drag_and_drop start_x start_y end_x end_y,
press_key key, take_screenshot`
const DESKTOP = `${TOUCH}, double_click x y, triple_click x y, middle_click x y, right_click x y, mouse_down x y,
mouse_up x y, move x y, key_down key, key_up key, hotkey keys, scroll x y direction|magnitude_in_pixels`
const SETS = new Map([
  ['DESKTOP', DESKTOP],
  ['MOBILE', `${TOUCH}, open_app app_name, list_apps, go_back, long_press x y|seconds`],
])
const BROWSER = `${DESKTOP}, go_back, go_forward, navigate url`
const OLD = `open_web_browser, wait_5_seconds, go_back, go_forward, search, navigate url, click_at x y,
hover_at x y, type_text_at x y text|press_enter clear_before_typing, key_combination keys, scroll_document direction,
scroll_at x y direction|magnitude, drag_and_drop x y destination_x destination_y`

const ENVIRONMENT = /ENVIRONMENT_(BROWSER|DESKTOP|MOBILE)/
const SCALE = ' Places are 0 to 999 from the left and from the top.'

/**
 * Reads the functions that the service has for a screen, which the caller runs. The first one holds the settings as
 * they came. Without the name of an older model the functions are those of newer models.
 */
export function readScreen(settings: JsonObject, model: string): FunctionTool[] {
  const { environment = '', excludedPredefinedFunctions: excluded, ...rest } = settings
  const isOld = hasOlderScreen(model)
  const [, place = ''] = ENVIRONMENT.exec(toText(environment)) ?? []
  const list = isOld ? OLD : (SETS.get(place) ?? BROWSER)
  return readActions(list, isOld ? PARAMETERS : LISTED)
    .filter(({ name }) => !listOf(excluded).includes(name))
    .map(({ name, schema }, index) => ({
      kind: 'function',
      name,
      description: describeAction(place.toLowerCase() || 'screen', name) + SCALE,
      schema,
      ...(index === 0
        ? keep(rest, { facts: { screen: settings } })
        : keep({}, { facts: { screen: true } })),
    }))
}
