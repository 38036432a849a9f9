import { ConfigError } from '../../config/config.ts'
import { writeFault } from '../../config/lint/finding.ts'
import type { Settings } from '../../config/settings.ts'
import type { RefusedReload } from '../../observe/entry.ts'

/** Settings of things that are opened once, such as the port and the store. */
const FIXED: readonly (readonly [string, (settings: Settings) => unknown])[] = [
  ['state.store', ({ state }) => state],
  ['telemetry', ({ telemetry }) => telemetry],
  ['record', ({ record }) => record],
  ['inspect', ({ inspect }) => inspect ?? false],
  ...(['entryBytes', 'ownerBytes', 'totalBytes'] as const).map(
    (name) => [`state.${name}`, ({ retention }: Settings) => retention?.[name]] as const,
  ),
  ...(['connections', 'headersMs', 'bodyMs'] as const).map(
    (name) => [`limits.${name}`, ({ limits }: Settings) => limits[name]] as const,
  ),
]

/** Throws `ConfigError` for changes that need a restart; nothing is changed then. */
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

/** The log's entry for settings that were refused: the lines of `check`, which quote no value. */
export function refusedReload(error: unknown, configuration: string): RefusedReload {
  const faults =
    error instanceof ConfigError
      ? error.faults.map(writeFault)
      : ['the configuration cannot be read']
  return { event: 'reload', result: 'error', configuration, error: faults[0] ?? '', faults }
}

/** The secrets of the current settings, and of former settings that exchanges still use. */
export function secretsInUse(first: readonly string[]) {
  let current = first
  const retired = new Set<readonly string[]>()
  let all: readonly string[] = first
  const renew = () => (all = [...new Set([...current, ...[...retired].flat()])])
  return {
    all: () => all,
    /** `over` resolves when no exchange uses the old settings any more. */
    replace(next: readonly string[], over: Promise<void>): void {
      const old = current
      retired.add(old)
      current = next
      renew()
      // The last exchange writes its last line in the same turn in which it ends, before this runs.
      void over.then(() => retired.delete(old)).then(renew)
    },
  }
}
