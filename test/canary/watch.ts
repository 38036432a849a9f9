import type { Answer } from '../../src/exchange/exchange.ts'
import type { Ports, Send, UpstreamRequest } from '../../src/ports.ts'
import type { ByteSource } from '../../src/stream/source.ts'
import { callerSecrets, listSecrets } from '../../src/upstream/secrets.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { Store } from '../../src/memory/store.ts'
import type { AppContext } from '../../src/http/app-context.ts'
import { createLog } from '../../src/observe/log.ts'

/**
 * Watches every app that any test makes: no key of an upstream may be in a reply, a line of the log or of the
 * console, the store, or a request to anybody else; no key of a caller in any of these or in any request.
 */

/** Shorter than this is no secret of a test, but a word that may stand anywhere. */
const SHORTEST = 12
const leaks: string[] = []
const upstreamKeys = new Set<string>()
const callerKeys = new Set<string>()

/** What leaked since the last time, each with the place where it was seen. */
export const takeLeaks = (): string[] => leaks.splice(0)

/** Files of tests share a process: what is a secret in one may be said in another. */
export function forgetKeys(): void {
  upstreamKeys.clear()
  callerKeys.clear()
}

let isConsoleWatched = false

/** From now on, and once for all files of a process. */
export function watchConsole(): void {
  if (isConsoleWatched) return
  isConsoleWatched = true
  for (const level of ['log', 'info', 'warn', 'error'] as const) {
    const real = console[level]
    console[level] = (...values: unknown[]) => {
      look(values.map(String).join(' '), `console.${level}`)
      real(...values)
    }
  }
}

/** Notes every secret that is in a text. */
export function look(text: string, place: string): void {
  for (const secret of [...upstreamKeys, ...callerKeys])
    if (text.includes(secret)) leaks.push(`${secret} in ${place}: ${around(text, secret)}`)
}

const around = (text: string, secret: string): string => {
  const at = text.indexOf(secret)
  return text.slice(Math.max(0, at - 60), at + secret.length + 60)
}

/** The keys of the proxy's own, by the address that each may be sent to. */
function ownKeys({ upstreams, tasks }: Settings): [base: string, key: string][] {
  return [...upstreams.values(), ...Object.values(tasks)].flatMap(
    ({ base, key }): [string, string][] => (key.kind === 'literal' ? [[base, key.value]] : []),
  )
}

function learn(settings: Settings): void {
  for (const [, key] of ownKeys(settings)) if (key.length >= SHORTEST) upstreamKeys.add(key)
  for (const { made } of settings.upstreams.values())
    for (const secret of made?.secrets ?? []) upstreamKeys.add(secret)
  const { callers } = settings
  for (const key of callerSecrets(callers)) callerKeys.add(key)
}

/** What a process in an environment may print: anything but the keys that it was given. */
export function lookAtProcess(
  printed: string,
  environment: Readonly<Record<string, string>>,
): void {
  const given = Object.entries(environment).flatMap(([name, value]) => {
    if (/KEY/.test(name)) return value.split(',')
    return [...value.matchAll(/"(?:key|keys)":\s*\[?"([^"]+)"/g)].map(([, key = '']) => key)
  })
  for (const key of given)
    if (key.length >= SHORTEST && !key.startsWith('env:') && printed.includes(key))
      leaks.push(`${key} is printed: ${around(printed, key)}`)
}

/** The site, with an eye on everything that leaves it. */
export function watched(site: AppContext): AppContext {
  const known = sites.get(site)
  if (known) return known
  learn(site.settings)
  const ports = overlaid(site.ports, {
    send: watchedSend(site.ports, site.settings),
    log: watchedLog(site.ports, site.settings),
  })
  const { memories } = site
  const made = overlaid(site, {
    ports,
    ...(memories && { memories: { ...memories, store: watchedStore(memories.store) } }),
  })
  sites.set(site, made)
  return made
}

const sites = new WeakMap<AppContext, AppContext>()

/** The same object, but for these members; whatever else is asked of it is asked of it now. */
const overlaid = <T extends object>(object: T, members: Partial<T>): T =>
  new Proxy(object, {
    get: (target, name) =>
      Object.hasOwn(members, name) ? Reflect.get(members, name) : Reflect.get(target, name),
  })

function watchedSend(ports: Ports, settings: Settings): Send {
  return (request) => {
    const { url, headers, body } = request
    const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : ''
    const said = { request, head: JSON.stringify({ url, headers }), text }
    lookAtRequest(said, settings)
    lookAtMade(said, settings)
    return ports.send(request)
  }
}

/** A request, and what can be read of it. */
interface Said {
  request: UpstreamRequest
  head: string
  text: string
}

/** A key goes to its own upstream, once, in the address or a header; a caller's to none that has not asked for it. */
function lookAtRequest({ request: { url }, head, text }: Said, settings: Settings): void {
  const own = ownKeys(settings)
  for (const key of new Set(own.map(([, each]) => each))) {
    if (key.length < SHORTEST) continue
    const isWelcome = own.some(([base, other]) => other === key && url.startsWith(base))
    const times = head.split(key).length - 1
    if (times > (isWelcome ? 1 : 0)) leaks.push(`${key} ${times} times in a request to ${url}`)
    if (text.includes(key)) leaks.push(`${key} in a body to ${url}`)
  }
  const passes = [...settings.upstreams.values(), ...Object.values(settings.tasks)].some(
    ({ key }) => key.kind === 'caller',
  )
  if (settings.callers.kind !== 'keys' || passes) return
  for (const key of callerSecrets(settings.callers))
    if (head.includes(key) || text.includes(key))
      leaks.push(`a caller's key ${key} in a request to ${url}`)
}

/** What a key is made of goes where tokens are, and the token to its upstream; from then on it is a key, too. */
function lookAtMade({ request: { url, headers }, head, text }: Said, settings: Settings): void {
  for (const { base, made } of settings.upstreams.values()) {
    if (!made) continue
    const isThere = made.kind === 'token' ? url === made.url : url.startsWith(base)
    const hidden = made.kind === 'token' ? made.secrets : [made.secret]
    for (const secret of made.secrets)
      if (
        (!isThere || (made.kind === 'signature' && hidden.includes(secret))) &&
        (head.includes(secret) || text.includes(secret))
      )
        leaks.push(`${secret} in a request to ${url}`)
    const token = /^Bearer (.+)/.exec(headers['authorization'] ?? '')?.[1]
    if (token !== undefined && token.length >= SHORTEST && url.startsWith(base))
      upstreamKeys.add(token)
  }
}

const lookAtLine = (line: string) => look(line, 'the log')

/** Entries may hold a failure in somebody else's words; the line that is written may not. */
function watchedLog(ports: Ports, settings: Settings): Ports['log'] {
  const secrets = listSecrets(settings)
  const line = createLog({ write: lookAtLine, now: () => 0, secrets })
  return (entry) => {
    line(entry)
    ports.log(entry)
  }
}

const watchedStore = (store: Store): Store =>
  overlaid(store, {
    get: (key) => store.get(key),
    put: (entry) => {
      look(JSON.stringify(entry), 'the store')
      return store.put(entry)
    },
    delete: (key) => store.delete(key),
    close: () => store.close(),
  })

/** The answer, with an eye on its headers and on its body as it goes by. */
export function watchedAnswer(answer: Answer): Answer {
  const { headers, body } = answer
  look(JSON.stringify(headers), 'the headers of a reply')
  if (typeof body === 'string') look(body, 'a reply')
  else if (body instanceof Uint8Array) look(new TextDecoder().decode(body), 'a reply')
  else if (body !== null) return { ...answer, body: watchedBody(body) }
  return answer
}

function watchedBody(body: ByteSource): ByteSource {
  const decoder = new TextDecoder()
  let tail = ''
  return {
    async read() {
      const bytes = await body.read()
      const text = tail + decoder.decode(bytes, { stream: bytes !== undefined })
      look(text, 'a stream')
      // A copy: a slice would keep the whole piece, and tests measure what is kept.
      tail = JSON.parse(JSON.stringify(text.slice(-LONGEST)))
      return bytes
    },
    cancel: () => body.cancel(),
  }
}

/** A secret that is cut by two pieces is found all the same, and one that was found is not found again. */
const LONGEST = 20
