import { expect } from 'vitest'
import type { Driver, Outcome, ToolOffer } from './driver.ts'
import { COUNTS, type Dialect, type HeardTurn, type Piece, type Said } from './script.ts'
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
export const PROOFS: Record<Dialect, [string, string]> = {
  messages: ['EqQBCkgIAhABGAIiQHh6+/sig1==', 'EqQBCkgIAhABGAIiQHh6+/sig2=='],
  'generate-content': ['CtwBAVSoXO7c8mB1', 'CtwBAVSoXO7c8mB2'],
  responses: ['gAAAAABo-enc_1-Zx9==', 'gAAAAABo-enc_2-Zx9=='],
}
/** Ids as each upstream makes them; generate-content makes none. */
export const IDS: Record<Dialect, [string, string]> = {
  messages: ['toolu_01A09q90qw90lq917835lq9', 'toolu_01B19x55zz11aa22bb33cc4'],
  'generate-content': ['', ''],
  responses: ['call_MkzhR5UKwMZxG9Ud4RkTWSLX', 'call_a7Fq21bVh0dQmPz8XnC4yTeK'],
}
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const image = { mediaType: 'image/png', data: PIXEL }

export function expectOutcome(scene: Scene, outcome: Outcome, wanted: Partial<Outcome>): void {
  expect(outcome).toMatchObject(wanted)
  expect(outcome.counts).toEqual(countsSeen(outcome))
  if (scene.foreign) expect(outcome.model).toBe(scene.driver.asked)
}

/** A client that has a place for a count must have the right one. */
const countsSeen = (outcome: Outcome): Outcome['counts'] =>
  Object.fromEntries(Object.entries(COUNTS).filter(([name]) => Object.hasOwn(outcome.counts, name)))

export const ask = (scene: Scene) => ({ stream: scene.stream })

export const result = (name: string, output: string): Piece => ({
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
export function issued(turns: HeardTurn[], upstream: Dialect): HeardTurn[] {
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

/** A schema with its types in lower case: both spellings are legal in generate-content. */
export function plainSchema(schema: unknown): unknown {
  const text = JSON.stringify(schema ?? null)
  return JSON.parse(text.replace(/"type":"[A-Z]+"/g, (type) => type.toLowerCase()))
}
