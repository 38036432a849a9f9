import Anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { anthropicClient } from './driver-anthropic.ts'
import { openaiClient } from './driver-openai.ts'
import type { Driver } from './driver.ts'
import { DRIVERS } from './drivers.ts'
import { kits, othersThan } from '../dialects/index.ts'
import type { Refusals } from '../dialects/scripted.ts'
import { broken } from './failures.ts'
import { stage } from './proxy.ts'
import { DIALECTS, type Dialect } from './script.ts'
import type { Script, Stage } from './stage.ts'

async function failure(driver: Driver, staged: Stage, stream: boolean): Promise<unknown> {
  try {
    await driver.talk(staged, { stream }).say('Hello?')
  } catch (error) {
    return error
  }
  throw new Error('the client saw no failure')
}

/** The status as each library names it. */
function statusOf(error: unknown): unknown {
  const { status, statusCode } = error as { status?: number; statusCode?: number }
  return status ?? statusCode
}

const STATUSES: [keyof Refusals, (caller: Dialect) => number][] = [
  ['invalid', () => 400],
  ['overflow', () => 400],
  ['key', () => 502],
  ['rate', () => 429],
  ['overloaded', (caller) => kits[caller].scripted.statuses.overloaded],
  ['broken', () => 500],
]

describe.each(DRIVERS)('$name', (driver) => {
  describe.each(othersThan(driver.dialect))('over %s', (upstream) => {
    describe.each([false, true])('stream: %s', (stream) => {
      test.each(STATUSES)('reports a refusal before the first byte: %s', async (kind, status) => {
        const staged = stage(upstream, () => kits[upstream].scripted.refusals[kind])
        const error = await failure(driver, staged, stream)
        expect(statusOf(error)).toBe(status(driver.dialect))
        expect(staged.received).toHaveLength(1)
      })
    })

    test('reports a failure in the middle of a stream', async () => {
      const error = await failure(driver, stage(upstream, broken(upstream, true)), true)
      expect(String(error)).not.toContain('the client saw no failure')
    })
    test('reports a stream that ended early', async () => {
      const error = await failure(driver, stage(upstream, broken(upstream)), true)
      expect(String(error)).not.toContain('the client saw no failure')
    })
    test('reports a stream whose connection broke', async () => {
      const script = broken(upstream)
      const cut: Script = async (...input) => ({ ...(await script(...input)), cut: true })
      const error = await failure(driver, stage(upstream, cut), true)
      expect(String(error)).not.toContain('the client saw no failure')
    })
    test('gives a failure that is the first event its HTTP status', async () => {
      const staged = stage(upstream, () => ({ events: [kits[upstream].scripted.failureInStream] }))
      const error = await failure(driver, staged, true)
      expect(statusOf(error)).toBeGreaterThanOrEqual(500)
    })
  })
})

describe('the official error classes', () => {
  const clients = {
    messages: async (staged: Stage) => {
      const body = {
        model: 'm',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'x' }],
      } as const
      await anthropicClient(staged).messages.create({ ...body, messages: [...body.messages] })
    },
    responses: async (staged: Stage) => {
      await openaiClient(staged).responses.create({ model: 'm', input: 'x' })
    },
  }
  const thrown = async (caller: keyof typeof clients, staged: Stage): Promise<unknown> =>
    clients[caller](staged).then(
      () => undefined,
      (error: unknown) => error,
    )

  test.each(othersThan('messages'))('messages over %s', async (upstream) => {
    const at = (kind: keyof Refusals) =>
      thrown(
        'messages',
        stage(upstream, () => kits[upstream].scripted.refusals[kind]),
      )
    const rate = await at('rate')
    expect(rate).toBeInstanceOf(Anthropic.RateLimitError)
    expect(rate).toMatchObject({ type: 'rate_limit_error' })
    expect((rate as { headers: Headers }).headers.get('retry-after')).toBe('7')
    expect(await at('invalid')).toBeInstanceOf(Anthropic.BadRequestError)
    expect(await at('invalid')).toMatchObject({ type: 'invalid_request_error' })
    expect(await at('overloaded')).toMatchObject({ status: 529, type: 'overloaded_error' })
    expect(await at('key')).toBeInstanceOf(Anthropic.InternalServerError)
    const overflow = await at('overflow')
    expect(String(overflow)).toContain('prompt is too long: 215000 tokens > 200000 maximum')
  })

  test.each(othersThan('responses'))('responses over %s', async (upstream) => {
    const at = (kind: keyof Refusals) =>
      thrown(
        'responses',
        stage(upstream, () => kits[upstream].scripted.refusals[kind]),
      )
    const rate = await at('rate')
    expect(rate).toBeInstanceOf(OpenAI.RateLimitError)
    expect((rate as { headers: Headers }).headers.get('retry-after')).toBe('7')
    expect(await at('invalid')).toBeInstanceOf(OpenAI.BadRequestError)
    expect(await at('overloaded')).toBeInstanceOf(OpenAI.InternalServerError)
    expect(await at('overflow')).toMatchObject({ status: 400, code: 'context_length_exceeded' })
  })

  test.each(othersThan('generate-content'))('generate-content over %s', async (upstream) => {
    const [driver] = DRIVERS.filter(({ name }) => name === '@google/genai')
    if (!driver) return
    const at = (kind: keyof Refusals) =>
      failure(
        driver,
        stage(upstream, () => kits[upstream].scripted.refusals[kind]),
        false,
      )
    const rate = await at('rate')
    expect(rate).toBeInstanceOf(ApiError)
    const { error } = JSON.parse((rate as ApiError).message)
    expect(error).toMatchObject({ code: 429, status: 'RESOURCE_EXHAUSTED' })
    expect(JSON.stringify(error.details)).toContain('"retryDelay":"7s"')
    expect(JSON.parse(((await at('overloaded')) as ApiError).message)).toMatchObject({
      error: { code: 503, status: 'UNAVAILABLE' },
    })
  })

  test.each(DIALECTS)('a wrong key of the caller over %s', async (upstream) => {
    const closed = stage(upstream, () => kits[upstream].scripted.refusals.broken, {
      callers: { kind: 'keys', keys: ['another-key'] },
    })
    expect(await thrown('messages', closed)).toBeInstanceOf(Anthropic.AuthenticationError)
    expect(await thrown('responses', closed)).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(closed.received).toHaveLength(0)
  })

  test('a library does not repeat a call whose outcome nobody knows', async () => {
    const staged = stage('responses', () => ({ raw: '{"id": "resp_1", "output": [', cut: true }))
    const client = anthropicClient(staged, 2)
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'x' }] }
    await expect(client.messages.create(body)).rejects.toThrow()
    expect(staged.received).toHaveLength(1)
  })
})
