import type { Event } from '../../model/events.ts'
import { NO_ROOM, REPLY_TOO_LARGE } from '../../problems/failures.ts'
import { replyCounter } from '../../stream/budget.ts'
import { frameReader } from '../../stream/event-reader.ts'
import { replyFrames } from '../../stream/reply-events.ts'
import type { UpstreamCall } from '../../upstream/call.ts'
import type { Context } from '../exchange.ts'
import { HeardReply } from '../reply/heard.ts'
import type { SummaryPlan, TranslatePlan } from '../request/plan.ts'

/** What an upstream answers, as events, within the bounds of a reply that is held. The last of them ends it. */
export async function* stepsOf(
  { journal, lease, newId, settings }: Context,
  { destination, request, lastProof }: TranslatePlan,
  { adapter: { upstream }, channel }: SummaryPlan,
  call: UpstreamCall,
): AsyncGenerator<Event[]> {
  const { server } = destination.target.facts
  const lose = channel.lose ?? (() => undefined)
  const reading = replyFrames({
    reader: frameReader(upstream.reader({ request, server, lastProof, lose, newId })),
    verbatim: upstream.verbatim,
    limits: settings.limits,
    contentType: call.headers.get('content-type'),
  })
  const said = new HeardReply(reading)
  journal.hears(said)
  const isRoom = replyCounter(lease)
  let size = 0
  while (!reading.ended) {
    const piece = await call.read()
    const length = piece?.bytes?.length ?? 0
    size += length
    const isLarge = size > settings.limits.replyBytes
    const problem =
      piece?.problem ?? (isLarge ? REPLY_TOO_LARGE : isRoom(length) ? undefined : NO_ROOM)
    if (problem) call.cancel()
    const read = problem
      ? reading.fail(problem)
      : piece?.bytes
        ? reading.push(piece.bytes)
        : reading.end()
    const step = read.flatMap(({ events }) => events)
    said.add(step)
    yield step
  }
  call.release()
}
