import type { LogEntry } from '../observe/entry.ts'
import type { ShownBody } from './kept-body.ts'
import type { KeptCall, KeptExchange } from './kept.ts'

type Hide = (text: string) => string

/** One line of the list. */
export function rowOf(kept: KeptExchange, hide: Hide): object {
  const { number, startedAt, method, url, answer, cost, calls, isOver } = kept
  const entry: Partial<LogEntry> = kept.entry ?? {}
  const { losses = [], attempts, trace: _, ...told } = entry
  const shown = {
    method,
    url,
    ...told,
    status: entry.status ?? answer?.status,
    attempts: Math.max(attempts?.length ?? 0, calls.length),
    losses: losses.map(({ code, path }) => `${code} ${path}`),
    cost,
  }
  const head = { number, startedAt, isOver }
  return { ...head, ...hidden(shown, hide) }
}

/** Everything that is kept of one exchange. Secrets of settings that came later are hidden too. */
export function detailOf(kept: KeptExchange, hide: Hide): object {
  const { calls, answer, entry } = kept
  const came = kept.body.shown(hide, kept.type)
  return {
    ...rowOf(kept, hide),
    readAt: kept.readAt,
    losses: hidden(entry?.losses ?? [], hide),
    attempts: hidden(entry?.attempts ?? [], hide),
    came: { headers: hidden(kept.headers, hide), type: kept.type, body: came },
    calls: calls.map((call) => callOf(call, hide)),
    ...(answer && {
      told: {
        ...hidden({ headers: answer.headers }, hide),
        type: answer.type,
        at: answer.at,
        firstAt: answer.firstAt,
        endAt: answer.endAt,
        body: answer.body.shown(hide, answer.type),
      },
    }),
  }
}

function callOf(call: KeptCall, hide: Hide): object {
  const { body, reply, headers, repliedHeaders, url, failure, repliedType, ...times } = call
  const sent: ShownBody = body.shown(hide, null)
  return {
    ...times,
    ...hidden({ url, headers, repliedHeaders, failure }, hide),
    repliedType,
    body: sent,
    reply: reply.shown(hide, repliedType ?? null),
  }
}

/** The same data with every text in it hidden. */
function hidden<T>(value: T, hide: Hide): T {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    typeof each === 'string' ? hide(each) : each,
  )
}
