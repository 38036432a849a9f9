import type { Weight } from '../../src/schema/close.ts'

/** How much the service makes its model keep to in one request; it refuses the request for more. */
const MOST_OPTIONAL = 24
const MOST_UNIONS = 16
const MOST_TOOLS = 20

/** Takes a schema in, or says that it is too much beside those before it. */
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
