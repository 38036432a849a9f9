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

/** Stands for no profile, even where the address is that of a known server. */
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
    const row = serversAt(url)
      .map((name) => rowOf(name, dialect))
      .find((found) => found !== undefined)
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

/** The servers that are known to answer at an address: a cloud has several behind one host. */
export function serversAt(url: string | undefined): ServerName[] {
  if (url === undefined || !URL.canParse(url)) return []
  const { hostname, port } = new URL(url)
  const isHere = isLoopbackName(nameOfAddress(hostname))
  const found = Object.entries<Server>(SERVERS).filter(([, { hosts = [], port: own }]) =>
    isHere ? String(own) === port : hosts.some((host) => isBelow(hostname, host)),
  )
  return found.map(([name]) => name as ServerName)
}

/** The cloud of a profile, or at an address. */
export function cloudAt(url: string, profile?: string): string | undefined {
  const named: Server | undefined = Object.entries<Server>(SERVERS).find(
    ([name]) => name === profile,
  )?.[1]
  const here = serversAt(url).map((name): Server => SERVERS[name])
  return [...(named ? [named] : []), ...here].find(({ cloud }) => cloud !== undefined)?.cloud
}

/** Whether a name is a host or below it, label by label from the end. */
function isBelow(name: string, host: string): boolean {
  const labels = name.split('.').toReversed()
  return host
    .split('.')
    .toReversed()
    .every((label, index) => isLabel(labels[index], label))
}

const isLabel = (label: string | undefined, wanted: string): boolean =>
  label !== undefined &&
  (wanted.startsWith('*') ? label.endsWith(wanted.slice(1)) : label === wanted)

/** Facts as one line, as a configuration would write them. */
export const spellFacts = ({ facts }: Pick<Profile, 'facts'>): string =>
  Object.entries(facts)
    .map(
      ([name, value]) =>
        `${name}=${Array.isArray(value) ? value.join(',') : JSON.stringify(value)}`,
    )
    .join(' ')
