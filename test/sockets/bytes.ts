import { listOf, objectsOf, type JsonObject } from '../../src/json/json.ts'
import { framesIn } from '../line-reader.ts'
import { idOf, parsed, replyOf, stageOf } from './proxy.ts'

export const TURNS = 20
const RESULT = 'r'.repeat(4096)
const TOOLS = Array.from({ length: 10 }, (_, at) => ({
  type: 'function',
  name: at === 0 ? 'look' : `tool_${at}`,
  description: 'd'.repeat(800),
  parameters: { type: 'object', properties: {}, additionalProperties: false },
}))
const SYSTEM = { role: 'developer', content: 's'.repeat(12_000) }
const callIn = (reply: JsonObject): unknown =>
  objectsOf(reply['output']).find(({ type }) => type === 'function_call')?.['call_id']

const nextInput = (reply: JsonObject): JsonObject[] => {
  const call_id = String(callIn(reply))
  return [
    { type: 'function_call_output', call_id, output: RESULT },
    { role: 'user', content: 'call look' },
  ]
}

/** Bytes that the caller sends. */
export async function bytesOfTurns(model: string): Promise<{ socket: number; http: number }> {
  const stage = stageOf()
  const members = { model, store: false, tools: TOOLS }
  const sent = { socket: 0, http: 0 }
  const caller = await stage.connect()
  const first = [SYSTEM, { role: 'user', content: 'call look' }]
  let message: object = { ...members, input: first }
  let input: unknown[] = first
  for (let turn = 0; turn < TURNS; turn += 1) {
    sent.socket += JSON.stringify({ type: 'response.create', ...message }).length
    const events = await caller.turn(message)
    const fresh = nextInput(replyOf(events))
    message = { ...members, previous_response_id: idOf(events), input: fresh }
    const body = { ...members, stream: true, input }
    sent.http += JSON.stringify(body).length
    const answer = await stage.post(body)
    const reply = parsed(framesIn(await answer.text()).at(-1)?.data ?? '')
    const response = replyOf([reply])
    input = [...input, ...listOf(response['output']), ...nextInput(response)]
  }
  caller.close()
  return sent
}
