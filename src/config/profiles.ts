import { adapters } from '../../adapters/index.ts'
import type { Profile, ServerFacts } from '../../adapters/contract.ts'
import { defined } from '../json/json.ts'
import type { UpstreamConfig } from './type.ts'

/** A row of the built-in table. */
export interface ProfileRow extends Profile {
  dialect: string
}

/** What is known of servers, in the order of their names. */
export const KNOWN_PROFILES: readonly ProfileRow[] = adapters
  .flatMap(({ dialect, upstream: { profiles = [] } }) =>
    profiles.map((profile) => ({ dialect, ...profile })),
  )
  .toSorted((one, other) => Number(one.name > other.name) - Number(one.name < other.name))

/** All names, each once. */
export const profileNames = (): string[] => [...new Set(KNOWN_PROFILES.map(({ name }) => name))]

/** Whether there is anything to know of such a server in a dialect. */
export const isProfiled = (name: string, dialect: string): boolean =>
  KNOWN_PROFILES.some((row) => row.name === name && row.dialect === dialect)

/** What is known of the server behind an upstream, by the name of a profile and by what is said of it. */
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

/** Facts as one line, in the words of the configuration. */
export const spellFacts = ({ facts }: Pick<Profile, 'facts'>): string =>
  Object.entries(facts)
    .map(
      ([name, value]) =>
        `${name}=${Array.isArray(value) ? value.join(',') : JSON.stringify(value)}`,
    )
    .join(' ')
