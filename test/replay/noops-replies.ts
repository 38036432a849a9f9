import { DIALECTS } from '../../adapters/dialect.ts'
import { kits } from '../dialects/index.ts'
import { of, type NoOp } from './noop.ts'

/**
 * Members of a reply that say nothing to a foreign caller. `dialect` is the upstream's here, and `upstream`
 * names the caller's.
 */
export const REPLY_NO_OPS: readonly NoOp[] = DIALECTS.flatMap((dialect) =>
  of(dialect, kits[dialect].noOps.reply),
)
