import { expect } from 'vitest'
import { kits } from '../dialects/index.ts'
import type { ToolAnswer } from './driver.ts'
import {
  ask,
  CLOCK,
  expectOutcome,
  image,
  issued,
  PIXEL,
  result,
  WEATHER,
  type Scenario,
} from './scene.ts'
import {
  call,
  said,
  text,
  thinking,
  type Dialect,
  type Piece,
  type Stop,
  type ThinkingPiece,
} from './script.ts'

const UNICODE = 'Grüße aus Köln — 天気は晴れ 🌤️, “naïve” \\ "quoted"\nzweite Zeile\t✓'

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
  thinking('I need the weather and the time.', kits[upstream].scripted.proofs[0]),
  call(kits[upstream].scripted.ids[0], 'get_weather', { city: 'Köln', days: 2 }),
  call(kits[upstream].scripted.ids[1], 'get_time', { zone: 'utc' }),
]
const last = (upstream: Dialect): Piece[] => [
  thinking('Both are known.', kits[upstream].scripted.proofs[1]),
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
    expect(first.thinking).toBe(driver.forgetsThoughts ? '' : 'I need the weather and the time.')
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

const interleaved = (upstream: Dialect): Piece[] => [
  thinking('First the weather.', kits[upstream].scripted.proofs[0]),
  text('Let me see.'),
  call(kits[upstream].scripted.ids[0], 'get_weather', { city: 'Ulm' }),
  thinking('', kits[upstream].scripted.proofs[1]),
  call(kits[upstream].scripted.ids[1], 'get_weather', { city: 'Bonn' }),
]

/** Proofs stand in front of text and between two calls of one function; one tool fails. */
const interleaving: Scenario = {
  name: 'keeps the order of thoughts, text and calls, and says which tool failed',
  replies: (upstream) => [said(interleaved(upstream), 'tool-call'), said([text('Dry in Ulm.')])],
  async play(scene) {
    const { upstream, stage, driver } = scene
    const options = { ...ask(scene), tools: [WEATHER], thinking: true, maxTokens: 8000 }
    const talk = driver.talk(stage, options)
    const first = await talk.say('Compare Ulm and Bonn.')
    expectOutcome(scene, first, { text: 'Let me see.', stop: 'tool-call' })
    expect(first.calls.map(({ input }) => input)).toEqual([{ city: 'Ulm' }, { city: 'Bonn' }])
    const [ulm, bonn] = first.calls
    if (!ulm || !bonn) return
    const answers = [
      { call: ulm, output: 'dry' },
      { call: bonn, output: 'no such station', failed: true },
    ]
    await talk.answer(answers)
    if (!scene.foreign) return
    const [, assistant, user] = issued(stage.heard(1).turns, upstream)
    const wanted = issued([{ role: 'assistant', pieces: interleaved(upstream) }], upstream)
    expect(assistant).toEqual(wanted[0])
    const [good, bad] = user?.pieces ?? []
    expect(good).toEqual(result('get_weather', 'dry'))
    expect(bad).toMatchObject({ kind: 'result', name: 'get_weather' })
    const output = bad?.kind === 'result' ? bad.output : ''
    expect(output).toContain('no such station')
    // A caller's dialect without the flag cannot say it; then the words are all there is.
    if (driver.dialect !== 'responses' && bad?.kind === 'result')
      expect(bad.failed || /error/i.test(output)).toBe(true)
  },
}

const images: Scenario = {
  name: 'carries images of the user and of tools',
  replies: (upstream) => [
    said([call(kits[upstream].scripted.ids[0], 'get_weather', { city: 'Ulm' })], 'tool-call'),
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

const stopScenario = (stop: Stop, words: string): Scenario => ({
  name: `says that a reply ended by ${stop}`,
  replies: () => [said([text(words)], stop)],
  async play(scene) {
    const options = { ...ask(scene), stopAt: ['END'], maxTokens: 64 }
    const outcome = await scene.driver.talk(scene.stage, options).say('Go on.')
    const plain =
      scene.driver.name.startsWith('@ai-sdk') ||
      kits[scene.upstream].scripted.stops[stop] !== 'stop-sequence'
    const wanted = kits[scene.driver.dialect].scripted.stops[stop]
    expectOutcome(scene, outcome, {
      stop: wanted === 'stop-sequence' && plain ? 'stop' : wanted,
    })
    if (stop !== 'refusal') expect(outcome.text).toBe(words)
  },
})

/** The words of the thought are withheld; its proof has to travel all the same. */
const withheld = (name: string, thought: (proof: string) => ThinkingPiece): Scenario => ({
  name,
  replies: (upstream) => [
    said([thought(kits[upstream].scripted.proofs[0]), text('Four.')]),
    said(
      [
        thought(kits[upstream].scripted.proofs[1]),
        call(kits[upstream].scripted.ids[0], 'get_time', {}),
      ],
      'tool-call',
    ),
    said([text('Late.')]),
  ],
  async play(scene) {
    const { upstream, stage, driver } = scene
    const options = { ...ask(scene), tools: [CLOCK], thinking: true, maxTokens: 8000 }
    const talk = driver.talk(stage, options)
    const first = await talk.say('Two and two?')
    expect(first).toMatchObject({ text: 'Four.', thinking: '' })
    const { calls: made } = await talk.say('And the time?')
    await talk.answer(made.map((each) => ({ call: each, output: '12:00' })))
    if (!scene.foreign) return
    // Not every dialect tells a thought that is withheld from one that is not shown.
    const { tellsWithheld } = kits[upstream].scripted
    const told = (proof: string) => (tellsWithheld ? thought(proof) : thinking('', proof))
    const [, four, , time] = issued(stage.heard(2).turns, upstream)
    expect(four?.pieces).toEqual([told(kits[upstream].scripted.proofs[0]), text('Four.')])
    expect(time?.pieces[0]).toEqual(told(kits[upstream].scripted.proofs[1]))
    expect(time?.pieces).toHaveLength(2)
  },
})

const redacted = withheld('returns the proof of a thought that has no words', (proof) =>
  thinking('', proof),
)
const omitted = withheld('returns the proof of a thought whose words are not shown', (proof) => ({
  ...thinking('', proof),
  omitted: true,
}))

export const SCENARIOS: readonly Scenario[] = [
  words,
  toolLoop,
  interleaving,
  redacted,
  omitted,
  images,
  stopScenario('length', 'To be cont'),
  stopScenario('refusal', 'I cannot help.'),
  stopScenario('stop-sequence', 'Before the '),
]
