import { EntryTooLargeError, StoreUnavailableError } from '../store.ts'

/** Waits for a service no longer than `ms`; every failure becomes `StoreUnavailableError` with the service's name. */
export async function guardStore<T>(
  service: string,
  ms: number,
  work: () => Promise<T>,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(service, `no answer within ${ms} ms`)), ms)
  })
  try {
    return await explainFailure(service, () => Promise.race([work(), late]))
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The same for a service in parts. One that did not answer in time is left alone for a while, so that requests do not wait
 * for it at each of their steps.
 */
export function guardParts(
  service: string,
  ms: number,
): <T>(part: string, work: () => Promise<T>) => Promise<T> {
  const silent = new Map<string, number>()
  return async (part, work) => {
    const start = performance.now()
    const until = silent.get(part)
    if (until !== undefined && until > start) throw unavailable(service, 'it is left alone')
    // One request finds out for all whether it answers again.
    if (until !== undefined) silent.set(part, start + ms)
    try {
      return await guardStore(service, ms, work)
    } finally {
      const end = performance.now()
      silent.delete(part)
      if (silent.size >= MOST_SILENT) silent.clear()
      if (end - start >= ms) silent.set(part, end + 3 * ms)
    }
  }
}

const MOST_SILENT = 10_000

/** The same for work without a time limit. */
export async function explainFailure<T>(service: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreUnavailableError || error instanceof EntryTooLargeError) throw error
    throw unavailable(service, describeReason(error), error)
  }
}

export const unavailable = (service: string, reason: string, cause?: unknown) =>
  new StoreUnavailableError(`${service} is unavailable: ${reason}`, cause)

/** A code (`ECONNREFUSED`, `NOAUTH`) may be shown; a foreign message may quote anything. */
function describeReason(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed'
  if ('code' in error && typeof error.code === 'string') return error.code
  const code = /^[A-Z]{2,}\b/.exec(error.message)?.[0]
  return code ?? (error.name === 'Error' ? 'it failed' : error.name)
}
