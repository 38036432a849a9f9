/** The names of the dialects, in the order in which they are listed. */
export const DIALECTS = ['messages', 'generate-content', 'responses', 'chat-completions'] as const

export type Dialect = (typeof DIALECTS)[number]

/** The dialect of each vendor: the configuration of other gateways names vendors where this one names dialects. */
const VENDORS: readonly (readonly [beginning: string, dialect: Dialect])[] = [
  ['anthropic', 'messages'],
  ['claude', 'messages'],
  ['gemini', 'generate-content'],
  ['google', 'generate-content'],
  ['vertex', 'generate-content'],
  ['openai-compat', 'chat-completions'],
  ['openai_compat', 'chat-completions'],
  ['openai', 'responses'],
]

/** The dialect that a vendor's name stands for: the newer one, where the vendor has two. */
export function dialectOfVendor(name: string): Dialect | undefined {
  const spelled = name.toLowerCase()
  return VENDORS.find(([beginning]) => spelled.startsWith(beginning))?.[1]
}
