import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/json.ts'
import { listOf, objectsOf } from '../../src/json/json.ts'
import { bytesOfTurns } from './bytes.ts'
import { errorOf, typesOf } from './caller.ts'
import {
  bodyOf,
  codeOf,
  idOf,
  OTHER_KEY,
  replyOf,
  stageOf,
  textOf,
  UPSTREAMS,
  CALLER_KEY,
  openingHeaders,
} from './proxy.ts'
import { never, sleep } from '../exchange/proxy.ts'

/** Where servers of WebSocket mode have gone wrong, by their numbers; those of real sockets are in `traps.node.test.ts`. */

const TOOL = {
  type: 'function',
  name: 'look',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
}

const user = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})

describe.each(UPSTREAMS)('over %s', (model) => {
  it('3: two requests at once in one lane are answered one after the other', async () => {
    const { connect } = stageOf()
    const caller = await connect()
    caller.create({ model, input: 'first' })
    caller.create({ model, input: 'second' })
    const one = await caller.turn()
    const two = await caller.turn()
    expect([textOf(one), textOf(two)]).toEqual(['You said: first', 'You said: second'])
    expect(idOf(one)).not.toBe(idOf(two))
    const ends = caller.events.map(({ type }) => type)
    expect(ends.indexOf('response.completed')).toBeLessThan(ends.lastIndexOf('response.created'))
  })

  it('4: lanes run at once, and each event names its own', async () => {
    const both: (() => void)[] = []
    const { connect } = stageOf({
      async before(request, answer) {
        await new Promise<void>((resolve) => {
          both.push(resolve)
          if (both.length === 2) for (const go of both) go()
        })
        return answer(request)
      },
    })
    const caller = await connect()
    caller.create({ model, input: 'named', stream_id: 'a.b-c_1' })
    caller.create({ model, input: 'unnamed' })
    const [named, unnamed] = await Promise.all([
      caller.turn(undefined, 'a.b-c_1'),
      caller.turn(undefined),
    ])
    expect(textOf(named)).toBe('You said: named')
    expect(textOf(unnamed)).toBe('You said: unnamed')
    expect(named.every(({ stream_id }) => stream_id === 'a.b-c_1')).toBe(true)
    expect(unnamed.some((event) => 'stream_id' in event)).toBe(false)
    expect(named.map(({ sequence_number: number }) => number)).toEqual(named.map((_, at) => at))
  })

  it('7: the input of a warm-up is what the upstream sees first', async () => {
    const { connect, post, sent, lastSent } = stageOf()
    const caller = await connect()
    const system = {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: 'SYSTEM' }],
    }
    const warm = await caller.turn({ model, generate: false, stream: true, input: [system] })
    expect(typesOf(warm)).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ])
    expect(replyOf(warm)).toMatchObject({ output: [], usage: { total_tokens: 0 }, store: false })
    expect(sent).toEqual([])
    const input = [user('go')]
    const turn = await caller.turn({ model, previous_response_id: idOf(warm), input })
    expect(replyOf(turn)['previous_response_id']).toBe(idOf(warm))
    const overSocket = lastSent()
    await (await post({ model, store: false, stream: true, input: [system, ...input] })).text()
    expect(overSocket).toContain('SYSTEM')
    expect(JSON.parse(overSocket)).toEqual(JSON.parse(lastSent()))
    expect(messagesOf(overSocket)).toBe(messagesOf(lastSent()))
  })

  it('8: what is not stored is known on its connection alone', async () => {
    const { connect, post, lastSent } = stageOf()
    const caller = await connect()
    const one = await caller.turn({ model, input: 'the word is copper' })
    const next = { model, previous_response_id: idOf(one), input: 'go on' }
    await caller.turn(next)
    expect(lastSent()).toContain('copper')
    const lost = 'previous_response_not_found'
    expect(codeOf(await (await connect()).turn(next))).toBe(lost)
    const foreign = await connect({ authorization: `Bearer ${OTHER_KEY}` })
    expect(codeOf(await foreign.turn(next))).toBe(lost)
    const answer = await post({ ...next, store: false })
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: lost } }])
  })

  it('8: what is stored is found on another connection and over HTTP, and not by another caller', async () => {
    const { connect, post, lastSent } = stageOf()
    const caller = await connect()
    const one = await caller.turn({ model, store: true, input: 'the word is copper' })
    const next = { model, previous_response_id: idOf(one), input: 'go on' }
    const two = await (await connect()).turn({ ...next, store: true })
    expect(replyOf(two)['previous_response_id']).toBe(idOf(one))
    const kept = (text: string) => text.includes('copper') || text.includes(idOf(one))
    expect(kept(lastSent())).toBe(true)
    const three = await caller.turn({ ...next, store: false })
    expect(replyOf(three)['status']).toBe('completed')
    const behind = await caller.turn({ model, previous_response_id: idOf(three), input: 'more' })
    expect(kept(lastSent()) && lastSent().includes('go on')).toBe(true)
    expect(replyOf(behind)['previous_response_id']).toBe(idOf(three))
    expect((await post(next)).status).toBe(200)
    const foreign = await connect({ authorization: `Bearer ${OTHER_KEY}` })
    expect(codeOf(await foreign.turn({ ...next, store: true }))).toBe('previous_response_not_found')
  })

  it('9: a continuation that fails forgets what it continued, a fork in another lane does not', async () => {
    const { connect } = stageOf()
    const caller = await connect()
    const one = await caller.turn({ model, input: 'one' })
    const wrong = {
      model,
      previous_response_id: idOf(one),
      input: [{ type: 'function_call_output', call_id: 'call_missing', output: 'x' }],
    }
    expect(errorOf(await caller.turn(wrong, 'fork'))['code']).toBe('invalid_value')
    const two = await caller.turn({ model, previous_response_id: idOf(one), input: 'still' })
    expect(replyOf(two)['status']).toBe('completed')
    const again = { ...wrong, previous_response_id: idOf(two) }
    expect(errorOf(await caller.turn(again))['code']).toBe('invalid_value')
    const gone = await caller.turn({ model, previous_response_id: idOf(two), input: 'x' })
    expect(errorOf(gone)).toMatchObject({
      code: 'previous_response_not_found',
      param: 'previous_response_id',
      message: `Previous response with id '${idOf(two)}' not found.`,
    })
    expect(replyOf(await caller.turn({ model, input: 'anew' }))['status']).toBe('completed')
  })

  it.each([true, false])(
    '10: the output of an unknown call reaches no upstream (store %s)',
    async (store) => {
      const { connect, sent } = stageOf()
      const caller = await connect()
      const one = await caller.turn({ model, store, input: 'one' })
      const asked = sent.length
      const wrong = await caller.turn({
        model,
        store,
        previous_response_id: idOf(one),
        input: [{ type: 'function_call_output', call_id: 'call_9', output: 'x' }],
      })
      expect(wrong).toMatchObject([
        {
          type: 'error',
          status: 400,
          error: {
            type: 'invalid_request_error',
            code: 'invalid_value',
            message: 'No tool call found for function call output with call_id call_9.',
            param: 'input',
          },
        },
      ])
      expect(sent.length).toBe(asked)
    },
  )

  it('10, 19: a loop with a tool goes on with the new items alone', async () => {
    const { connect, post, lastSent } = stageOf()
    const caller = await connect()
    const input = [user('call look')]
    const one = await caller.turn({ model, tools: [TOOL], input })
    const done = one
      .filter(({ type }) => type === 'response.output_item.done')
      .map(({ item = null }) => item)
    const { output = [] } = replyOf(one)
    expect(done).toEqual(output)
    const call = objectsOf(output).find(({ type }) => type === 'function_call')
    const result = { type: 'function_call_output', call_id: call?.['call_id'], output: 'seen' }
    const next = { model, tools: [TOOL], store: false }
    const two = await caller.turn({ ...next, previous_response_id: idOf(one), input: [result] })
    expect(textOf(two)).toContain('seen')
    const overSocket = lastSent()
    const whole = [...input, ...listOf(output), result]
    await (await post({ ...next, stream: true, input: whole })).text()
    expect(JSON.parse(overSocket)).toEqual(JSON.parse(lastSent()))
  })

  it('19: twenty turns with a tool take at most a third of the bytes of HTTP', async () => {
    const { socket, http } = await bytesOfTurns(model)
    expect(socket).toBeLessThan(http / 3)
  })

  it('12: a caller that leaves ends what was asked for it', async () => {
    let aborted: AbortSignal | undefined
    const { connect, log } = stageOf({
      before(request) {
        aborted = request.signal
        return never()
      },
    })
    const caller = await connect()
    caller.create({ model, input: 'wait' })
    await until(() => aborted !== undefined)
    caller.close()
    await until(() => aborted?.aborted === true)
    await until(() => log.some(({ status }) => status === 499))
    expect(caller.events).toEqual([])
  })

  it('13: an upstream that breaks fails one reply, and the next goes on', async () => {
    let count = 0
    const { connect } = stageOf({
      async before(request, answer) {
        const reply = await answer(request)
        count += 1
        return count === 1 ? { ...reply, body: brokenBody(reply.body) } : reply
      },
    })
    const caller = await connect()
    const broken = await caller.turn({ model, input: 'one two three four five six' })
    expect(broken.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
    expect(textOf(await caller.turn({ model, input: 'two' }))).toBe('You said: two')
  })

  it('13: an upstream that refuses is told in one event, and the next goes on', async () => {
    let count = 0
    const { connect } = stageOf({
      async before(request, answer) {
        count += 1
        if (count > 1) return answer(request)
        const error = { type: 'x', code: 'x', status: 'x', message: 'Slow down.' }
        return {
          status: 429,
          headers: new Headers({ 'content-type': 'application/json', 'retry-after': '7' }),
          body: new Response(JSON.stringify({ error })).body,
        }
      },
    })
    const caller = await connect()
    const [refused] = await caller.turn({ model, input: 'one' })
    expect(refused).toMatchObject({
      type: 'error',
      status: 429,
      error: { code: expect.any(String), headers: { 'retry-after': '7' } },
    })
    expect(textOf(await caller.turn({ model, input: 'two' }))).toBe('You said: two')
  })
})

const until = async (isThere: () => boolean): Promise<void> => {
  while (!isThere()) await sleep(1)
}

/** The beginning of a reply, and then the connection is lost. */
function brokenBody(body: Awaited<ReturnType<typeof stageOf>>['sent'][0]['body'] | null | object) {
  const source = body as { read(): Promise<Uint8Array | undefined>; cancel(): void }
  let left = 6
  return {
    async read() {
      left -= 1
      if (left < 0) throw new Error('reset')
      return source.read()
    },
    cancel: () => source.cancel(),
  }
}

/** The part of a body that stays the same in the next turn, as text. */
function messagesOf(text: string): string {
  const body: JsonObject = JSON.parse(text)
  return JSON.stringify(body['messages'] ?? body['contents'] ?? body['input'])
}

const opened = async (
  handler: ReturnType<typeof stageOf>['handler'],
  headers: object,
  path = '/v1/responses',
) => {
  const answer = await handler.upgrade(
    new Request(`http://proxy.example${path}`, {
      headers: { ...openingHeaders(), ...headers },
    }),
  )
  return { status: answer.status, accept: answer.accept, body: JSON.parse(String(answer.body)) }
}

const model = 'messages'

describe('a connection', () => {
  it.each([
    ['an empty name', ''],
    ['257 characters', 'a'.repeat(257)],
    ['a space', 'a b'],
    ['no string', 7],
  ])('5: refuses a lane with %s, and lives', async (_, stream_id) => {
    const caller = await stageOf().connect()
    caller.create({ model, input: 'x', stream_id })
    const [refused = {}] = await caller.turn()
    expect(refused).toMatchObject({
      type: 'error',
      status: 400,
      error: { code: 'invalid_stream_id', param: 'stream_id' },
    })
    expect(refused).not.toHaveProperty('stream_id')
    expect(textOf(await caller.turn({ model, input: 'y' }, 'a'.repeat(256)))).toBe('You said: y')
  })

  it('6: takes 32 names, and goes on with those', async () => {
    const caller = await stageOf().connect()
    for (let lane = 0; lane < 32; lane += 1)
      await caller.turn({ model, input: 'x' }, `lane-${lane}`)
    const beyond = await caller.turn({ model, input: 'x' }, 'lane-32')
    expect(beyond).toMatchObject([
      { status: 400, stream_id: 'lane-32', error: { code: 'websocket_stream_limit_reached' } },
    ])
    expect(textOf(await caller.turn({ model, input: 'known' }, 'lane-7'))).toContain('known')
    expect(textOf(await caller.turn({ model, input: 'unnamed' }))).toContain('unnamed')
  })

  it('has 16 requests underway at most, and others wait', async () => {
    const waiting: (() => void)[] = []
    const { connect } = stageOf({
      async before(request, answer) {
        await new Promise<void>((resolve) => waiting.push(resolve))
        return answer(request)
      },
    })
    const caller = await connect()
    for (let lane = 0; lane < 20; lane += 1)
      caller.create({ model, input: 'x', stream_id: `l${lane}` })
    await until(() => waiting.length === 16)
    await sleep(20)
    expect(waiting.length).toBe(16)
    for (const go of waiting.splice(0)) go()
    await until(() => waiting.length === 4)
    for (const go of waiting) go()
    await until(
      () => caller.events.filter(({ type }) => type === 'response.completed').length === 20,
    )
  })

  it('refuses what waits beyond a hundred', async () => {
    const { connect } = stageOf({ before: () => never() })
    const caller = await connect()
    for (let count = 0; count < 102; count += 1) caller.create({ model, input: 'x' })
    const refused = await caller.turn()
    expect(refused).toMatchObject([{ type: 'error', status: 429 }])
    caller.close()
  })

  it('11: takes a trigger for a summary together with what it continues', async () => {
    const { connect, sent } = stageOf()
    const caller = await connect()
    const one = await caller.turn({ model: 'responses', input: 'the word is copper' })
    const input = [user('more'), { type: 'compaction_trigger' }]
    await caller.turn({ model: 'responses', previous_response_id: idOf(one), input })
    const body: JsonObject = JSON.parse(bodyOf(sent.at(-1)))
    const items = objectsOf(body['input'] ?? [])
    expect(items.at(-1)).toEqual({ type: 'compaction_trigger' })
    expect(JSON.stringify(items)).toContain('copper')
    expect(body).not.toHaveProperty('previous_response_id')
  })

  it.each([
    ['no JSON', '{"type":"response.create",', 'invalid_value'],
    ['a list', '[]', 'invalid_value'],
    ['a string', '"response.create"', 'invalid_value'],
    ['no type', '{}', 'unknown_event_type'],
    ['an unknown type', '{"type":"response.cancel"}', 'unknown_event_type'],
    [
      'too deep a nest',
      `{"type":"response.create","input":${'['.repeat(300)}${']'.repeat(300)}}`,
      'invalid_value',
    ],
    ['a reply in the background', '{"type":"response.create","background":true}', 'invalid_value'],
    ['an id that is none', '{"type":"response.create","previous_response_id":7}', 'invalid_value'],
  ])('14: answers %s with an error, and lives', async (_, text, code) => {
    const { connect, log } = stageOf()
    const caller = await connect()
    caller.send(text)
    expect(await caller.turn()).toMatchObject([{ type: 'error', status: 400, error: { code } }])
    expect(log.at(-1)).toMatchObject({ status: 400, caller: 'one' })
    expect(textOf(await caller.turn({ model, input: 'y' }))).toBe('You said: y')
  })

  it('14: answers what can be answered by HTTP alone in the words of HTTP', async () => {
    const { connect } = stageOf()
    const caller = await connect()
    const unrouted = await caller.turn({ model: 'nowhere', input: 'x' })
    expect(unrouted).toMatchObject([
      { type: 'error', status: 404, error: { code: 'model_not_found' } },
    ])
    const warm = await caller.turn({ model: 'nowhere', generate: false, input: 'x' })
    expect(warm).toMatchObject([{ type: 'error', status: 404 }])
  })

  it('says of steering that there is none, with what was sent', async () => {
    const caller = await stageOf().connect()
    caller.send({ type: 'response.steer', previous_response_id: 'resp_1', input: 'left' })
    expect(await caller.turn()).toMatchObject([
      {
        type: 'response.steer.failed',
        sequence_number: 0,
        error: { type: 'invalid_request_error', code: 'steering_not_supported' },
        steer: { previous_response_id: 'resp_1', input: 'left' },
      },
    ])
  })

  it('15: closes at a message above the limit of a body', async () => {
    const { connect, sent } = stageOf({ config: { limits: { bodyBytes: 2000 } } })
    const caller = await connect()
    caller.create({ model, input: 'é'.repeat(1500) })
    expect(await caller.turn()).toMatchObject([{ type: 'error', status: 413 }])
    expect(await caller.closed()).toBe(1009)
    expect(sent).toEqual([])
  })

  it('16: ends after its time, when what is underway has ended', async () => {
    let go: (() => void) | undefined
    const { connect } = stageOf({
      config: { limits: { socketMs: 30 } },
      async before(request, answer) {
        await new Promise<void>((resolve) => (go = resolve))
        return answer(request)
      },
    })
    const caller = await connect()
    caller.create({ model, input: 'long' })
    await until(() => go !== undefined)
    await sleep(60)
    expect(await caller.turn({ model, input: 'late' }, 'late')).toMatchObject([
      { error: { code: 'websocket_connection_limit_reached' }, stream_id: 'late' },
    ])
    expect(caller.code).toBeUndefined()
    go?.()
    expect(textOf(await caller.turn())).toBe('You said: long')
    expect(await caller.turn()).toMatchObject([
      {
        type: 'error',
        status: 400,
        error: {
          code: 'websocket_connection_limit_reached',
          message: expect.stringMatching(/^Responses websocket connection limit reached/),
        },
      },
    ])
    expect(await caller.closed()).toBe(1000)
  })

  it('17: at a stop running replies end, new ones are refused, and it closes with 1012', async () => {
    let go: (() => void) | undefined
    const { connect, handler } = stageOf({
      async before(request, answer) {
        await new Promise<void>((resolve) => (go = resolve))
        return answer(request)
      },
    })
    const idle = await connect()
    const caller = await connect()
    caller.create({ model, input: 'running' })
    caller.create({ model, input: 'waiting' })
    await until(() => go !== undefined)
    handler.sockets.drain()
    expect(await idle.closed()).toBe(1012)
    expect(await caller.turn()).toMatchObject([{ type: 'error', status: 503 }])
    expect(await caller.turn({ model, input: 'new' }, 'x')).toMatchObject([
      { type: 'error', status: 503, stream_id: 'x' },
    ])
    go?.()
    expect(textOf(await caller.turn())).toBe('You said: running')
    expect(await caller.closed()).toBe(1012)
    await expect(connect()).rejects.toThrow('refused with 503')
  })

  it('21: a caller at its rate is told so, and lives', async () => {
    const keys = [{ name: 'one', key: CALLER_KEY, limits: { requestsPerMinute: 2 } }]
    const { connect } = stageOf({ config: { callers: { keys } } })
    const caller = await connect()
    await caller.turn({ model, input: 'x' })
    await caller.turn({ model, input: 'x' })
    expect(await caller.turn({ model, input: 'x' })).toMatchObject([
      {
        type: 'error',
        status: 429,
        error: {
          code: 'rate_limit_exceeded',
          headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
        },
      },
    ])
    expect(caller.code).toBeUndefined()
  })

  it('goes by the keys and the routes of the moment', async () => {
    const keys = [{ name: 'one', key: CALLER_KEY, models: ['messages'] }]
    const { connect } = stageOf({ config: { callers: { keys } } })
    const caller = await connect()
    expect(await caller.turn({ model: 'responses', input: 'x' })).toMatchObject([
      { status: 404, error: { code: 'model_not_found' } },
    ])
    expect(textOf(await caller.turn({ model, input: 'x' }))).toBe('You said: x')
  })

  it('forgets conversations beyond its bound, and never a part of one', async () => {
    const { connect, lastSent } = stageOf({ config: { limits: { socketBytes: 2000 } } })
    const caller = await connect()
    const one = await caller.turn({ model, input: 'a'.repeat(900) }, 'a')
    const two = await caller.turn({ model, input: 'b'.repeat(900) }, 'b')
    const lost = await caller.turn({ model, previous_response_id: idOf(one), input: 'x' }, 'a')
    expect(codeOf(lost)).toBe('previous_response_not_found')
    await caller.turn({ model, previous_response_id: idOf(two), input: 'x' }, 'b')
    expect(lastSent()).toContain('b'.repeat(900))
    const large = await caller.turn({ model, input: 'c'.repeat(2500) }, 'b')
    const none = await caller.turn({ model, previous_response_id: idOf(large), input: 'x' }, 'b')
    expect(codeOf(none)).toBe('previous_response_not_found')
  })

  it('is known in the log by its id, and its key is not in there', async () => {
    const { connect, log } = stageOf()
    const caller = await connect()
    await caller.turn({ model, input: 'x' })
    await until(() => log.length === 2)
    const [opened, turn] = log
    expect(opened).toMatchObject({ method: 'GET', status: 101, connection: opened?.id })
    expect(turn).toMatchObject({
      method: 'POST',
      path: '/v1/responses',
      connection: opened?.id,
      caller: 'one',
      operation: 'create',
      status: 200,
    })
    expect(turn?.id).not.toBe(opened?.id)
    expect(JSON.stringify(log)).not.toContain(CALLER_KEY)
  })

  it('sends nothing of its opening to an upstream', async () => {
    const { connect, sent } = stageOf()
    const caller = await connect({
      'openai-beta': 'responses_websockets=2026-02-06, other=1',
      'x-codex-turn-metadata': '{"workspace":"/home/me"}',
      'x-request-id': 'mine',
    })
    const client_metadata = { window: 'w-1', installation: 'i-1' }
    for (const asked of UPSTREAMS) {
      await caller.turn({ model: asked, client_metadata, input: 'x' })
      const headers = JSON.stringify(sent.at(-1)?.headers)
      expect(headers).not.toMatch(/websocket|upgrade|workspace|"mine"/i)
      if (asked !== 'responses') expect(bodyOf(sent.at(-1))).not.toContain('w-1')
    }
  })

  it('1, 2: is opened for those alone who may ask', async () => {
    const { handler, log } = stageOf({ door: { kind: 'listener', host: '0.0.0.0' } })
    const none = await opened(handler, { authorization: 'Bearer wrong-key-0123456789' })
    expect(none).toMatchObject({
      status: 401,
      accept: undefined,
      body: { error: { code: 'invalid_api_key' } },
    })
    expect(JSON.stringify(log)).not.toContain('wrong-key')
    expect((await opened(handler, { origin: 'https://page.example' })).status).toBe(403)
    expect((await opened(handler, {}, '/v1/elsewhere')).status).toBe(404)
    expect((await opened(handler, {}, '/v1/messages')).status).toBe(426)
    const off = stageOf({ config: { sockets: 'off' } })
    expect((await opened(off.handler, {})).status).toBe(426)
    const full = stageOf({ config: { limits: { sockets: 1 } } })
    const first = await full.connect()
    expect((await opened(full.handler, {})).status).toBe(503)
    first.close()
    await (await full.connect()).turn({ model, input: 'x' })
    const answer = await stageOf().handler.answer(
      new Request('http://proxy.example/v1/responses', { headers: openingHeaders() }),
    )
    expect(answer.status).toBe(426)
  })
})
