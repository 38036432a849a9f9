import { BlockList, isIP } from 'node:net'
import { ConfigError, type Environment } from '../../config/config.ts'
import { isOwnHost } from '../../config/hostname.ts'
import { readProxy } from '../../config/values.ts'
import { passwordsIn } from '../../upstream/secrets.ts'

/** The proxy through which an address is called, if any. */
export type Egress = (url: string) => string | undefined

/**
 * Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY as curl does, in small letters or capitals. `NO_PROXY` lists
 * hosts, with their subdomains, and ports where one is given, and networks (`10.0.0.0/8`); `*` means all hosts. This
 * machine is called directly, as Go does it: for a proxy elsewhere these names mean that other machine.
 */
export function readEgress(environment: Environment): Egress {
  const read = (name: string) =>
    (environment[name.toLowerCase()] ?? environment[name])?.trim() || undefined
  const secure = checked(read('HTTPS_PROXY'), 'HTTPS_PROXY')
  const plain = checked(read('HTTP_PROXY'), 'HTTP_PROXY')
  const entries = (read('NO_PROXY') ?? '').split(/[\s,]+/).filter((entry) => entry !== '')
  const exceptions = entries.map(exception)
  if (secure === undefined && plain === undefined) return () => undefined
  return (text) => {
    const url = new URL(text)
    if (isOwnHost(url.hostname)) return undefined
    const proxy = url.protocol === 'https:' ? secure : plain
    return proxy && exceptions.some((excepts) => excepts(url)) ? undefined : proxy
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

/** Whether an entry of NO_PROXY names the host of an address. */
function exception(entry: string): (url: URL) => boolean {
  if (entry === '*') return () => true
  const network = networkOf(entry)
  if (network)
    return (url) => {
      const host = bareHost(url)
      return isIP(host) > 0 && network.check(host, familyOf(host))
    }
  // In an IPv6 address a port can be told only by the brackets.
  const pattern = /:.*:/.test(entry) ? /^\[?([^\]]*)\]?(?::(\d+))?$/ : /^\*?\.?(.*?)(?::(\d+))?$/
  const [, host = '', only] = pattern.exec(entry.toLowerCase()) ?? []
  return (url) => {
    const usual = url.protocol === 'https:' ? '443' : '80'
    if (only !== undefined && only !== (url.port || usual)) return false
    const name = bareHost(url)
    return name === host || name.endsWith(`.${host}`)
  }
}

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** `10.0.0.0/8` and the like, as curl takes it since 7.86. */
function networkOf(entry: string): BlockList | undefined {
  const [, address = '', bits] = /^\[?([\da-f.:]+)\]?\/(\d{1,3})$/i.exec(entry) ?? []
  const most = isIP(address) === 6 ? 128 : 32
  if (isIP(address) === 0 || Number(bits) > most) return undefined
  const network = new BlockList()
  network.addSubnet(address, Number(bits), familyOf(address))
  return network
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Credentials of proxies, which the log must not hold. */
export const egressSecrets = (environment: Environment): string[] =>
  Object.keys(environment)
    .filter((name) => /^https?_proxy$/i.test(name))
    .flatMap((name) => passwordsIn(environment[name]?.trim() ?? ''))
