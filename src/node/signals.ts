import { isatty } from 'node:tty'

/** A terminal sends an interrupt to the whole group and npm passes it on: two within this time are one. */
const SAME_INTERRUPT_MS = 100

const INTERRUPTED = 130

/** Asked at the start: one that has been closed is none any more. */
const HAS_TERMINAL = isatty(0)

/**
 * The first signal stops in order and ends with 0; the second one ends at once. SIGHUP means that something has
 * changed, but for a terminal, which sends it when it is closed: then it stops in order too, and never at once.
 * SIGUSR2, with which tools of Node ask for a report or a restart, means nothing here.
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

/** npm passes a signal on to the shell between us only, which dies of it and leaves us behind. */
function onOrphaned(then: () => void): void {
  const check = setInterval(() => {
    if (process.ppid === PARENT) return
    clearInterval(check)
    then()
  }, PARENT_CHECK_MS)
  check.unref()
}
