import { describe, expect, test } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { officials } from '../dialects/official/index.ts'
import { stage } from './proxy.ts'
import { WEATHER } from './scene.ts'
import { call, MODEL, said, text, type Dialect, type Said } from './script.ts'
import { speak, type Stage } from './stage.ts'

const CITY = 'Köln 🌤 "quoted"\n'.repeat(4500)
const WORDS = 'Wörter 🌤 und mehr.\n'.repeat(4500)
const MOST_BYTES = 65_536

const made = (upstream: Dialect) =>
  call(kits[upstream].scripted.ids[0], 'get_weather', { city: CITY })

/** The stage, and the longest line that it sent. */
function measured(staged: Stage): { watched: Stage; longest(): Promise<number> } {
  const texts: Promise<string>[] = []
  const watched: Stage = {
    ...staged,
    async fetch(input, init) {
      const response = await staged.fetch(input, init)
      texts.push(response.clone().text())
      return response
    },
  }
  const longest = async () => {
    const lines = (await Promise.all(texts)).flatMap((body) => body.split('\n'))
    return Math.max(...lines.map((line) => Buffer.byteLength(line)))
  }
  return { watched, longest }
}

/**
 * A reader of lines that takes no longer ones loses the stream, as Go's bufio.Scanner does, with which langchaingo
 * 0.1.14 reads both dialects: their own services say everything in small pieces. That of responses repeats it whole.
 */
describe.each(['messages', 'chat-completions'] as const)('a stream of %s', (from) => {
  const talkOver = async (upstream: Dialect, reply: Said, stream: boolean) => {
    const { watched, longest } = measured(
      stage(upstream, () => speak(upstream, reply, MODEL, stream)),
    )
    const talk = officials[from].driver.talk(watched, { stream: true, tools: [WEATHER] })
    const outcome = await talk.say('Weather?')
    expect(outcome.calls).toMatchObject([{ name: 'get_weather', input: { city: CITY } }])
    expect(await longest()).toBeLessThan(MOST_BYTES)
    return outcome
  }

  test.each(othersThan(from))(
    'over %s has no line of 64 KiB where one body came',
    async (upstream) => {
      const reply = said([text(WORDS), made(upstream)], 'tool-call')
      expect((await talkOver(upstream, reply, false)).text).toBe(WORDS)
    },
  )

  test('has none where a service says a call in one event', async () => {
    await talkOver('generate-content', said([made('generate-content')], 'tool-call'), true)
  })
})
