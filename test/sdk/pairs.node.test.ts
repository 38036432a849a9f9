import { describe, expect, test } from 'vitest'
import { kits } from '../dialects/index.ts'
import { grammarOf } from '../grammar/index.ts'
import { pretty } from '../laws/spelling.ts'
import { framesIn } from '../line-reader.ts'
import type { Driver } from './driver.ts'
import { DRIVERS } from './drivers.ts'
import { stage } from './proxy.ts'
import { SCENARIOS } from './scenarios.ts'
import { DIALECTS, type Dialect } from './script.ts'
import { says, type Stage } from './stage.ts'

describe.each(DRIVERS)('$name', (driver) => {
  describe.each(DIALECTS)('over %s', (upstream) => {
    describe.each([false, true])('stream: %s', (stream) => {
      const possible = SCENARIOS.filter(({ name }) => !isBeyond(driver, upstream, name))
      test.each(possible)('$name', async ({ replies, play }) => {
        const staged = stage(upstream, says(upstream, ...replies(upstream)))
        const foreign = upstream !== driver.dialect
        const told: Promise<void>[] = []
        const watched: Stage = {
          ...staged,
          async fetch(input, init) {
            const response = await staged.fetch(input, stream ? prettyPrinted(init) : init)
            // Bytes that pass untouched are the upstream's own.
            if (foreign) told.push(expectGrammar(driver.dialect, response.clone()))
            return response
          },
        }
        await play({ driver, upstream, stream, stage: watched, foreign })
        expect(staged.received).toHaveLength(replies(upstream).length)
        await Promise.all(told)
        if (foreign) expectPrefixes(upstream, staged)
      })
    })
  })
})

const CHAT = 'chat-completions'

/**
 * Chat completions keeps thoughts, text and calls apart, in no order among each other, and has no flag for a
 * failed result; the AI SDK's provider for OpenAI's chat (4.0.118) brings no thoughts back.
 */
function isBeyond(driver: Driver, upstream: Dialect, name: string): boolean {
  if (name.startsWith('keeps the order')) return [driver.dialect, upstream].includes(CHAT)
  if (driver.name === '@ai-sdk/openai, chat')
    return /^runs a tool loop|^returns the proof/.test(name)
  // There is no word for thoughts that shall be shown, which that service wants to hear.
  return (
    driver.dialect === CHAT && upstream === 'generate-content' && name.startsWith('runs a tool')
  )
}

/** What was sent to the client is what the strictest client accepts. */
async function expectGrammar(dialect: Dialect, response: Response): Promise<void> {
  const grammar = grammarOf(dialect)
  const text = await response.text()
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    expect(grammar.checkBody(JSON.parse(text))).toBeUndefined()
    return
  }
  expect(grammar.check(framesIn(text))).toBeUndefined()
}

/** Some clients pretty-print what they send (Qwen Code 0.24.4); a stream must not show it. */
function prettyPrinted(init: RequestInit | undefined): RequestInit {
  const body = init?.body
  if (typeof body !== 'string') throw new Error('a request without a text')
  return { ...init, body: pretty(body) }
}

/** Marks of what to cache move on with the conversation. */
const unmarked = (history: unknown): string =>
  JSON.stringify(history).replaceAll(/,"cache_control":\{[^}]*\}/g, '')

/** Every request begins with the one before it, so the upstream's prompt cache stays warm. */
function expectPrefixes(upstream: Dialect, { received }: Stage): void {
  const histories = received.map(({ body }) => body[kits[upstream].ask.history] as unknown[])
  for (const [index, history] of histories.entries()) {
    const next = histories[index + 1]
    if (next) expect(unmarked(next.slice(0, history.length))).toBe(unmarked(history))
  }
}
