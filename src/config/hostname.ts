/** The name in a `Host` header: in small letters, without the port, the brackets and the final dot. */
export function readHostname(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim()) ?? []
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '')
}

/** The name of an address to listen on, which has no port. */
export const nameOfAddress = (address: string): string =>
  address.toLowerCase().replace(/^\[|\]$/g, '')

const BYTE = '(?:\\d|[1-9]\\d|1\\d\\d|2[0-4]\\d|25[0-5])'
const LOOPBACK = new RegExp(`^(?:localhost|::1|127(?:\\.${BYTE}){3})$`)

/** Whether a name or address can only mean the machine that uses it. */
export const isLoopbackName = (name: string): boolean => LOOPBACK.test(name)

const OWN = /^(?:.*\.)?localhost$|^0\.0\.0\.0$|^::(?:ffff:7f[\da-f]{2}:[\da-f]{1,4})?$/

/** Whether the host of an address is the machine that calls it, as the parser of URLs spells it. */
export function isOwnHost(hostname: string): boolean {
  const name = nameOfAddress(hostname).replace(/\.$/, '')
  return isLoopbackName(name) || OWN.test(name)
}
