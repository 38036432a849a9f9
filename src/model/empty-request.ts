import type { Block, Request } from './request.ts'

/** Whether the caller deliberately sent no conversation: there are services that answer one. */
export const isMute = ({ turns }: Request): boolean =>
  turns.some(({ role, blocks }) => role === 'user' && blocks.every(isEmptyText))

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
