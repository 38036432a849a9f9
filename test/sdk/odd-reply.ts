import type { Outcome } from './driver.ts'
import type { Answer, Dialect } from './script.ts'

/** A reply that a real upstream has been seen to give, and that is easily misunderstood. */
export interface OddReply {
  name: string
  upstream: Dialect
  answer(stream: boolean): Answer
  wanted: Partial<Outcome>
  /** Where it makes sense one way only. */
  only?: 'stream' | 'json'
}
