import { ConfigError, type Environment } from '../config/config.ts'
import { readProxy } from '../config/values.ts'
import { passwordsIn } from '../upstream/secrets.ts'

/** The proxy through which an address is called, if any. */
export type Egress = (url: string) => string | undefined

/**
 * Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY as curl does, in small letters or capitals. `NO_PROXY` lists
 * hosts, with their subdomains, and ports where one is given; `*` means all hosts.
 */
export function readEgress(environment: Environment): Egress {
  const read = (name: string) =>
    (environment[name.toLowerCase()] ?? environment[name])?.trim() || undefined
  const secure = checked(read('HTTPS_PROXY'), 'HTTPS_PROXY')
  const plain = checked(read('HTTP_PROXY'), 'HTTP_PROXY')
  const exceptions = (read('NO_PROXY') ?? '').split(/[\s,]+/).filter((entry) => entry !== '')
  if (secure === undefined && plain === undefined) return () => undefined
  return (text) => {
    const url = new URL(text)
    const proxy = url.protocol === 'https:' ? secure : plain
    return proxy && exceptions.some((entry) => excepts(entry, url)) ? undefined : proxy
  }
}

/** `proxy.example:3128` counts as an address too, because curl takes it. */
function checked(text: string | undefined, name: string): string | undefined {
  if (text === undefined) return undefined
  try {
    return readProxy(text.includes('://') ? text : `http://${text}`, {}, name)
  } catch (error) {
    throw error instanceof ConfigError ? error.within('environment') : error
  }
}

function excepts(entry: string, { protocol, hostname, port }: URL): boolean {
  if (entry === '*') return true
  // In an IPv6 address a port can be told only by the brackets.
  const pattern = /:.*:/.test(entry) ? /^\[?([^\]]*)\]?(?::(\d+))?$/ : /^\*?\.?(.*?)(?::(\d+))?$/
  const [, host = '', only] = pattern.exec(entry.toLowerCase()) ?? []
  const usual = protocol === 'https:' ? '443' : '80'
  if (only !== undefined && only !== (port || usual)) return false
  const name = hostname.replace(/^\[|\]$/g, '')
  return name === host || name.endsWith(`.${host}`)
}

/** Credentials of proxies, which the log must not hold. */
export const egressSecrets = (environment: Environment): string[] =>
  Object.keys(environment)
    .filter((name) => /^https?_proxy$/i.test(name))
    .flatMap((name) => passwordsIn(environment[name]?.trim() ?? ''))
