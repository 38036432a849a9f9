import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import { unfold } from '../../src/model/events.ts'
import { parse } from '../../src/json/json.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { readBodyText, readFrames, writeReply } from '../laws/exchange.ts'
import { bothWays, chunk, completion, read, readWhole, USAGE } from './reading.ts'

/** The numbers are those of the traps that servers of this dialect set. */

const called = (id: string, name: string, input: unknown, index = 0) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: input },
})
const calls = (...list: object[]) => ({ content: null, tool_calls: list })
const usage = (counts: object) =>
  readWhole(completion({ content: 'a' }, 'stop', { usage: counts })).usage

/** What a caller of another dialect is told of a completion. */
function told(dialect: Dialect, body: object): string {
  const request = emptyRequest('m')
  const { events } = readBodyText(adapterOf('chat-completions'), request, JSON.stringify(body))
  return writeReply(adapterOf(dialect), request, events).body ?? ''
}

describe('the sources of a reply without a text', () => {
  const sources = { citations: ['https://a.example/x'] }
  const body = completion({ content: '' }, 'stop', sources)
  const citations = [{ url: 'https://a.example/x' }]

  it('stand at an empty one, in a body as in a stream', () => {
    const blocks = [{ kind: 'text', text: '', citations }]
    expect(readWhole(body).blocks).toMatchObject(blocks)
    expect(read(chunk({ content: '' }, 'stop', sources), '[DONE]').blocks).toMatchObject(blocks)
  })

  it('are told to callers, or that they are not', () => {
    expect(told('messages', body)).toContain('https://a.example/x')
    expect(told('responses', body)).toContain('https://a.example/x')
    const request = emptyRequest('m')
    const { events } = readBodyText(adapterOf('chat-completions'), request, JSON.stringify(body))
    const { losses } = writeReply(adapterOf('generate-content'), request, events)
    expect(losses.map(({ path }) => path)).toContain('reply.citations')
  })
})

describe('what a reply counts', () => {
  it('3: comes behind its end', () => {
    const reply = read(
      chunk({ content: 'a' }),
      chunk({}, 'stop'),
      { choices: [], usage: USAGE },
      '[DONE]',
    )
    expect(reply).toMatchObject({ finish: 'stop', usage: { input: 5, output: 2 } })
  })
  it('5: is what the later one of two chunks says', () => {
    const more = { ...USAGE, completion_tokens: 4, total_tokens: 9 }
    const reply = read(
      chunk({ content: 'a' }, 'stop', { usage: USAGE }),
      { choices: [], usage: more },
      '[DONE]',
    )
    expect(reply.usage).toMatchObject({ output: 4 })
  })
  it('9: has no more of a cache than there was, for any caller', () => {
    const counts = { ...USAGE, prompt_tokens_details: { cached_tokens: 9 } }
    expect(usage(counts)).toMatchObject({ input: 5, cacheRead: 5 })
    const body = completion({ content: 'a' }, 'stop', { usage: counts })
    expect(told('messages', body)).toContain('"input_tokens":0')
  })
  it('10: has no more thoughts than there were words, for any caller', () => {
    const counts = { ...USAGE, completion_tokens_details: { reasoning_tokens: 8 } }
    expect(usage(counts)).toMatchObject({ output: 2, reasoning: 2 })
    const body = completion({ content: 'a' }, 'stop', { usage: counts })
    expect(told('generate-content', body)).toContain('"candidatesTokenCount":0')
  })
  it('may stand at the top of it, or in a choice', () => {
    expect(usage({ ...USAGE, cached_tokens: 3 })).toMatchObject({ cacheRead: 3 })
    expect(usage({ ...USAGE, prompt_cache_hit_tokens: 3 })).toMatchObject({ cacheRead: 3 })
    const [choice] = completion({ content: 'a' }).choices
    expect(readWhole({ choices: [{ ...choice, usage: USAGE }] }).usage).toMatchObject({ input: 5 })
  })
  it('says nothing where all of it is text', () => {
    const counts = { ...USAGE, prompt_tokens_details: { text_tokens: 5 } }
    expect(usage(counts)).not.toHaveProperty('ext')
  })
})

describe('a call', () => {
  it('30: is awaited also where the reply says that it has stopped', () => {
    for (const reply of bothWays(calls(called('a', 'f', '{}'))))
      expect(reply.finish).toBe('tool-call')
  })
  it('35: is none where there is null or an empty list', () => {
    for (const tool_calls of [null, []])
      for (const reply of bothWays({ content: 'a', tool_calls }))
        expect(reply).toMatchObject({ finish: 'stop', blocks: [{ kind: 'text' }] })
  })
  it('36: without arguments is one with the empty object', () => {
    for (const input of ['', ' ', null, undefined])
      for (const reply of bothWays(calls(called('a', 'f', input)), 'tool_calls'))
        expect(reply.blocks).toMatchObject([{ kind: 'tool-call', name: 'f' }])
    const request = emptyRequest('m', true)
    const chat = adapterOf('chat-completions')
    const { events } = readFrames(chat, request, [
      { data: JSON.stringify(chunk(calls(called('a', 'f', '')), 'tool_calls')) },
    ])
    const written = writeReply(chat, request, events).frames.map(({ data }) => data)
    expect(written.join('\n')).toContain('"function":{"arguments":"{}"}')
    for (const dialect of ['messages', 'generate-content', 'responses'] as const)
      expect(told(dialect, completion(calls(called('a', 'f', '')), 'tool_calls'))).toMatch(
        /"(?:input|args)":\{\}|"arguments":"\{\}"/,
      )
  })
  it('may bring its arguments as an object', () => {
    for (const reply of bothWays(calls(called('a', 'f', { x: 1 })), 'tool_calls'))
      expect(reply.blocks).toMatchObject([{ input: '{"x":1}' }])
  })
  it('37: that was cut off is no call that somebody may carry out', () => {
    for (const reply of bothWays(calls(called('a', 'f', '{"x":')), 'length'))
      expect(reply.finish).toBe('length')
  })
  it('42: and the text behind it stand in the order in which they came', () => {
    const reply = read(
      chunk({ reasoning_content: 'hm' }),
      chunk(calls(called('a', 'f', '{}'))),
      chunk({ content: 'and' }),
      chunk(calls(called('b', 'g', '{}', 1))),
      chunk({ content: 'so' }, 'tool_calls'),
    )
    expect(reply.blocks.map(({ kind }) => kind)).toEqual([
      'reasoning',
      'tool-call',
      'text',
      'tool-call',
      'text',
    ])
  })
  it('43: has no text beside it where the content is null, empty or absent', () => {
    for (const content of [null, '', undefined])
      for (const reply of bothWays({ ...calls(called('a', 'f', '{}')), content }, 'tool_calls'))
        expect(reply.blocks).toMatchObject([{ kind: 'tool-call' }])
  })
  it('60: keeps its numbers and the order of its members, for any caller', () => {
    const input = '{"z":12345678901234567890,"a":1.0,"1":2}'
    for (const reply of bothWays(calls(called('a', 'f', input)), 'tool_calls'))
      expect(reply.blocks).toMatchObject([{ input }])
    for (const dialect of ['messages', 'generate-content', 'responses'] as const)
      expect(
        told(dialect, completion(calls(called('a', 'f', input)))).replaceAll('\\', ''),
      ).toContain(input)
  })
  it('of a tool with free text is one where the request declares no such tool, too', () => {
    const call = { index: 0, id: 'a', type: 'custom', custom: { name: 'patch', input: 'raw' } }
    for (const reply of bothWays(calls(call), 'tool_calls'))
      expect(reply.blocks).toMatchObject([{ name: 'patch', form: 'text', input: 'raw' }])
  })
  it('of two with one index begins with its own id, and may be told its id late', () => {
    const two = read(
      chunk(calls(called('a', 'f', '{}'))),
      chunk(calls(called('b', 'g', '{}'))),
      chunk({}, 'tool_calls'),
    )
    expect(two.blocks).toMatchObject([{ id: 'a' }, { id: 'b' }])
    const late = read(
      chunk(calls({ index: 0, function: { name: 'f', arguments: '{' } })),
      chunk(calls({ index: 0, id: 'a', function: { name: 'f', arguments: '}' } })),
      chunk({}, 'tool_calls'),
    )
    expect(late.blocks).toMatchObject([{ id: 'a', name: 'f', input: '{}' }])
  })
})

describe('a refusal', () => {
  it('44: is one whatever the reason says', () => {
    for (const finish of ['stop', 'content_filter'])
      for (const reply of bothWays({ content: null, refusal: 'No.' }, finish))
        expect(reply).toMatchObject({
          finish: 'refusal',
          blocks: [{ kind: 'refusal', text: 'No.' }],
        })
  })
  it('is none where it is empty, as functions and sounds are', () => {
    const empty = { refusal: '', function_call: {}, audio: { id: '', data: '' } }
    for (const reply of bothWays({ content: 'a', ...empty }))
      expect(reply).toMatchObject({ finish: 'stop', blocks: [{ kind: 'text', text: 'a' }] })
  })
})

describe('the end of a reply', () => {
  it.each([
    ['eos', 'stop'],
    [null, 'stop'],
    ['model_length', 'context-window'],
    ['function_call', 'stop'],
    ['whatever', 'other'],
  ])('is understood in the word %s', (word, finish) => {
    expect(readWhole(completion({ content: 'a' }, word)).finish).toBe(finish)
  })
  it('is a call that was none where the provider says so', () => {
    const [choice] = completion({ content: '' }, 'error').choices
    const choices = [{ ...choice, native_finish_reason: 'MALFORMED_FUNCTION_CALL' }]
    expect(readWhole({ id: 'x', choices }).finish).toBe('malformed-call')
  })
  it('13: is an error in an event of that name', () => {
    const reply = read(chunk({ content: 'a' }), {
      error: { message: 'Failed.', code: 'tool_use_failed', failed_generation: '<f>' },
    })
    expect(reply.problem).toMatchObject({ message: 'Failed.', code: 'tool_use_failed' })
  })
  it('names what it has read once, however often it is listed', () => {
    const url = 'https://a.example/'
    const annotations = [
      { type: 'url_citation', url_citation: { url, title: 'A', start_index: 0, end_index: 0 } },
    ]
    const more = { citations: [url, 'https://b.example/'] }
    for (const reply of bothWays({ content: 'a', annotations }, 'stop', more))
      expect(reply.blocks).toMatchObject([
        { citations: [{ url, title: 'A' }, { url: 'https://b.example/' }] },
      ])
  })
})

describe('what is written for a caller', () => {
  it('59: counts in a chunk of its own, without a choice, and only where that was asked for', () => {
    const adapter = adapterOf('chat-completions')
    const events = readBodyText(
      adapter,
      emptyRequest('m'),
      JSON.stringify(completion({ content: 'a' }, 'stop', { usage: USAGE })),
    ).events
    const framesFor = (body: object) => {
      const text = JSON.stringify({ model: 'm', messages: [], stream: true, ...body })
      const request = adapter.caller.readRequest(parse(text), {
        route: { operation: 'create' },
        headers: new Headers(),
        newId: (prefix) => prefix,
      })
      return writeReply(adapter, request, events).frames.map(({ data }) => data)
    }
    const counted = framesFor({ stream_options: { include_usage: true } })
    expect(counted.join('\n')).toMatch(/"choices":\[\],"usage":\{"prompt_tokens":5[^\n]*$/)
    expect(framesFor({ usage: { include: true } }).join('\n')).toContain('"choices":[],"usage"')
    const plain = framesFor({}).join('\n')
    expect(plain).not.toContain('usage')
    expect(plain).toMatch(/"finish_reason":"stop"[^\n]*$/)
  })
})

describe('texts that a reply keeps apart', () => {
  const texts = ['Sunny. ', 'Warm.'].map((text) => ({ kind: 'text' as const, text }))
  const reply = { id: 'a', model: 'm', blocks: texts, finish: 'stop' as const }

  it.each([
    ['chat-completions', ['approximated']],
    ['generate-content', ['approximated']],
    ['messages', []],
    ['responses', []],
  ] as const)('are told to callers of %s as one, or not', (dialect, codes) => {
    for (const stream of [false, true]) {
      const request = emptyRequest('m', stream)
      const { body, losses } = writeReply(adapterOf(dialect), request, unfold(reply))
      expect(losses.map(({ code }) => code)).toEqual(codes)
      expect((body ?? '').includes('Sunny. Warm.')).toBe(codes.length > 0)
    }
  })
})
