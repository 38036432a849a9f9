import type { LogEntry, ProcessEvent } from './entry.ts'
import { lossTexts, printable, type Spell } from './log.ts'

/** What a person at a terminal wants to know of an exchange, in colour or not. */
export const readableLine =
  (coloured: boolean): Spell =>
  (entry, time, shorten) => {
    if ('event' in entry) return printable(shorten(`${time.slice(11, 19)}  ${sentence(entry)}`))
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

function sentence(told: ProcessEvent): string {
  switch (told.event) {
    case 'start':
      return `started: ${told.url}`
    case 'reload':
      return told.result === 'ok'
        ? `reloaded: ${told.configuration}`
        : `not reloaded, everything stays as it was: ${told.error}`
    case 'drain':
      return `stopping: ${told.open} open`
    case 'stop':
      return 'stopped'
    default:
      return told satisfies never
  }
}

/** Who asks is said where there are several who might. */
function describePair({ caller, dialect, upstream, member = upstream }: LogEntry) {
  const who = [caller === 'open' ? undefined : caller, dialect].filter(Boolean).join(' ')
  return who && member ? `${who} > ${member}` : who
}

const describeModel = ({ model, sentModel }: LogEntry): string | undefined =>
  model && sentModel && model !== sentModel ? `${model} = ${sentModel}` : model

const describeTokens = ({ usage }: LogEntry): string | undefined =>
  usage && `${usage.input ?? 0} + ${usage.output ?? 0} tokens`

const ANSI = { green: 32, yellow: 33, red: 31 } as const

function statusColour(status: number): (text: string) => string {
  const code = status < 400 ? ANSI.green : status < 500 ? ANSI.yellow : ANSI.red
  return (text) => `\u001b[${code}m${text}\u001b[0m`
}
