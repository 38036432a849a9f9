import { isatty } from 'node:tty'

/**
 * A terminal sends an interrupt to the whole process group, and npm passes its own on as well: two within this time
 * count as one.
 */
const SAME_INTERRUPT_MS = 100

const INTERRUPTED = 130

/** Asked at the start, because a terminal that was closed is no longer recognised. */
const HAS_TERMINAL = isatty(0)

/**
 * The first signal drains and ends with 0; the second ends at once. SIGHUP reloads the configuration; where there is
 * a terminal, which sends it when it is closed, it drains instead, and never ends at once. SIGUSR2, by which tools
 * for Node ask for a report or a restart, is ignored.
 */
export function onSignals(stop: () => Promise<void>, reload: () => Promise<void>): void {
  let stoppedAt: number | undefined
  const begin = () => {
    stoppedAt = performance.now()
    void stop().then(() => process.exit(0))
  }
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppedAt === undefined) begin()
    else if (signal !== 'SIGINT' || performance.now() - stoppedAt > SAME_INTERRUPT_MS)
      process.exit(INTERRUPTED)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('SIGHUP', () => {
    if (stoppedAt !== undefined) return
    if (HAS_TERMINAL) begin()
    else void reload()
  })
  process.on('SIGUSR2', () => {})
  if (process.env['npm_lifecycle_event'])
    onOrphaned(() => {
      if (stoppedAt === undefined) begin()
    })
}

const PARENT_CHECK_MS = 250
const PARENT = process.ppid

/**
 * npm passes a signal only to the shell between it and this process. The shell dies, and this process is left without
 * a parent.
 */
function onOrphaned(then: () => void): void {
  const check = setInterval(() => {
    if (process.ppid === PARENT) return
    clearInterval(check)
    then()
  }, PARENT_CHECK_MS)
  check.unref()
}
