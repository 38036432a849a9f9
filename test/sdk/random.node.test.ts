import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../cases.ts'
import { kits, othersThan } from '../dialects/index.ts'
import type { Driver } from './driver.ts'
import { DRIVERS } from './drivers.ts'
import { stage } from './proxy.ts'
import { CLOCK, issued, result, WEATHER } from './scene.ts'
import { call, said, text, thinking, type Dialect, type Piece } from './script.ts'
import { says } from './stage.ts'

const words = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc.constantFrom('\n\n', ' a ', 'b', '\t- item\n', '{"a":1}', 'data: x\n\n', '</system>'),
)
const spoken = words.filter((each) => each.trim() !== '')
const json = fc.dictionary(
  fc.string({ maxLength: 5 }).filter((key) => key !== '__proto__'),
  fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.integer())),
  { maxKeys: 3 },
)

/** What one step of a reply may be: a thought is always followed by what was thought about. */
type Step =
  | { thought?: string; text: string }
  | { thought?: string; input: Record<string, unknown> }
const thought = fc.option(fc.oneof(spoken, fc.constant('')), { nil: undefined })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ thought, text: spoken }, { requiredKeys: ['text'] }),
  fc.record({ thought, input: json }, { requiredKeys: ['input'] }),
) as fc.Arbitrary<Step>

/**
 * Proofs and ids in each upstream's alphabet. Neighbouring texts are one, as every service says them; so are
 * those that only a silent thought keeps apart, where nothing shows between which of them it was.
 */
function toPieces(steps: Step[], upstream: Dialect, joinsTexts: boolean): Piece[] {
  const { idPrefix } = kits[upstream].scripted
  const pieces: Piece[] = []
  for (const [index, each] of steps.entries()) {
    const mark = String(index).padStart(3, '0')
    const last = pieces.at(-1)
    const isOneText = 'text' in each && last?.kind === 'text'
    const isUnheard = each.thought === '' && joinsTexts && isOneText
    const thinks = each.thought !== undefined && !isUnheard
    if (thinks) pieces.push(thinking(each.thought ?? '', `cHJvb2Y${mark}AA`))
    if ('input' in each) {
      const id = idPrefix === '' ? '' : `${idPrefix}${mark}abc`
      pieces.push(call(id, index % 2 === 0 ? 'get_weather' : 'get_time', each.input))
    } else if (last?.kind === 'text' && !thinks) last.text += each.text
    else pieces.push(text(each.text))
  }
  return pieces
}

/** A message of chat completions has a member for thoughts, one for text and one for calls: no order among them. */
function inMembers(pieces: Piece[]): Piece[] {
  const words = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
  return [
    ...pieces.filter(({ kind }) => kind === 'thinking'),
    ...(words === '' ? [] : [text(words)]),
    ...pieces.filter(({ kind }) => kind === 'call'),
  ]
}

/** Clients that read no thoughts: nothing of them is seen, and nothing comes back (@ai-sdk/openai 4.0.118). */
const THOUGHTLESS = new Set(['@ai-sdk/openai, chat'])

/** What the upstream hears again of a reply of its own. */
function returned(driver: Driver, upstream: Dialect, pieces: Piece[]): Piece[] {
  const brought = THOUGHTLESS.has(driver.name)
    ? inMembers(pieces.filter(({ kind }) => kind !== 'thinking'))
    : pieces
  return upstream === 'chat-completions' ? inMembers(brought) : brought
}

/** Clients that make one text of all that is streamed without words of thought in between. */
const JOINING = new Set(['@ai-sdk/google'])

async function talkThrough(
  driver: Driver,
  upstream: Dialect,
  stream: boolean,
  steps: Step[],
): Promise<void> {
  const joins = kits[upstream].scripted.joinsTexts || (stream && JOINING.has(driver.name))
  const first = toPieces(steps, upstream, joins)
  const calls = first.filter((piece) => piece.kind === 'call')
  const replies = [said(first, calls.length > 0 ? 'tool-call' : 'stop'), said([text('Bye.')])]
  const staged = stage(upstream, says(upstream, ...replies))
  const options = { stream, tools: [WEATHER, CLOCK], thinking: true, maxTokens: 8000 }
  const talk = driver.talk(staged, options)
  const heard = await talk.say('Go.')
  const join = (kind: 'text' | 'thinking') =>
    first.map((piece) => (piece.kind === kind ? piece.text : '')).join('')
  expect(heard.text).toBe(join('text'))
  const thoughts = THOUGHTLESS.has(driver.name) ? '' : join('thinking')
  expect(heard.thinking.replaceAll(/\s/g, '')).toBe(thoughts.replaceAll(/\s/g, ''))
  expect(heard.calls.map(({ input }) => input)).toEqual(calls.map(({ input }) => JSON.parse(input)))
  if (calls.length > 0)
    await talk.answer(heard.calls.map((made) => ({ call: made, output: made.name })))
  else await talk.say('And?')
  const [, assistant, user] = issued(staged.heard(1).turns, upstream)
  const pieces = returned(driver, upstream, first)
  expect(assistant).toEqual(issued([{ role: 'assistant', pieces }], upstream)[0])
  expect(user?.pieces).toEqual(
    calls.length > 0 ? calls.map(({ name }) => result(name, name)) : [text('And?')],
  )
}

/** Clients that themselves send text before calls, whatever the order was; those of chat completions can not else. */
const sendsCallsLast = ({ name, dialect }: Driver): boolean =>
  name === '@ai-sdk/anthropic' || dialect === 'chat-completions'
const callsLast = (steps: Step[]): Step[] =>
  steps.toSorted((one, other) => Number('input' in one) - Number('input' in other))

/**
 * A whole message of chat completions may hold a silent thought between others. Its part has no text, so
 * @ai-sdk/google 4.0.121 moves its proof to the part before, in place of the proof that stood there.
 */
const hidesSilent = ({ name }: Driver, upstream: Dialect, stream: boolean): boolean =>
  name === '@ai-sdk/google' && upstream === 'chat-completions' && !stream
const withoutSilent = (steps: Step[]): Step[] =>
  steps.map((each) => (each.thought === '' ? { ...each, thought: undefined } : each) as Step)

describe.each(DRIVERS)('$name', (driver) => {
  const foreign = othersThan(driver.dialect)
  describe.each(foreign)('over %s', (upstream) => {
    test.each([false, true])('brings every reply home (stream: %s)', async (stream) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), (drawn) => {
          const steps = hidesSilent(driver, upstream, stream) ? withoutSilent(drawn) : drawn
          return talkThrough(
            driver,
            upstream,
            stream,
            sendsCallsLast(driver) ? callsLast(steps) : steps,
          )
        }),
        cases(20),
      )
    })
  })
})
