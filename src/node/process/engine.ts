import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const TUNING = [
  // V8 makes the objects of a place in the code among those that live long, once most of that place have been alive at
  // a collection of young ones, as everything is that was made for exchanges that wait for an upstream. There it would
  // stay until a full collection, with all that it points to (docs/decisions/0019-young-objects.md).
  '--no-allocation-site-pretenuring',
  // An exchange goes once through some hundred functions, where a page's script spends its time in a few loops: what is
  // usual would leave a proxy in code of the middle kind for its first ten thousands of exchanges
  // (docs/decisions/0020-early-optimizing.md).
  '--invocation-count-for-maglev=100',
  '--invocation-count-for-turbofan=500',
]

/** Tells the engine what kind of program this is. One that does not know an option says so on standard error. */
export const tuneEngine = (): void => {
  for (const option of TUNING) setFlagsFromString(option)
  if (!isRoomChosen()) keepRoomSmall()
}

/** Whether the command line sets the room for young objects. */
const isRoomChosen = (): boolean =>
  [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].some((text) =>
    /semi[-_]space/.test(text),
  )

/** Half of what V8 would take, with which histories are as fast (docs/decisions/0019-young-objects.md). */
const YOUNG_BYTES = 64 * 1024 * 1024

/**
 * Holds the room for young objects, which grows while many of them survive. Its bound cannot be set any more once
 * the engine runs, but the factor by which it grows can.
 */
function keepRoomSmall(): void {
  let isHeld = false
  const hold = () => {
    const isLarge = youngBytes() >= YOUNG_BYTES
    if (isLarge === isHeld) return
    isHeld = isLarge
    setFlagsFromString(`--semi-space-growth-factor=${isLarge ? 1 : 2}`)
  }
  new PerformanceObserver(hold).observe({ type: 'gc' })
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
