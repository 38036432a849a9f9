import type { Frame, FrameReader } from '../stream/codec.ts'
import type { Event } from '../model/events.ts'
import type { Usage } from '../model/request.ts'
import type { ConversationMemory, ReplyText } from './conversation.ts'
import { stringify, type Json } from '../json/json.ts'
import { noteItems, noteOwner, isGuarded, isShared } from './ownership.ts'
import type { KeptContext, MemoryContext } from './context.ts'
import { deleteRecord, keep, openScopedStore } from './records.ts'
import { storeKey } from './store.ts'
import type { Loss } from '../model/loss.ts'
import type { Memories } from './context.ts'
import type { UpstreamSettings } from '../config/settings.ts'
import { memberOf, type ScannedBody } from '../json/scanned-body.ts'
import { readRecords, type Found } from './resolve.ts'

/**
 * Keeps a copy of exchanges that pass to an upstream with its own memory, because the conversation may go on at
 * another upstream. The upstream keeps the original, so a failure to copy is ignored, unless callers share its key:
 * then the original is shown to none of them.
 */
export interface Mirror {
  /** The reader, with the mirror listening. */
  listen(reader: FrameReader): FrameReader
  /** There is something to store before it is passed on. */
  isDue(): boolean
  settle(): Promise<void>
}

/** The exchange that passes: its body, as far as it was scanned, its references, and its destination. */
interface Passing {
  scanned?: ScannedBody | undefined
  found?: Found | undefined
  destination: { upstream: UpstreamSettings }
  losses: readonly Loss[]
}

export function createMirror(exchange: MemoryContext, plan: Passing): Mirror | undefined {
  const { caller, memories, route } = exchange
  const { memory } = caller.caller
  const { scanned, found } = plan
  if (!memory || !memories || !scanned || !found) return undefined
  if (route.operation !== 'create' || route.compacts) return undefined
  if (memberOf(scanned, memory.keepMember) === false) return undefined
  const shared = isShared(plan.destination.upstream)
  return listener(memory, shared, async (news) => {
    const { member, name } = plan.destination.upstream
    const issuer = member ?? name
    await keepCopy({ exchange, memories, memory, scanned, found, issuer }, news).catch(() => {
      if (!isGuarded(exchange, plan.destination.upstream) || 'id' in news) return
      plan.losses = [...plan.losses, { code: 'dropped', path: 'store' }]
      exchange.journal.note({ losses: plan.losses })
    })
  })
}

/**
 * For a reply that is read at the upstream, `issuer`, which keeps it. One that was in the background, or broke off, gave
 * out most of its ids after its beginning.
 */
export function createReadMirror(exchange: KeptContext, issuer: string): Mirror | undefined {
  const { caller, memories } = exchange
  const { memory } = caller.caller
  if (!memory || !memories) return undefined
  return listener(memory, false, async (news) => {
    const made = 'id' in news ? undefined : memory.replyRecord('[]', news)
    if (!made?.whole) return
    const scoped = await openScopedStore(exchange, memories)
    await noteItems(scoped, made.id, made.record.items, issuer).catch(() => {})
  })
}

/** `isEarly`: the id of any stream is told before its reply. */
function listener(
  memory: ConversationMemory,
  isEarly: boolean,
  tell: (news: News) => Promise<void>,
): Mirror {
  let begun = false
  let news: News | undefined
  return {
    isDue: () => news !== undefined,
    listen: (reader) =>
      new HeardReader(reader, {
        frame(frame) {
          const reply = memory.replyIn(frame)
          const id = begun ? undefined : memory.idIn(frame, isEarly)
          if (reply) news = reply
          else if (id !== undefined) news = { id }
          begun = true
        },
        body: (reply, text) => void (news = { reply, text }),
      }),
    async settle() {
      const heard = news
      news = undefined
      if (heard) await tell(heard)
    },
  }
}

interface Listener {
  frame(frame: Frame): void
  body(json: Json, text: string | undefined): void
}

class HeardReader implements FrameReader {
  readonly #reader: FrameReader
  readonly #listener: Listener

  constructor(reader: FrameReader, listener: Listener) {
    this.#reader = reader
    this.#listener = listener
  }

  skips(name: string | undefined, text: string, start: number, end: number): boolean {
    return this.#reader.skips(name, text, start, end)
  }

  read(frame: Frame): Event[] {
    this.#listener.frame(frame)
    return this.#reader.read(frame)
  }

  body(json: Json, text?: string): Event[] {
    this.#listener.body(json, text)
    return this.#reader.body(json, text)
  }

  end(): Event[] {
    return this.#reader.end()
  }

  counts(): Usage | undefined {
    return this.#reader.counts()
  }
}

/** News from a reply: the reply, or before it its id, by which the caller may ask for it early. */
type News = ReplyText | { id: string }

interface Original {
  exchange: MemoryContext
  memories: Memories
  memory: ConversationMemory
  /** The request. */
  scanned: ScannedBody
  /** What it refers to. */
  found: Found
  issuer: string
}

async function keepCopy(original: Original, news: News): Promise<void> {
  const { exchange, memories, memory, found, issuer } = original
  const scoped = await openScopedStore(exchange, memories)
  if ('id' in news) return noteOwner(scoped, [news.id], issuer)
  const made = memory.replyRecord(found.missing ? '[]' : addedItems(original), news)
  if (!made) return
  const { id, record, whole } = made
  const isDeleted = () => memories.deleted.has(storeKey(scoped.owner, id))
  if (isDeleted()) return
  const claimed = () => noteOwner(scoped, [id, ...record.items], issuer)
  // Half of a conversation is not stored; only its owner is noted.
  if (found.missing || !whole) await claimed()
  else await keep(scoped, { id, issuer, record, parents: found.parents }).catch(claimed)
  if (isDeleted()) await deleteRecord(scoped, id)
}

/** The items that the request adds. The request is parsed only where items refer to others. */
function addedItems({ memory, scanned, found }: Original): string {
  const input = scanned.memberText(memory.inputMember)
  if (found.items.size === 0) return memory.itemsText(input)
  const body = scanned.parsed()
  const { fresh } = memory.resolve(body, readRecords(memory, memory.asks(body), found), input)
  return fresh.text ?? stringify([...fresh.items])
}
