/** The names of the dialects, in the order in which they are listed. */
export const DIALECTS = ['messages', 'generate-content', 'responses', 'chat-completions'] as const

export type Dialect = (typeof DIALECTS)[number]

/** Other gateways ask for a vendor where this one asks for a dialect. */
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

/** The dialect that the name of a vendor stands for; of two that it has, the newer one. */
export function dialectOfVendor(name: string): Dialect | undefined {
  const spelled = name.toLowerCase()
  return VENDORS.find(([beginning]) => spelled.startsWith(beginning))?.[1]
}
