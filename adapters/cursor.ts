import { isObject, type Json } from '../src/json/json.ts'
import type { Event } from '../src/model/events.ts'
import type { Block, Request } from '../src/model/request.ts'
import { raiseInput } from '../src/model/text-tools.ts'
import type { Adapter, ReadRequestContext } from './contract.ts'

/** Nothing but settings stands before the conversation, which would be in `messages` by the rules. */
const BEGINS = /^\s*\{\s*(?:"\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,\s*)*"input"\s*:/

/**
 * Cursor (3.1, forum.cursor.com 159298 and 153019) sends requests of `responses` to the path of chat completions where
 * its base URL is another one, and understands replies of chat completions alone. So it has a dialect of its own, which
 * no upstream speaks.
 */
export const withCursor = (chat: Adapter, responses: Adapter): Adapter => ({
  ...chat,
  mixed: {
    begins: BEGINS,
    adapter: {
      ...chat,
      dialect: 'cursor',
      members: responses.members,
      same: responses.same,
      caller: {
        ...chat.caller,
        verbatim: responses.caller.verbatim,
        promises: responses.caller.promises,
        sources: responses.caller.sources,
        readRequest: (body, context) => readRequest(responses, body, context),
        writer(context) {
          const writer = chat.caller.writer(context)
          return { push: (event) => writer.push(asFunction(event)), body: () => writer.body() }
        },
      },
    },
  },
})

/** Replies are always counted here, and the words by which chat completions ask for that are none of `responses`. */
function readRequest({ caller }: Adapter, body: Json, context: ReadRequestContext): Request {
  const { stream_options: _, ...own } = isObject(body) ? body : {}
  const request = caller.readRequest(own, context)
  const free = new Set(request.tools.flatMap((tool) => (tool.kind === 'text' ? [tool.name] : [])))
  if (free.size === 0) return request
  return {
    ...request,
    turns: request.turns.map((turn) => ({
      ...turn,
      blocks: turn.blocks.map((block) => asFree(block, free)),
    })),
  }
}

/** What `asFunction` has made of it comes back. */
function asFree(block: Block, free: ReadonlySet<string>): Block {
  const isFree =
    (block.kind === 'tool-call' || block.kind === 'tool-result') && free.has(block.name)
  if (!isFree) return block
  return block.kind === 'tool-call'
    ? { ...block, form: 'text', input: raiseInput(block.input) }
    : { ...block, form: 'text' }
}

/**
 * Cursor (3.14) takes each call for one of a function, and the arguments of its tool with free text (`ApplyPatch`) for
 * that text (icebear0828/codex-proxy#708).
 */
const asFunction = (event: Event): Event =>
  event.type === 'block-start' && event.block.kind === 'tool-call'
    ? { ...event, block: { ...event.block, form: 'json' } }
    : event
