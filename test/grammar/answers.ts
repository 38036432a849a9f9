import type { Frame } from '../../adapters/contract.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Grammar } from './grammar.ts'
import { first, list, member, payload } from './shape.ts'

/**
 * A grammar of one answer as that of several: each follows it as if it were the only one. `name`: the member that
 * lists them; `counts`: a member that only the last frame of all has to have.
 */
export function ofEach(alone: Grammar, name: string, counts?: string): Grammar {
  return {
    check: (frames, answers = 1) =>
      answers === 1
        ? alone.check(frames)
        : first(numbers(answers).map((index) => alone.check(pickFrames(frames, index)))),
    checkBody: (body, answers = 1) =>
      answers === 1 || !isObject(body)
        ? alone.checkBody(body)
        : first(numbers(list(body[name]).length).map((index) => bodyWrong(body, index, answers))),
  }

  function bodyWrong(body: JsonObject, index: number, answers: number): string | undefined {
    const wrong = index < answers ? undefined : `more than ${answers} answers`
    return wrong ?? alone.checkBody(picked(body, index))
  }

  function picked(event: JsonObject, index: number): JsonObject {
    const mine = list(event[name]).filter((one) => numberOf(one) === index)
    return { ...event, [name]: mine.map((one) => (isObject(one) ? { ...one, index: 0 } : one)) }
  }

  function brings(event: JsonObject | string | undefined, index: number): boolean {
    return isObject(event) && list(event[name]).some((one) => numberOf(one) === index)
  }

  /** What belongs to all answers belongs to each. An answer that never came is no fault. */
  function pickFrames(frames: readonly Frame[], index: number): Frame[] {
    const events = frames.map(({ data }) => payload(data))
    const at = events.some((event) => brings(event, index)) ? index : 0
    const last = events.findLastIndex((event) => brings(event, at))
    const end = events.findLast(isObject)?.[counts ?? '']
    return frames.flatMap((frame, place): Frame[] => {
      const event = events[place]
      if (!isObject(event) || list(event[name]).length === 0) return [frame]
      if (!brings(event, at)) return []
      const mine = picked(event, at)
      const whole =
        place === last && counts && end !== undefined ? { ...mine, [counts]: end } : mine
      return [{ ...frame, data: JSON.stringify(whole) }]
    })
  }
}

const numberOf = (answer: Json): Json => member(answer, 'index') ?? 0

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
