import * as chatCompletions from '../adapters/chat-completions/wire.ts'
import type { Dialect } from '../adapters/dialect.ts'
import * as generateContent from '../adapters/generate-content/wire.ts'
import * as messages from '../adapters/messages/wire.ts'
import * as responses from '../adapters/responses/wire.ts'
import type { Fields } from '../src/check/fields.ts'

/** Each dialect's tables of members, by the path of the object that has them. */
export const FIELD_TABLES: Readonly<Record<Dialect, Readonly<Record<string, Fields>>>> = {
  messages: { '': messages.FIELDS },
  'generate-content': {
    '': generateContent.FIELDS,
    'generationConfig.': generateContent.OPTIONS,
  },
  responses: { '': responses.FIELDS },
  'chat-completions': { '': chatCompletions.FIELDS },
}

/** The members of a dialect that belong to one place in a canonical request. */
export const fieldsAt = (dialect: Dialect, place: string): string[] =>
  Object.entries(FIELD_TABLES[dialect]).flatMap(([prefix, fields]) =>
    Object.entries(fields)
      .filter(([key, row]) => (row.place ?? prefix + key) === place)
      .map(([key]) => key),
  )
