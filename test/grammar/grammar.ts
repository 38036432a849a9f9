import type { Frame } from '../../adapters/contract.ts'
import type { Json } from '../../src/json/json.ts'

/**
 * What the strictest client of a dialect accepts of a reply, written down independently of the adapters.
 * Both say what is wrong, or nothing. `answers`: how many the caller asked for, where it may ask for several.
 */
export interface Grammar {
  check(frames: readonly Frame[], answers?: number): string | undefined
  checkBody(body: Json, answers?: number): string | undefined
}
