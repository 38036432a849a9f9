import type { Json, JsonObject } from '../../../src/json/json.ts'
import type { Frame } from '../../../adapters/contract.ts'
import { isObject } from '../../../src/json/json.ts'
import { list, none, objects, post, type Client } from '../client.ts'

export const client: Client = {
  incoming: () => post('/v1/chat/completions'),
  headers: none,
  request: (model, text) => ({ model, messages: [{ role: 'user', content: text }] }),
  followUp(request, reply) {
    const [choice = {}] = objects(reply['choices'])
    const message = isObject(choice['message']) ? choice['message'] : {}
    const results = objects(message['tool_calls']).map((call) => ({
      role: 'tool',
      tool_call_id: call['id'] ?? '',
      content: 'done',
    }))
    const next = results.length > 0 ? results : [{ role: 'user', content: 'go on' }]
    return { ...request, messages: [...list(request['messages']), message, ...next] }
  },
  gather,
  history: (request) => list(request['messages']),
  restless: [{}, { tool_choice: 'none' }, { reasoning_effort: 'low' }],
  firstThought: 'messages[1].reasoning_details[0]',
  isTerminal: ({ data }) => /"finish_reason":\s*"/.test(data),
}

/** As clients of OpenRouter gather a stream: pieces of an entry of one index are put together. */
function gather(frames: readonly Frame[]): JsonObject {
  const message: JsonObject = { role: 'assistant', content: null }
  const calls: JsonObject[] = []
  const details: JsonObject[] = []
  for (const { data } of frames) {
    if (data === '[DONE]') continue
    const chunk: Json = JSON.parse(data)
    const [choice = {}] = isObject(chunk) ? objects(chunk['choices']) : []
    const delta = isObject(choice['delta']) ? choice['delta'] : {}
    for (const key of ['content', 'reasoning_content', 'refusal'])
      if (typeof delta[key] === 'string') message[key] = textOf(message[key]) + delta[key]
    for (const call of objects(delta['tool_calls'])) addCall(calls, call)
    for (const entry of objects(delta['reasoning_details'])) addEntry(details, entry)
  }
  if (calls.length > 0) message['tool_calls'] = calls
  if (details.length > 0) message['reasoning_details'] = details
  return { choices: [{ message }] }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

function addCall(calls: JsonObject[], piece: JsonObject): void {
  const { index, function: called, custom, ...rest } = piece
  const at = Number(index)
  const before = calls[at] ?? {}
  const merged: JsonObject = { ...before, ...rest }
  for (const [key, value] of Object.entries({ function: called, custom })) {
    if (!isObject(value)) continue
    const known = isObject(before[key]) ? before[key] : {}
    const member = key === 'custom' ? 'input' : 'arguments'
    merged[key] = { ...known, ...value, [member]: textOf(known[member]) + textOf(value[member]) }
  }
  calls[at] = merged
}

function addEntry(details: JsonObject[], entry: JsonObject): void {
  const last = details.at(-1)
  const isMore =
    last?.['type'] === 'reasoning.text' &&
    entry['type'] === 'reasoning.text' &&
    last['index'] === entry['index']
  if (!last || !isMore) details.push({ ...entry })
  else Object.assign(last, entry, { text: textOf(last['text']) + textOf(entry['text']) })
}
