import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { kits, type Pair, PAIRS } from '../dialects/index.ts'
import { ProblemError, type Problem } from '../../src/model/problem.ts'
import { translator } from '../../src/named-translator.ts'
import type { TranslatedRequest } from '../../src/translator.ts'

export { DIALECTS, type Dialect, type Pair, PAIRS }

/** What an upstream is sent for a caller's body. */
export const sent = ([from, to]: Readonly<Pair>, body: object): TranslatedRequest =>
  translator({ from, to }).request(JSON.stringify({ ...kits[from].ask.needed, ...body }))

export const lossesOf = ({ losses }: TranslatedRequest): string[] =>
  losses.map(({ code, path }) => `${code} ${path}`)

/** Why a body is refused. */
export function refusal(pair: Readonly<Pair>, body: object): Problem | undefined {
  try {
    sent(pair, body)
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}
