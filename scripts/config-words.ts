import type { Config } from '../src/config/type.ts'
import { CALLER_WORDS } from './config-words/callers.ts'
import { OPERATION_WORDS } from './config-words/operation.ts'
import { ROUTE_WORDS } from './config-words/routes.ts'
import { UPSTREAM_WORDS } from './config-words/upstreams.ts'
import type { Word, Words } from './config-words/word.ts'

const WORDS: Words<Config> = {
  $schema: {
    means: 'The place of this schema, for editors.',
    example: './node_modules/dragoman/dist/dragoman.schema.json',
  },
  ...UPSTREAM_WORDS,
  ...ROUTE_WORDS,
  ...CALLER_WORDS,
  ...OPERATION_WORDS,
}

/** What is said of a member: `*` in its place stands for a name, or for the number of an entry. */
export function findWord(place: string): Word | undefined {
  const names = place.split('.')
  // An entry is told together with the member that holds it.
  if (names.at(-1) === '*') return undefined
  return names
    .filter((name) => name !== '*')
    .reduce<Word | undefined>((above, name) => above?.within?.[name], { means: '', within: WORDS })
}

export const described = ({ means, usual }: Word): string =>
  usual === undefined ? means : `${means} Default: ${usual}.`
