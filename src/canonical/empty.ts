import type { Request } from './model.ts'

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
