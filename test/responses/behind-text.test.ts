import { describe, expect, it } from 'vitest'
import { responses as grammar } from '../grammar/responses.ts'
import { unfold, type Event } from '../../src/model/events.ts'
import { objectIn } from '../../src/json/json.ts'
import type { Block, Request } from '../../src/model/request.ts'
import { assistant, list, read, speak, text, user } from './exchange.ts'

const proof = { dialect: 'generate-content', value: 'c2ln' }
const proven = (block: Block): Block => Object.assign({ ...block }, { proof })
const HIDDEN: Block = { kind: 'reasoning', text: '' }
const call: Block = { kind: 'tool-call', id: 'c', name: 'f', form: 'json', input: '{}' }

const plain = read({ model: 'm', input: 'x' })
const asking = read({ model: 'm', input: 'x', include: ['reasoning.encrypted_content'] })

function say(blocks: Block[], request: Request = plain) {
  const said = speak(unfold({ id: 'r', model: 'm', blocks, finish: 'stop', usage: {} }), request)
  expect(grammar.check(said.frames)).toBeUndefined()
  const items = list(said.body['output'])
  const done = said.events.filter((event) => event['type'] === 'response.output_item.done')
  expect(done.map(({ item }) => item)).toEqual(items)
  return { ...said, types: items.map((item) => item['type']), items }
}

describe('behind the last text of a reply', () => {
  const replies: [string, Block[]][] = [
    ['a signed text', [text('a'), proven(text('b'))]],
    ['a text, and a signature alone', [text('b'), proven(text(''))]],
    ['a text that is signed twice', [proven(text('b')), proven(text(''))]],
    ['thoughts, and a signed text', [{ kind: 'reasoning', text: 'hm' }, proven(text('b'))]],
    ['a text, and thoughts of which there is only the proof', [text('b'), proven(HIDDEN)]],
    ['a signed text, and such thoughts', [proven(text('b')), proven(HIDDEN)]],
  ]
  it.each(replies)('stands no proof unless one was asked for: %s', (_, blocks) => {
    const { items, losses } = say(blocks)
    expect(items.at(-1)).toMatchObject({ type: 'message', status: 'completed' })
    expect(JSON.stringify(items.at(-1))).toContain('"text":"b"')
    expect(losses).toContain('dropped reply.text.seal')
    const asked = say(blocks, asking)
    expect(asked.types.at(-1)).toBe('reasoning')
    expect(asked.losses).toEqual([])
  })

  it('the proof follows for a caller that has brought one back', () => {
    const turns = [user(text('a')), assistant(proven(text('b'))), user(text('c'))]
    expect(say([proven(text('d'))], { ...plain, turns }).types).toEqual(['message', 'reasoning'])
  })

  it('the proof stands where a call or another text follows, and that of a call before it', () => {
    const { events, losses } = speak(
      [
        { type: 'start', id: 'r', model: 'm' },
        { type: 'block-start', block: text('') },
        { type: 'block-delta', text: 'a' },
        { type: 'block-end', tail: { proof } },
        { type: 'block-start', block: proven(call) },
        { type: 'block-end', tail: {} },
        { type: 'finish', reason: 'tool-call' },
      ],
      plain,
    )
    const done = events.flatMap(({ type, item }) =>
      type === 'response.output_item.done' ? objectIn(item)['type'] : [],
    )
    expect(done).toEqual(['message', 'reasoning', 'reasoning', 'function_call'])
    expect(losses).toEqual([])
    expect(say([proven(text('a')), text('b')]).types).toEqual(['message', 'reasoning', 'message'])
    expect(say([text('a'), proven(HIDDEN), text('b')]).types).toEqual([
      'message',
      'reasoning',
      'message',
    ])
  })

  it('thoughts with words stand, wherever they come', () => {
    expect(say([text('a'), proven({ kind: 'reasoning', text: 'hm' })]).types).toEqual([
      'message',
      'reasoning',
    ])
  })

  it('thoughts and a text of which nothing comes leave nothing', () => {
    expect(say([text('a'), HIDDEN]).types).toEqual(['message'])
    const cut: Event[] = [
      { type: 'start', id: 'r', model: 'm' },
      { type: 'block-start', block: text('') },
      { type: 'block-delta', text: 'a' },
      { type: 'block-end', tail: { proof } },
      { type: 'block-start', block: text('') },
      { type: 'error', problem: { kind: 'bad-upstream', message: 'gone' } },
    ]
    const { body, frames } = speak(cut, plain)
    expect(grammar.check(frames)).toBeUndefined()
    expect(list(body['output']).map(({ type }) => type)).toEqual(['message'])
  })
})
