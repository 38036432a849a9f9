import { isInstruction } from './late-tools.ts'
import { nothingToSend } from '../model/problem.ts'
import type { Block, Request, Turn } from '../model/request.ts'

export const GO_ON = 'Continue.'

/**
 * The first words of the user, for a conversation that begins without any; undefined where none are needed. An empty
 * text stands for a turn of the user that has no words, because the instructions say all (pydantic-ai sends one).
 * `GO_ON` stands behind instructions that are alone, or that the model has answered at once: its answer keeps its
 * place. `written`: how many instructions and turns have words for the upstream.
 */
export function firstWordsFor(
  request: Request,
  written: { system: number; turns: number },
): string | undefined {
  const words = wordsFor(request, written.turns === 0)
  if (written.system + written.turns === 0 && words !== '') throw nothingToSend()
  return words
}

function wordsFor({ system, turns }: Request, isEmpty: boolean): string | undefined {
  const at = turns.findIndex((turn) => !isInstruction(turn) && !isMute(turn))
  const first = turns[at]
  const isOpen = first && first.role !== 'assistant'
  const leading = turns.slice(0, first ? at : undefined)
  if (!isOpen && leading.some(isMute)) return ''
  const isLed = leading.length > 0 || !system.every(isEmptyText)
  return isEmpty || (isLed && !isOpen) ? GO_ON : undefined
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
