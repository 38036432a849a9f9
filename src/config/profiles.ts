import { adapters } from '../../adapters/index.ts'
import type { Profile, ServerFacts } from '../../adapters/contract.ts'
import { defined } from '../json/json.ts'
import type { UpstreamConfig } from './type.ts'

/** A row of the built-in table, with its dialect. */
export interface ProfileRow extends Profile {
  dialect: string
}

/** The rows of all dialects, sorted by name. */
export const KNOWN_PROFILES: readonly ProfileRow[] = adapters
  .flatMap(({ dialect, upstream: { profiles = [] } }) =>
    profiles.map((profile) => ({ dialect, ...profile })),
  )
  .toSorted((one, other) => Number(one.name > other.name) - Number(one.name < other.name))

/** The names of all profiles, each once. */
export const profileNames = (): string[] => [...new Set(KNOWN_PROFILES.map(({ name }) => name))]

/** Whether there is a profile of this name for a dialect. */
export const isProfiled = (name: string, dialect: string): boolean =>
  KNOWN_PROFILES.some((row) => row.name === name && row.dialect === dialect)

/** The facts about an upstream's server: those of its profile, overridden by those of the configuration. */
export function readProfile({ profile, dialect }: Pick<UpstreamConfig, 'profile' | 'dialect'>): {
  profile?: string
  server?: ServerFacts
} {
  if (profile === undefined) return {}
  const { extends: name, ...said } = typeof profile === 'string' ? { extends: profile } : profile
  const row = KNOWN_PROFILES.find((one) => one.name === name && one.dialect === dialect)
  return {
    ...(name !== undefined && { profile: name }),
    server: { ...row?.facts, ...defined(said) },
  }
}

/** Facts as one line, as a configuration would write them. */
export const spellFacts = ({ facts }: Pick<Profile, 'facts'>): string =>
  Object.entries(facts)
    .map(
      ([name, value]) =>
        `${name}=${Array.isArray(value) ? value.join(',') : JSON.stringify(value)}`,
    )
    .join(' ')
