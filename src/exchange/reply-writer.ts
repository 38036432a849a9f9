import type { Adapter, WriteReplyContext, Writer } from '../../adapters/contract.ts'
import { overheard } from '../stream/codec.ts'
import { replyReporter } from '../model/foreign.ts'

/** The writer of a reply that may come from any dialect: what it is not asked to say is reported. */
export const replyWriter = (
  { caller, dialect, upstream }: Adapter,
  context: WriteReplyContext,
): Writer =>
  overheard(caller.writer(context), replyReporter(dialect, context.lose, upstream.compacts))
