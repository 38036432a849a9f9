import type { JsonObject } from '../../src/canonical/json.ts'

/**
 * Members of a request that say nothing to a foreign upstream, so that a change of them may leave no trace.
 * Every entry says why; `*` is any index or key. Nothing else may vanish without a report.
 */
export interface NoOp {
  dialect: string
  path: string
  /** Only for these values; any value when absent. */
  values?: readonly (string | number | boolean | null)[]
  /** Only where the members beside it say so. */
  beside?: (parent: JsonObject) => boolean
  why: string
}

const both = (dialects: string[], path: string, why: string): NoOp[] =>
  dialects.map((dialect) => ({ dialect, path, why }))

export const NO_OPS: readonly NoOp[] = [
  ...both(['messages', 'responses'], 'model', 'the route says which model is asked'),
  ...both(['messages', 'responses'], 'stream', 'the proxy itself frames the reply'),
]
