import type { Adapter, WriteReplyContext, Writer } from '../../adapters/contract.ts'
import { overheard } from '../stream/codec.ts'
import { replyReporter } from '../model/foreign.ts'

/** The writer of a reply from any dialect; reports content that the caller's dialect cannot express. */
export const replyWriter = (
  { caller, dialect, upstream }: Adapter,
  context: WriteReplyContext,
): Writer =>
  overheard(caller.writer(context), replyReporter(dialect, context.lose, upstream.compacts))
