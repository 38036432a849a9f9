import { clockUs, STAMP, STAMP_LENGTH } from './shared.ts'

export interface StampReader {
  /** Looks for the times that the upstream wrote into its events. */
  read(chunk: Buffer): void
  /** Milliseconds from there to here, one per event. */
  delays: number[]
  clear(): void
}

/**
 * One for all connections: a stamp that was torn is lost, which is rare and hurts nothing. Some dialects repeat
 * the whole text at the end of a stream: only the first time counts.
 */
export function stampReader(): StampReader {
  const delays: number[] = []
  const seen = new Set<string>()
  return {
    delays,
    read(chunk) {
      if (chunk.length < STAMP_LENGTH) return
      const now = clockUs()
      for (const [, time = ''] of chunk.toString('latin1').matchAll(STAMP)) {
        if (!seen.has(time)) delays.push((now - Number(time)) / 1000)
        seen.add(time)
      }
    },
    clear() {
      delays.length = 0
    },
  }
}
