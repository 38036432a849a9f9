import { ConfigError, type Environment } from '../config/config.ts'
import { proxyOf } from '../config/values.ts'
import { passwordsIn } from '../upstream/secrets.ts'

/** Through which proxy an address is called, if any. */
export type Egress = (url: string) => string | undefined

/**
 * What the variables say that curl and others go by, in small letters or large. `NO_PROXY` lists hosts, with all
 * that end in them, and ports where one is given; `*` means all.
 */
export function egressOf(environment: Environment): Egress {
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

/** `proxy.example:3128` is one too: other programs take it. */
function checked(text: string | undefined, name: string): string | undefined {
  if (text === undefined) return undefined
  try {
    return proxyOf(text.includes('://') ? text : `http://${text}`, {}, name)
  } catch (error) {
    throw error instanceof ConfigError ? error.within('environment') : error
  }
}

function excepts(entry: string, { protocol, hostname, port }: URL): boolean {
  if (entry === '*') return true
  // Of an address with colons in it a port can be told by brackets alone.
  const pattern = /:.*:/.test(entry) ? /^\[?([^\]]*)\]?(?::(\d+))?$/ : /^\*?\.?(.*?)(?::(\d+))?$/
  const [, host = '', only] = pattern.exec(entry.toLowerCase()) ?? []
  const usual = protocol === 'https:' ? '443' : '80'
  if (only !== undefined && only !== (port || usual)) return false
  const name = hostname.replace(/^\[|\]$/g, '')
  return name === host || name.endsWith(`.${host}`)
}

/** What no line of the log may hold. */
export const egressSecrets = (environment: Environment): string[] =>
  Object.keys(environment)
    .filter((name) => /^https?_proxy$/i.test(name))
    .flatMap((name) => passwordsIn(environment[name]?.trim() ?? ''))
