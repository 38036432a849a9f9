import { generateContent } from './generate-content.ts'
import type { Grammar } from './grammar.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'

const GRAMMARS = new Map<string, Grammar>([
  ['messages', messages],
  ['generate-content', generateContent],
  ['responses', responses],
])

/** A dialect without a grammar is an error of the test suite. */
export function grammarOf(dialect: string): Grammar {
  const grammar = GRAMMARS.get(dialect)
  if (!grammar) throw new Error(`no grammar for ${dialect}`)
  return grammar
}
