import { ProblemError } from '../canonical/problem.ts'
import { CROWDED } from '../gateway/failures.ts'
import type { LimitSettings } from '../gateway/settings.ts'

/** How much this process carries at the moment. Beyond its bounds it refuses, before anything is read. */
export interface Load {
  /** Counts an exchange until the returned function is called. */
  enter(): () => void
  /** Counts bytes in flight until they are set to 0. */
  hold(bytes: number): { set(bytes: number): void }
}

export function loadOf(limits: Pick<LimitSettings, 'streams' | 'inFlightBytes'>): Load {
  let exchanges = 0
  let bytesHeld = 0
  return {
    enter() {
      if (exchanges >= limits.streams) throw new ProblemError(CROWDED)
      exchanges += 1
      return () => {
        exchanges -= 1
      }
    },
    hold(bytes) {
      let held = 0
      const set = (size: number) => {
        const more = size - held
        if (more > 0 && bytesHeld + more > limits.inFlightBytes) throw new ProblemError(CROWDED)
        bytesHeld += more
        held = size
      }
      set(bytes)
      return { set }
    },
  }
}
