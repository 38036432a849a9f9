import { DIALECTS } from '../../adapters/dialect.ts'
import { kits } from '../dialects/index.ts'
import { of, type NoOp } from './noop.ts'

/** Members of a request that say nothing to a foreign upstream. */
export const NO_OPS: readonly NoOp[] = DIALECTS.flatMap((dialect) =>
  of(dialect, kits[dialect].noOps.request),
)
