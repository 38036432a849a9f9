import type { Writer } from '../../../adapters/contract.ts'
import type { Event } from '../../model/events.ts'
import { blockName } from '../../rules/foreign.ts'
import type { Loss } from '../../model/loss.ts'
import type { FinishReason } from '../../model/request.ts'

/** Watches for a reply that ends well although none of its content could be written. */
export interface EmptyReply {
  /** The writer, watched. */
  readonly writer: Writer
  /** The event to be written. The end of an empty reply becomes an error. */
  outcome(event: Event): Event
}

/**
 * A reply that holds only what the caller's dialect cannot express (a call of a hosted tool, a picture) would reach
 * the caller as an empty success, and an agent would take it for the end of its task. Thoughts are no answer: models
 * have them before whatever they do. `losses`: the losses that have been reported so far.
 */
export function watchEmptyReply(writer: Writer, losses: readonly Loss[]): EmptyReply {
  const unsaid = new Set<string>()
  let isTold = false
  let isThought = false
  let name = ''
  let reported = 0
  const hear = (event: Event, written: number) => {
    if (event.type === 'start' || event.type === 'usage') return
    // The end of a thought may be written only when the next block begins.
    const isAfterThought = isThought && event.type === 'block-start'
    if (event.type === 'block-start') isThought = event.block.kind === 'reasoning'
    if (written > 0) isTold = !isThought && !isAfterThought
    else if (losses.slice(reported).some(({ code }) => code === 'dropped') && name !== '')
      unsaid.add(name)
  }
  return {
    writer: {
      body: () => writer.body(),
      push(event) {
        if (event.type === 'block-start') {
          // All have words for a text: an empty one, with which gpt-5.6 ends a turn, has only lost what stood beside it.
          name = event.block.kind === 'text' ? '' : blockName(event.block)
          reported = losses.length
        }
        const frames = writer.push(event)
        if (!isTold) hear(event, frames.length)
        return frames
      },
    },
    outcome(event) {
      if (isTold || unsaid.size === 0 || !leavesIt(event)) return event
      return { type: 'error', problem: unsaidProblem([...unsaid]) }
    },
  }
}

/**
 * Ends after which it is up to the caller to go on; any other tells by itself that something is missing. A pause is gone
 * on from with what could not be said.
 */
const LEFT: ReadonlySet<FinishReason> = new Set(['stop', 'stop-sequence', 'pause'])

const leavesIt = (event: Event): boolean => event.type === 'finish' && LEFT.has(event.reason)

const unsaidProblem = (names: readonly string[]) =>
  ({
    kind: 'bad-upstream',
    message: `The model answered with nothing that this API has words for: ${names.join(', ')}.`,
    retry: false,
  }) as const
