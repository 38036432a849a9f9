import { shownUsd } from './cost.ts'
import { cachedShare, type LogEntry } from './entry.ts'
import type { Settings } from '../config/settings.ts'
import type { ModelNames } from './model-names.ts'
import { PRICED } from '../models/price-rows.ts'

const MOST_CALLERS = 200
const OTHER = 'other'

interface Sum {
  requests: number
  input: number
  cacheRead: number
  cacheWrite: number
  output: number
  reasoning: number
  /** Of how many requests the tokens are an estimate; absent where of none. */
  estimated?: number
  /** Absent where no price was known; 0 is what a server of one's own costs. */
  costUsd?: number
}

/** Requests, tokens and cost since the process began, by caller and model. */
export interface UsageTable {
  finished(entry: LogEntry, settings: Settings): void
  table(): object
}

export function createUsage(now: () => number, names: ModelNames): UsageTable {
  const since = new Date(now()).toISOString()
  const callers = new Map<string, { sum: Sum; models: Map<string, Sum> }>()
  const callerOf = (name: string) => {
    const place = callers.has(name) || callers.size < MOST_CALLERS - 1 ? name : OTHER
    const known = callers.get(place) ?? { sum: nothing(), models: new Map<string, Sum>() }
    callers.set(place, known)
    return known
  }
  return {
    finished(entry, settings) {
      const { caller, usage, sentModel } = entry
      if (caller === undefined) return
      const { sum, models } = callerOf(caller)
      add(sum, entry)
      // The model of a request that no upstream took can be any text.
      if (!usage || sentModel === undefined) return
      const name = names(sentModel, settings)
      const model = models.get(name) ?? nothing()
      models.set(name, model)
      add(model, entry)
    },
    table: () => ({
      since,
      prices: PRICED,
      callers: Object.fromEntries(
        [...callers].map(([name, { sum, models }]) => [
          name,
          { ...rounded(sum), byModel: Object.fromEntries([...models].map(shown)) },
        ]),
      ),
    }),
  }
}

const nothing = (): Sum => ({
  requests: 0,
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
})

function add(sum: Sum, { usage = {}, estimated, cost }: LogEntry): void {
  sum.requests += 1
  for (const name of ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const)
    sum[name] += usage[name] ?? 0
  if (estimated) sum.estimated = (sum.estimated ?? 0) + 1
  if (cost !== undefined) sum.costUsd = (sum.costUsd ?? 0) + cost
}

const rounded = ({ costUsd, ...sum }: Sum): Sum & { cachedShare: number } => ({
  ...sum,
  cachedShare: cachedShare(sum) ?? 0,
  ...(costUsd !== undefined && { costUsd: shownUsd(costUsd) }),
})

const shown = ([name, sum]: [string, Sum]): [string, Sum] => [name, rounded(sum)]
