/** The names of the dialects, in the order in which they are listed. */
export const DIALECTS = ['messages', 'generate-content', 'responses', 'chat-completions'] as const

export type Dialect = (typeof DIALECTS)[number]
