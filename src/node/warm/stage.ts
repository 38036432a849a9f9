import { randomUUID } from 'node:crypto'
import type { Adapter } from '../../../adapters/contract.ts'
import { adapters } from '../../../adapters/index.ts'
import { readSettings } from '../../config/config.ts'
import type { Settings } from '../../config/settings.ts'
import { createReplaceable } from '../../http/app.ts'
import { stringify } from '../../json/json.ts'
import type { Request } from '../../model/request.ts'
import type { Ports, Send } from '../../ports.ts'
import { startServer } from '../server/server.ts'
import { SharedWrites } from '../store/shared-writes.ts'
import { createSend } from '../upstream/send.ts'
import { CONVERSATIONS } from './conversations.ts'
import { WarmCaller, HOST, listenWith } from './messages.ts'
import { PATH, upstreamsOfDemo } from './upstreams.ts'

/** Proxies and upstreams beside the real ones, and callers that ask them. */
export interface Stage {
  /** The exchanges that it knows, each from its request to the end of its answer. */
  exchanges: readonly (() => Promise<unknown>)[]
  close(): Promise<void>
}

const KEY = randomUUID()
/**
 * With one, the engine would take what belongs to that one, such as the function that writes its log, for the only
 * one there is, and would have to compile everything again for the real one.
 */
const PROXIES = 2

/**
 * It shares nothing with the proxy of the process but the code. `portsWith`: ports without log, counts and
 * store. They listen and connect on this machine as what is real does, because
 * servers and clients are a half of what is to be warmed.
 */
export async function openStage(
  settings: Settings,
  portsWith: (send: Send) => Ports,
): Promise<Stage> {
  const dialects = new Set([...settings.upstreams.values()].map(({ dialect }) => dialect))
  const served = adapters.filter(({ dialect }) => dialects.has(dialect))
  const upstream = await listenWith(upstreamsOfDemo())
  const own = ownSettings(settings, served, upstream.port)
  const opened = await Promise.all(Array.from({ length: PROXIES }, () => openProxy(own, portsWith)))
  return {
    exchanges: requestsFor(served).flatMap((request) =>
      opened.map(
        ({ asking }) =>
          () =>
            asking.ask(request),
      ),
    ),
    async close() {
      await Promise.all(opened.map(({ close }) => close()))
      upstream.server.close()
    },
  }
}

async function openProxy(
  settings: Settings,
  portsWith: (send: Send) => Ports,
): Promise<{ asking: WarmCaller; close(): Promise<void> }> {
  const writes = new SharedWrites()
  const { send, destroy } = createSend(undefined, writes.write)
  const handler = createReplaceable(settings, portsWith(send), { kind: 'listener', host: HOST })
  const { limits } = settings
  const { answer } = handler
  const server = await startServer({
    answer,
    host: HOST,
    port: 0,
    limits,
    sockets: handler,
    breakOff() {},
    writes,
  })
  const asking = new WarmCaller(server.port)
  return {
    asking,
    async close() {
      asking.close()
      destroy()
      await server.stop(0)
    },
  }
}

/** Those of the process with upstreams and callers of its own, and no webhook: the engine compiles for objects of one shape. */
function ownSettings(settings: Settings, served: readonly Adapter[], port: number): Settings {
  const { upstreams, routes, callers } = readSettings(
    {
      upstreams: Object.fromEntries(
        served.map(({ dialect }) => [
          dialect,
          { dialect, url: `http://${HOST}:${port}${PATH}${dialect}`, key: KEY },
        ]),
      ),
      routes: served.map(({ dialect }) => ({ model: dialect, upstream: dialect })),
      callers: settings.callers.kind === 'open' ? 'open' : { keys: [KEY] },
    },
    {},
  )
  const { before: _, ...own } = settings
  return { ...own, upstreams, routes, callers }
}

/** Each conversation between each two dialects, as JSON and as a stream. */
const requestsFor = (served: readonly Adapter[]): Uint8Array[] =>
  [false, true].flatMap((stream) =>
    CONVERSATIONS.flatMap((conversation) =>
      served.flatMap(({ dialect }) =>
        adapters.map((caller) => requestOf(caller, { ...conversation, model: dialect, stream })),
      ),
    ),
  )

function requestOf({ upstream }: Adapter, conversation: Request): Uint8Array {
  const { model } = conversation
  const target = { model, defaultMaxOutputTokens: 200, facts: {} }
  const written = upstream.writeRequest(conversation, { target, lose: () => undefined })
  const { path, query, headers } = written
  const body = stringify(written.body)
  const head = [
    `POST ${path}${query === undefined ? '' : `?${query}`} HTTP/1.1`,
    `host: ${HOST}`,
    'accept: application/json',
    `authorization: Bearer ${KEY}`,
    'content-type: application/json',
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}
