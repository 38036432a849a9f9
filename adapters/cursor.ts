import { isObject, type Json } from '../src/json/json.ts'
import type { Request } from '../src/model/request.ts'
import { withFreeArguments } from '../src/rules/text-tools.ts'
import type { Adapter, ReadRequestContext } from './contract.ts'

/** Nothing but settings stands before the conversation. By the rules it would be in `messages`. */
const BEGINS =
  /^\s*\{\s*(?:"(?!messages")\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,\s*)*"input"\s*:/

/**
 * Cursor (3.1, forum.cursor.com 159298 and 153019) sends requests of `responses` to the path of chat completions where
 * its base URL is another one, and understands replies of chat completions alone. So it has a dialect of its own, which
 * no upstream speaks.
 */
export const withCursor = (chat: Adapter, responses: Adapter): Adapter => ({
  ...chat,
  alsoSpeaks: {
    begins: BEGINS,
    adapter: {
      ...chat,
      dialect: 'cursor',
      members: responses.members,
      same: responses.same,
      caller: {
        ...chat.caller,
        verbatim: responses.caller.verbatim,
        mustKeep: responses.caller.mustKeep,
        sources: responses.caller.sources,
        readRequest: (body, context) => readRequest(responses, body, context),
      },
    },
  },
})

/**
 * Replies are always counted here, and the words by which chat completions ask for that are none of `responses`. Cursor
 * (3.14) takes each call for one of a function, and the arguments of `ApplyPatch`, a tool with free text, for that text
 * (icebear0828/codex-proxy#708).
 */
function readRequest({ caller }: Adapter, body: Json, context: ReadRequestContext): Request {
  const { stream_options: _, ...own } = isObject(body) ? body : {}
  return withFreeArguments(caller.readRequest(own, context))
}
