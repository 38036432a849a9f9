import type { Memory, Reader } from '../../adapters/adapter.ts'
import type { Json } from '../canonical/json.ts'
import type { Exchange } from './exchange.ts'
import { keep, shelfOf, type Memories } from './memories.ts'
import type { PassPlan } from './plan.ts'
import { parsed } from './read.ts'
import { recalled } from './recall.ts'

/**
 * Keeps a copy of what passes to an upstream that keeps it too: the conversation may go on at another one.
 * The copy is nobody's only hope, so whatever goes wrong with it is passed over.
 */
export interface Copyist {
  /** The same reader, listened to. */
  listen(reader: Reader): Reader
  /** The whole reply has come, and is not kept yet. */
  readonly ready: boolean
  settle(): Promise<void>
}

export function copyistOf(exchange: Exchange, plan: PassPlan): Copyist | undefined {
  const { caller, memories, route } = exchange
  const { memory } = caller.caller
  const { text } = plan
  if (!memory || !memories || text === undefined || route.operation !== 'create') return undefined
  let reply: Json | undefined
  return {
    listen: (reader) => ({
      push(frame) {
        reply ??= memory.replyIn(frame)
        return reader.push(frame)
      },
      body(json) {
        reply = json
        return reader.body(json)
      },
      end: () => reader.end(),
    }),
    get ready() {
      return reply !== undefined
    },
    async settle() {
      const whole = reply
      reply = undefined
      if (whole === undefined) return
      const origin = plan.destination.upstream.name
      await copied({ exchange, memories, memory, text, reply: whole, origin }).catch(() => {})
    },
  }
}

interface Original {
  exchange: Exchange
  memories: Memories
  memory: Memory
  /** The request. */
  text: string
  reply: Json
  origin: string
}

async function copied(original: Original): Promise<void> {
  const { exchange, memories, memory, text, reply, origin } = original
  const body = parsed(text, exchange.caller.caller.verbatim)
  const ask = memory.asks(body)
  if (!ask.keep) return
  const shelf = await shelfOf(exchange, memories)
  const found = await recalled(shelf, memory, ask, exchange.settings.limits.bodyBytes)
  // Half of a conversation would be a false memory of it.
  if (found.missing) return
  const { fresh } = memory.resolve(body, found)
  const made = memory.memoOf(fresh, reply, exchange.newId)
  if (made) await keep(shelf, memory, { ...made, origin, parents: found.parents })
}
