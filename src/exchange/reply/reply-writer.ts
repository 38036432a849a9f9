import type { Adapter, WriteReplyContext, Writer } from '../../../adapters/contract.ts'
import type { Event } from '../../model/events.ts'
import { isFirstHalf } from '../../model/cursor.ts'
import { replyReporter } from '../../rules/foreign.ts'
import { callIds, uniqueIds, type NameRule } from '../../rules/names.ts'
import type { Request } from '../../model/request.ts'

/**
 * The writer of a reply from any dialect; reports content that the caller's dialect cannot express. `hear` gets the
 * events as they are told to the caller.
 */
export function replyWriter(
  { caller, dialect, upstream }: Adapter,
  context: WriteReplyContext,
  hear?: (event: Event) => void,
): Writer {
  const writer = caller.writer(context)
  const report = replyReporter(dialect, context.lose, upstream.compacts)
  const distinct = callNamer(context.request, caller.callIds)
  return {
    push(event) {
      // Most events are such, and nothing else is said of them.
      const isDelta = event.type === 'block-delta'
      const own = isDelta ? event : distinct(event)
      if (!isDelta) report(own)
      hear?.(own)
      if (own.type !== 'block-delta' || own.text.length <= MOST_CHARACTERS) return writer.push(own)
      return pieces(own.text).flatMap((text) => writer.push({ ...own, text }))
    },
    body: () => writer.body(),
  }
}

/**
 * Services say everything in small pieces, but for the calls of generate-content and what comes in a body. A line of
 * 64 KiB is too long for Go's bufio.Scanner, with which clients read streams (langchaingo 0.1.14).
 */
const MOST_CHARACTERS = 16_384

function pieces(text: string): string[] {
  const list: string[] = []
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + MOST_CHARACTERS
    if (isFirstHalf(text.charCodeAt(end - 1))) end -= 1
    list.push(text.slice(at, end))
  }
  return list
}

const ANY_ID: NameRule = { forbidden: /(?!)/, maxLength: Number.MAX_SAFE_INTEGER }

/**
 * Says a call as its caller knows calls, with an id that the conversation does not have yet. Servers may number the
 * calls of each reply anew (`call_0`), and to Gemini CLI (0.61, `adaptToolCalls`) a call by the id of one that it has
 * answered is answered. The ids of the conversation are collected only when a call comes.
 */
function callNamer(request: Request, rule = ANY_ID): (event: Event) => Event {
  let unique: ((id: string) => string) | undefined
  const others = new Map<number, (event: Event) => Event>()
  return (event) => {
    if (event.type === 'candidate') {
      const distinct = others.get(event.index) ?? callNamer(request, rule)
      others.set(event.index, distinct)
      return { ...event, event: distinct(event.event) }
    }
    if (event.type !== 'block-start' || event.block.kind !== 'tool-call' || event.block.id === '')
      return event
    unique ??= uniqueIds(rule, callIds(request))
    const id = unique(event.block.id)
    const form = request.client?.freeArguments ? 'json' : event.block.form
    return { ...event, block: { ...event.block, id, form } }
  }
}
