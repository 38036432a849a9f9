import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { createApp } from '../../src/http/hono-app.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { kits } from '../dialects/index.ts'
import { framesIn } from '../line-reader.ts'
import { BASE, KEYS, settings } from '../memory/proxy.ts'

const SECRET = 'upstream-secret-0123456789/abc'

/** What a gateway in front of the model's server may put into its stream. */
const STRANGE: readonly [string, string, RegExp][] = [
  ['a comment', `: routed with ${SECRET}\n\n`, /: routed with \*{3}\n\n/],
  [
    'JSON of its own',
    `data: {"gateway":{"tried":["${SECRET}"]}}\n\n`,
    /data: \{"gateway":\{"tried":\["\*{3}"\]\}\}\n\n/,
  ],
  [
    'an event of its own',
    `event: gateway\ndata: {"key":"${SECRET}"}\n\n`,
    /event: gateway\ndata: \{"key":"\*{3}"\}\n\n/,
  ],
  // Of a row that is alike only the first is read in any case.
  [
    'deltas of its own in a row',
    ['none', SECRET].map((key) => `event: gateway.delta\ndata: {"key":"${key}"}\n\n`).join(''),
    /event: gateway\.delta\ndata: \{"key":"none"\}\n\nevent: gateway\.delta\ndata: \{"key":"\*{3}"\}\n\n/,
  ],
  [
    'chunks of its own in a row',
    ['none', SECRET].map((key) => `data: {"of":"candidates","key":"${key}"}\n\n`).join(''),
    /data: \{"of":"candidates","key":"none"\}\n\ndata: \{"of":"candidates","key":"\*{3}"\}\n\n/,
  ],
  ['a line of no field', `<b>${SECRET}</b>\n\n`, /<b>\*{3}<\/b>\n\n/],
  ['a line like a field', `Denied ${SECRET}: no\n\n`, /Denied \*{3}: no\n\n/],
  ['an id', `id: ${SECRET}\ndata: {"gateway":true}\n\n`, /id: \*{3}\ndata: \{"gateway":true\}\n\n/],
]

/** What no client of events reads: those of generate-content end the stream at it. */
const COMMENTS: ReadonlySet<string> = new Set([
  'a comment',
  'a line of no field',
  'a line like a field',
])

/** Nor do those read other lines of an event than its data. */
const dataOf = ({ source }: RegExp): RegExp =>
  new RegExp(source.replaceAll(/(?:event|id): (?:(?!\\n).)*\\n(?=data)/g, ''))

/** A stream that has no fault, frame by frame. */
function readFrames(dialect: Dialect): string[] {
  const { events, named } = kits[dialect].correctStream
  return events.map(
    (event) =>
      `${named ? `event: ${String(event['type'])}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
  )
}

const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }

/** What a caller gets of a stream that comes in pieces of a size. */
async function passed(dialect: Dialect, stream: string, size: number): Promise<string> {
  const known = settings()
  const upstream = known.upstreams.get(dialect)
  if (!upstream) throw new Error('no upstream')
  const bytes = new TextEncoder().encode(stream)
  let at = 0
  const key = { kind: 'literal', value: SECRET } as const
  const app = createApp(
    { ...known, upstreams: new Map([[dialect, { ...upstream, key }]]) },
    {
      send: async () => ({
        status: 200,
        headers: new Headers({ 'content-type': 'text/event-stream' }),
        body: {
          async read() {
            const piece = bytes.subarray(at, (at += size))
            return piece.length > 0 ? piece : undefined
          },
          cancel: () => undefined,
        },
      }),
      now: () => Date.UTC(2026, 10, 22),
      randomId: () => '0'.repeat(32),
      log: () => undefined,
    },
  )
  const model = `${dialect}-x`
  const { client, http } = kits[dialect]
  const { path, query } = client.incoming(model, true)
  const response = await app.fetch(
    new Request(`${BASE}${path}${query.get('alt') ? '?alt=sse' : ''}`, {
      method: 'POST',
      body: JSON.stringify(http.body(model, true, client.request(model, 'Go'))),
      headers: { ...HEADERS, authorization: `Bearer ${KEYS[0]}` },
    }),
  )
  return response.text()
}

describe.each(DIALECTS)('a frame in a passing stream of %s that is none of its own', (dialect) => {
  it.each(STRANGE)('is told without the key: %s', async (name, strange, all) => {
    const shown = dialect === 'generate-content' ? dataOf(all) : all
    const isBorne = dialect !== 'generate-content' || !COMMENTS.has(name)
    const frames = readFrames(dialect)
    const middle = Math.floor(frames.length / 2)
    for (const size of [11, 100_000]) {
      const text = await passed(dialect, frames.toSpliced(middle, 0, strange).join(''), size)
      if (isBorne) expect(text).toMatch(shown)
      else expect(text).not.toMatch(shown)
      expect(text).not.toContain(SECRET)
      const plain = await passed(dialect, frames.join(''), size)
      expect(text.replace(shown, '')).toBe(plain)
    }
  })

  it.each([
    ['words', `data: denied for ${SECRET}\n\n`, /no JSON: \\?"denied for \*+\\?"\./],
    ['broken JSON', `data: {"why":"denied for ${SECRET}\n\n`, /no JSON\./],
    [
      'a page',
      `data: <html><h1>denied</h1>${SECRET}</html>\n\n`,
      /no JSON: a page of HTML, denied\./,
    ],
  ])('ends the stream where it is no JSON: %s', async (_, strange, said) => {
    const frames = readFrames(dialect)
    const middle = Math.floor(frames.length / 2)
    const { tellsFailure = () => false } = adapterOf(dialect).same.passing
    for (const size of [11, 100_000]) {
      const text = await passed(dialect, frames.toSpliced(middle, 0, strange).join(''), size)
      const told = framesIn(text)
      expect(told.map(tellsFailure)).toEqual(told.map((_frame, index) => index === middle))
      expect(text).toMatch(said)
      expect(text).not.toContain(SECRET)
    }
  })

  it.each([
    [
      'a page',
      `<html>\n\n<h1>denied</h1>\n{"${SECRET}"</html>\n`,
      /not an event: a page of HTML, denied\./,
    ],
    ['words', `denied for ${SECRET}\n`, /not an event: \\?"denied for \*+\\?"\./],
  ])('is told as what it is where no event follows: %s', async (_, strange, said) => {
    const { events } = kits[dialect].correctStream
    const begun = readFrames(dialect)
      .slice(0, Math.floor(events.length / 2))
      .join('')
    for (const size of [11, 100_000]) {
      const text = await passed(dialect, begun + strange, size)
      expect(text).toMatch(said)
      expect(text).not.toContain(SECRET)
    }
  })

  it.each([
    ['a detail', 'data: {"detail":"No more today"}\n\n'],
    ['a text', 'data: {"error":"No more today"}\n\n'],
    ['a name of it', 'event: error\ndata: {"message":"No more today","code":429}\n\n'],
  ])('is told once, in the words of the dialect, where it is a failure: %s', async (_, strange) => {
    const { events } = kits[dialect].correctStream
    const frames = readFrames(dialect).slice(0, Math.floor(events.length / 2))
    const { tellsFailure = () => false } = adapterOf(dialect).same.passing
    for (const size of [11, 100_000]) {
      const text = await passed(dialect, [...frames, strange].join(''), size)
      const told = framesIn(text).filter(({ data }) => data.includes('No more today'))
      expect(told.map(tellsFailure)).toEqual([true])
      const plain = framesIn(await passed(dialect, frames.join(''), size))
      expect(framesIn(text).slice(0, -1)).toEqual(plain.slice(0, -1))
    }
  })

  it('is told without the key behind the end, and without an end of its own', async () => {
    const whole = readFrames(dialect).join('')
    for (const strange of [`<b>${SECRET}</b>`, `: ${SECRET}`])
      expect(await passed(dialect, whole + strange, 100_000)).not.toContain(SECRET)
  })
})
