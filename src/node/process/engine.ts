import { setFlagsFromString } from 'node:v8'

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
}
