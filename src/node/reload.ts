import { ConfigError } from '../config/config.ts'
import { writeFault } from '../config/finding.ts'
import type { Settings } from '../config/settings.ts'
import type { RefusedReload } from '../observe/entry.ts'

/** What has been opened by the old settings, and is not opened a second time. */
const FIXED: readonly (readonly [string, (settings: Settings) => unknown])[] = [
  ['state.store', ({ state }) => state],
  ['telemetry', ({ telemetry }) => telemetry],
  ['inspect', ({ inspect }) => inspect ?? false],
  ...(['entryBytes', 'ownerBytes', 'totalBytes'] as const).map(
    (name) => [`state.${name}`, ({ retention }: Settings) => retention?.[name]] as const,
  ),
  ...(['connections', 'headersMs', 'bodyMs'] as const).map(
    (name) => [`limits.${name}`, ({ limits }: Settings) => limits[name]] as const,
  ),
]

/** Throws `ConfigError` for what would need a restart: then nothing of it is done. */
export function demandReloadable(old: Settings, next: Settings): void {
  const faults = FIXED.filter(
    ([, read]) => JSON.stringify(read(old)) !== JSON.stringify(read(next)),
  ).map(([place]) => ({
    severity: 'fault' as const,
    origin: next.origin,
    place,
    expected: 'a change of this needs a restart',
  }))
  const [first] = faults
  if (first) throw new ConfigError(first.place, first.expected, first.origin, faults)
}

/** What the log says of settings that were not taken: the lines of `check`, which quote no value. */
export function refusedReload(error: unknown, configuration: string): RefusedReload {
  const faults =
    error instanceof ConfigError
      ? error.faults.map(writeFault)
      : ['the configuration cannot be read']
  return { event: 'reload', result: 'error', configuration, error: faults[0] ?? '', faults }
}

/** Secrets of settings that are in use, and of those that an exchange still goes by. */
export function secretsInUse(first: readonly string[]) {
  let current = first
  const retired = new Set<readonly string[]>()
  let all: readonly string[] = first
  const renew = () => (all = [...new Set([...current, ...[...retired].flat()])])
  return {
    all: () => all,
    /** `over`: when no exchange goes by the old ones any more. */
    replace(next: readonly string[], over: Promise<void>): void {
      const old = current
      retired.add(old)
      current = next
      renew()
      // The last line of the last exchange is written in the same breath in which it ends.
      void over.then(() => retired.delete(old)).then(renew)
    },
  }
}
