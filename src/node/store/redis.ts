import {
  createClient,
  DisconnectsClientError,
  ErrorReply,
  SocketClosedUnexpectedlyError,
} from '@redis/client'
import { guardStore, unavailable } from '../../memory/stores/guard.ts'
import type { RedisLink } from '../../memory/stores/redis.ts'

const SERVICE = 'the Redis state server'

interface Connection {
  opening: Promise<Client>
  client?: Client
}

/**
 * The same with a connection made before the first request, because on a busy machine that takes long enough for
 * exchanges to be lost. A server that does not answer delays the start only for a short time; `warn` hears why it does
 * not.
 */
export async function openRedis(url: string, warn: (why: string) => void): Promise<RedisLink> {
  const link = redisLink(url)
  await link.call('PING').catch(({ message }: Error) => warn(message))
  return link
}

/**
 * While a server hangs, nothing is asked but whether it answers again: requests that wait for it, one after the other,
 * would be slow for as long as it hangs.
 */
export function redisLink(url: string, timeoutMs = 2000): RedisLink {
  const line = openLine(url, timeoutMs)
  let isWatched = false
  /** Why nothing else is asked. */
  let silence: unknown

  /** One command alone may have taken long; a server that does not even answer to this hangs. */
  const watch = async (): Promise<void> => {
    isWatched = true
    for (let isLate = true; isLate && !line.isClosed();) {
      const { error, isLate: again = false } = await line.attempt(['PING'])
      isLate = again
      silence = isLate ? error : undefined
    }
    isWatched = false
  }
  return {
    async call(...command) {
      if (silence) throw silence
      const { answer, error, isLate } = await line.attempt(command)
      if (isLate && !isWatched) void watch()
      if (error !== undefined) throw error
      return answer
    },
    close: () => line.close(),
  }
}

interface Line {
  attempt(command: string[]): Promise<Outcome>
  isClosed(): boolean
  close(): Promise<void>
}

/**
 * A connection that is made when it is needed, and dropped at the first failure: no queue of commands grows while the
 * server is away, and no request waits twice for a dead connection. A command that the server refuses is no failure of
 * the connection: a server that takes no writes, because its disk is full or its replicas are gone, still answers the
 * reads that are underway.
 */
function openLine(url: string, timeoutMs: number): Line {
  let connection: Connection | undefined
  let closed = false

  const current = (): Connection => {
    if (closed) throw unavailable(SERVICE, 'the store is closed')
    if (!connection || (connection.client && !connection.client.isReady))
      connection = open(url, timeoutMs)
    return connection
  }
  return {
    async attempt(command) {
      const used = current()
      let isOver = false
      const work = () => send(used, command).finally(() => (isOver = true))
      try {
        return { answer: await guardStore(SERVICE, timeoutMs, work) }
      } catch (error) {
        const refusal = used.client && refusalIn(error)
        if (refusal === undefined || WRONG_SERVER.test(refusal)) {
          if (connection === used) connection = undefined
          end(used, refusal === undefined ? 'destroy' : 'close')
        }
        return { error, isLate: !isOver }
      }
    },
    isClosed: () => closed,
    async close() {
      closed = true
      if (connection) end(connection, 'destroy')
      connection = undefined
    },
  }
}

/** What became of one command. `isLate`: nothing, in the time that it has. */
interface Outcome {
  answer?: unknown
  error?: unknown
  isLate?: boolean
}

async function send({ opening }: Connection, command: string[]): Promise<unknown> {
  try {
    return await (await opening).sendCommand(command)
  } catch (error) {
    const isCut =
      error instanceof SocketClosedUnexpectedlyError || error instanceof DisconnectsClientError
    throw isCut ? unavailable(SERVICE, 'the connection was cut', error) : error
  }
}

function open(url: string, timeoutMs: number): Connection {
  const connection: Connection = { opening: connect(url, timeoutMs) }
  connection.opening.then(
    (client) => (connection.client = client),
    () => undefined,
  )
  return connection
}

/** After `close` what is underway is still answered, unless it takes too long: then `destroy` follows. */
function end(connection: Connection, how: 'close' | 'destroy'): void {
  connection.opening.then(
    (client) => (how === 'destroy' ? client.destroy() : client.isOpen && client.close()),
    () => undefined,
  )
}

/** Another server may have taken its place, or it wants to be told a password first. */
const WRONG_SERVER = /^(?:READONLY|NOAUTH)\b/

/** What a server says that has understood a command and does not carry it out; undefined for any other failure. */
function refusalIn(error: unknown): string | undefined {
  const { cause } = error instanceof Error ? error : {}
  return cause instanceof ErrorReply ? cause.message : undefined
}

type Client = Awaited<ReturnType<typeof connect>>

async function connect(url: string, timeoutMs: number) {
  const client = createClient({
    url,
    RESP: 2,
    disableClientInfo: true,
    // Longer than a command may take: the command's own time ends first, and a server out of reach counts as hanging.
    socket: { connectTimeout: 2 * timeoutMs, reconnectStrategy: false },
  })
  // The command that waits rejects with the failure; the event without a listener would end the process.
  client.on('error', () => undefined)
  return client.connect()
}
