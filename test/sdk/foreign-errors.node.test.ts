import { describe, expect, test } from 'vitest'
import { kits } from '../dialects/index.ts'
import { officials } from '../dialects/official/index.ts'
import { stage, UPSTREAM_KEY } from './proxy.ts'
import { DIALECTS, MODEL, said, text, type Dialect } from './script.ts'
import { BASE, CALLER_KEY, speak, type Stage } from './stage.ts'

/** A stream of the caller's own dialect that fails in the words of something in between. */

const WORDS = `No more capacity for ${UPSTREAM_KEY}.`
const data = (body: unknown, event?: string) =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(body)}\n\n`

const SHAPES: readonly [string, string][] = [
  ['a message alone', data({ error: { message: WORDS } })],
  ['a status', data({ error: { code: 503, message: WORDS } })],
  [
    'a code in words',
    data({ error: { code: 'overloaded', message: WORDS, type: 'server_error' } }),
  ],
  ['a text', data({ error: WORDS })],
  ['a detail', data({ detail: WORDS })],
  ['a list of details', data({ detail: [{ loc: ['body'], msg: WORDS }] })],
  ['an object that is an error', data({ object: 'error', message: WORDS, code: 503 })],
  ['an event with a text', data({ error: WORDS }, 'error')],
  [
    'the words of one dialect without the name',
    data({ type: 'error', error: { type: 'x', message: WORDS } }),
  ],
  ['a list', data([{ error: { code: 503, message: WORDS, status: 'UNAVAILABLE' } }])],
  ['an error before the mark of the end', `${data({ detail: WORDS })}data: [DONE]\n\n`],
  ['the mark of the end alone', 'data: [DONE]\n\n'],
  ['no event at all', `${JSON.stringify({ error: { message: WORDS } })}\n\n`],
  ['something unknown', data({ trouble: 'no more capacity' })],
]

const TERMINAL =
  /"type":"(?:response\.failed|error|message_stop|response\.completed)"|"finishReason"/

const halfOf = (dialect: Dialect): string[] => {
  const { events = [] } = speak(
    dialect,
    said([text('This is a text that never gets to its')]),
    MODEL,
    true,
  )
  return events.slice(0, Math.ceil(events.length / 2))
}

const catchFailure = (work: Promise<unknown[]>): Promise<unknown> =>
  work.then(
    (seen) => (TERMINAL.test(JSON.stringify(seen.at(-1))) ? 'a terminal event' : 'nothing'),
    (error: unknown) => error,
  )

describe.each(DIALECTS)('%s', (dialect) => {
  // Chat completions end with that mark, also where no reason was given: such a reply is whole.
  const heard = SHAPES.filter(
    ([name]) => dialect !== 'chat-completions' || name !== 'the mark of the end alone',
  )
  test.each(heard)('in the middle, %s is heard', async (_, words) => {
    const staged = stage(dialect, () => ({ events: [...halfOf(dialect), words] }))
    expect(await catchFailure(officials[dialect].iterate(staged))).not.toBe('nothing')
  })

  test.each(SHAPES)('as the first event, %s is a status', async (_, words) => {
    const staged = stage(dialect, () => ({ events: [words] }))
    const failure = await catchFailure(officials[dialect].iterate(staged))
    // What the library itself takes for a failure passes.
    if (kits[dialect].say.ownFailure?.test(words)) expect(failure).toBeInstanceOf(Error)
    else expect((failure as { status?: number }).status).toBeGreaterThanOrEqual(500)
    expect(String(failure)).not.toContain(UPSTREAM_KEY)
  })
})

/** The same in the dialect's own words, which pass but for the key. */
const shown = (text: string) => text.replace(UPSTREAM_KEY, '***')

describe.each(DIALECTS)('%s, in its own words', (dialect) => {
  const { event, body } = kits[dialect].say.failure(WORDS)
  const ask = async (staged: Stage, stream: boolean): Promise<string> => {
    const url = BASE + kits[dialect].http.path(MODEL, stream)
    const headers = { 'x-api-key': CALLER_KEY, 'anthropic-version': '2023-06-01' }
    const sent = JSON.stringify({
      model: MODEL,
      stream,
      max_tokens: 9,
      messages: [],
      contents: [],
      input: 'x',
    })
    return (
      await staged.fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: sent,
      })
    ).text()
  }

  test('passes what it says first, but for the key', async () => {
    expect(
      await ask(
        stage(dialect, () => ({ events: [event] })),
        true,
      ),
    ).toBe(shown(event))
  })
  test('passes what it says later, but for the key, and nothing behind it', async () => {
    const half = halfOf(dialect)
    const heard = await ask(
      stage(dialect, () => ({ events: [...half, event] })),
      true,
    )
    expect(heard).toBe(half.join('') + shown(event))
  })
  test('passes a body that says so, but for the key', async () => {
    const heard = await ask(
      stage(dialect, () => ({ body })),
      false,
    )
    expect(heard).toBe(shown(JSON.stringify(body)))
  })
  test('leaves content alone', async () => {
    const { events = [] } = speak(dialect, said([text('a key is sk-something')]), MODEL, true)
    expect(
      await ask(
        stage(dialect, () => ({ events })),
        true,
      ),
    ).toBe(events.join(''))
  })
})

test('a list of chunks says what failed once, and hides the key', async () => {
  const path = `/v1beta/models/${MODEL}:streamGenerateContent`
  for (const error of [{ message: WORDS }, { code: 503, message: WORDS, status: 'UNAVAILABLE' }]) {
    const chunk = { candidates: [{ content: { parts: [{ text: 'Hel' }] } }], modelVersion: MODEL }
    const raw = JSON.stringify([chunk, { error }])
    const staged = stage('generate-content', () => ({ raw }))
    const headers = { 'x-goog-api-key': CALLER_KEY, 'content-type': 'application/json' }
    const answer = await staged.fetch(BASE + path, {
      method: 'POST',
      headers,
      body: '{"contents":[]}',
    })
    const list: { error?: { code?: number } }[] = JSON.parse(await answer.text())
    expect(list.filter((one) => (one.error?.code ?? 0) >= 400)).toHaveLength(1)
  }
})
