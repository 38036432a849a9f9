import { parseObject, stringify } from '../json/json.ts'
import type { LoseOf } from '../model/loss.ts'
import type { Block, Format, Request, TextTool } from '../model/request.ts'

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

/** Where a model ignored the wrapping, its text is the input. */
export function raiseInput(text: string): string {
  const input = parseObject(text)?.['input']
  return typeof input === 'string' ? input : text
}

/** For a program that takes the arguments of a function for the free text of a tool: the calls that it brings back. */
export function withFreeArguments(request: Request): Request {
  const free = new Set(request.tools.flatMap((tool) => (tool.kind === 'text' ? tool.name : [])))
  const freed = (block: Block): Block => {
    if (block.kind === 'tool-call' && free.has(block.name))
      return { ...block, form: 'text', input: raiseInput(block.input) }
    return block.kind === 'tool-result' && free.has(block.name) ? { ...block, form: 'text' } : block
  }
  return {
    ...request,
    client: { ...request.client, freeArguments: true },
    turns: request.turns.map((turn) => ({ ...turn, blocks: turn.blocks.map(freed) })),
  }
}

/** The description of the function: the model must still be told what the text has to look like. */
export function describeText(
  tool: Pick<TextTool, 'description' | 'format'>,
  lose: LoseOf,
): string | undefined {
  const { description, format } = tool
  const { type = 'text', ...rules } = format ?? {}
  if (type === 'text' && Object.keys(rules).length === 0) return description
  lose('approximated', '.format')
  const { syntax, definition } = rules
  if (typeof definition !== 'string') return description
  const words = `The input must match this ${typeof syntax === 'string' ? `${syntax} ` : ''}grammar:`
  return [description, `${words}\n${definition}`].filter(Boolean).join('\n\n')
}

/** Instructions as words of the user, where a service or its template takes none in that place. */
export const instructionWords = (text: string): string => `<system>\n${text}\n</system>`

const JSON_ONLY = 'When you give your final answer, give JSON and nothing else.'

/** Asks in words for a form of answer that the wire cannot ask for. */
export function inWords(format: Exclude<Format, { type: 'text' }>): string {
  if (format.type === 'json') return JSON_ONLY
  if (format.type === 'json-schema')
    return `${JSON_ONLY} It must match this JSON Schema:\n${format.schema}`
  const { among, description } = format
  const about = description === undefined ? '' : ` (${description})`
  return `When you give your final answer, give one of these${about} and nothing else:\n${among.join('\n')}`
}
