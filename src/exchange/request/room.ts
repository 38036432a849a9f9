import { LONG_BYTES, VALUE_BYTES } from '../../json/bytes.ts'
import type { ScannedBody } from '../../json/scanned-body.ts'
import { ProblemError } from '../../model/problem.ts'
import type { Ports } from '../../ports.ts'
import { CALLER_LEFT, CROWDED } from '../../problems/failures.ts'
import { FREE_BYTES, workOf, type Lease } from '../../stream/budget.ts'
import { ownTurn, pause } from '../../stream/time.ts'
import type { Received } from '../received.ts'

/** Those that wait look for room so often, since what they wait for is work of this process, and for so long. */
const LOOK_MS = 5
const ROOM_MS = 10_000

/**
 * Waits for room for what a request becomes while it is translated. Each looks for itself: on Workers an exchange may
 * end without another word.
 */
export async function roomFor(
  scanned: ScannedBody | undefined,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const needed = (scanned?.values ?? 0) * VALUE_BYTES
  for (let waited = 0; !lease.unfold(needed); waited += LOOK_MS) {
    if (signal.aborted) throw new ProblemError(CALLER_LEFT)
    if (waited >= ROOM_MS) throw new ProblemError(CROWDED)
    await pause(LOOK_MS)
  }
}

/** Yields before long work, so that other exchanges get their turn; what the work will need is counted before. */
export async function yieldTurn(received: Received, lease: Lease): Promise<void> {
  if (lease.size <= LONG_BYTES) return
  lease.work(workOf(received.characters))
  await ownTurn()
}

export const isLongRequest = ({ size }: Lease): boolean => size > FREE_BYTES

/** Whether the text stays until the upstream has answered: the answer may name places in it. */
export const mayBeSearched = ({ size }: Pick<Received, 'size'>, { placing }: Ports): boolean =>
  placing !== undefined && size <= LONG_BYTES
