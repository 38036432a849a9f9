import { describe, expect, it } from 'vitest'
import { isListed, toListed, toSingle, toSingles } from '../../src/rules/computer.ts'
import type { Json, JsonObject } from '../../src/json/json.ts'

const AT = { coordinate: [7, 9] }

/** A single action, and the list that says it. */
const SAME: [JsonObject, JsonObject[]][] = [
  [{ action: 'left_click', ...AT }, [{ type: 'click', button: 'left', x: 7, y: 9 }]],
  [
    { action: 'right_click', ...AT, text: 'ctrl' },
    [{ type: 'click', button: 'right', x: 7, y: 9, keys: ['CTRL'] }],
  ],
  [{ action: 'middle_click', ...AT }, [{ type: 'click', button: 'wheel', x: 7, y: 9 }]],
  [{ action: 'double_click', ...AT }, [{ type: 'double_click', x: 7, y: 9 }]],
  [
    { action: 'triple_click', ...AT },
    [1, 2, 3].map(() => ({ type: 'click', button: 'left', x: 7, y: 9 })),
  ],
  [{ action: 'mouse_move', ...AT }, [{ type: 'move', x: 7, y: 9 }]],
  [
    { action: 'left_click_drag', start_coordinate: [1, 2], ...AT },
    [
      {
        type: 'drag',
        path: [
          { x: 1, y: 2 },
          { x: 7, y: 9 },
        ],
      },
    ],
  ],
  [{ action: 'key', text: 'ctrl+shift+s' }, [{ type: 'keypress', keys: ['CTRL', 'SHIFT', 'S'] }]],
  [{ action: 'key', text: 'Page_Down' }, [{ type: 'keypress', keys: ['PAGEDOWN'] }]],
  [{ action: 'key', text: 'alt+F4' }, [{ type: 'keypress', keys: ['ALT', 'F4'] }]],
  [{ action: 'key', text: 'ctrl++' }, [{ type: 'keypress', keys: ['CTRL', '+'] }]],
  [
    { action: 'key', text: 'Return', repeat: 2 },
    [1, 2].map(() => ({ type: 'keypress', keys: ['ENTER'] })),
  ],
  [{ action: 'type', text: 'a + b' }, [{ type: 'type', text: 'a + b' }]],
  [
    { action: 'scroll', ...AT, scroll_direction: 'up', scroll_amount: 3 },
    [{ type: 'scroll', x: 7, y: 9, scroll_x: 0, scroll_y: -300 }],
  ],
  [
    { action: 'scroll', ...AT, scroll_direction: 'right', scroll_amount: 1 },
    [{ type: 'scroll', x: 7, y: 9, scroll_x: 100, scroll_y: 0 }],
  ],
  [{ action: 'wait', duration: 2 }, [{ type: 'wait', duration: 2 }]],
  [{ action: 'screenshot' }, [{ type: 'screenshot' }]],
  // Without a word for it the name stays.
  [{ action: 'zoom', region: [0, 0, 9, 9] }, [{ type: 'zoom', region: [0, 0, 9, 9] }]],
]

/** JSON that `String` and `Number` throw on. */
const NO_PRIMITIVE: Json = { toString: 1, valueOf: 1 }

describe('an action on a screen', () => {
  it('is read and written whatever its members are', () => {
    for (const [single, list] of SAME) {
      const damaged = (action: JsonObject) =>
        Object.keys(action).map((name) => ({ ...action, [name]: NO_PRIMITIVE }))
      for (const action of damaged(single)) {
        expect(JSON.stringify(toListed(action))).not.toContain('null')
        expect(isListed(action)).toBeTypeOf('boolean')
      }
      for (const action of list.flatMap(damaged))
        expect(JSON.stringify(toSingle(action))).not.toContain('null')
    }
  })

  it.each(SAME)('is %j', (single, list) => {
    expect(toListed(single)).toEqual(list)
    expect(toSingles(list)).toEqual([single])
  })

  it.each<[JsonObject, JsonObject[]]>([
    [{ type: 'click', button: 'back', x: 1, y: 1 }, [{ action: 'key', text: 'alt+Left' }]],
    [{ type: 'wait' }, [{ action: 'wait', duration: 1 }]],
    [{ type: 'double_click', x: 7, y: 9, keys: null }, [{ action: 'double_click', ...AT }]],
    [
      { type: 'scroll', x: 7, y: 9, scroll_x: -20, scroll_y: 250 },
      [
        { action: 'scroll', ...AT, scroll_direction: 'down', scroll_amount: 3 },
        { action: 'scroll', ...AT, scroll_direction: 'left', scroll_amount: 1 },
      ],
    ],
  ])('of a list is what comes near: %j', (listed, singles) => {
    expect(toSingle(listed)).toEqual(singles)
  })

  it('is said again no more than a hundred times', () => {
    expect(toListed({ action: 'key', text: 'Tab', repeat: 1e9 })).toHaveLength(100)
  })

  it('is told from what lists have no word for, or no place', () => {
    expect(SAME.filter(([single]) => !isListed(single)).map(([{ action }]) => action)).toEqual([
      'zoom',
    ])
    expect(isListed({ action: 'left_click' })).toBe(false)
  })
})
