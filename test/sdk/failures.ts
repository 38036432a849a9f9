import type { Dialect } from '../../adapters/dialect.ts'
import { kits } from '../dialects/index.ts'
import { MODEL, said, text, type Answer } from './script.ts'
import type { Script } from './stage.ts'

/** A reply that stops in the middle of its text, perhaps with the words in which its service says that it failed. */
export function broken(upstream: Dialect, fails = false): Script {
  return (): Answer => {
    const reply = said([text('This is a text of some length that never gets to its')])
    const { events, failureInStream } = kits[upstream].scripted
    const whole = events(reply, MODEL)
    const half = whole.slice(0, Math.ceil(whole.length / 2))
    return { events: fails ? [...half, failureInStream] : half }
  }
}
