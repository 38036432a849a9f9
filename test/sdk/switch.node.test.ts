import { describe, expect, test } from 'vitest'
import { kits } from '../dialects/index.ts'
import type { Driver } from './driver.ts'
import { DRIVERS } from './drivers.ts'
import { stage } from './proxy.ts'
import { CLOCK, WEATHER } from './scene.ts'
import { call, DIALECTS, said, text, thinking, type Dialect, type Heard } from './script.ts'
import { says, type Stage } from './stage.ts'

/** A conversation that begins at one upstream and goes on at another in the middle of a tool loop. */
async function switched(
  driver: Driver,
  from: Dialect,
  to: Dialect,
  stream: boolean,
): Promise<Heard[]> {
  const [one, two] = kits[from].scripted.ids
  const before = stage(
    from,
    says(
      from,
      said([thinking('Hm.', kits[from].scripted.proofs[0]), text('Easy.')]),
      said(
        [
          thinking('Two calls.', kits[from].scripted.proofs[0]),
          text('Let me look.'),
          call(one, 'get_weather', { city: 'Ulm' }),
          call(two, 'get_time', { zone: 'utc' }),
        ],
        'tool-call',
      ),
    ),
  )
  const after = stage(to, says(to, said([text('Sun, noon.')]), said([text('Bye.')])))
  let current: Stage = before
  const moving: Stage = { ...before, fetch: (input, init) => current.fetch(input, init) }
  const options = { stream, tools: [WEATHER, CLOCK], thinking: true, maxTokens: 8000 }
  const talk = driver.talk(moving, options)
  await talk.say('Hello?')
  const { calls } = await talk.say('Weather and time in Ulm?')
  current = after
  const third = await talk.answer(calls.map((made) => ({ call: made, output: 'known' })))
  expect(third.text).toBe('Sun, noon.')
  await talk.say('Thanks.')
  const sent = after.received.map((received) => received.text).join('\n')
  // An envelope of the proof, in plain text or in base64, is as foreign to this upstream as the proof.
  for (const foreign of [kits[from].scripted.proofs[0], 'xseal1.', 'eHNlYWwx'])
    expect(sent).not.toContain(foreign)
  return to === driver.dialect ? [] : [after.heard(0), after.heard(1)]
}

const ORDERS = DIALECTS.flatMap((from) =>
  DIALECTS.filter((to) => to !== from).map((to) => [from, to] as const),
)

/** What was said, without the thoughts: they stay with who had them. */
const kept = (heard: Heard | undefined) =>
  heard?.turns.map(({ role, pieces }) => [
    role,
    ...pieces.flatMap((piece) => {
      if (piece.kind === 'text') return [piece.text]
      return piece.kind === 'call' || piece.kind === 'result' ? [`${piece.kind} ${piece.name}`] : []
    }),
  ])

const HISTORY = [
  ['user', 'Hello?'],
  ['assistant', 'Easy.'],
  ['user', 'Weather and time in Ulm?'],
  ['assistant', 'Let me look.', 'call get_weather', 'call get_time'],
  ['user', 'result get_weather', 'result get_time'],
]

describe.each(DRIVERS)('$name', (driver) => {
  describe.each([false, true])('stream: %s', (stream) => {
    test.each(ORDERS)('moves from %s to %s in the middle of a tool loop', async (from, to) => {
      const [first, second] = await switched(driver, from, to, stream)
      if (!first || !second) return
      expect(kept(first)).toEqual(HISTORY)
      expect(kept(second)).toEqual([...HISTORY, ['assistant', 'Sun, noon.'], ['user', 'Thanks.']])
    })
  })
})
