import type { Dialect } from '../../../adapters/dialect.ts'
import { chatCompletions } from './chat-completions.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './messages.ts'
import type { Official } from './official.ts'
import { responses } from './responses.ts'

export const officials: Readonly<Record<Dialect, Official>> = {
  messages,
  'generate-content': generateContent,
  responses,
  'chat-completions': chatCompletions,
}
