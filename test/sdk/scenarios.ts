import { expect } from 'vitest'
import type { Driver, Outcome, ToolAnswer, ToolOffer } from './driver.ts'
import {
  call,
  COUNTS,
  said,
  text,
  thinking,
  type Dialect,
  type HeardTurn,
  type Piece,
  type Said,
  type Stop,
} from './script.ts'
import type { Stage } from './stage.ts'

/** One conversation: what the upstream says, and what has to be true on both sides of it. */
export interface Scenario {
  name: string
  replies(upstream: Dialect): Said[]
  play(scene: Scene): Promise<void>
}

export interface Scene {
  driver: Driver
  upstream: Dialect
  stream: boolean
  stage: Stage
  /** Between two dialects: what the upstream heard is judged too. */
  foreign: boolean
}

export const WEATHER: ToolOffer = {
  name: 'get_weather',
  description: 'Weather of a city.',
  schema: {
    type: 'object',
    properties: { city: { type: 'string', description: 'The city.' }, days: { type: 'integer' } },
    required: ['city'],
  },
}
export const CLOCK: ToolOffer = {
  name: 'get_time',
  description: 'Time of a city.',
  schema: {
    type: 'object',
    properties: { zone: { type: 'string', enum: ['utc', 'local'] } },
    required: ['zone'],
  },
}

/** Proofs in each upstream's own alphabet. */
const PROOFS: Record<Dialect, [string, string]> = {
  messages: ['EqQBCkgIAhABGAIiQHh6+/sig1==', 'EqQBCkgIAhABGAIiQHh6+/sig2=='],
  'generate-content': ['CtwBAVSoXO7c8mB1', 'CtwBAVSoXO7c8mB2'],
  responses: ['gAAAAABo-enc_1-Zx9==', 'gAAAAABo-enc_2-Zx9=='],
}
/** Ids as each upstream makes them; generate-content makes none. */
const IDS: Record<Dialect, [string, string]> = {
  messages: ['toolu_01A09q90qw90lq917835lq9', 'toolu_01B19x55zz11aa22bb33cc4'],
  'generate-content': ['', ''],
  responses: ['call_MkzhR5UKwMZxG9Ud4RkTWSLX', 'call_a7Fq21bVh0dQmPz8XnC4yTeK'],
}
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const image = { mediaType: 'image/png', data: PIXEL }

const UNICODE = 'Grüße aus Köln — 天気は晴れ 🌤️, “naïve” \\ "quoted"\nzweite Zeile\t✓'

function expectOutcome(scene: Scene, outcome: Outcome, wanted: Partial<Outcome>): void {
  expect(outcome).toMatchObject(wanted)
  expect(outcome.counts).toEqual(countsSeen(outcome))
  if (scene.foreign) expect(outcome.model).toBe(scene.driver.asked)
}

/** A client that has a place for a count must have the right one. */
const countsSeen = (outcome: Outcome): Outcome['counts'] =>
  Object.fromEntries(Object.entries(COUNTS).filter(([name]) => Object.hasOwn(outcome.counts, name)))

const ask = (scene: Scene) => ({ stream: scene.stream })

const words: Scenario = {
  name: 'carries text, system prompt, bounds and usage',
  replies: () => [said([text(UNICODE)])],
  async play(scene) {
    const options = { ...ask(scene), system: 'Be brief. Köln!', maxTokens: 512 }
    const outcome = await scene.driver.talk(scene.stage, options).say(UNICODE)
    expectOutcome(scene, outcome, { text: UNICODE, thinking: '', calls: [], stop: 'stop' })
    if (!scene.foreign) return
    expect(scene.stage.heard(0)).toMatchObject({
      system: 'Be brief. Köln!',
      turns: [{ role: 'user', pieces: [text(UNICODE)] }],
      tools: [],
      maxTokens: 512,
      stream: scene.stream,
      thinking: false,
    })
  },
}

const calls = (upstream: Dialect): Piece[] => [
  thinking('I need the weather and the time.', PROOFS[upstream][0]),
  call(IDS[upstream][0], 'get_weather', { city: 'Köln', days: 2 }),
  call(IDS[upstream][1], 'get_time', { zone: 'utc' }),
]
const last = (upstream: Dialect): Piece[] => [
  thinking('Both are known.', PROOFS[upstream][1]),
  text('Sunny, noon.'),
]

/** `failed` has a place in two of the three dialects and in their clients. */
const toolLoop: Scenario = {
  name: 'runs a tool loop with parallel calls, and returns every proof to its issuer',
  replies: (upstream) => [
    said(calls(upstream), 'tool-call'),
    said(last(upstream)),
    said([text('Bye.')]),
  ],
  async play(scene) {
    const { upstream, stage, driver } = scene
    const tools = [WEATHER, CLOCK]
    const talk = driver.talk(stage, { ...ask(scene), tools, thinking: true, maxTokens: 8000 })
    const first = await talk.say('Weather and time in Köln?')
    expectOutcome(scene, first, { text: '', stop: 'tool-call' })
    expect(first.thinking).toBe('I need the weather and the time.')
    expect(first.calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'get_weather', input: { city: 'Köln', days: 2 } },
      { name: 'get_time', input: { zone: 'utc' } },
    ])
    const answers = first.calls.map((made, index): ToolAnswer => ({
      call: made,
      output: index === 0 ? '21 °C' : '12:00',
    }))
    const second = await talk.answer(answers)
    expectOutcome(scene, second, { text: 'Sunny, noon.', stop: 'stop', calls: [] })
    await talk.say('Thanks.')
    if (!scene.foreign) return
    const heard = stage.heard(2)
    expect(heard.thinking).toBe(true)
    expect(heard.tools).toEqual(stage.heard(0).tools)
    expect(heard.tools.map(({ name, description }) => ({ name, description }))).toEqual(
      tools.map(({ name, description }) => ({ name, description })),
    )
    expect(heard.tools[0]?.schema).toMatchObject({ required: ['city'] })
    expect(issued(heard.turns, upstream)).toEqual(
      issued(
        [
          { role: 'user', pieces: [text('Weather and time in Köln?')] },
          { role: 'assistant', pieces: calls(upstream) },
          { role: 'user', pieces: [result('get_weather', '21 °C'), result('get_time', '12:00')] },
          { role: 'assistant', pieces: last(upstream) },
          { role: 'user', pieces: [text('Thanks.')] },
        ],
        upstream,
      ),
    )
  },
}

const result = (name: string, output: string): Piece => ({
  kind: 'result',
  id: '',
  name,
  output,
  images: 0,
  failed: false,
})

/**
 * Turns as an upstream issued or heard them: results without their ids (the ear has paired them), thoughts
 * of generate-content without their words (only the signature has to come back, on the part that had it),
 * ids of calls only where the upstream made them, inputs by value.
 */
function issued(turns: HeardTurn[], upstream: Dialect): HeardTurn[] {
  return turns.map(({ role, pieces }) => ({
    role,
    pieces: pieces.flatMap((piece): Piece[] => {
      if (piece.kind === 'result') return [{ ...piece, id: '' }]
      if (piece.kind === 'call') {
        const id = IDS[upstream][0] === '' ? '' : piece.id
        return [{ ...piece, id, input: JSON.parse(piece.input) }]
      }
      if (piece.kind !== 'thinking' || upstream !== 'generate-content') return [piece]
      return piece.proof === '' ? [] : [{ ...piece, text: '' }]
    }),
  }))
}

const images: Scenario = {
  name: 'carries images of the user and of tools',
  replies: (upstream) => [
    said([call(IDS[upstream][0], 'get_weather', { city: 'Ulm' })], 'tool-call'),
    said([text('I see two.')]),
  ],
  async play(scene) {
    const { stage, driver } = scene
    const talk = driver.talk(stage, { ...ask(scene), tools: [WEATHER] })
    const first = await talk.say('What is this?', image)
    expect(first.calls).toHaveLength(1)
    const [made] = first.calls
    if (!made) return
    const second = await talk.answer([{ call: made, output: 'See the radar.', image }])
    expect(second.text).toBe('I see two.')
    if (!scene.foreign) return
    const heard = stage.heard(1)
    expect(heard.turns[0]?.pieces).toEqual([{ kind: 'image', ...image }, text('What is this?')])
    expect(JSON.stringify(stage.received[1]?.body).split(PIXEL)).toHaveLength(3)
    expect(JSON.stringify(heard.turns[2])).toContain('See the radar.')
  },
}

/** How a caller's dialect can say why a reply ended. */
const STOPS: Record<Dialect, Record<Stop, Stop>> = {
  messages: same('stop-sequence'),
  'generate-content': same('stop'),
  responses: same('stop'),
}
function same(sequence: Stop): Record<Stop, Stop> {
  return {
    stop: 'stop',
    'tool-call': 'tool-call',
    length: 'length',
    refusal: 'refusal',
    'stop-sequence': sequence,
  }
}

const stopScenario = (stop: Stop, words: string): Scenario => ({
  name: `says that a reply ended by ${stop}`,
  replies: () => [said([text(words)], stop)],
  async play(scene) {
    const options = { ...ask(scene), stopAt: ['END'], maxTokens: 64 }
    const outcome = await scene.driver.talk(scene.stage, options).say('Go on.')
    const plain = scene.driver.name.startsWith('@ai-sdk') || scene.upstream !== 'messages'
    const wanted = STOPS[scene.driver.dialect][stop]
    expectOutcome(scene, outcome, {
      stop: wanted === 'stop-sequence' && plain ? 'stop' : wanted,
    })
    if (stop !== 'refusal') expect(outcome.text).toBe(words)
  },
})

/** The words of the thought are withheld; its proof has to travel all the same. */
const withheld: Scenario = {
  name: 'returns the proof of a thought that has no words',
  replies: (upstream) => [
    said([thinking('', PROOFS[upstream][0]), text('Four.')]),
    said([text('Five.')]),
  ],
  async play(scene) {
    const { upstream, stage, driver } = scene
    const talk = driver.talk(stage, { ...ask(scene), thinking: true, maxTokens: 8000 })
    const first = await talk.say('Two and two?')
    expect(first).toMatchObject({ text: 'Four.', thinking: '' })
    await talk.say('And one?')
    if (!scene.foreign) return
    expect(issued(stage.heard(1).turns, upstream)[1]?.pieces).toEqual([
      thinking('', PROOFS[upstream][0]),
      text('Four.'),
    ])
  },
}

export const SCENARIOS: readonly Scenario[] = [
  words,
  toolLoop,
  withheld,
  images,
  stopScenario('length', 'To be cont'),
  stopScenario('refusal', 'I cannot help.'),
  stopScenario('stop-sequence', 'Before the '),
]
