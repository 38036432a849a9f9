import type { Adapter, Reader } from '../../../adapters/contract.ts'
import { heardSummary, summaryReply } from '../../compaction/heard.ts'
import type { Event } from '../../model/events.ts'
import type { SummaryChannel } from '../request/plan.ts'

/** The dialect of such an upstream: its reader brings the events as they are. */
export function summaryDialect(adapter: Adapter, channel: SummaryChannel): Adapter {
  const take = (): Event[] => channel.events.splice(0)
  const reader: Adapter['upstream']['reader'] = ({ lose }) => {
    channel.lose = lose
    return { body: take, push: take, end: take }
  }
  return { ...adapter, upstream: { ...adapter.upstream, reader } }
}

/** Reads the reply to a summary turn as one that is the summary alone. */
export function summaryReader(reader: Reader): Reader {
  const came: Event[] = []
  const hear = (events: readonly Event[]): Event[] => {
    came.push(...events)
    const isOver = came.at(-1)?.type === 'finish' || came.at(-1)?.type === 'error'
    if (!isOver) return []
    const heard = heardSummary(came)
    const { problem } = heard
    return problem ? [{ type: 'error', problem }] : summaryReply(heard)
  }
  return {
    ...(reader.verbatim && { verbatim: reader.verbatim }),
    body: (json) => hear(reader.body(json)),
    push: (event) => hear(reader.push(event)),
    end: () => hear(reader.end()),
  }
}
