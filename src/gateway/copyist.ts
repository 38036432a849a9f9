import type { Fresh, Memory, Reader, Told } from '../../adapters/adapter.ts'
import { claim, isShared } from './claims.ts'
import type { Exchange } from './exchange.ts'
import { keep, shelfOf, type Memories, type Shelf } from './memories.ts'
import type { PassPlan } from './plan.ts'
import { memberOf, memberText, parsedLooked, type Looked } from './read.ts'
import { opened, recalled, type Found } from './recall.ts'

/**
 * Keeps a copy of what passes to an upstream that keeps it too: the conversation may go on at another one.
 * The copy is nobody's only hope, so whatever goes wrong with it is passed over.
 */
export interface Copyist {
  /** The same reader, listened to. */
  listen(reader: Reader): Reader
  /** Something has come that is to be kept before it is passed on. */
  readonly ready: boolean
  settle(): Promise<void>
}

export function copyistOf(exchange: Exchange, plan: PassPlan): Copyist | undefined {
  const { caller, memories, route } = exchange
  const { memory } = caller.caller
  const { looked, found } = plan
  if (!memory || !memories || !looked || route.operation !== 'create') return undefined
  if (memberOf(looked, memory.keepMember) === false) return undefined
  const shared = isShared(exchange, plan.destination.upstream)
  let begun = false
  let news: News | undefined
  const hear = (heard: News | undefined) => {
    news = heard
    copyist.ready = heard !== undefined
  }
  const copyist: Copyist & { ready: boolean } = {
    ready: false,
    listen: (reader) => ({
      push(frame) {
        const told = memory.replyIn(frame)
        if (told) hear(told)
        else if (shared && !begun) hear(newsOf(memory.idIn(frame)))
        begun = true
        return reader.push(frame)
      },
      body(json, text) {
        hear({ reply: json, text })
        return reader.body(json, text)
      },
      end: () => reader.end(),
    }),
    async settle() {
      const heard = news
      hear(undefined)
      if (!heard) return
      const origin = plan.destination.upstream.name
      await kept({ exchange, memories, memory, looked, found, origin }, heard).catch(() => {})
    },
  }
  return copyist
}

/** What a reply has told: itself, or first of all its id, by which it may be asked for before it is whole. */
type News = Told | { id: string }

const newsOf = (id: string | undefined): News | undefined => (id === undefined ? undefined : { id })

interface Original {
  exchange: Exchange
  memories: Memories
  memory: Memory
  /** The request. */
  looked: Looked
  /** What it refers to, where that was looked for already. */
  found: Found | undefined
  origin: string
}

async function kept(original: Original, news: News): Promise<void> {
  const { exchange, memories, memory, origin } = original
  const shelf = await shelfOf(exchange, memories)
  if ('id' in news) return claim(shelf, [news.id])
  const { fresh, parents, lost } = await asked(original, shelf)
  const made = memory.memoOf(fresh, news, exchange.newId)
  if (!made) return
  const { id, memo, whole } = made
  const claimed = () => claim(shelf, [id, ...memo.items])
  // Half of a conversation would be a false memory of it, but it is the caller's all the same.
  if (lost || !whole) await claimed()
  else await keep(shelf, { id, origin, memo, parents }).catch(claimed)
}

/** What a request adds to a conversation, and where that is kept. `lost`: not all of it is. */
interface Asked {
  fresh: Fresh
  parents: readonly string[]
  lost: boolean
}

async function asked(
  { exchange, memory, looked, ...known }: Original,
  shelf: Shelf,
): Promise<Asked> {
  const body = parsedLooked(looked)
  const input = memberText(looked, memory.inputMember)
  const ask = memory.asks(body)
  const hasReferences = ask.references.length > 0
  if (ask.previous === undefined && !hasReferences)
    return { fresh: memory.fresh(body, input), parents: [], lost: false }
  const found =
    known.found ?? (await recalled(shelf, memory, ask, exchange.settings.limits.bodyBytes))
  const { parents } = found
  if (found.missing) return { fresh: { items: [] }, parents, lost: true }
  const fresh = hasReferences
    ? memory.resolve(body, opened(memory, ask, found), input).fresh
    : memory.fresh(body, input)
  return { fresh, parents, lost: false }
}
