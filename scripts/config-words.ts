import { CALLER_WORDS } from './config-words/callers.ts'
import { OPERATION_WORDS } from './config-words/operation.ts'
import { ROUTE_WORDS } from './config-words/routes.ts'
import { UPSTREAM_WORDS } from './config-words/upstreams.ts'
import type { Word } from './config-words/word.ts'
import { PROFILE_WORDS } from './profile-words.ts'

export const WORDS: Readonly<Record<string, Word>> = {
  $schema: {
    means: 'The place of this schema, for editors.',
    example: './node_modules/dragoman/dist/dragoman.schema.json',
  },
  ...UPSTREAM_WORDS,
  ...PROFILE_WORDS,
  ...ROUTE_WORDS,
  ...CALLER_WORDS,
  ...OPERATION_WORDS,
}

/** What is said of a place; of both task services the same, and of failures on a route as of all. */
export const findWord = (place: string): Word | undefined =>
  WORDS[place] ??
  WORDS[place.replace(/^tasks\.\w+/, 'tasks.*').replace(/^routes\.\*\.(failover\.)/, '$1')]
