import Anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { kits } from '../dialects/index.ts'
import { officials } from '../dialects/official/index.ts'
import { anthropicClient } from './driver-anthropic.ts'
import { settingsFor, stage, UPSTREAM_KEY } from './proxy.ts'
import { DIALECTS, said, text, type Dialect } from './script.ts'
import { CALLER_KEY, says, type Script, type Stage } from './stage.ts'

const KEY_HEADERS = ['x-api-key', 'x-goog-api-key', 'authorization']

/** The caller's key opens the upstream. */
function lent(upstream: Dialect, script: Script): Stage {
  const settings = settingsFor(upstream, {})
  const [[name, known] = []] = settings.upstreams
  if (name === undefined || !known) throw new Error('no upstream')
  return stage(upstream, script, {
    callers: { kind: 'open' },
    upstreams: new Map([[name, { ...known, key: { kind: 'caller' } }]]),
  })
}

const PAIRS = DIALECTS.flatMap((caller) => DIALECTS.map((upstream) => ({ caller, upstream })))

describe.each(PAIRS)('$caller over $upstream', ({ caller, upstream }) => {
  const fine = says(upstream, said([text('Fine.')]))

  test('the configured key goes where it belongs, the caller’s goes nowhere', async () => {
    const staged = stage(upstream, fine)
    expect(await officials[caller].ask(staged)).toBe('Fine.')
    const [received] = staged.received
    expect(received && kits[upstream].http.keyIn(received.headers)).toBe(UPSTREAM_KEY)
    const sent = JSON.stringify([...(received?.headers ?? []), received?.text, received?.path])
    expect(sent).not.toContain(CALLER_KEY)
    const others = KEY_HEADERS.filter((header) => received?.headers.has(header))
    expect(others.length).toBe(1)
    expect(received?.query.has('key')).toBe(false)
  })

  test('the caller’s own key is moved to where the upstream looks for it', async () => {
    const staged = lent(upstream, fine)
    expect(await officials[caller].ask(staged)).toBe('Fine.')
    const [received] = staged.received
    expect(received && kits[upstream].http.keyIn(received.headers)).toBe(CALLER_KEY)
  })

  test('a refusal of the caller’s own key is the caller’s', async () => {
    const error = await officials[caller]
      .ask(lent(upstream, () => kits[upstream].scripted.refusals.key))
      .then(
        () => undefined,
        (failure: unknown) => failure,
      )
    const classes = [Anthropic.APIError, OpenAI.APIError, ApiError]
    expect(classes.some((known) => error instanceof known)).toBe(true)
    expect(error).toMatchObject({ status: kits[upstream].scripted.statuses.key })
  })

  test.skipIf(!officials[caller].repeats)(
    'a library that repeats after a rate limit gets its answer',
    async () => {
      const rate = kits[upstream].scripted.refusals.rate
      const staged = stage(upstream, (received, turn) =>
        turn === 0
          ? { ...rate, headers: { ...rate.headers, 'retry-after': '0' } }
          : fine(received, turn - 1),
      )
      expect(await officials[caller].ask(staged, 1)).toBe('Fine.')
      expect(staged.received).toHaveLength(2)
    },
  )
})

test('who wants no losses is told of them and nothing is sent', async () => {
  const staged = stage('responses', says('responses'), { losses: 'reject' })
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const body = { model: 'm', max_tokens: 99, messages, stop_sequences: ['END'] }
  const asked = anthropicClient(staged).messages.create(body)
  await expect(asked).rejects.toBeInstanceOf(Anthropic.BadRequestError)
  await expect(asked).rejects.toThrow(/limits\.stop/)
  expect(staged.received).toHaveLength(0)
})
