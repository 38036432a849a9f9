import { isObject, listOf, objectsOf, type Json, type JsonObject } from '../../src/json/json.ts'

const MARK = { type: 'ephemeral' }

/** The list with a mark on its end. */
function end(value: Json | undefined): Json {
  const told: Json = typeof value === 'string' ? [{ type: 'text', text: value }] : (value ?? [])
  const list = listOf(told)
  const last = list.at(-1)
  return isObject(last) ? [...list.slice(0, -1), { ...last, cache_control: MARK }] : list
}

/** As Claude Code marks its requests: the tools, the instructions, the last two turns. */
export function marked(body: JsonObject): JsonObject {
  const messages = objectsOf(body['messages'])
  const users = messages.flatMap(({ role }, at) => (role === 'user' ? [at] : [])).slice(-2)
  return {
    ...body,
    tools: end(body['tools']),
    system: end(body['system']),
    messages: messages.map((message, at) =>
      users.includes(at) ? { ...message, content: end(message['content']) } : message,
    ),
  }
}
