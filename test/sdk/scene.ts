import { expect } from 'vitest'
import { kits } from '../dialects/index.ts'
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
 * without their words where only the proof has to come back, on the part that had it, ids of calls only where the upstream made them, inputs by value.
 */
export function issued(turns: HeardTurn[], upstream: Dialect): HeardTurn[] {
  const { idPrefix, hearsThoughts } = kits[upstream].scripted
  return turns.map(({ role, pieces }) => ({
    role,
    pieces: pieces.flatMap((piece): Piece[] => {
      if (piece.kind === 'result') return [{ ...piece, id: '' }]
      if (piece.kind === 'call') {
        const id = idPrefix === '' ? '' : piece.id
        return [{ ...piece, id, input: JSON.parse(piece.input) }]
      }
      if (piece.kind !== 'thinking' || hearsThoughts) return [piece]
      return piece.proof === '' ? [] : [{ ...piece, text: '' }]
    }),
  }))
}

/** A schema with its types in lower case: where they may be in upper case, both spellings are legal. */
export function plainSchema(schema: unknown): unknown {
  const text = JSON.stringify(schema ?? null)
  return JSON.parse(text.replace(/"type":"[A-Z]+"/g, (type) => type.toLowerCase()))
}
