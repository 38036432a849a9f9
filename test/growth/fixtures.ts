import { globSync, readFileSync } from 'node:fs'
import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'

const readJson = (path: string): JsonObject => JSON.parse(readFileSync(path, 'utf8'))

/** Every request of a dialect that is written down, the fullest first. */
export const requestsOf = (dialect: string): JsonObject[] =>
  [`fixtures/full/${dialect}.json`, ...globSync(`fixtures/${dialect}/request/*.json`)].map(readJson)

export const repliesOf = (dialect: string): JsonObject[] =>
  globSync(`fixtures/${dialect}/reply/*.json`).map(readJson)

export const streamsOf = (dialect: string): string[] =>
  globSync(`fixtures/${dialect}/reply/*.sse`).map((path) => readFileSync(path, 'utf8'))

/** A plain reply of a dialect. */
export function plainReply(dialect: Dialect): string {
  const name = kits[dialect].say.plainFixture
  return readFileSync(`fixtures/${dialect}/reply/${name}.json`, 'utf8')
}
