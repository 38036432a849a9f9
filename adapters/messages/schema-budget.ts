import type { Weight } from '../../src/schema/close.ts'

/** The service refuses a request whose schemas together exceed these numbers. */
const MOST_OPTIONAL = 24
const MOST_UNIONS = 16
const MOST_TOOLS = 20

/** Takes a schema into the budget; false where there is no more room for it. */
export type Room = (weight: Weight, tools: 0 | 1) => boolean

export function schemaRoom(): Room {
  const left = { optional: MOST_OPTIONAL, unions: MOST_UNIONS, tools: MOST_TOOLS }
  return ({ optional, unions }, tools) => {
    if (optional > left.optional || unions > left.unions || tools > left.tools) return false
    left.optional -= optional
    left.unions -= unions
    left.tools -= tools
    return true
  }
}
