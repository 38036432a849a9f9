import type { Config } from './type.ts'
import { spellPlace } from './lint/place.ts'
import { ConfigError } from './lint/finding.ts'
import { readHostname } from './hostname.ts'
import { hint } from './lint/nearest.ts'
import type { WebSettings } from './settings.ts'

/**
 * Origins and hosts are exact names and no patterns, because a pattern that matches too much lets in foreign pages.
 */
export const readWeb = ({ origins = [], hosts = [] }: NonNullable<Config['web']>): WebSettings => ({
  origins: origins.map((origin, index) =>
    readOrigin(origin, spellPlace(['web', 'origins', index])),
  ),
  hosts: hosts.map((host, index) => readHost(host, spellPlace(['web', 'hosts', index]))),
})

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#*@\\,]*$/

export function readOrigin(text: string, place: string): string {
  if (text.includes('*'))
    throw new ConfigError(place, 'expected one origin; "*" would let in every page there is')
  if (ORIGIN.test(text) && isAsSent(text)) return text
  const meant = URL.canParse(text) ? hint(text, [new URL(text).origin]) : ''
  throw new ConfigError(
    place,
    `expected an origin as browsers send it, such as https://chat.example or http://localhost:5173${meant}`,
  )
}

/**
 * In small letters and without the default port, as browsers write it. Of other schemes (`vscode-webview:`) the form
 * is not known.
 */
function isAsSent(text: string): boolean {
  if (!/^https?:/.test(text)) return true
  return URL.canParse(text) && new URL(text).origin === text
}

const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])$/i

export function readHost(text: string, place: string): string {
  if (!HOST.test(text))
    throw new ConfigError(place, 'expected a host name such as proxy.internal, without a port')
  return readHostname(text)
}
