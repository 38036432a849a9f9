import { lossCount } from '../model/loss.ts'
import { cachedShare, type LogEntry, type ProcessEvent } from './entry.ts'
import { lossTexts, printable, type Spell } from './log.ts'

/** A line for a person at a terminal, with or without colours. */
export const readableLine =
  (coloured: boolean): Spell =>
  (entry, time, shorten) => {
    if ('event' in entry) return printable(shorten(`${localTime(time)}  ${sentence(entry)}`))
    const paint = coloured ? statusColour(entry.status) : (text: string) => text
    const parts = [
      localTime(time),
      paint(String(entry.status)),
      entry.method,
      entry.path,
      describePair(entry),
      entry.address && `from ${entry.address}`,
      describeModel(entry),
      `${Math.round(entry.totalMs)} ms`,
      describeTokens(entry),
      describeLosses(entry),
      entry.error,
      entry.reason && `(${entry.reason})`,
    ]
    return parts
      .filter((part) => part !== undefined && part !== '')
      .map((part) => (part === parts[1] ? part : printable(shorten(part ?? ''))))
      .join('  ')
  }

/** In the time zone of this machine. */
const localTime = (time: string): string => new Date(time).toTimeString().slice(0, 8)

/** Only the first losses, to keep it one line. The others are in the reply's header and in the JSON log. */
const LOSSES_AT_A_GLANCE = 3

function describeLosses(entry: LogEntry): string | undefined {
  const texts = lossTexts(entry)
  if (texts.length === 0) return undefined
  const more = lossCount(entry.losses ?? []) - LOSSES_AT_A_GLANCE
  const shown = texts.slice(0, LOSSES_AT_A_GLANCE).join(', ')
  return more > 0 ? `lost: ${shown} and ${more} more` : `lost: ${shown}`
}

function sentence(event: ProcessEvent): string {
  switch (event.event) {
    case 'start':
      return `started: ${event.url}`
    case 'reload':
      return event.result === 'ok'
        ? `reloaded: ${event.configuration}`
        : `not reloaded, everything stays as it was: ${event.error}`
    case 'limits':
      return `limits of callers are counted by this process alone: ${event.error}`
    case 'record':
      return `${event.dropped} exchanges are not in the record: ${event.error}`
    case 'drain':
      return `stopping: ${event.open} open`
    case 'stop':
      return 'stopped'
    default:
      return event satisfies never
  }
}

/** With the caller's name where callers have keys. */
function describePair({ caller, dialect, upstream, member = upstream }: LogEntry) {
  const who = [caller === 'open' ? undefined : caller, dialect].filter(Boolean).join(' ')
  return who && member ? `${who} > ${member}` : who
}

const describeModel = ({ model, sentModel }: LogEntry): string | undefined =>
  model && sentModel && model !== sentModel ? `${model} = ${sentModel}` : model

function describeTokens({ usage, estimated }: LogEntry): string | undefined {
  if (!usage) return undefined
  const cached = cachedShare(usage) ?? 0
  const share = cached > 0 ? ` (${Math.round(cached * 100)} % cached)` : ''
  return `${estimated ? 'about ' : ''}${usage.input ?? 0}${share} + ${usage.output ?? 0} tokens`
}

const ANSI = { green: 32, yellow: 33, red: 31 } as const

function statusColour(status: number): (text: string) => string {
  const code = status < 400 ? ANSI.green : status < 500 ? ANSI.yellow : ANSI.red
  return (text) => `\u001b[${code}m${text}\u001b[0m`
}
