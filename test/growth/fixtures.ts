import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'

const REQUESTS = import.meta.glob('../../fixtures/{*/request,full}/*.json', {
  query: '?raw',
  eager: true,
  import: 'default',
})
const REPLIES = import.meta.glob('../../fixtures/*/reply/*.{json,sse}', {
  query: '?raw',
  eager: true,
  import: 'default',
})

const textsOf = (files: Record<string, string>, pattern: RegExp): string[] =>
  Object.keys(files)
    .filter((path) => pattern.test(path))
    .map((path) => files[path] ?? '')

/** Every request of a dialect that is written down, the fullest first. */
export const requestsOf = (dialect: string): JsonObject[] =>
  [`/full/${dialect}\\.json$`, `/${dialect}/request/`]
    .flatMap((pattern) => textsOf(REQUESTS, new RegExp(pattern)))
    .map((text) => JSON.parse(text))

export const repliesOf = (dialect: string): JsonObject[] =>
  textsOf(REPLIES, new RegExp(`/${dialect}/reply/.*\\.json$`)).map((text) => JSON.parse(text))

export const streamsOf = (dialect: string): string[] =>
  textsOf(REPLIES, new RegExp(`/${dialect}/reply/.*\\.sse$`))

/** A plain reply of a dialect. */
export function plainReply(dialect: Dialect): string {
  const name = kits[dialect].say.plainFixture
  return REPLIES[`../../fixtures/${dialect}/reply/${name}.json`] ?? ''
}
