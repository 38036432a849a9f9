import { describe, expect, test } from 'vitest'
import { framesIn } from '../line-reader.ts'
import { kits, othersThan } from '../dialects/index.ts'
import { stage } from './proxy.ts'
import { call, COUNTS, MODEL, said, text, thinking, type Dialect, type Piece } from './script.ts'
import { BASE, CALLER_KEY, says } from './stage.ts'

async function firstDelta(upstream: Dialect, pieces: Piece[]): Promise<unknown> {
  const { fetch } = stage(upstream, says(upstream, said(pieces, 'stop', COUNTS)))
  const response = await fetch(`${BASE}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${CALLER_KEY}` },
    body: JSON.stringify({
      model: MODEL,
      stream: true,
      messages: [{ role: 'user', content: 'a' }],
    }),
  })
  const [first] = framesIn(await response.text())
  return JSON.parse(first?.data ?? '')
}

const delta = (content: string | null) => ({
  choices: [{ delta: { role: 'assistant', content } }],
})

/**
 * The accumulator of openai-go 3.98.0 says that the content is finished (JustFinishedContent) when anything else
 * follows it: a text that had not begun was over before the thought.
 */
describe.each(othersThan('chat-completions'))('the first chunk over %s', (upstream) => {
  const { ids, proofs } = kits[upstream].scripted

  test('says no content before a thought or a call', async () => {
    const thought = thinking('Two and two.', proofs[0])
    expect(await firstDelta(upstream, [thought, text('Four.')])).toMatchObject(delta(null))
    expect(await firstDelta(upstream, [call(ids[0], 'f', {})])).toMatchObject(delta(null))
  })

  test('says an empty one before a text', async () => {
    expect(await firstDelta(upstream, [text('Four.')])).toMatchObject(delta(''))
    expect(await firstDelta(upstream, [])).toMatchObject(delta(''))
  })
})
