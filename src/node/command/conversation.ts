import { DIALECTS, type Dialect } from '../../../adapters/dialect.ts'
import type { JsonObject } from '../../json/json.ts'
import { translator } from '../../named-translator.ts'
import type { NamedOptions } from '../../translator.ts'
import type { KeptExchange } from '../../extras/inspect/kept.ts'

/** A conversation as people read it: all dialects in the shape of one, whose blocks are named by what they are. */
export interface Conversation {
  request?: JsonObject
  /** The reply; of a stream its events. */
  reply?: JsonObject | string
  /** Why there is no more. */
  error?: string
}

/** The dialect that `talk.js` draws. */
const [SHAPE] = DIALECTS

const dialectOf = (name: string | undefined): Dialect | undefined =>
  DIALECTS.find((one) => one === name)

/** What was asked and what was said, from the caller's side of the exchange. */
export async function conversationOf(
  kept: KeptExchange,
  hide: (text: string) => string,
): Promise<Conversation> {
  const from = dialectOf(kept.entry?.dialect)
  const asked = kept.body.shown(hide, kept.headers.get('content-type'))
  if (!from || asked.text === undefined || asked.cut)
    return { error: 'The request was not kept whole, or is still underway.' }
  const model = kept.entry?.model ?? 'model'
  const stream = kept.entry?.stream === true
  try {
    const request = translator({ from, to: SHAPE, model, stream }).request(asked.text).body
    const options = { from: SHAPE, to: from, model, stream }
    return { request, ...(await replyOf(kept, request, options, hide)) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

async function replyOf(
  { answer }: KeptExchange,
  request: JsonObject,
  options: NamedOptions,
  hide: (text: string) => string,
): Promise<Pick<Conversation, 'reply' | 'error'>> {
  const type = answer?.headers['content-type'] ?? null
  const shown = answer?.body.shown(hide, type)
  if (!answer || shown?.text === undefined || shown.cut)
    return { error: 'No reply was kept whole.' }
  if (answer.status >= 400) return { error: shown.text }
  const between = translator(options)
  between.request(request)
  if (!/event-stream/.test(type ?? '')) return { reply: between.reply(shown.text).body }
  const pieces = new Response(shown.text).body?.pipeThrough(between.stream())
  return { reply: await new Response(pieces).text() }
}
