import { foreignName, foreignWords } from './error-words.ts'
import { ProblemError, type Problem } from '../model/problem.ts'

/** What the gateway itself has to say when something goes wrong on the way to an upstream or back. */

const late = (message: string): Problem => ({ kind: 'timeout', message, retry: false })
/** The request may have been carried out and paid for, so a client must not repeat it by itself. */
const broken = (message: string): Problem => ({ kind: 'bad-upstream', message, retry: false })

export const CALLER_LEFT: Problem = { kind: 'cancelled', message: 'The caller left.' }
export const BODY_SPENT: Problem = {
  kind: 'internal',
  message: 'The body of the request was read before it came to the proxy.',
}
export const CANCELLED: Problem = { kind: 'cancelled', message: 'The response was cancelled.' }
export const NO_STATE: Problem = {
  kind: 'unavailable',
  message: 'What was kept of earlier conversations cannot be reached at the moment.',
  code: 'state_unavailable',
  retryAfterMs: 1000,
}
export const NO_FIRST_BYTE = late('The upstream did not begin to answer in time.')
export const WENT_SILENT = late('The upstream went silent in the middle of its answer.')
export const TOOK_TOO_LONG = late('The upstream took longer than an answer may take.')
export const NOT_TAKEN = late('Nothing was taken of the reply for too long.')
export const CONNECTION_LOST = broken('The connection to the upstream broke.')
export const REDIRECTED = broken('The upstream answered with a redirection, which is not followed.')
export const NOT_JSON = broken('The upstream answered with something that is not valid JSON.')
export const NO_JSON_EVENT = broken('The upstream sent an event that is no JSON.')
export const NO_EVENT = broken('The upstream sent something that is not an event.')
export const NOT_A_REPLY = broken('The upstream answered with something that is not a reply.')

/** One of these with what it is that came. `said`: its first words. */
export const foreignProblem = (problem: Problem, said: string): Problem => ({
  ...problem,
  message: `${problem.message.replace(/[:.].*/s, '')}: ${foreignName(said)}.`,
  said: foreignWords(said),
})

const FOREIGN = [NOT_A_REPLY, NO_EVENT, NO_JSON_EVENT].map(({ message }) => message.slice(0, -1))
export const isNoReply = (said: string): boolean => FOREIGN.some((words) => said.startsWith(words))
export const EVENT_TOO_LARGE = broken('The upstream sent an event larger than the limit.')
export const REPLY_TOO_LARGE = broken('The upstream sent a reply larger than the limit.')
/** A dialect that repeats content can make a reply many times as large as it came. */
export const REPLY_GREW = broken(
  'The reply is larger than the limit when it is told in this dialect.',
)
/** Always 502, even in a dialect whose own table has another status for a broken upstream. */
export const KEY_REFUSED: Problem = {
  ...broken('The upstream refused the key that this proxy is configured with.'),
  status: 502,
}
export const STOPPING: Problem = {
  kind: 'unavailable',
  message: 'This proxy is being restarted.',
  retryAfterMs: 1000,
}
export const INTERNAL: Problem = { kind: 'internal', message: 'Internal error of the proxy.' }
/** Nothing was sent, so nothing was done: a repetition is safe. */
export const UNREACHABLE: Problem = {
  kind: 'unavailable',
  message: 'No connection to the upstream came about.',
  code: 'upstream_unavailable',
  retryAfterMs: 1000,
}
/** The request has been carried out, unlike one that is refused before it is sent. */
export const NO_ROOM: Problem = {
  kind: 'unavailable',
  message: 'This proxy has no room for the reply at the moment.',
  retryAfterMs: 1000,
  retry: false,
}
export const CROWDED: Problem = {
  kind: 'unavailable',
  message: 'This proxy is at its limit; try again shortly.',
  retryAfterMs: 1000,
}

/** What a failure is. Any other error is a fault of this program, and its message is not shown. */
export const toProblem = (error: unknown): Problem =>
  error instanceof ProblemError ? error.problem : INTERNAL
