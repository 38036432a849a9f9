import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { lossPlaceFinder } from '../../src/extras/places/loss-places.ts'
import { lossKey } from '../../src/model/loss.ts'
import { streamLosses, translator } from '../../src/named-translator.ts'

const fieldsOf = (losses: readonly { code: string; path: string; field?: string | undefined }[]) =>
  Object.fromEntries(losses.map(({ path, field }) => [path, field]))

const placesOf = (from: Dialect, to: Dialect, body: object) =>
  fieldsOf(translator({ from, to, model: 'm' }).request(body).losses)

describe('a loss of the bare translation', () => {
  it('says why, and where in the request it stood', () => {
    const { losses } = translator({ from: 'generate-content', to: 'messages', model: 'm' }).request(
      {
        contents: [{ role: 'user', parts: [{ text: 'x' }] }],
        generationConfig: { seed: 1, maxOutputTokens: 5 },
        labels: { a: 'b' },
      },
    )
    expect(fieldsOf(losses)).toEqual({
      labels: '/labels/a',
      'sampling.seed': '/generationConfig/seed',
    })
    expect(losses.map(({ why }) => why)).toContain('The upstream has no place for it.')
    expect(JSON.parse(JSON.stringify(losses))).toContainEqual({
      code: 'dropped',
      path: 'sampling.seed',
      field: '/generationConfig/seed',
      why: 'The upstream has no place for it.',
    })
  })

  it('has its place also where only its own dialect knows it, by whatever name it came', () => {
    const said = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }
    expect(
      placesOf('messages', 'generate-content', {
        ...said,
        thinking: { type: 'adaptive', later: 1 },
      }),
    ).toEqual({ 'reasoning.later': '/thinking/later' })
    const compact = { type: 'compact_20260112', later: 1 }
    const edits = [{ type: 'clear_tool_uses_20250919' }, compact]
    expect(
      placesOf('messages', 'responses', { ...said, context_management: { edits } }),
    ).toMatchObject({ 'compaction.later': '/context_management/edits/1' })
    expect(
      placesOf('generate-content', 'messages', {
        contents: [{ parts: [{ text: 'x' }] }],
        safety_settings: [{ category: 'a' }, { category: 'b' }],
        generation_config: { max_output_tokens: 9, speech_config: {} },
      }),
    ).toEqual({
      safetySettings: '/safety_settings',
      'generationConfig.speechConfig': '/generation_config/speech_config',
    })
  })

  it('has no place for what was not said', () => {
    const between = translator({ from: 'responses', to: 'messages' })
    const { losses } = between.request({ model: 'm', input: 'x' })
    expect(losses).toMatchObject([{ path: 'limits.maxOutputTokens', field: undefined }])
  })

  const REPLIES: [Dialect, Dialect, object, Record<string, string>][] = [
    [
      'messages',
      'generate-content',
      {
        candidates: [
          {
            content: {
              role: 'model',
              parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
            },
            finishReason: 'STOP',
            avgLogprobs: -1,
          },
        ],
        responseId: 'r',
      },
      {
        'reply.media': '/candidates/0/content/parts/1/inlineData',
        'reply.avgLogprobs': '/candidates/0/avgLogprobs',
      },
    ],
    [
      'responses',
      'chat-completions',
      {
        id: 'c',
        model: 'm',
        choices: [
          { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a' } },
        ],
        service_tier: 'x',
        x_groq: { id: 'y' },
      },
      { 'reply.x_groq': '/x_groq/id' },
    ],
  ]
  it.each(REPLIES)('stands in a reply for %s of %s where it was', (from, to, reply, places) => {
    const between = translator({ from, to, model: 'm' })
    expect(fieldsOf(between.reply(reply).losses)).toMatchObject(places)
  })

  it('stands in a request that is only edited', () => {
    const between = translator({
      from: 'chat-completions',
      to: 'chat-completions',
      profile: 'groq',
    })
    const { losses } = between.request({
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      logit_bias: { '1': 2 },
    })
    expect(fieldsOf(losses)).toMatchObject({ logit_bias: '/logit_bias' })
  })
})

const loss = { code: 'dropped' as const, path: 'x' }
const seen = (isLost: (text: string) => boolean) => (body: unknown) =>
  new Set(isLost(JSON.stringify(body)) ? [lossKey(loss)] : [])
const lossesOf = (changed: unknown) =>
  JSON.stringify(changed).includes('inner')
    ? seen((text) => text.includes('7'))(changed)
    : undefined

describe('a place that is found by trial', () => {
  it('is the first of several alike', () => {
    const body = { a: [{ b: 1 }, { b: 7 }, { b: 7 }] }
    expect(
      lossPlaceFinder(
        body,
        seen((text) => text.includes('7')),
      )(loss),
    ).toBe('/a/1/b')
  })

  it('is passed through members that no body can be without', () => {
    const body = { id: 'r', inner: { must: 7 } }
    expect(lossPlaceFinder(body, lossesOf)(loss)).toBe('/inner/must')
  })

  it('is missing where nothing is reported', () =>
    expect(lossPlaceFinder({ a: 1 }, () => new Set())(loss)).toBeUndefined())
})

const event = (candidate: object) => `data: ${JSON.stringify({ candidates: [candidate] })}\n\n`

describe('a loss of a stream', () => {
  it('is known with the last event, where the stream has no word for its end', () => {
    const asked = JSON.stringify({ model: 'm', max_tokens: 9, messages: [] })
    const content = { role: 'model', parts: [{ text: 'Hi' }] }
    const end = { content, finishReason: 'STOP', avgLogprobs: -1 }
    const pieces = [event({ content, index: 0 }), event({ ...end, index: 0 }), '']
    const lossesOf = streamLosses({ from: 'messages', to: 'generate-content', stream: true }, asked)
    expect([...lossesOf(pieces)]).toEqual([[expect.stringContaining('reply.avgLogprobs'), 1]])
  })
})
