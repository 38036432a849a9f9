import type { Frame } from '../../adapters/contract.ts'
import type { Json } from '../../src/json/json.ts'

/**
 * What the strictest client of a dialect accepts of a reply, written down independently of the adapters.
 * Both say what is wrong, or nothing.
 */
export interface Grammar {
  check(frames: readonly Frame[]): string | undefined
  checkBody(body: Json): string | undefined
}
