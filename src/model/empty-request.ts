import type { Block, Request } from './request.ts'

/** The caller has said nothing, and meant to: there are services that answer to it. */
export const isMute = ({ turns }: Request): boolean =>
  turns.some(({ role, blocks }) => role === 'user' && blocks.every(isEmptyText))

const isEmptyText = (block: Block): boolean => block.kind === 'text' && block.text === ''

/** A request that says nothing yet. */
export const emptyRequest = (model: string, stream = false): Request => ({
  model,
  stream,
  system: [],
  turns: [],
  tools: [],
  limits: {},
  sampling: {},
})
