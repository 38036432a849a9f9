import type { ReadReplyContext, ReadRequestContext, Route } from '../../adapters/contract.ts'
import type { Fate } from './fate.ts'

export const withFate = (ledger: Record<string, Fate>, fate: Fate): string[] =>
  Object.keys(ledger).filter((name) => ledger[name] === fate)

export const requestContext = (route: Route): ReadRequestContext => ({
  route,
  headers: { get: (name) => (name.endsWith('-version') ? '2023-06-01' : null) },
  newId: (prefix) => `${prefix}1`,
})

export const replyContext = (): ReadReplyContext => ({
  request: {
    model: 'm',
    stream: false,
    system: [],
    turns: [],
    tools: [],
    limits: {},
    sampling: {},
  },
  lose: () => undefined,
  newId: (prefix) => `${prefix}1`,
})
