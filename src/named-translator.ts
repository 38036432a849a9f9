import type { Adapter } from '../adapters/contract.ts'
import { dialects } from '../adapters/index.ts'
import type { JsonObject } from './json/json.ts'
import { invalid } from './model/problem.ts'
import {
  streamLosses as lossesBetween,
  translator as between,
  type Translator,
  type NamedOptions,
} from './translator.ts'

/** A translator between two dialects by their names, which needs all of them. */
export const translator = <From = object, To = JsonObject>({
  from,
  to,
  ...options
}: NamedOptions): Translator<From, To> =>
  between<From, To>(findAdapter(from), findAdapter(to), options)

export const streamLosses = ({ from, to, ...options }: NamedOptions, asked: string) =>
  lossesBetween(findAdapter(from), findAdapter(to), options, asked)

function findAdapter(dialect: string): Adapter {
  const adapter = dialects.of(dialect)
  if (adapter) return adapter
  const known = dialects.list.map((candidate) => candidate.dialect).join(', ')
  throw invalid(`There is no dialect '${dialect}'; there are ${known}.`)
}
