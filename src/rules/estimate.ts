import { nothingLost } from '../model/loss.ts'
import { rememberedWalk } from '../model/remembered.ts'
import type { Block, Request, Tool, Turn } from '../model/request.ts'

/** Text has about four characters per token; a picture or a page costs about as much as this. */
export const CHARACTERS_PER_TOKEN = 4
export const TOKENS_PER_MEDIUM = 1500

/** A rough count of a request's input tokens, for those who need a number before the upstream gives one. */
export function estimateTokens(request: Request): number {
  if (request.inputTokens !== undefined) return request.inputTokens
  let weight = weightOf(request.system)
  weight += weighWalk(request.turns, [], nothingLost, weightless, (state, { blocks }) => {
    state.weight += weightOf(blocks)
  }).weight
  for (const tool of request.tools) weight += toolCharacters(tool)
  return Math.ceil(weight / CHARACTERS_PER_TOKEN)
}

const weighWalk = rememberedWalk<Turn, { weight: number }>()
const weightless = () => ({ weight: 0 })

/** In characters. */
function weightOf(blocks: readonly Block[]): number {
  let weight = 0
  for (const block of blocks) weight += weigh(block)
  return weight
}

function weigh(block: Block): number {
  switch (block.kind) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return block.text.length
    case 'media':
      return 'text' in block.source
        ? block.source.text.length
        : TOKENS_PER_MEDIUM * CHARACTERS_PER_TOKEN
    case 'tool-call':
      return block.name.length + block.input.length
    case 'tool-result':
      return weightOf(block.content)
    case 'code':
      return block.code.length
    case 'code-result':
      return block.output.length
    case 'search':
      return block.queries.join('').length
    case 'mcp-call':
      return block.name.length + block.input.length + (block.output?.length ?? 0)
    case 'mcp-listing':
    case 'tool-search':
    case 'tool-change':
      return 0
    case 'opaque':
      return block.words?.length ?? 0
    default:
      return block satisfies never
  }
}

function toolCharacters(tool: Tool): number {
  if (tool.kind === 'hosted' || tool.kind === 'mcp' || tool.kind === 'opaque') return 0
  const schema = tool.kind === 'function' ? (tool.schema ?? '') : ''
  return tool.name.length + (tool.description ?? '').length + schema.length
}
