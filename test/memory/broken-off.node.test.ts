import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/json.ts'
import { parseObject } from '../../src/json/json.ts'
import { framesIn } from '../line-reader.ts'
import { ALONE, proxyOf } from './proxy.ts'

/** A stream whose reply goes on without it is not told as failed when it breaks: its client comes back for the rest. */

const REPLY = { id: 'resp_kept', object: 'response', created_at: 1, model: 'x', output: [] }
const ITEM = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] }
const AT = { item_id: 'msg_1', output_index: 0, content_index: 0 }

const opening = (background: boolean): JsonObject => ({
  type: 'response.created',
  sequence_number: 0,
  response: { ...REPLY, background, status: 'in_progress' },
})
const said: JsonObject[] = [
  { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item: ITEM },
  { type: 'response.output_text.delta', sequence_number: 2, ...AT, delta: 'Hel' },
]

async function lastOf(told: readonly JsonObject[], path?: string): Promise<JsonObject> {
  const events = told.map((event) => {
    const data = JSON.stringify(event)
    return `event: ${String(event['type'])}\ndata: ${data}\n\n`
  })
  const proxy = proxyOf(() => ({ events, cut: true }), { change: ALONE })
  const json = { model: 'responses-x', input: 'hi', stream: true }
  const answer = await (path === undefined ? proxy.ask('/v1/responses', { json }) : proxy.ask(path))
  const frame = framesIn(await answer.text()).at(-1)
  const event = parseObject(frame?.data ?? '') ?? {}
  expect(frame?.event).toBe(event['type'])
  return event
}

/** Its number is that of the last event that came, since the next one is asked for behind it. */
const BROKEN = {
  type: 'error',
  code: 'server_error',
  message: 'The connection to the upstream broke.',
  param: null,
  sequence_number: 2,
}

describe('a stream that breaks', () => {
  it('is told as just that where its reply is in the background', async () => {
    expect(await lastOf([opening(true), ...said])).toEqual(BROKEN)
  })
  it('is told as just that where it is asked for again', async () => {
    const path = '/v1/responses/resp_kept?stream=true&starting_after=0'
    expect(await lastOf(said, path)).toEqual(BROKEN)
    expect(await lastOf([opening(false), ...said], path)).toEqual(BROKEN)
  })
  it('takes any other reply with it', async () => {
    expect(await lastOf([opening(false), ...said])).toMatchObject({
      type: 'response.failed',
      sequence_number: 3,
      response: { id: 'resp_kept', status: 'failed' },
    })
  })
})
