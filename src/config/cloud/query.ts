import { ConfigError } from '../lint/finding.ts'
import type { UpstreamSettings } from '../settings.ts'
import { resolved, type Environment } from '../values.ts'

const NAME = /^[\w.~-]{1,64}$/
const VALUE = /^[\x21-\x7e]{1,2048}$/
/** Values under these names are no secrets, wherever they come from. */
const PUBLIC = /version$/i
const CREDENTIAL = /auth|key|token|secret|pass|credential|^sig|^code$/i

/** The names and values that stand in the address of each call; `env:NAME` is looked up. */
export function readQuery(
  query: Readonly<Record<string, string>>,
  environment: Environment,
  at: string,
): Pick<UpstreamSettings, 'query' | 'secretQuery'> {
  const entries = Object.entries(query).map(
    ([name, text]) => [name, readQueryValue(name, text, environment, at)] as const,
  )
  const secrets = entries.filter(
    ([name, value]) => CREDENTIAL.test(name) || (value !== query[name] && !PUBLIC.test(name)),
  )
  return {
    query: Object.fromEntries(entries),
    ...(secrets.length > 0 && { secretQuery: Object.fromEntries(secrets) }),
  }
}

/** Throws ConfigError for what cannot stand in an address. */
export function readQueryValue(
  name: string,
  text: string,
  environment: Environment,
  at: string,
): string {
  if (!NAME.test(name)) throw new ConfigError(at, 'expected the name of a query parameter')
  const value = resolved(text, environment, at)
  if (!VALUE.test(value))
    throw new ConfigError(at, 'expected a value of visible ASCII characters without spaces')
  return value
}
