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
  return [...keys.flatMap(spellings), ...callers, ...headers, ...(password ? [password] : [])]
}

/** A key as it is, and as it stands in an address. */
const spellings = (key: string): string[] => [
  ...new Set([key, new URLSearchParams([['', key]]).toString().slice(1), encodeURIComponent(key)]),
]

/** A text without a key that was sent: an upstream may repeat anywhere in its words what it was sent. */
export const hiding = (key: string, text: string): string =>
  spellings(key).reduce((rest, spelling) => rest.replaceAll(spelling, '***'), text)
