import type { Block, Request, Tool, Turn } from '../model/request.ts'
import { follow, nothingLost, type Trail } from '../model/trail/trail.ts'

/** Text has about four characters per token; a picture or a page costs about as much as this. */
export const CHARACTERS_PER_TOKEN = 4
export const TOKENS_PER_MEDIUM = 1500

/** A rough count of a request's input tokens, for those who need a number before the upstream gives one. */
export function estimateTokens(request: Request, trail?: Trail): number {
  if (request.inputTokens !== undefined) return request.inputTokens
  const said = follow<Turn, { weight: Weight }>(
    trail,
    'estimate tokens',
    request.turns,
    [],
    nothingLost,
    () => ({
      begin: () => ({ weight: NOTHING }),
      copy: ({ weight }) => ({ weight }),
      step: (state, { blocks }) => (state.weight = blocks.map(weigh).reduce(add, state.weight)),
    }),
  )
  const { characters, media } = [
    ...request.system.map(weigh),
    said.weight,
    ...request.tools.map((tool) => ({ characters: toolCharacters(tool), media: 0 })),
  ].reduce(add, NOTHING)
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + media * TOKENS_PER_MEDIUM
}

interface Weight {
  characters: number
  media: number
}

const NOTHING: Weight = { characters: 0, media: 0 }

const add = (first: Weight, second: Weight): Weight => ({
  characters: first.characters + second.characters,
  media: first.media + second.media,
})

const text = (...texts: string[]): Weight => ({
  characters: texts.reduce((sum, part) => sum + part.length, 0),
  media: 0,
})

function weigh(block: Block): Weight {
  switch (block.kind) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return text(block.text)
    case 'media':
      return 'text' in block.source ? text(block.source.text) : { characters: 0, media: 1 }
    case 'tool-call':
      return text(block.name, block.input)
    case 'tool-result':
      return block.content.map(weigh).reduce(add, NOTHING)
    case 'code':
      return text(block.code)
    case 'code-result':
      return text(block.output)
    case 'search':
      return text(...block.queries)
    case 'mcp-call':
      return text(block.name, block.input, block.output ?? '')
    case 'mcp-listing':
    case 'tool-search':
    case 'tool-change':
      return NOTHING
    case 'opaque':
      return text(block.words ?? '')
    default:
      return block satisfies never
  }
}

function toolCharacters(tool: Tool): number {
  if (tool.kind === 'hosted' || tool.kind === 'mcp' || tool.kind === 'opaque') return 0
  const schema = tool.kind === 'function' ? (tool.schema ?? '') : ''
  return tool.name.length + (tool.description ?? '').length + schema.length
}
