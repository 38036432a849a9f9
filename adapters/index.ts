import type { JsonObject } from '../src/json/json.ts'
import type { Adapter, Lookup, ModelFact } from './contract.ts'
import { withCursor } from './cursor.ts'
import { type Dialect, DIALECTS } from './dialect.ts'
// This order makes the Worker smallest: gzip finds a repetition only within the last 32 kB.
import { generateContent } from './generate-content/index.ts'
import { messages } from './messages/index.ts'
import { responses } from './responses/index.ts'
import { chatCompletions } from './chat-completions/index.ts'
import { readModel as readGenerateContentModel } from './generate-content/models.ts'
import { readModel as readMessagesModel } from './messages/models.ts'

/**
 * All dialects. A new one needs a folder, its name in `dialect.ts`, a line here and, where it shares paths with another
 * one, a line in `RESEMBLANCES`.
 */
const BY_NAME: Readonly<Record<Dialect, Adapter>> = {
  messages,
  'generate-content': generateContent,
  responses,
  'chat-completions': withCursor(chatCompletions, responses),
}

export const adapters: readonly Adapter[] = DIALECTS.map((name) => BY_NAME[name])

/** All that the core knows of dialects: a list, a look-up, and a guess for a request without a route. */
export interface Dialects {
  readonly list: readonly Adapter[]
  of(dialect: string): Adapter | undefined
  /** The dialect whose error shape, and whose list of models, a request without a route expects. */
  resembling(path: string, headers: Lookup): Adapter
}

type Resemblance = [Adapter, (path: string, headers: Lookup) => boolean]

/** The first row that applies. Paths decide before headers; headers decide for a shared path. */
const RESEMBLANCES: readonly Resemblance[] = [
  [messages, (path) => path.startsWith('/v1/messages')],
  [responses, (path) => path.startsWith('/v1/responses')],
  [BY_NAME['chat-completions'], (path) => path.startsWith('/v1/chat/')],
  [generateContent, (path) => path.startsWith('/v1beta/') || /^\/v1\/\w*[mM]odels\/.*:/.test(path)],
  [messages, (_, headers) => has(headers, 'anthropic-version') || has(headers, 'provider-version')],
  [generateContent, (_, headers) => has(headers, 'x-goog-api-key')],
]

const has = (headers: Lookup, name: string): boolean => headers.get(name) !== null

export const dialects: Dialects = {
  list: adapters,
  of: (dialect) => (Object.hasOwn(BY_NAME, dialect) ? BY_NAME[dialect as Dialect] : undefined),
  resembling: (path, headers) =>
    RESEMBLANCES.find(([, applies]) => applies(path, headers))?.[0] ?? responses,
}

/** Readers of what a service tells about its models, by dialect. No request needs them. */
export const MODEL_READERS: ReadonlyMap<string, (body: JsonObject) => ModelFact[]> = new Map([
  ['messages', readMessagesModel],
  ['generate-content', readGenerateContentModel],
])
