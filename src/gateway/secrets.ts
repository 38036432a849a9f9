import type { Settings } from './settings.ts'

/** Every secret of the settings: what no log line and no answer may contain. */
export function secretsOf(settings: Settings): string[] {
  const holders = [...settings.upstreams.values(), ...Object.values(settings.tasks)]
  const keys = holders.flatMap(({ key }) => (key.kind === 'literal' ? [key.value] : []))
  const callers = settings.callers.kind === 'keys' ? settings.callers.keys : []
  const headers = [...settings.upstreams.values()].flatMap((upstream) =>
    Object.values(upstream.headers),
  )
  const password = URL.canParse(settings.state) ? new URL(settings.state).password : ''
  return [...keys, ...callers, ...headers, ...(password ? [password] : [])]
}
