import { describe, expect, it } from 'vitest'
import { chunk, read, USAGE } from './reading.ts'

/** The numbers are those of the traps that servers of this dialect set. */

const call = (rest: object, more = {}) => ({ tool_calls: [{ ...rest, function: more }] })
const entry = (rest: object) => ({ type: 'reasoning.text', format: 'f', index: 0, ...rest })

describe('a stream', () => {
  it('1, 4, 6: that ends and counts more than once has one end, and the last counts', () => {
    const again = { usage: { ...USAGE, completion_tokens: 3, total_tokens: 8 } }
    const reply = read(
      chunk({ content: 'a' }, null, { usage: USAGE }),
      chunk({}, 'stop'),
      chunk({}, 'stop', again),
    )
    expect(reply).toMatchObject({ finish: 'stop', usage: { output: 3 } })
  })
  it('2, 14: begins with its first choice, and may be nothing but an error', () => {
    expect(read({ id: '', model: '', choices: [] }, chunk({ content: 'a' }, 'stop')).id).toBe('x-1')
    expect(read({ error: { message: 'no', code: 400 } }).problem).toMatchObject({ message: 'no' })
  })
  it('11, 12: is whole with a reason or with [DONE], and cut without both', () => {
    expect(read(chunk({ content: 'a' }, 'stop')).finish).toBe('stop')
    expect(read(chunk({ content: 'a' }), '[DONE]').finish).toBe('stop')
    expect(read(chunk({ content: 'a' })).problem).toBeDefined()
  })
  it('15: stays good when an error comes behind its end', () => {
    const reply = read(chunk({ content: 'a' }, 'length'), { error: { message: 'x' }, choices: [] })
    expect(reply).toMatchObject({ finish: 'length', problem: undefined })
  })
  it('31 to 34, 41: tells calls apart by their ids and indexes', () => {
    const whole = call({ id: 'a' }, { name: 'f', arguments: '{}' })
    expect(read(chunk(whole, 'tool_calls')).blocks).toMatchObject([{ id: 'a', input: '{}' }])
    const pieces = [
      chunk(call({ index: 0, id: 'a' }, { name: 'f', arguments: '{"x":' })),
      chunk(call({ index: 1, id: 'b' }, { name: 'g', arguments: '' })),
      chunk(call({ index: 0, id: '' }, { name: null, arguments: '1}' })),
    ]
    expect(read(...pieces, chunk({}, 'stop'))).toMatchObject({
      finish: 'tool-call',
      blocks: [
        { id: 'a', name: 'f', input: '{"x":1}' },
        { id: 'b', name: 'g', input: '{}' },
      ],
    })
  })
  it.each([{ id: 'a' }, {}])(
    '41: keeps the order of calls, whenever one has its id: %j',
    (late) => {
      const { blocks } = read(
        chunk(call({ index: 0 }, { name: 'f', arguments: '{"x":' })),
        chunk(call({ index: 1, id: 'b' }, { name: 'g', arguments: '{}' })),
        chunk(call({ index: 0, ...late }, { arguments: '1}' })),
        chunk({}, 'tool_calls'),
      )
      expect(blocks).toMatchObject([
        { name: 'f', input: '{"x":1}', ...late },
        { id: 'b', name: 'g', input: '{}' },
      ])
    },
  )
  it('45, 46: has a thought once, whatever it is called, with the proof that comes behind it', () => {
    const reply = read(
      chunk({ reasoning: 'a', reasoning_content: 'a', reasoning_details: [entry({ text: 'a' })] }),
      chunk({ reasoning_details: [entry({ signature: 's' })] }),
      chunk({ content: 'b' }, 'stop'),
    )
    expect(reply.blocks).toMatchObject([{ kind: 'reasoning', text: 'a' }, { text: 'b' }])
    expect(JSON.stringify(reply.blocks[0])).toContain('\\"signature\\":\\"s\\"')
  })
  it('7: of xAI counts its thoughts beside what was said', () => {
    const details = { completion_tokens_details: { reasoning_tokens: 4 } }
    const usage = { ...USAGE, total_tokens: 11, ...details }
    expect(read(chunk({ content: 'a' }, 'stop', { usage })).usage).toMatchObject({ output: 6 })
  })
})
