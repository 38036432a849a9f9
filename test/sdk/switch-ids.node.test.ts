import { describe, expect, test } from 'vitest'
import { kits } from '../dialects/index.ts'
import { anthropicDriver } from './driver-anthropic.ts'
import { genaiDriver } from './driver-genai.ts'
import { openaiDriver } from './driver-openai.ts'
import type { Driver } from './driver.ts'
import { stage } from './proxy.ts'
import { CLOCK, WEATHER } from './scene.ts'
import {
  call,
  DIALECTS,
  said,
  text,
  thinking,
  type Dialect,
  type Said,
  type Wire,
} from './script.ts'
import { says, type Answer, type Received, type Script, type Stage } from './stage.ts'

const DRIVERS: readonly Driver[] = [anthropicDriver, genaiDriver, openaiDriver]

/** What a service of this dialect has given out: ids and proofs. Anything else it looks for and does not find. */
type Given = Set<string>

const isWire = (value: unknown): value is Wire => typeof value === 'object' && value !== null

/** Every text in an answer, wherever it stands. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return isWire(value) ? Object.values(value).flatMap(textsIn) : []
}

const dataOf = (event: string): unknown => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? 'null')

function note(given: Given, { body, events = [] }: Answer): void {
  for (const one of textsIn([body, ...events.map(dataOf)])) given.add(one)
}

/**
 * The service's answer (recorded, `store: false`) to what it does not know: an item that is named, thoughts
 * without their proof, a proof of somebody else's.
 */
function refusal(
  { input, previous_response_id: previous }: Wire,
  given: Given,
): Answer | undefined {
  const items = Array.isArray(input) ? input.filter(isWire) : []
  const ids = items.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  const lost = [...ids, ...(typeof previous === 'string' ? [previous] : [])]
  const unknown = lost.find((id) => !given.has(id))
  if (unknown !== undefined)
    return refused(
      404,
      `Item with id '${unknown}' not found. Items are not persisted when store is false.`,
    )
  for (const { type, encrypted_content: proof } of items) {
    if (type === 'item_reference') return refused(404, 'Nothing is kept.')
    if (type === 'reasoning' && (typeof proof !== 'string' || !given.has(proof)))
      return refused(400, 'The encrypted content could not be verified.')
  }
  return undefined
}

const refused = (status: number, message: string): Answer => ({
  status,
  body: { error: { message } },
})

/** A `responses` service that refuses what it has not given out; the others say what they are told to. */
function strict(dialect: Dialect, given: Given, replies: Said[]): Script {
  const say = says(dialect, ...replies)
  return async (received: Received, turn) => {
    const refusing = dialect === 'responses' ? refusal(received.body, given) : undefined
    if (refusing) return refusing
    const answer = await say(received, turn)
    if (dialect === 'responses') note(given, answer)
    return answer
  }
}

const UNPROVEN = thinking('Well.', '')

const began = (from: Dialect): Said[] => {
  const [one, two] = kits[from].scripted.ids
  const proven = thinking('Two calls.', kits[from].scripted.proofs[0])
  return [
    // Of thoughts without a proof an id is all that is left.
    said([
      from === 'responses' ? thinking('Hm.', kits[from].scripted.proofs[1]) : UNPROVEN,
      text('Easy.'),
    ]),
    said(
      [
        proven,
        text('Let me look.'),
        call(one, 'get_weather', { city: 'Ulm' }),
        call(two, 'get_time', { zone: 'utc' }),
      ],
      'tool-call',
    ),
  ]
}

const went = (to: Dialect): Said[] => [
  said([thinking('Then.', kits[to].scripted.proofs[0]), text('Sun, noon.')]),
  said([text('Bye.')]),
]

/** Begins at one upstream, and goes on at another in the middle of a tool loop. */
async function moved(
  driver: Driver,
  from: Dialect,
  to: Dialect,
  stream: boolean,
): Promise<string[]> {
  const given: Given = new Set()
  const before = stage(from, strict(from, given, began(from)))
  const after = stage(to, strict(to, given, went(to)))
  let current: Stage = before
  const moving: Stage = { ...before, fetch: (input, init) => current.fetch(input, init) }
  const options = { stream, tools: [WEATHER, CLOCK], thinking: true, maxTokens: 8000 }
  const talk = driver.talk(moving, options)
  const first = await talk.say('Hello?')
  const { calls } = await talk.say('Weather and time in Ulm?')
  current = after
  const third = await talk.answer(calls.map((made) => ({ call: made, output: 'known' })))
  const fourth = await talk.say('Thanks.')
  expect(after.received).toHaveLength(2)
  return [first.text, third.text, fourth.text]
}

const WAYS = DIALECTS.flatMap((from) => DIALECTS.map((to) => [from, to] as const))

describe.each(DRIVERS)('what was made here is looked up by nobody: $dialect', (driver) => {
  describe.each([false, true])('stream: %s', (stream) => {
    test.each(WAYS)('from %s to %s', async (from, to) => {
      expect(await moved(driver, from, to, stream)).toEqual(['Easy.', 'Sun, noon.', 'Bye.'])
    })
  })
})
