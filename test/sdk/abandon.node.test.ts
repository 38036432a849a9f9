import { streamText } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { anthropicClient } from './driver-anthropic.ts'
import { officials } from '../dialects/official/index.ts'
import { genaiClient } from './driver-genai.ts'
import { openaiClient } from './driver-openai.ts'
import { stage } from './proxy.ts'
import { DIALECTS, MODEL, said, text } from './script.ts'
import { speak, type Stage } from './stage.ts'

/** Each reads until the first words have come, and leaves. */
const LEAVERS: Record<string, (staged: Stage) => Promise<void>> = {
  '@anthropic-ai/sdk': async (staged) => {
    const messages = [{ role: 'user' as const, content: 'Count.' }]
    const body = { model: 'claude-opus-4-8', max_tokens: 900, messages }
    const stream = anthropicClient(staged).messages.stream(body)
    stream.on('error', () => undefined)
    // Its own promise rejects with the abort that is asked for below.
    stream.done().catch(() => undefined)
    await new Promise((resolve) => stream.once('text', resolve))
    stream.abort()
  },
  openai: async (staged) => {
    const stream = await openaiClient(staged).responses.create({
      model: 'gpt-5',
      input: 'Count.',
      stream: true,
    })
    for await (const event of stream) if (event.type === 'response.output_text.delta') break
  },
  '@google/genai': async (staged) => {
    const leaving = new AbortController()
    const stream = await genaiClient(staged).models.generateContentStream({
      model: 'gemini-3-pro',
      contents: 'Count.',
      config: { abortSignal: leaving.signal },
    })
    for await (const chunk of stream) {
      if (!chunk.text) continue
      leaving.abort()
      break
    }
  },
  ai: async (staged) => {
    const leaving = new AbortController()
    const { textStream } = streamText({
      model: officials.messages.provider.model(staged),
      prompt: 'Count.',
      abortSignal: leaving.signal,
      onError: () => undefined,
    })
    for await (const _ of textStream) {
      leaving.abort()
      break
    }
  },
}

describe.each(Object.entries(LEAVERS))('%s', (_name, leave) => {
  test.each(DIALECTS)(
    'leaves in the middle of a stream, and so does the proxy at %s',
    async (upstream) => {
      const events = speak(
        upstream,
        said([text('One two three four five six.')]),
        MODEL,
        true,
      ).events
      const hold: { cancelled?: boolean } = {}
      const half = (events ?? []).slice(0, -3)
      const staged = stage(upstream, () => ({ events: half, hold }))
      await leave(staged)
      await vi.waitFor(() => {
        const [request] = staged.received
        expect(hold.cancelled || request?.signal.aborted).toBe(true)
      })
    },
  )
})
