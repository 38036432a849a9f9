import { hearGenerateContent } from '../sdk/hear-generate-content.ts'
import { hearMessages } from '../sdk/hear-messages.ts'
import { hearResponses } from '../sdk/hear-responses.ts'
import type { Dialect, Heard } from '../sdk/script.ts'

/** What an upstream of each dialect understands, read as strictly as the real one reads. */
export const HEARD: Record<Dialect, (body: unknown) => Heard> = {
  messages: hearMessages,
  'generate-content': hearGenerateContent,
  responses: hearResponses,
}
