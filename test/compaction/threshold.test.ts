import { describe, expect, it } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import type { Wire } from '../sdk/script.ts'
import {
  eventsIn,
  isCount,
  isSummaryTurn,
  jsonIn,
  modelAt,
  stageOf,
  summing,
  SUMMARY,
  user,
} from './stage.ts'

const SERVED = { change: { compaction: { threshold: true } } }
const WISH = [{ type: 'compaction', compact_threshold: 1000 }]
const LONG = 'The tide is high. '.repeat(400)
const talk = (model: string): Wire => ({
  model,
  input: [
    user(LONG),
    { type: 'message', role: 'assistant', content: 'I see.' },
    user('Which file?'),
  ],
  context_management: WISH,
})

describe.each(othersThan('responses'))('a summary above a threshold, over %s', (dialect) => {
  const model = modelAt(dialect)

  it('is a loss, and the turn goes on', async () => {
    const { ask, got } = stageOf()
    const response = await ask('/v1/responses', { json: talk(model) })
    expect(response.headers.get('x-dragoman-losses')).toContain('dropped compaction.threshold')
    expect(got).toHaveLength(1)
    expect(got[0]?.text).not.toContain('compact')
  })

  it.each([false, true])(
    'is written first where that is configured (stream: %s)',
    async (stream) => {
      const { ask, got, log } = stageOf(summing(), SERVED)
      const response = await ask('/v1/responses', { json: { ...talk(model), stream } })
      expect(response.status).toBe(200)
      const events = stream ? await eventsIn(response) : []
      const last = events.at(-1) as unknown as { response: Wire } | undefined
      const reply = last?.response ?? (await jsonIn(response))
      expect(reply).toMatchObject({
        status: 'completed',
        output: [{ type: 'compaction' }, { type: 'message', content: [{ text: 'Go on.' }] }],
        usage: { input_tokens: 200, output_tokens: 80 },
      })
      const turns = got.filter((each) => !isCount(each))
      expect(turns.map(isSummaryTurn)).toEqual([true, false])
      const sent = turns[1]?.text ?? ''
      expect(sent).toContain(SUMMARY.slice(0, 30))
      expect(sent).toContain('Which file?')
      expect(sent).not.toContain(LONG)
      expect(log.at(-1)?.usage).toMatchObject({ input: 200, output: 80 })
    },
  )

  it('is not written again for what it stands for', async () => {
    const { ask, got } = stageOf(summing(), SERVED)
    const json = talk(model)
    const first = await jsonIn(await ask('/v1/responses', { json }))
    const before = got.length
    const input = [...(json['input'] as Wire[]), ...(first['output'] as Wire[]), user('And then?')]
    const second = await jsonIn(await ask('/v1/responses', { json: { ...json, input } }))
    expect(second['output']).toMatchObject([{ type: 'message' }])
    const sent = got.slice(before).filter((each) => !isCount(each))
    expect(sent).toHaveLength(1)
    expect(sent[0]?.text).not.toContain(LONG)
    expect(sent[0]?.text).toMatch(/holds 4711.*Go on\..*And then\?/)
  })

  it('is not written below it', async () => {
    const { ask, got } = stageOf(summing(), SERVED)
    const json = { model, input: 'Hi', context_management: WISH }
    const response = await ask('/v1/responses', { json })
    expect(response.headers.get('x-dragoman-losses') ?? '').not.toContain('compaction')
    expect(await jsonIn(response)).toMatchObject({ output: [{ type: 'message' }] })
    expect(got).toHaveLength(1)
  })

  it('is refused with the list where nothing may be lost', async () => {
    for (const change of [
      { losses: 'reject' as const },
      { ...SERVED.change, losses: 'reject' as const },
    ]) {
      const { ask, got } = stageOf(summing(), { change })
      const response = await ask('/v1/responses', { json: talk(model) })
      expect(response.status).toBe(400)
      expect(await response.text()).toMatch(
        /(?:dropped compaction\.threshold|approximated compaction)/,
      )
      expect(got).toHaveLength(0)
    }
  })

  it('fails as a reply does that has not begun, or has', async () => {
    const { overloaded } = kits[dialect].scripted.refusals
    const refusing = stageOf(summing(overloaded), SERVED)
    const refused = await refusing.ask('/v1/responses', { json: talk(model) })
    expect(refused.status).toBeGreaterThanOrEqual(429)
    const upstream = summing()
    const late = stageOf((got) => {
      if (isCount(got) || isSummaryTurn(got)) return upstream(got)
      return overloaded
    }, SERVED)
    const response = await late.ask('/v1/responses', { json: { ...talk(model), stream: true } })
    const events = await eventsIn(response)
    expect(events.at(-1)?.type).toBe('response.failed')
  })
})

const BLOCKS = {
  'anthropic-version': '2023-06-01',
  'content-type': 'application/json',
  'x-api-key': 'caller-key-0-0123456789abcdef',
}

describe.each(othersThan('messages'))(
  'a summary above a threshold as a block, over %s',
  (dialect) => {
    const asked = (more: Wire, edit: Wire = {}) => ({
      method: 'POST',
      headers: BLOCKS,
      body: JSON.stringify({
        model: modelAt(dialect),
        max_tokens: 100,
        messages: [{ role: 'user', content: LONG }],
        context_management: {
          edits: [
            { type: 'compact_20260112', trigger: { type: 'input_tokens', value: 1000 }, ...edit },
          ],
        },
        ...more,
      }),
    })

    it('comes in one delta of a stream, before the reply', async () => {
      const proxy = stageOf(summing(), SERVED)
      const events = await eventsIn(
        await proxy.fetch('http://proxy.test/v1/messages', asked({ stream: true })),
      )
      const told = events.filter(({ type }) => type !== 'ping')
      expect(told.slice(0, 5)).toMatchObject([
        { type: 'message_start' },
        { type: 'content_block_start', content_block: { type: 'compaction', content: null } },
        { type: 'content_block_delta', delta: { type: 'compaction_delta', content: SUMMARY } },
        { type: 'content_block_stop' },
        { type: 'content_block_start', content_block: { type: 'text' } },
      ])
      expect(told.find(({ type }) => type === 'message_delta')).toMatchObject({
        delta: { stop_reason: 'end_turn' },
        usage: {
          input_tokens: 36,
          output_tokens: 40,
          iterations: [{ type: 'compaction', output_tokens: 40 }, { type: 'message' }],
        },
      })
    })

    it('ends the reply where the caller wants to see it first', async () => {
      const proxy = stageOf(summing(), SERVED)
      const pause = asked({}, { pause_after_compaction: true })
      const response = await proxy.fetch('http://proxy.test/v1/messages', pause)
      expect(await jsonIn(response)).toMatchObject({
        content: [{ type: 'compaction', content: SUMMARY }],
        stop_reason: 'compaction',
        usage: { input_tokens: 0, iterations: [{ type: 'compaction', output_tokens: 40 }] },
      })
      expect(proxy.got.filter((each) => !isCount(each))).toHaveLength(1)
    })
  },
)
