import { DIALECTS } from '../../../adapters/dialect.ts'
import { isObject, objectIn, parse, stringify } from '../../json/json.ts'
import { lossKey, type Loss } from '../../model/loss.ts'
import type { Settings } from '../../config/settings.ts'
import { lossPlaceFinder } from '../../extras/places/loss-places.ts'
import type { KeptExchange } from '../../extras/inspect/kept.ts'
import { streamLosses, translator } from '../../named-translator.ts'
import type { NamedOptions } from '../../translator.ts'

/** A loss of a reply. In a stream it is in the event of this number, the first one being 1. */
interface RepliedLoss {
  code: string
  path: string
  event?: number
  field?: string
}

/** In a longer reply no places are sought: it is translated some fifty times for one. */
const MOST_SEARCHED = 65_536
/** A person waits for the answer, and exchanges share the thread. */
const MOST_MS = 500

/** The losses of a reply with their places in what the upstream said, found by translating that again. */
export function repliedLosses(
  kept: KeptExchange,
  asked: { text: string; upstream: string; as: string },
  settings: Settings,
  hide: (text: string) => string,
): RepliedLoss[] {
  const { dialect, upstreamDialect, upstream, losses = [] } = kept.entry ?? {}
  const ofReply = losses.filter(({ path }) => path.startsWith('reply'))
  const call = kept.calls.at(-1)
  const type = call?.replied?.get('content-type') ?? null
  const reply = call?.reply.shown(hide, type)
  const from = DIALECTS.find((one) => one === dialect)
  const to = DIALECTS.find((one) => one === upstreamDialect)
  if (ofReply.length === 0 || reply?.text === undefined || reply.cut) return []
  if (!from || !to || asked.upstream !== upstream) return []
  const { profile } = settings.upstreams.get(upstream) ?? {}
  const options = { from, to, model: asked.as, ...(profile !== undefined && { profile }) }
  try {
    return /event-stream/.test(type ?? '')
      ? inEvents(options, asked.text, reply.text, ofReply)
      : inBody(options, asked.text, reply.text)
  } catch {
    return []
  }
}

function inBody(options: NamedOptions, asked: string, reply: string): RepliedLoss[] {
  if (reply.length > MOST_SEARCHED) return []
  const between = translator(options)
  between.request(asked)
  return between
    .reply(reply)
    .losses.flatMap(({ code, path, field }) => (field === undefined ? [] : [{ code, path, field }]))
}

/** The event with which each loss became known, and the part of it without which there is no such loss. */
function inEvents(
  options: NamedOptions,
  asked: string,
  reply: string,
  losses: readonly Loss[],
): RepliedLoss[] {
  const lossesOf = streamLosses({ ...options, stream: true }, asked)
  const events = eventTexts(reply)
  const known = lossesOf(events)
  const end = performance.now() + MOST_MS
  const trial = (others: readonly string[]) => {
    if (performance.now() > end) throw new Error('it took too long')
    return new Set(lossesOf(others).keys())
  }
  return losses.flatMap((loss) => {
    const index = known.get(lossKey(loss))
    if (index === undefined) return []
    const field = placeIn(events.slice(0, index + 1), loss, trial)
    const { code, path } = loss
    return [{ code, path, event: index + 1, ...(field !== undefined && { field }) }]
  })
}

/** The place in the last one of these events. */
function placeIn(
  events: readonly string[],
  loss: Loss,
  lossesOf: (events: readonly string[]) => ReadonlySet<string>,
): string | undefined {
  const before = events.slice(0, -1)
  const lines = (events.at(-1) ?? '').split(/\r\n|\r|\n/).filter((line) => line !== '')
  const head = lines.filter((line) => !line.startsWith(DATA))
  const data = lines.filter((line) => line.startsWith(DATA)).map((line) => line.slice(DATA.length))
  try {
    const json = parse(data.join('\n'))
    if (!isObject(json)) return undefined
    // An event without its type would not be read at all.
    const { type, ...rest } = json
    const find = lossPlaceFinder(rest, (changed) => {
      const whole = type === undefined ? changed : { type, ...objectIn(changed) }
      return lossesOf([...before, [...head, `${DATA} ${stringify(whole)}`, '', ''].join('\n')])
    })
    return find(loss)
  } catch {
    return undefined
  }
}

const DATA = 'data:'

/** Cut as the page cuts them, which counts comments too. */
function eventTexts(text: string): string[] {
  const ends = [...text.matchAll(/\r?\n\r?\n|\r\r/g)].map(
    ({ 0: { length }, index }) => index + length,
  )
  return [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end))
}
