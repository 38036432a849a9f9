import { kits } from '../dialects/index.ts'
import type { Dialect } from './shared.ts'
import { LAST_WORDS, type BenchReply } from './words.ts'

export const replyIn = (dialect: Dialect): BenchReply => kits[dialect].bench.reply

const WORDS = [
  ' a',
  ' proxy',
  ' reads',
  ' what',
  ' is',
  ' said',
  ',',
  ' and',
  ' "writes"',
  ' it.\n',
]

export const wordAt = (index: number): string => WORDS[index % WORDS.length] ?? ' a'

/** What is wrong with an answer in a dialect, if anything: it has to be a whole one. */
export function faultIn(text: string, dialect: Dialect, stream: boolean): string | undefined {
  const ending = kits[dialect].bench.ending[stream ? 'stream' : 'json']
  if (!text.includes(LAST_WORDS)) return `the last words are missing in: ${text.slice(-200)}`
  if (!text.includes(ending)) return `there is no ${ending} in: ${text.slice(-200)}`
  return undefined
}
