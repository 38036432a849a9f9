import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventFrame } from '../../src/stream/event-text.ts'
import { cases } from '../cases.ts'
import { adapters } from '../../adapters/index.ts'
import type { Frame, WireEvent } from '../../adapters/contract.ts'
import type { StoredAction } from '../../src/memory/conversation.ts'
import { unfold, type Event } from '../../src/model/events.ts'
import { isObject, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Request } from '../../src/model/request.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { readSeed, idSource } from '../../src/model/ids.ts'
import { recordReader, recordPlace, readKept, writeKept } from '../../src/memory/records.ts'
import { requestFor, richReply } from '../laws/arbitrary-replies.ts'
import { ids } from '../laws/exchange.ts'

/** An event as it leaves. */
function plain(said: WireEvent): Frame {
  const { event, data } = eventFrame(said)
  return event === undefined ? { data } : { event, data }
}

const newId = idSource(() => '0123456789abcdef')
const query = (text: string) => new URLSearchParams(text)

/** JSON with the words of the wire in it, and anything else. */
const words = fc.constantFrom(
  'input',
  'output',
  'id',
  'type',
  'item_reference',
  'message',
  'role',
  'content',
  'response',
  'previous_response_id',
  'store',
  'frames',
  'ids',
  'status',
  'reasoning',
  '__proto__',
)
const json: fc.Arbitrary<Json> = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    words,
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(words, tie('node'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).node
const objects = json.map((value): JsonObject => (isObject(value) ? value : { input: value }))

/** Nothing but a ProblemError may come out of the facet, whatever goes in. */
function only<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    expect(error).toBeInstanceOf(ProblemError)
    return undefined
  }
}

const request: Request = {
  model: 'm',
  stream: true,
  system: [{ kind: 'text', text: '"delta":"x" \u2028' }],
  turns: [],
  tools: [{ kind: 'function', name: 'f', schema: '{"type":"object"}' }],
  limits: {},
  sampling: {},
}

type Said = ['text' | 'reasoning' | 'tool-call', string[]]

function makeEvents(said: readonly Said[], fails: boolean): Event[] {
  const events: Event[] = [{ type: 'start', id: 'x', model: 'm' }]
  for (const [index, [kind, deltas]] of said.entries()) {
    const call = {
      kind: 'tool-call',
      id: `call_${index}`,
      name: 'f',
      form: 'json',
      input: '',
    } as const
    events.push({ type: 'block-start', block: kind === 'tool-call' ? call : { kind, text: '' } })
    for (const text of deltas) events.push({ type: 'block-delta', text })
    events.push({ type: 'block-end', tail: {} })
  }
  const problem = { kind: 'internal', message: 'x' } as const
  events.push(fails ? { type: 'error', problem } : { type: 'finish', reason: 'stop' })
  return events
}

const ACTIONS: StoredAction[] = ['read', 'input', 'cancel', 'delete']

describe.each(adapters.filter(({ caller }) => caller.memory))(
  'the memory of $dialect',
  (adapter) => {
    const memory = adapter.caller.memory
    if (!memory) return
    const at = (path: string) => memory.match({ method: 'GET', path, query: query('') })

    it('takes any body and any kept exchange', () => {
      fc.assert(
        fc.property(json, fc.array(objects, { maxLength: 3 }), fc.string(), (body, chain, text) => {
          const ask = memory.asks(body)
          const items = new Map(ask.references.map((id) => [id, chain[0] ?? {}]))
          only(() => memory.resolve(body, { chain, items }))
          const fresh = { items: Array.isArray(body) ? body : [body] }
          const made = only(() => memory.replyRecord(stringify(fresh.items), { reply: body }))
          const read = made && memory.read(made.record.text)
          for (const action of ACTIONS)
            for (const asked of ['', 'stream=true&starting_after=1', 'order=asc&limit=2', text])
              only(() => memory.answer(action, read ? [...chain, read] : chain, query(asked)))
          only(() => memory.fresh(body))
          memory.replyIn({ data: text })
          memory.replyIn({ event: 'response.completed', data: stringify(body) })
          const writer = { body: () => (isObject(body) ? body : {}) }
          const recorder = memory.recorder({ fresh, writer, newId })
          recorder.push([{ name: 'response.created', data: { response: body, text } }])
          for (const { text: kept } of [recorder.record(), recorder.unfinished(true)])
            expect(isObject(memory.read(kept))).toBe(true)
        }),
        cases(1000),
      )
    })

    it('streams again to the byte whatever was streamed', () => {
      const deltas = fc.array(fc.string({ minLength: 1, unit: 'binary' }), { maxLength: 4 })
      const kinds = fc.constantFrom('text' as const, 'reasoning' as const, 'tool-call' as const)
      const blocks = fc.array(fc.tuple(kinds, deltas), { maxLength: 4 })
      fc.assert(
        fc.property(blocks, fc.boolean(), (said, fails) => {
          const writer = adapter.caller.writer({ request, now: 1, lose: () => undefined, newId })
          const recorder = memory.recorder({ fresh: { items: [] }, writer, newId })
          const sent = makeEvents(said, fails).flatMap((event) => {
            const frames = writer.push(event)
            recorder.push(frames)
            return frames
          })
          const record = memory.read(recorder.record().text)
          expect(memory.answer('read', [record], query('stream=true'))).toEqual({
            frames: sent.map(plain),
          })
          const whole = memory.answer('read', [record], query(''))
          expect('body' in whole && stringify(whole.body)).toBe(stringify(writer.body()))
        }),
        cases(100),
      )
    })

    it('streams whatever left as one body as it would have been streamed', () => {
      fc.assert(
        fc.property(richReply, (reply) => {
          const context = { request: requestFor(reply), now: 1, lose: () => undefined }
          const writer = adapter.caller.writer({ ...context, newId: ids() })
          const sent = unfold(reply).flatMap((event) => writer.push(event).map(plain))
          const recorder = memory.recorder({ fresh: { items: [] }, writer, newId })
          const record = memory.read(recorder.record(stringify(writer.body())).text)
          const again = memory.answer('read', [record], query('stream=true'))
          expect(again).toEqual({ frames: sent })
        }),
        cases(300),
      )
    })

    it('reads what an earlier version kept', () => {
      const frames = [
        { type: 'response.created' },
        '{"type":"x.delta","delta":"a","sequence_number":1}',
        ['\u2028"'],
        { type: 'response.completed' },
      ]
      const response = { id: 'resp_1', status: 'completed', output: [], usage: { input_tokens: 1 } }
      const record = memory.read(stringify({ input: [], ids: [], response, frames }))
      const answer = memory.answer('read', [record], query('stream=true'))
      const [first, ...others] = 'frames' in answer ? answer.frames : []
      expect(first?.data).toContain('"status":"in_progress"')
      expect(others).toEqual([
        { event: 'x.delta', data: frames[1] },
        { event: 'x.delta', data: '{"type":"x.delta","delta":"\u2028\\"","sequence_number":2}' },
        {
          event: 'response.completed',
          data: stringify({ type: 'response.completed', response, sequence_number: 3 }),
        },
      ])
    })

    it('finds the reply in the frame that ends it, in the words in which it came', () => {
      const members = fc.constantFrom('type', 'sequence_number', 'response', 'x')
      const order = fc.uniqueArray(members, { minLength: 1 })
      fc.assert(
        fc.property(objects, order, fc.integer(), (response, names, number) => {
          const all = new Map<string, Json>([
            ['type', 'response.completed'],
            ['sequence_number', number],
            ['response', response],
            ['x', response],
          ])
          const data = stringify(
            Object.fromEntries(names.map((name) => [name, all.get(name) ?? null])),
          )
          const frame: JsonObject = JSON.parse(data)
          const told = memory.replyIn({ event: 'response.completed', data })
          expect(told?.reply).toEqual(frame['response'])
          if (told?.text) expect(JSON.parse(told.text)).toEqual(frame['response'])
        }),
        cases(300),
      )
      const text = '{"id": "resp_1", "output": [], "n": 12345678901234567890}'
      for (const [data, known] of [
        [`{"type":"response.completed","response":${text}}`, text],
        [`{"type":"response.failed","sequence_number":9,"response":${text}}`, text],
        [`{"type":"response.incomplete","response":${text},"sequence_number":9}`, text],
        [`{"type":"response.completed","response":${text},"other":{}}`, undefined],
        [`{"type":"response.completed","response":${text},"response":{"id":"2"}}`, undefined],
        [`{ "type": "response.completed", "response": ${text} }`, undefined],
      ] as const) {
        const told = memory.replyIn({ data })
        expect(told?.text).toBe(known)
        expect(told?.reply).toEqual(JSON.parse(data).response)
      }
      expect(memory.replyIn({ data: `{"type":"response.completed","response":${text}` })).toBe(
        undefined,
      )
      expect(memory.replyIn({ data: '{"type":"response.completed","response":[]}' })).toBe(
        undefined,
      )
    })

    it('gives each item of a copied exchange an id, always the same', () => {
      const items = ['{"role":"user","content":"a"}', '{"id":"x","role":"user","content":"b"}']
      const reply = { id: 'resp_68af', status: 'completed', output: [] }
      for (const [input, ids] of [
        [`[${items.join()},${items[0]}]`, ['msg_68af00000001', 'x', 'msg_68af00000002']],
        ['"a"', ['msg_68af00000001']],
        ['null', []],
        [undefined, []],
      ] as const) {
        const made = memory.replyRecord(memory.itemsText(input), { reply })
        const record = memory.read(made?.record.text ?? '')
        const answer = memory.answer('input', [record], query('order=asc'))
        expect(answer).toMatchObject({ body: { data: ids.map((id) => ({ id })) } })
        expect(Object(answer).body.data).toHaveLength(ids.length)
      }
    })

    it('knows its own paths, and no other', () => {
      expect(at('/v1/responses/resp_1')?.id).toBe('resp_1')
      for (const path of [
        '/v1/responses',
        '/v1/responses/',
        '/v1/responses/input_tokens',
        '/v1/responses/a/b',
        '/v1/responses/a%2fb',
        '/v1/responses/../x',
        '/v1/responses/__proto__/__proto__',
        '/v1/messages/x',
      ])
        expect(at(path)).toBeUndefined()
    })
  },
)

describe('ids', () => {
  it('of one exchange share what they are found by, those of others do not', () => {
    const [one, other] = [idSource(() => 'a'.repeat(32)), idSource(() => 'b'.repeat(32))]
    expect(recordPlace(one('resp_'))).toBe(recordPlace(one('msg_')))
    expect(recordPlace(one('resp_'))).not.toBe(recordPlace(other('resp_')))
    expect(readSeed('resp_6891a5f2c1b481a0a4e2d7c3f5b60918')).toBeUndefined()
    expect(recordPlace('../x')).toBeUndefined()
    expect(recordPlace('x'.repeat(1025))).toBeUndefined()
  })

  it('and exchanges come back as they were kept', () => {
    const memory = adapters.find(({ caller }) => caller.memory)?.caller.memory
    if (!memory) throw new Error('no dialect remembers')
    fc.assert(
      fc.property(objects, fc.array(fc.stringMatching(/^\w{1,20}$/)), (record, parents) => {
        const from = [{}, { issuer: 'up' }, { issuer: '~up#2' }][parents.length % 3]
        const kept = { id: 'resp_1', ...from, parents, record: stringify(record) }
        const again = readKept(writeKept(kept))
        expect(again).toEqual(kept)
        expect(again && stringify(recordReader(memory)(again) ?? '')).toBe(kept.record)
      }),
      cases(1000),
    )
    for (const text of ['', '\n', 'x', 'x \n', 'x \n[]', '{"a":1}']) {
      const kept = readKept(text)
      expect(kept && recordReader(memory)(kept)).toBeUndefined()
    }
  })
})
