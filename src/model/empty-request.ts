import { isInstruction } from './late-tools.ts'
import type { Block, Request, Turn } from './request.ts'

/**
 * Whether the user opens the conversation without a word, for the instructions say all (pydantic-ai does). The model
 * answers that, so the opening keeps its place in all later turns.
 */
export function opensMute({ turns }: Request): boolean {
  const said = turns.findIndex((turn) => !isInstruction(turn))
  const answer = turns[said + 1]
  const first = turns[said]
  return first !== undefined && isMute(first) && answer?.role !== 'user'
}

const isMute = ({ role, blocks }: Turn): boolean => role === 'user' && blocks.every(isEmptyText)

const isEmptyText = (block: Block): boolean => block.kind === 'text' && block.text === ''

/** A request without content. */
export const emptyRequest = (model: string, stream = false): Request => ({
  model,
  stream,
  system: [],
  turns: [],
  tools: [],
  limits: {},
  sampling: {},
})
