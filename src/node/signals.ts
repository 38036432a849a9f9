/** A terminal sends an interrupt to the whole group and npm passes it on: two within this time are one. */
const SAME_INTERRUPT_MS = 100

const INTERRUPTED = 130

/** The first signal stops in order and ends with 0; the second one ends at once. */
export function onSignals(stop: () => Promise<void>): void {
  let stoppedAt: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    const now = performance.now()
    if (stoppedAt === undefined) {
      stoppedAt = now
      void stop().then(() => process.exit(0))
    } else if (signal !== 'SIGINT' || now - stoppedAt > SAME_INTERRUPT_MS) {
      process.exit(INTERRUPTED)
    }
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
