import { describe, expect, it } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { dialects } from '../../adapters/index.ts'
import { statusOf } from '../../src/model/problem.ts'
import { translator } from '../../src/named-translator.ts'
import { DIALECTS, PAIRS, type Dialect } from './translate.ts'

const line = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`

/** What a caller is sent for a stream of an upstream. */
async function streamed(from: Dialect, to: Dialect, events: unknown[]): Promise<string> {
  const body = new Blob([events.map(line).join('')])
  const out = body.stream().pipeThrough(translator({ from, to }).stream())
  return new Response(out).text()
}

const part = (text: string) => ({ type: 'output_text', text, annotations: [] })
const item = (...texts: string[]) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: texts.map(part),
})
const completed = (...output: object[]) => ({
  type: 'response.completed',
  response: { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output },
})

describe('a message whose pieces come late', () => {
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const added = { type: 'response.output_item.added', output_index: 0, item: item() }
  const delta = (text: string) => ({ type: 'response.output_text.delta', ...place, delta: text })
  const whole = { type: 'response.output_text.done', ...place, text: 'hello' }
  const done = { type: 'response.output_item.done', output_index: 0, item: item('hello') }
  it.each<[string, object[]]>([
    ['in deltas and whole twice', [added, delta('hel'), delta('lo'), whole, done]],
    ['in part', [added, delta('hel'), done]],
    ['in part, with a late repetition', [added, delta('hel'), done, whole, delta('lo')]],
    ['with the end of its text only', [added, whole]],
    ['with the end of the item only', [done]],
    ['with the end of the response only', []],
  ])('is told once: %s', async (_, events) => {
    for (const from of othersThan('responses')) {
      const text = await streamed(from, 'responses', [...events, completed(item('hello'))])
      const pieces = [...text.matchAll(/"(?:text|content)":"(\w+)"/g)].map(([, piece]) => piece)
      expect(pieces.join('')).toBe('hello')
    }
  })
})

const told = (from: Dialect, ...output: object[]) => {
  const { response } = completed(...output)
  const { body, losses } = translator({ from, to: 'responses' }).reply(JSON.stringify(response))
  return { text: JSON.stringify(body), paths: losses.map(({ path }) => path) }
}

describe('a call to which a small model gave no name', () => {
  const call = { id: 'call_1', type: 'function', function: { name: '', arguments: '{}' } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
  const reply = { id: 'x', object: 'chat.completion', model: 'm', choices }
  it.each(othersThan('chat-completions'))('has one that %s callers can send back', (from) => {
    const { body } = translator({ from, to: 'chat-completions' }).reply(JSON.stringify(reply))
    expect(JSON.stringify(body)).toContain('"name":"_"')
  })
})

describe('items of other servers', () => {
  it.each(othersThan('responses'))('are read, or reported, to %s', (from) => {
    expect(told(from, { type: 'message', role: 'assistant', content: 'plain' }).text).toMatch(
      /"(?:text|content)":"plain"/,
    )
    const call = { type: 'code_interpreter_call', id: 'ci_1', name: 'run', arguments: '{"code":1}' }
    const paths = told(from, call, item('done')).paths.join()
    expect(paths).toContain('name')
    expect(paths).toContain('arguments')
  })
})

/** The shapes in which servers put an error into a stream that had begun well. */
const ERRORS = [
  { error: { message: 'too much to do', type: 'x' } },
  { error: 'too much to do' },
  { object: 'error', message: 'too much to do', code: 500 },
  { detail: 'too much to do' },
  { choices: [], error: { message: 'too much to do' } },
]
const SUCCESS = /message_stop|"finishReason":"STOP"|response\.completed/

describe.each(PAIRS)('%s over %s', (from, to) => {
  it.each(ERRORS)('is told of an error after a good beginning: %j', async (error) => {
    const text = await streamed(from, to, [...kits[to].say.begun, error])
    expect(text).toContain('too much to do')
    expect(text).not.toMatch(SUCCESS)
  })
})

describe.each(DIALECTS)('an upstream of %s', (dialect) => {
  const adapter = dialects.of(dialect)
  const read = (
    status: number,
    body?: Parameters<NonNullable<typeof adapter>['upstream']['readProblem']>[1],
  ) => {
    if (!adapter) throw new Error(dialect)
    return adapter.upstream.readProblem(status, body)
  }
  it.each([
    [500, 'internal'],
    [502, 'bad-upstream'],
    [503, 'unavailable'],
    [504, 'timeout'],
    [529, 'overloaded'],
  ] as const)('is taken by its status %i where its words are general', (status, kind) => {
    expect(read(status, JSON.parse(JSON.stringify(kits[dialect].say.generalError))).kind).toBe(kind)
    expect(read(status, '<html>down</html>').kind).toBe(kind)
  })
  it.each([400, 404, 409, 413, 422, 429])('keeps a refusal a refusal: %i', (status) => {
    expect(statusOf(read(status, { error: { message: 'm' } }))).toBe(status)
  })
})

it('counts the answer that was asked for when a context overflows', () => {
  const message = 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'
  const body = { type: 'error', error: { type: 'invalid_request_error', message } }
  expect(dialects.of('messages')?.upstream.readProblem(400, body)).toMatchObject({
    kind: 'context-overflow',
    tokens: { used: 210_000, limit: 200_000 },
  })
})
