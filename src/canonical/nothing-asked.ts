import type { Request } from './model.ts'

/** Stands for a request that nobody knows. */
export const NOTHING_ASKED: Request = {
  model: '',
  stream: true,
  system: [],
  turns: [],
  tools: [],
  limits: {},
  sampling: {},
}
