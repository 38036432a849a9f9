import type { LogEntry } from './entry.ts'
import { lossTexts, printable, type Spell } from './log.ts'

/** What a person at a terminal wants to know of an exchange, in colour or not. */
export const readableLine =
  (coloured: boolean): Spell =>
  (entry, time, shorten) => {
    const paint = coloured ? statusColour(entry.status) : (text: string) => text
    const parts = [
      time.slice(11, 19),
      paint(String(entry.status)),
      entry.method,
      entry.path,
      describePair(entry),
      describeModel(entry),
      `${Math.round(entry.totalMs)} ms`,
      describeTokens(entry),
      entry.losses?.length ? `lost: ${lossTexts(entry).join(', ')}` : undefined,
      entry.error,
      entry.reason && `(${entry.reason})`,
    ]
    return parts
      .filter((part) => part !== undefined && part !== '')
      .map((part) => (part === parts[1] ? part : printable(shorten(part ?? ''))))
      .join('  ')
  }

const describePair = ({ caller, upstream }: LogEntry): string | undefined =>
  caller && upstream ? `${caller} > ${upstream}` : caller

const describeModel = ({ model, sentModel }: LogEntry): string | undefined =>
  model && sentModel && model !== sentModel ? `${model} = ${sentModel}` : model

const describeTokens = ({ usage }: LogEntry): string | undefined =>
  usage && `${usage.input ?? 0} + ${usage.output ?? 0} tokens`

const ANSI = { green: 32, yellow: 33, red: 31 } as const

function statusColour(status: number): (text: string) => string {
  const code = status < 400 ? ANSI.green : status < 500 ? ANSI.yellow : ANSI.red
  return (text) => `\u001b[${code}m${text}\u001b[0m`
}
