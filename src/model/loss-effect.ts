import type { Loss } from './loss.ts'

/** Whether a loss matters: to the answer, or to its price. */
export type LossEffect = 'harmless' | 'changes the answer' | 'costs money'

/** Without them a prompt is read, or a reply is served, at another price. */
const COSTLY =
  /^(?:cache|caching|cacheKey|context_management|tier|compaction)(?:\.|$)|\.cache(?:\.|$)/

/** What only says who asks, what is noted beside the conversation, or how the same thing is called. */
const HARMLESS =
  /^(?:metadata|user|labels|store|forgetful|reasoning\.visible|reasoning\.detail|format\.(?:name|description)|toolChoice\.names)(?:\.|$)|\.(?:namespace|mediaType|async)$|^reply\.(?:usage|cacheMiss|service_tier|logprobs|avgLogprobs|tool-call\.name|text\.seal|urlContextMetadata)(?:\.|$)/

/** A fact of each name of a loss: what is filled in or put in order changes nothing that was asked for. */
export function effectOf({ code, path }: Pick<Loss, 'code' | 'path'>): LossEffect {
  if (COSTLY.test(path)) return 'costs money'
  if (HARMLESS.test(path) || code === 'reordered') return 'harmless'
  return code === 'defaulted' && /^(?:limits|store|turns$)/.test(path)
    ? 'harmless'
    : 'changes the answer'
}
