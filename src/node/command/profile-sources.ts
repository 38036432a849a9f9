import { SOURCES } from '../../../adapters/server-sources.ts'
import { KNOWN_PROFILES, type ProfileRow } from '../../config/profiles.ts'

/** A profile with where its facts come from. */
interface SourcedProfile extends ProfileRow {
  version: string
  source: string
}

export const SOURCED_PROFILES: readonly SourcedProfile[] = KNOWN_PROFILES.map((row) => {
  const [version = '', source = ''] = SOURCES[row.name][row.dialect] ?? []
  return { ...row, version, source }
})
