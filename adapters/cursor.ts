import { isObject, type Json } from '../src/json/json.ts'
import type { Request } from '../src/model/request.ts'
import { withFreeArguments } from '../src/rules/text-tools.ts'
import type { Adapter, ReadRequestContext } from './contract.ts'

/** The body of Cursor: settings, then `input`. A request of chat completions would have `messages` and no `input`. */
const BEGINS =
  /^\s*\{\s*(?:"(?!messages")\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,\s*)*"input"\s*:/

/**
 * Cursor (3.1, forum.cursor.com 159298 and 153019) sends requests of `responses` to the path of chat completions when
 * its base URL has been changed, and understands only replies of chat completions. So it gets a dialect of its own,
 * which no upstream speaks.
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
 * `stream_options` is taken out: it asks for a count as chat completions do, `responses` has another member of this
 * name, and replies are always counted here. Cursor (3.14) takes each call for a call of a function, and the arguments
 * of `ApplyPatch`, a tool with free text, for that text (icebear0828/codex-proxy#708).
 */
function readRequest({ caller }: Adapter, body: Json, context: ReadRequestContext): Request {
  const { stream_options: _, ...own } = isObject(body) ? body : {}
  return withFreeArguments(caller.readRequest(own, context))
}
