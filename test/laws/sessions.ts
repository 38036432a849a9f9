import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'

/** The bodies of the session, one after the other, without a model. Each is sent twice, as after a lost answer. */
export function wildBodies(dialect: Dialect): JsonObject[] {
  const { history, steps, base, options } = kits[dialect].wildSession
  return steps.flatMap((_, turn) => {
    const said = steps.slice(0, turn + 1).flat()
    const body = { ...base, [history]: said }
    return [turn, turn + 1].map((at) => ({ ...body, ...options[at % options.length] }))
  })
}
