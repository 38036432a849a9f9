import { describe, expect, it } from 'vitest'
import { isObject, listOf, objectIn, objectsOf, type JsonObject } from '../../src/json/json.ts'
import { grammarOf } from '../grammar/index.ts'
import { framesIn } from '../line-reader.ts'
import { codeOf, idOf, parsed, replyOf, UPSTREAMS } from './proxy.ts'
import { typesOf, type SocketCaller } from './caller.ts'

/** The cases of the open standard's own suite (openresponses, `compliance-tests`), by their names, with drivers of ours. */

/** How a proxy is reached on one platform. */
export interface Reached {
  connect(): Promise<SocketCaller>
  post(path: string, body: object): Promise<Response>
}

/** The members of the standard's `ResponseResource`: none may be absent. */
const MEMBERS =
  'id object created_at completed_at status incomplete_details model previous_response_id instructions output error tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs temperature reasoning usage max_output_tokens max_tool_calls store background service_tier metadata safety_identifier prompt_cache_key'.split(
    ' ',
  )
const NUMBERS = ['top_p', 'presence_penalty', 'frequency_penalty', 'top_logprobs', 'temperature']

/** The types of events that it knows. */
const EVENTS =
  /^(?:response\.(?:created|queued|in_progress|completed|failed|incomplete|output_item\.(?:added|done)|content_part\.(?:added|done)|output_text\.(?:delta|done)|refusal\.(?:delta|done)|function_call_arguments\.(?:delta|done)|reasoning\.(?:delta|done)|reasoning_summary_(?:part|text)\..+|output_text\.annotation\.added)|error)$/

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: {
    type: 'object',
    properties: { location: { type: 'string' } },
    required: ['location'],
  },
}

const message = (role: string, content: unknown) => ({ type: 'message', role, content })
const user = (content: unknown) => message('user', content)
const said = (role: string, type: string, text: string) => message(role, [{ type, text }])

const HTTP_CASES: Record<string, { body: object; output?: string }> = {
  'basic-response': { body: { input: [user('Say hello in exactly 3 words.')] } },
  'assistant-phase': {
    body: {
      input: [
        user('Look it up.'),
        { ...message('assistant', 'I am looking.'), phase: 'commentary' },
        { ...message('assistant', 'It is 42.'), phase: 'final_answer' },
        user('Again.'),
      ],
    },
  },
  'system-prompt': {
    body: { input: [message('system', 'You are a pirate.'), user('Say hello.')] },
  },
  'tool-calling': {
    body: { input: [user('call get_weather for San Francisco')], tools: [WEATHER] },
    output: 'function_call',
  },
  'image-input': {
    body: {
      input: [
        user([
          { type: 'input_text', text: 'What do you see?' },
          { type: 'input_image', image_url: PIXEL },
        ]),
      ],
    },
  },
  'multi-turn': {
    body: {
      input: [user('My name is Alice.'), message('assistant', 'Hello Alice!'), user('And mine?')],
    },
  },
}

export function standardSuite(platform: string, reach: () => Reached): void {
  describe.each(UPSTREAMS)(`the open standard's suite on ${platform}, over %s`, (model) => {
    const post = async (body: object, path = '/v1/responses') => {
      const answer = await reach().post(path, { model, ...body })
      return {
        status: answer.status,
        type: answer.headers.get('content-type'),
        text: await answer.text(),
      }
    }

    it.each(Object.entries(HTTP_CASES))('%s', async (_, { body, output }) => {
      const { status, text } = await post(body)
      expect(status, text).toBe(200)
      expectCompleted(parsed(text), output)
    })

    it('response-output-phase-schema', async () => {
      const { text } = await post({ input: [user('Say hello.')] })
      const phases = objectsOf(parsed(text)['output']).map(({ phase = null }) => phase)
      for (const phase of phases) expect([null, 'commentary', 'final_answer']).toContain(phase)
    })

    it('streaming-response', async () => {
      const { text } = await post({ input: [user('Count from 1 to 5.')], stream: true })
      const frames = framesIn(text)
      expect(grammarOf('responses').check(frames)).toBeUndefined()
      expectEvents(frames.map(({ data }) => parsed(data)))
    })

    it('compact-response', async () => {
      const input = [user('The word is copper.'), message('assistant', 'Copper it is.')]
      const body = { prompt_cache_key: 'key-1', input }
      const { status, type, text } = await post(body, '/v1/responses/compact')
      expect([status, type], text).toEqual([200, expect.stringMatching(/^application\/json/)])
      const reply = parsed(text)
      expect(reply).toMatchObject({ object: 'response.compaction', created_at: expect.any(Number) })
      expect(isObject(reply['usage'])).toBe(true)
      const found = objectsOf(reply['output']).filter((item) => item['type'] === 'compaction')
      expect(found).toMatchObject([
        { id: expect.any(String), encrypted_content: expect.any(String) },
      ])
    })

    it('compact-missing-model', async () => {
      const { status } = await post(
        { model: undefined, input: [user('x')] },
        '/v1/responses/compact',
      )
      expect([400, 422]).toContain(status)
    })

    it('websocket-response', async () => {
      const caller = await reach().connect()
      caller.send({ type: 'response.create', model, input: [user('Say hello.')] })
      expectEvents(await caller.turn())
      caller.close()
    })

    it('websocket-sequential-responses', async () => {
      const caller = await reach().connect()
      expectEvents(await caller.turn({ model, input: 'One.' }))
      expectEvents(await caller.turn({ model, input: 'Two.' }))
      caller.close()
    })

    it('websocket-continuation', async () => {
      const caller = await reach().connect()
      const one = await caller.turn({ model, input: 'One.' })
      expectEvents(one)
      expectEvents(await caller.turn({ model, previous_response_id: idOf(one), input: 'Two.' }))
      caller.close()
    })

    it('websocket-reconnect-store-false-recovery', async () => {
      const first = await reach().connect()
      const one = await first.turn({ model, input: 'Remember the word copper.' })
      expectEvents(one)
      first.close()
      const second = await reach().connect()
      const lost = await second.turn({ model, previous_response_id: idOf(one), input: 'Which?' })
      expectNotFound(lost)
      expectEvents(await second.turn({ model, input: 'Anew.' }))
      second.close()
    })

    it('websocket-previous-response-not-found', async () => {
      const caller = await reach().connect()
      const previous_response_id = 'resp_openresponses_missing_1795857598000'
      expectNotFound(await caller.turn({ model, previous_response_id, input: 'Fails.' }))
      caller.close()
    })

    it('websocket-failed-continuation-evicts-cache', async () => {
      const caller = await reach().connect()
      const one = await caller.turn({ model, input: 'Remember the word ember.' })
      const next = { model, previous_response_id: idOf(one) }
      const call_id = 'call_openresponses_missing'
      const input = [{ type: 'function_call_output', call_id, output: 'x' }]
      const failed = await caller.turn({ ...next, input })
      expect(codeOf(failed)).toEqual(expect.any(String))
      expectNotFound(await caller.turn({ ...next, input: 'Which?' }))
      caller.close()
    })

    it('websocket-compact-new-chain', async () => {
      const input = [
        said('user', 'input_text', 'The word is copper.'),
        said('assistant', 'output_text', 'Copper it is.'),
        said('user', 'input_text', 'Remember it.'),
      ]
      const { status, text } = await post({ input }, '/v1/responses/compact')
      expect(status, text).toBe(200)
      const caller = await reach().connect()
      const next = [...listOf(parsed(text)['output']), said('user', 'input_text', 'Which word?')]
      expectEvents(await caller.turn({ model, tools: [], input: next }))
      caller.close()
    })
  })
}

function expectCompleted(reply: JsonObject, output?: string): void {
  expect(MEMBERS.filter((name) => !(name in reply))).toEqual([])
  for (const name of NUMBERS) expect(reply[name], name).toEqual(expect.any(Number))
  expect(reply).toMatchObject({
    object: 'response',
    status: 'completed',
    metadata: {},
    service_tier: expect.any(String),
    store: expect.any(Boolean),
    background: false,
  })
  const { reasoning = null } = reply
  if (reasoning !== null) expect(Object.keys(objectIn(reasoning))).toEqual(['effort', 'summary'])
  expect(grammarOf('responses').checkBody(reply)).toBeUndefined()
  const types = objectsOf(reply['output']).map(({ type }) => type)
  expect(types.length).toBeGreaterThan(0)
  if (output !== undefined) expect(types).toContain(output)
}

function expectEvents(events: readonly JsonObject[]): void {
  for (const type of typesOf(events)) expect(type).toMatch(EVENTS)
  expect(typesOf(events).at(-1)).toBe('response.completed')
  expectCompleted(replyOf(events))
}

function expectNotFound(events: readonly JsonObject[]): void {
  expect(codeOf(events)).toBe('previous_response_not_found')
  for (const type of typesOf(events)) expect(type).toMatch(EVENTS)
}
