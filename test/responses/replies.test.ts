import { describe, expect, it } from 'vitest'
import {
  foreign,
  framesOf,
  hear,
  hearBody,
  hearEvents,
  hearFrames,
  list,
  text,
  user,
  write,
} from './exchange.ts'

const REPLIES = import.meta.glob('../../fixtures/responses/reply/*', {
  query: '?raw',
  eager: true,
  import: 'default',
})
const reply = (name: string): string => REPLIES[`../../fixtures/responses/reply/${name}`] ?? ''

const message = (content: string, others: object = {}) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: content, annotations: [] }],
  ...others,
})
const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', status: 'completed' }
const done = (output: object[], others: object = {}) => ({
  type: 'response.completed',
  response: {
    id: 'resp_1',
    object: 'response',
    model: 'm',
    status: 'completed',
    output,
    ...others,
  },
})
const delta = (type: string, rest: object) => ({ type: `response.${type}.delta`, ...rest })
const added = (output_index: number, item: object) => ({
  type: 'response.output_item.added',
  output_index,
  item: { ...item },
})
const part = (what: string, text: string) => ({
  type: `response.content_part.${what}`,
  output_index: 0,
  content_index: 0,
  part: { type: 'output_text', text, annotations: [] },
})
const itemDone = (output_index: number, item: object) => ({
  type: 'response.output_item.done',
  output_index,
  item: { ...item },
})

const drawn = (result: string): string[] => {
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result }
  return hearEvents(done([item])).reply.blocks.map(({ kind }) => kind)
}

describe('a picture in a reply', () => {
  it('is one only as far as it can be decoded', () => {
    expect(drawn('AAAA')).toEqual(['media'])
    // Cut, left out in the middle, in words.
    for (const result of ['AAA', 'AAAA...A', 'see the attachment.'])
      expect(drawn(result)).toEqual(['opaque'])
  })
})

describe('a reply', () => {
  it.each(['text', 'agent', 'cut', 'refusal', 'hosted'])(
    'says the same as JSON and as a stream: %s',
    (name) => {
      const whole = hearBody(JSON.parse(reply(`${name}.json`)))
      const streamed = hear(reply(`${name}.sse`))
      expect(streamed.reply).toEqual(whole.reply)
      expect(streamed.problem).toBeUndefined()
    },
  )

  it('has its parts in order, with proofs, citations and counts', () => {
    const { reply: heard } = hear(reply('agent.sse'))
    expect(heard).toMatchObject({
      id: 'resp_1',
      model: 'model-1-2026',
      finish: 'tool-call',
      usage: { input: 100, cacheRead: 75, output: 20, reasoning: 8 },
      blocks: [
        {
          kind: 'reasoning',
          text: 'First.\n\nSecond.',
          proof: { dialect: 'responses', value: 'gAAAAABproof' },
        },
        {
          kind: 'text',
          text: 'Hello, world',
          citations: [{ url: 'https://example.com/a', title: 'A', start: 0, end: 5 }],
          ext: { responses: { phase: 'final_answer' } },
        },
        {
          kind: 'tool-call',
          id: 'call_1',
          form: 'json',
          input: '{"city":"Paris","id":2512292042121000001}',
        },
        { kind: 'tool-call', id: 'call_2', form: 'text', input: '*** Begin Patch' },
      ],
    })
  })

  it('that was cut off in a call ends for its length', () => {
    expect(hear(reply('cut.sse')).reply.finish).toBe('length')
  })

  it('that refuses ends as a refusal', () => {
    expect(hear(reply('refusal.sse')).reply).toMatchObject({
      finish: 'refusal',
      blocks: [{ kind: 'refusal', text: 'I cannot help with that.' }],
    })
  })

  it('ends as a problem after any cut, and in normal form', () => {
    const frames = framesOf(reply('agent.sse'))
    for (let length = 0; length < frames.length; length += 1) {
      const { problem } = hearFrames(frames.slice(0, length))
      expect(problem?.kind).toBe('bad-upstream')
    }
  })
})

const failed = (code: string) => ({
  type: 'response.failed',
  response: { error: { code, message: 'Stopped.' }, usage: { input_tokens: 7 } },
})
const said = delta('output_text', { output_index: 0, content_index: 0, delta: 'Hel' })

/** A caller of this dialect is told of the failure as it came. */
const heardElsewhere = (...events: { type: string }[]) =>
  hearFrames(
    events.map((event) => ({ event: event.type, data: JSON.stringify(event) })),
    foreign([user(text('x'))]),
  )

describe('a reply that its service stops by a policy', () => {
  it.each([
    ['cyber_policy', { explanation: 'Stopped.', category: 'cyber' }],
    ['bio_policy', { explanation: 'Stopped.', category: 'bio' }],
    ['misalignment_policy_violation', { explanation: 'Stopped.' }],
  ])('is refused where there is some of it: %s', (code, refused) => {
    const { reply, problem } = heardElsewhere(said, failed(code))
    expect(problem).toBeUndefined()
    expect(reply).toMatchObject({ finish: 'refusal', refused, usage: { input: 7 } })
    expect(reply.blocks).toMatchObject([{ kind: 'text', text: 'Hel' }])
  })

  it('fails where there is none, and after any other error', () => {
    expect(heardElsewhere(failed('cyber_policy')).problem).toMatchObject({
      message: 'Stopped.',
    })
    expect(heardElsewhere(said, failed('server_error')).problem?.kind).toBe('internal')
    const own = framesOf(
      `data: ${JSON.stringify(said)}\n\ndata: ${JSON.stringify(failed('bio_policy'))}\n\n`,
    )
    expect(hearFrames(own).problem).toMatchObject({ code: 'bio_policy' })
  })
})

describe('the text of a reply', () => {
  const expected = 'Hello'
  it.each([
    [
      'in deltas alone',
      [
        delta('output_text', { output_index: 0, content_index: 0, delta: 'Hel' }),
        delta('output_text', { output_index: 0, content_index: 0, delta: 'lo' }),
        done([]),
      ],
    ],
    [
      'in the done of its text',
      [
        { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hello' },
        done([]),
      ],
    ],
    ['in the done of its item', [itemDone(0, message('Hello')), done([])]],
    ['at the end alone', [done([message('Hello')])]],
    [
      'everywhere',
      [
        added(0, message('Hello')),
        delta('output_text', { output_index: 0, content_index: 0, delta: 'Hel' }),
        { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hello' },
        itemDone(0, message('Hello')),
        done([message('Hello')]),
      ],
    ],
    [
      'under changing ids',
      [
        added(0, message('', { id: 'a' })),
        delta('output_text', { item_id: 'b', output_index: 0, content_index: 0, delta: 'Hello' }),
        itemDone(0, message('Hello', { id: 'c' })),
        done([message('Hello')]),
      ],
    ],
    [
      'begun by its part',
      [
        added(0, message('')),
        part('added', 'Hel'),
        delta('output_text', { output_index: 0, content_index: 0, delta: 'lo' }),
        itemDone(0, message('Hello')),
        done([message('Hello')]),
      ],
    ],
    [
      'whole in its part and again in deltas',
      [
        added(0, message('')),
        part('added', 'Hello'),
        delta('output_text', { output_index: 0, content_index: 0, delta: 'Hel' }),
        delta('output_text', { output_index: 0, content_index: 0, delta: 'lo' }),
        done([message('Hello')]),
      ],
    ],
    ['in its part alone', [added(0, message('')), part('added', 'Hello'), done([])]],
    ['in the done of its part', [added(0, message('')), part('done', 'Hello'), done([])]],
    [
      'without an index',
      [
        added(0, message('')),
        delta('output_text', { item_id: 'msg_1', delta: 'Hello' }),
        done([message('Hello')]),
      ],
    ],
  ])('is heard once: %s', (_, events) => {
    const { reply: heard } = hearEvents(...events)
    expect(heard.blocks).toMatchObject([{ kind: 'text', text: expected }])
    expect(heard.finish).toBe('stop')
  })
})

const piece = (text: string) => delta('function_call_arguments', { output_index: 0, delta: text })

const argumentsDone = {
  type: 'response.function_call_arguments.done',
  output_index: 0,
  arguments: '{"a":1}',
}

describe('the arguments of a call', () => {
  const whole = { ...call, arguments: '{"a":1}' }
  const empty = { ...call, arguments: '' }
  it.each([
    [
      'in deltas',
      [added(0, empty), piece('{"a"'), piece(':1}'), itemDone(0, whole), done([whole])],
    ],
    ['in their own done', [added(0, empty), argumentsDone, done([])]],
    ['in their own done, before the name', [argumentsDone, itemDone(0, empty), done([])]],
    ['as an object', [added(0, empty), itemDone(0, { ...call, arguments: { a: 1 } }), done([])]],
    ['as an object in the last event', [done([{ ...call, arguments: { a: 1 } }])]],
    ['in the done of the item', [added(0, empty), itemDone(0, whole), done([])]],
    ['in the added item', [added(0, whole), itemDone(0, empty), done([])]],
    [
      'in the added item and in deltas',
      [added(0, whole), piece('{"a":1}'), itemDone(0, whole), done([whole])],
    ],
    ['before the name', [piece('{"a":'), piece('1}'), itemDone(0, whole), done([whole])]],
    ['at the end', [done([whole])]],
  ])('are heard once: %s', (_, events) => {
    const { reply: heard } = hearEvents(...events)
    expect(heard.blocks).toMatchObject([
      { kind: 'tool-call', id: 'c', name: 'f', input: '{"a":1}' },
    ])
    expect(heard.finish).toBe('tool-call')
  })

  it('are the empty object when there are none', () => {
    const { reply: heard } = hearEvents(added(0, empty), itemDone(0, empty), done([empty]))
    expect(heard.blocks).toMatchObject([{ input: '{}' }])
  })

  it('and the code of a hosted tool are heard in their own done', () => {
    const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'exec' }
    const code = { type: 'code_interpreter_call', id: 'ci_1', code: '', container_id: 'k' }
    const { reply: heard } = hearEvents(
      added(0, { ...custom, input: '' }),
      { type: 'response.custom_tool_call_input.done', output_index: 0, input: 'ls' },
      added(1, code),
      { type: 'response.code_interpreter_call_code.done', output_index: 1, code: '1 + 1' },
      done([]),
    )
    expect(heard.blocks).toMatchObject([
      { kind: 'tool-call', form: 'text', input: 'ls' },
      { kind: 'code', code: '1 + 1' },
    ])
  })

  it('stay apart when calls come interleaved', () => {
    const other = { ...call, id: 'fc_2', call_id: 'd' }
    const { reply: heard } = hearEvents(
      added(0, empty),
      added(1, { ...other, arguments: '' }),
      piece('{"a"'),
      delta('function_call_arguments', { output_index: 1, delta: '{"b"' }),
      piece(':1}'),
      delta('function_call_arguments', { output_index: 1, delta: ':2}' }),
      done([whole, { ...other, arguments: '{"b":2}' }]),
    )
    expect(heard.blocks).toMatchObject([
      { id: 'c', input: '{"a":1}' },
      { id: 'd', input: '{"b":2}' },
    ])
  })

  it('belong to the tool as its caller knows it', () => {
    const name = `tool.${'x'.repeat(70)}`
    const inside = { kind: 'function' as const, name: 'f', namespace: 'ns' }
    const request = foreign([user(text('hi'))], { tools: [{ kind: 'function', name }, inside] })
    const [tool] = list(write(request).body['tools'])
    const wire = String(tool?.['name'])
    expect(wire).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    const answer = (fields: object) =>
      hearBody(JSON.parse(JSON.stringify({ output: [{ ...whole, ...fields }] })), request).reply
    expect(answer({ name: wire }).blocks).toMatchObject([{ name }])
    expect(answer({ name: 'f', namespace: 'ns' }).blocks).toMatchObject([
      { name: 'f', namespace: 'ns' },
    ])
    expect(answer({ name: wire, namespace: wire }).blocks[0]).not.toHaveProperty('namespace')
    expect(answer({ name: wire, namespace: wire }).blocks).toMatchObject([{ name }])
  })
})

const summed = (summary_index: number, text: string) => ({
  type: 'response.reasoning_summary_text.done',
  output_index: 0,
  summary_index,
  text,
})

describe('thoughts', () => {
  it('are heard where they are said in the done of their parts alone', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [] }
    const { reply: heard } = hearEvents(
      added(0, item),
      delta('reasoning_summary_text', { output_index: 0, summary_index: 0, delta: 'One.' }),
      summed(0, 'One.'),
      summed(1, 'Two.'),
      itemDone(0, item),
      done([]),
    )
    expect(heard.blocks).toMatchObject([{ kind: 'reasoning', text: 'One.\n\nTwo.' }])
  })

  it('that come raw are heard like a summary', () => {
    const content = [{ type: 'reasoning_text', text: 'Hm.' }]
    const item = { type: 'reasoning', id: 'rs_1', summary: [], content }
    const raw = delta('reasoning_text', { output_index: 0, content_index: 0, delta: 'Hm.' })
    const { reply: heard } = hearEvents(raw, itemDone(0, item), done([item]))
    expect(heard.blocks).toEqual([{ kind: 'reasoning', text: 'Hm.' }])
  })

  it('without words are kept for their proof', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'p' }
    expect(hearEvents(done([item])).reply.blocks).toEqual([
      { kind: 'reasoning', text: '', proof: { dialect: 'responses', value: 'p' } },
    ])
  })
})

describe('what went wrong', () => {
  it.each([
    [
      'an error event with an object',
      [{ type: 'error', error: { code: 'server_error', message: 'Oops' } }],
      'internal',
    ],
    [
      'a flat error event',
      [{ type: 'error', code: 'rate_limit_exceeded', message: 'Slow' }],
      'rate-limit',
    ],
    [
      'a failed response',
      [
        {
          type: 'response.failed',
          response: { error: { code: 'context_length_exceeded', message: 'Too long' } },
        },
      ],
      'context-overflow',
    ],
    ['a failed response without words', [{ type: 'response.failed', response: {} }], 'internal'],
    ['a cancelled response', [{ type: 'response.cancelled', response: {} }], 'cancelled'],
  ])('is a problem: %s', (_, events, kind) => {
    expect(hearEvents(...events).problem?.kind).toBe(kind)
  })

  it('is a problem where an error stands bare in a stream', () => {
    const bare = [{ data: '{"error":{"message":"Oops","code":"server_is_overloaded"}}' }]
    expect(hearFrames(bare).problem?.kind).toBe('overloaded')
    expect(hearFrames([{ data: '[{"error":{"message":"Oops"}}]' }]).problem?.message).toBe('Oops')
    expect(hearFrames([{ data: '{' }]).problem?.kind).toBe('bad-upstream')
  })

  it('keeps what was said before, and when to come back', () => {
    const { reply: heard, problem } = hear(reply('failed.sse'))
    expect(heard.blocks).toMatchObject([{ kind: 'text', text: 'Hello, ' }])
    expect(problem).toMatchObject({ kind: 'rate-limit', retryAfterMs: 1500 })
  })

  it.each([
    ['an error in a good answer', { error: { message: 'Oops' } }, 'internal'],
    ['no response at all', { object: 'list' }, 'bad-upstream'],
    ['nothing', null, 'bad-upstream'],
    ['a response that goes on', { status: 'in_progress', output: [] }, 'bad-upstream'],
    [
      'a failed one',
      { status: 'failed', output: [], error: { code: 'server_error', message: 'x' } },
      'internal',
    ],
  ])('is a problem in JSON: %s', (_, body, kind) => {
    expect(hearBody(body).problem?.kind).toBe(kind)
  })
})

describe('what nobody knows', () => {
  it('is passed over as an event and kept as an item', () => {
    const item = { type: 'future_call', id: 'fu_1', deep: { a: [1] } }
    const { reply: heard } = hearEvents(
      { type: 'response.future.thing', output_index: 0, error: { message: 'not one' } },
      { type: 'keepalive' },
      itemDone(0, item),
      done([item]),
    )
    expect(heard.blocks).toEqual([{ kind: 'opaque', dialect: 'responses', value: item }])
    expect(heard.finish).toBe('stop')
  })

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'safety'],
    ['steered', 'stop'],
    [undefined, 'length'],
  ])('is no success as a reason: %s', (reason, finish) => {
    const response = { status: 'incomplete', output: [], incomplete_details: { reason } }
    expect(hearBody(JSON.parse(JSON.stringify(response))).reply.finish).toBe(finish)
  })
})
