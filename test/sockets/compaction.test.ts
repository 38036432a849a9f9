import { describe, expect, it } from 'vitest'
import { isObject, objectsOf, type JsonObject } from '../../src/json/json.ts'
import { answered, called, TRIGGER, user, WORKED } from '../compaction/stage.ts'
import { idOf, parsed, replyOf, stageOf, UPSTREAMS, type Stage } from './proxy.ts'

/** A summary that one upstream wrote, as an input on a socket over each. */

const INPUT = [...WORKED, called('call_2'), answered('call_2', 'copper')]

/** The words in the one summary among these items. */
function wordsIn(items: readonly JsonObject[]): string {
  const found = items.filter(({ type }) => type === 'compaction')
  expect(found).toHaveLength(1)
  const sealed = String(found[0]?.['encrypted_content'])
  const { content } = parsed(sealed.slice(sealed.indexOf('{')))
  expect(content).toMatch(/\w/)
  return String(content)
}

/** The last request to an upstream has the words as text, and these behind them. */
function expectTold({ lastSent }: Stage, words: string, ...later: string[]): void {
  const text = lastSent()
  const places = [`<summary>\n${words}\n</summary>`, ...later].map((part) =>
    text.indexOf(JSON.stringify(part).slice(1, -1)),
  )
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(text).not.toMatch(/xseal1|"compaction"/)
}

describe.each(UPSTREAMS)('a summary over %s', (model) => {
  it.each(UPSTREAMS)('trap 3: by the path, is accepted on a socket over %s', async (other) => {
    const stage = stageOf()
    const response = await stage.post({ model, input: INPUT }, '/v1/responses/compact')
    const output = objectsOf(parsed(await response.text())['output'])
    const words = wordsIn(output)
    const caller = await stage.connect()
    const one = await caller.turn({ model: other, input: [...output, user('Which file?')] })
    expect(replyOf(one)['status']).toBe('completed')
    expectTold(stage, words, 'Which file?')
    const next = { model: other, previous_response_id: idOf(one), input: 'And then?' }
    expect(replyOf(await caller.turn(next))['status']).toBe('completed')
    expectTold(stage, words, 'Which file?', 'And then?')
  })

  it.each(UPSTREAMS)('ordered on a socket, is accepted on it over %s', async (other) => {
    const stage = stageOf()
    const caller = await stage.connect()
    const one = await caller.turn({ model, input: INPUT })
    const previous_response_id = idOf(one)
    const ordered = await caller.turn({ model, previous_response_id, input: [TRIGGER] })
    const done = ordered.filter(({ type }) => type === 'response.output_item.done')
    const items = done.flatMap(({ item }) => (isObject(item) ? [item] : []))
    expect(items).toHaveLength(1)
    const input = [...items, user('Which file?')]
    expect(replyOf(await caller.turn({ model: other, input }))['status']).toBe('completed')
    expectTold(stage, wordsIn(items), 'Which file?')
  })
})
