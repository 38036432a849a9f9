import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { linesOf, TABLE, type Line } from '../../src/models/table.ts'
import { see } from '../../src/models/see.ts'
import { translator } from '../../src/named-translator.ts'
import { HEARD, refusedBy, type Said } from './strict-services.ts'
import { ASKED, WISHES, type Wish } from './wishes.ts'

/** The service of a maker: its dialects, and the profile of its server. */
const SERVICES: readonly { makers: RegExp; dialects: readonly Dialect[]; profile?: string }[] = [
  { makers: /^Anthropic/, dialects: ['messages'] },
  { makers: /^OpenAI/, dialects: ['responses', 'chat-completions'] },
  { makers: /^Google/, dialects: ['generate-content'] },
  { makers: /^DeepSeek/, dialects: ['chat-completions'], profile: 'deepseek' },
  { makers: /^Moonshot/, dialects: ['chat-completions'], profile: 'kimi' },
  { makers: /^Qwen/, dialects: ['chat-completions'], profile: 'qwen' },
  { makers: /^Z\.AI/, dialects: ['chat-completions'], profile: 'zai' },
  { makers: /^Mistral/, dialects: ['chat-completions'], profile: 'mistral' },
  { makers: /^xAI/, dialects: ['chat-completions'], profile: 'xai' },
  { makers: /^MiniMax/, dialects: ['chat-completions'], profile: 'minimax' },
  { makers: /^gpt-oss/, dialects: ['chat-completions'] },
]

/** The names that stand for themselves today. */
const lines = linesOf(TABLE).filter(
  ({ name, service }) => service === undefined && see(name).model === name,
)

const isServed = ({ facts }: Line, to: Dialect) =>
  to !== 'chat-completions' || facts.get('chat')?.value !== 'no'

const speakers = new Map<string, ReturnType<typeof translator>>()

function send(from: Dialect, to: Dialect, model: string, profile: string | undefined, wish: Wish) {
  // No server of chat completions runs code, which is refused before anything is sent.
  if (wish.code && to === 'chat-completions') return undefined
  const key = [from, to, model].join(' ')
  const speaker = speakers.get(key) ?? translator({ from, to, model, ...(profile && { profile }) })
  speakers.set(key, speaker)
  return speaker.request(JSON.stringify(ASKED[from](model, wish)))
}

/** What became of a wish and is not told. */
function untold(wish: Wish, said: Said, losses: readonly string[], from: Dialect): string[] {
  const isTold = (path: RegExp) => losses.some((loss) => path.test(loss))
  const asks = (member: keyof Wish) => wish[member] !== undefined
  const changes: [string, boolean, RegExp][] = [
    ['forced', asks('forced') && said.forced === undefined, /toolChoice/],
    [
      'off',
      wish.off === true && said.thinking !== undefined && said.thinking !== 'off',
      /reasoning/,
    ],
    [
      'temperature',
      asks('temperature') && wish.temperature !== 1 && said.temperature !== wish.temperature,
      /temperature/,
    ],
    [
      'effort',
      !wish.off &&
        said.effort !== undefined &&
        asks('effort') &&
        said.effort !== wish.effort &&
        !(from === 'generate-content' && wish.effort === 'max'),
      /reasoning/,
    ],
    ['bound', asks('bound') && said.bound !== wish.bound, /maxOutputTokens/],
    ['picture', wish.picture === true && !said.picture, /blocks/],
    [
      'candidates',
      asks('candidates') && !['messages', 'responses'].includes(from) && said.candidates === 1,
      /candidateCount/,
    ],
  ]
  return changes.flatMap(([what, isChanged, path]) => (isChanged && !isTold(path) ? [what] : []))
}

describe.each(SERVICES)(
  'a service that refuses what the table says: $makers',
  ({ makers, dialects, profile }) => {
    const models = lines.filter(({ maker }) => makers.test(maker))

    it.each([...dialects])(
      'refuses nothing that is sent to it in %s, and each change is told',
      (to) => {
        const faults = models
          .filter((line) => isServed(line, to))
          .flatMap(({ name, facts }) =>
            DIALECTS.filter((from) => from !== to).flatMap((from) =>
              WISHES.flatMap((wish) => {
                const request = send(from, to, name, profile, wish)
                if (!request) return []
                const { body, losses } = request
                const values = new Map([...facts].map(([fact, { value }]) => [fact, value]))
                const sent = body as JsonObject
                const said = HEARD[to](sent)
                const paths = losses.map(({ code, path }) => `${code} ${path}`)
                return [
                  ...refusedBy(to, said, values, sent).map((what) => `refuses ${what}`),
                  ...untold(wish, said, paths, from).map((what) => `silent about ${what}`),
                ].map((what) => `${name} ${what}: ${from} ${JSON.stringify(wish)}`)
              }),
            ),
          )
        expect(models.length).toBeGreaterThan(0)
        expect(faults).toEqual([])
      },
    )
  },
)
