import { type Dialect, DIALECTS } from '../../adapters/dialect.ts'
import { chatCompletions } from './chat-completions.ts'
import { generateContent } from './generate-content.ts'
import type { Kit } from './kit.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'

/** One kit per dialect. A dialect without one does not compile, and a kit names what it has to bring. */
export const kits: Readonly<Record<Dialect, Kit>> = {
  messages,
  'generate-content': generateContent,
  responses,
  'chat-completions': chatCompletions,
}

export const allKits: readonly Kit[] = DIALECTS.map((dialect) => kits[dialect])

/** All dialects but this one. */
export const othersThan = (dialect: Dialect): Dialect[] =>
  DIALECTS.filter((other) => other !== dialect)

/** The dialects whose upstreams prove their thoughts. */
export const PROVING: readonly Dialect[] = DIALECTS.filter(
  (dialect) => kits[dialect].scripted.proves,
)

export type Pair = [from: Dialect, to: Dialect]

/** All pairs of two different dialects, caller and upstream. */
export const PAIRS: readonly Pair[] = DIALECTS.flatMap((from) =>
  othersThan(from).map((to): Pair => [from, to]),
)

/** The kit of an adapter, which tells its dialect as a text. */
export function kitOf(dialect: string): Kit {
  const name = DIALECTS.find((known) => known === dialect)
  if (name === undefined) throw new Error(`no kit for ${dialect}`)
  return kits[name]
}
