/** The exchanges that the proxy keeps, by number. */
export const rows = new Map()

export const state = {
  /** How far the feed was read. */
  last: 0,
  /** The number of the exchange that is looked at. */
  picked: undefined,
  /** What the proxy told of it. */
  shown: undefined,
  /** Whether the list stands still, and whether something has come since. */
  paused: false,
  waiting: false,
  /** Whether the rows of a session stand together. */
  grouped: false,
  /** Whether the conversation is shown in place of the bodies. */
  talks: false,
}
