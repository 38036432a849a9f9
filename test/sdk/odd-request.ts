import type { Dialect, Heard, Wire } from './script.ts'

/** A request that is legal in the caller's dialect and awkward for the others. */
export interface OddRequest {
  name: string
  /** Text where JavaScript's own JSON would spoil it. */
  body: Wire | string
  /** Throws when what a strict upstream understood is wrong; `sent` is the body as it came. */
  check?(heard: Heard, upstream: Dialect, sent: string): void
  /** It cannot be done, and the caller is told why: this is in the message. */
  refused?: string
  /** What the header of losses has to name, where the upstream's dialect cannot say it. */
  losses?: Partial<Record<Dialect, RegExp>>
}

export const message = (role: string, content: unknown): Wire => ({ role, content })
export const hello = message('user', 'Hello')

export function has(text: string, ...parts: string[]): void {
  for (const part of parts) if (!text.includes(part)) throw new Error(`${part} is not in ${text}`)
}

/** All that was said in the conversation, results included. */
export const wordsOf = (heard: Heard): string =>
  heard.turns
    .flatMap(({ pieces }) => pieces)
    .map((piece) => ('text' in piece ? piece.text : 'output' in piece ? piece.output : ''))
    .join('\n')
