import { parseObject, stringify } from './json.ts'

/**
 * A free-form tool towards a dialect that has functions only: a function with one string. Lowering and
 * raising are inverse, so a caller never sees the function.
 */
export const TEXT_TOOL_SCHEMA = stringify({
  type: 'object',
  properties: {
    input: { type: 'string', description: 'The raw input of the tool, as free text.' },
  },
  required: ['input'],
  additionalProperties: false,
})

export const lowerInput = (input: string): string => stringify({ input })

/** A model that ignored the wrapping is taken at its word. */
export function raiseInput(text: string): string {
  const input = parseObject(text)?.['input']
  return typeof input === 'string' ? input : text
}
