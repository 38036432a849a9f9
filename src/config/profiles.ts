import { adapters } from '../../adapters/index.ts'
import type { Profile, ServerFacts } from '../../adapters/contract.ts'
import { saidAbove } from '../../adapters/server-facts.ts'
import { SERVERS, type Server, type ServerName } from '../../adapters/servers.ts'
import { isLoopbackName, nameOfAddress } from './hostname.ts'
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

/** In the place of a profile: none, also where the address is that of a known server. */
export const NO_PROFILE = 'none'

/** The facts about an upstream's server, and the profile that they come from. */
interface ReadProfile {
  profile?: string
  /** Whether nothing but the address says that it is this server. */
  isByAddress?: true
  server?: ServerFacts
}

/** Facts of the configuration stand above those of the profile, and a profile that is named above the address. */
export function readProfile({
  profile,
  dialect,
  url,
}: Pick<UpstreamConfig, 'profile'> & { dialect: string; url?: string }): ReadProfile {
  if (profile === NO_PROFILE) return {}
  if (profile === undefined) {
    const row = rowOf(url === undefined ? undefined : serverAt(url), dialect)
    return row ? { profile: row.name, isByAddress: true, server: row.facts } : {}
  }
  const { extends: name, ...said } = typeof profile === 'string' ? { extends: profile } : profile
  const row = rowOf(name, dialect)
  return {
    ...(name !== undefined && { profile: name }),
    server: saidAbove(row?.facts, said),
  }
}

const rowOf = (name: string | undefined, dialect: string): ProfileRow | undefined =>
  KNOWN_PROFILES.find((row) => row.name === name && row.dialect === dialect)

/** The server that is known to answer at an address. */
function serverAt(url: string): ServerName | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, port } = new URL(url)
  const isHere = isLoopbackName(nameOfAddress(hostname))
  const found = Object.entries<Server>(SERVERS).find(([, { hosts = [], port: own }]) =>
    isHere ? String(own) === port : hosts.some((host) => isBelow(hostname, host)),
  )
  return found?.[0] as ServerName | undefined
}

/** Whether a name is a host or below it, label by label from the end. */
function isBelow(name: string, host: string): boolean {
  const labels = name.split('.').toReversed()
  return host
    .split('.')
    .toReversed()
    .every(
      (label, index) => label === labels[index] || (label === '*' && labels[index] !== undefined),
    )
}

/** Facts as one line, as a configuration would write them. */
export const spellFacts = ({ facts }: Pick<Profile, 'facts'>): string =>
  Object.entries(facts)
    .map(
      ([name, value]) =>
        `${name}=${Array.isArray(value) ? value.join(',') : JSON.stringify(value)}`,
    )
    .join(' ')
