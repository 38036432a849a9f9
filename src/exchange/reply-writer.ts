import type { Adapter, WriteReplyContext, Writer } from '../../adapters/contract.ts'
import type { Event } from '../model/events.ts'
import { replyReporter } from '../model/foreign.ts'

/** The writer of a reply that may come from any dialect: what nobody asks it to say is reported. */
export const replyWriter = ({ caller, dialect }: Adapter, context: WriteReplyContext): Writer =>
  overheard(caller.writer(context), replyReporter(dialect, context.lose))

/** A writer with somebody who hears first what it is told. */
export const overheard = (writer: Writer, hear: (event: Event) => unknown): Writer => ({
  push(event) {
    hear(event)
    return writer.push(event)
  },
  body: () => writer.body(),
})
