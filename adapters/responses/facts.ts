import type { Target } from '../contract.ts'

const GPT = /^(?:.*\/)?gpt-(\d+)(?:\.(\d+))?(?![\d.])/i
/** The first generation that takes marks where its cache is to break; older ones refuse a request with one. */
const MARKED = [5, 6] as const

/** Whether the model takes `prompt_cache_breakpoint`: as configured, or as its name tells. */
export function takesMarks({ model, facts }: Target, own: boolean): boolean {
  if (facts.cacheBreakpoints !== undefined) return facts.cacheBreakpoints
  // What a caller of this dialect says, the service may judge.
  return own || isSince(GPT.exec(model))
}

function isSince(found: RegExpExecArray | null): boolean {
  if (!found) return false
  const [major, minor] = [Number(found[1]), Number(found[2] ?? 0)]
  return major > MARKED[0] || (major === MARKED[0] && minor >= MARKED[1])
}
