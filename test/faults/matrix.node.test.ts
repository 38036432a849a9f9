import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cellsOf, play, type Fault } from './cell.ts'
import { contentFaults } from './faults-content.ts'
import { transportFaults } from './faults-transport.ts'
import { CALLER_KEY, openStage, UPSTREAM_KEY, type Stage } from './stage.ts'

/**
 * Faults by pairs by modes, over real sockets. Before the first event: a status and the caller's error body.
 * After it: one failure in the caller's words, then the end. Never a success, never a second request, never
 * a connection left behind, never a key where it does not belong.
 */

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const play18 = async (fault: Fault): Promise<void> => {
  const wrong = await Promise.all(cellsOf(fault).map((cell) => play(stage, cell)))
  const lines = wrong.flat()
  if (lines.length > 0) throw new Error(lines.map((line) => `\n${line}`).join(''))
}

describe('an upstream that fails below the dialects', () => {
  it.concurrent.each(transportFaults.map((fault) => [fault.name, fault] as const))(
    '%s',
    (_, fault) => play18(fault),
  )
})

describe('an upstream that says something else', () => {
  it.concurrent.each(contentFaults.map((fault) => [fault.name, fault] as const))('%s', (_, fault) =>
    play18(fault),
  )
})

it('writes one line of the log per exchange, and no key into any of them', () => {
  expect(JSON.stringify(stage.log)).not.toMatch(new RegExp(`${CALLER_KEY}|${UPSTREAM_KEY}`))
  const ids = stage.log.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})
