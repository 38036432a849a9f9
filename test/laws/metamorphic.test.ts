import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters, dialects } from '../../adapters/index.ts'
import { isObject, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { sseFrame } from '../../src/stream/sse.ts'
import { cases } from '../cases.ts'
import { proxyOf, streamOf } from '../exchange/proxy.ts'
import { framesIn } from '../line-reader.ts'
import { cuts, inPieces, requestFor, richReply } from './arbitrary-replies.ts'
import { anyRequest } from './arbitrary-requests.ts'
import { clientOf } from './clients.ts'
import {
  readRequest,
  spellingOf,
  spokenBy,
  writeReply,
  writeRequest,
  type Spoken,
} from './exchange.ts'
import { always } from './law.ts'
import { spelled } from './spelling.ts'

/** What must not change the outcome when it changes, and what must change nothing else. */

interface Pair {
  caller: Adapter
  upstream: Adapter
}

const PAIRS = adapters.flatMap((caller) =>
  adapters.map((upstream) => ({
    caller,
    upstream,
    [fc.toStringMethod]: () => `${caller.dialect} over ${upstream.dialect}`,
  })),
)
const pair: fc.Arbitrary<Pair> = fc.constantFrom(...PAIRS)

interface Outcome {
  head: string
  body: Json
  losses: string[]
}

/** What leaves for an upstream, whatever the order and the white space it is written in. */
function outcome(caller: Adapter, upstream: Adapter, text: string, spoken?: Spoken): Outcome {
  const written = writeRequest(upstream, readRequest(caller, text, spoken))
  const losses = written.losses.map(({ code, path }) => `${code} ${path}`)
  const body = ordered(JSON.parse(stringify(written.body)))
  return { head: written.text.split('\n', 1).join(), body, losses: losses.toSorted() }
}

/** The same value with all members in one order; so are those of an object that a text ends with. */
function ordered(value: Json): Json {
  if (typeof value === 'string') return orderedText(value)
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([key, item]): [string, Json] => [key, ordered(item)])
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function orderedText(text: string): Json {
  const at = text.indexOf('{')
  if (at < 0) return text
  try {
    return [text.slice(0, at), ordered(JSON.parse(text.slice(at)))]
  } catch {
    return text
  }
}

/** The same value with the members of every object in another order. */
function shuffled(value: Json, turn: number): Json {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, turn))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([key, item]): [string, Json] => [
    key,
    shuffled(item, turn + 1),
  ])
  const at = turn % Math.max(members.length, 1)
  return Object.fromEntries([...members.slice(at), ...members.slice(0, at)].toReversed())
}

/** A request as a caller writes it, without the numbers that plain JSON cannot hold. */
const spoken = (caller: Adapter, request: Parameters<typeof writeRequest>[1]): JsonObject =>
  JSON.parse(stringify(writeRequest(caller, request).body))

const asking = fc.tuple(pair, anyRequest)

describe('of a request', () => {
  it('order and white space mean nothing', () => {
    const given = fc.tuple(asking, fc.nat(20), fc.constantFrom(1, 4, '\t', '\r\n  '))
    always(given, ([[{ caller, upstream }, request], turn, indent]) => {
      const body = spoken(caller, request)
      const expected = outcome(caller, upstream, JSON.stringify(body))
      const spaced = JSON.stringify(body, null, indent)
      expect(outcome(caller, upstream, spaced)).toEqual(expected)
      const other = JSON.stringify(shuffled(body, turn))
      expect(outcome(caller, upstream, other)).toEqual(expected)
    })
  })

  it('the order of what nobody knows means nothing', () => {
    // Null and what is empty are as good as nothing.
    const something = fc.oneof(fc.nat(), fc.boolean(), fc.tuple(fc.jsonValue(), fc.nat()))
    const unknown = fc.dictionary(fc.stringMatching(/^x_[a-z]{1,4}$/), something, {
      minKeys: 1,
      maxKeys: 4,
    })
    always(fc.tuple(asking, unknown), ([[{ caller, upstream }, request], more]) => {
      const body = spoken(caller, request)
      const members = Object.entries(more as JsonObject)
      const before = { ...Object.fromEntries(members), ...body }
      const after = { ...body, ...Object.fromEntries(members.toReversed()) }
      const [one, other] = [before, after].map((text) =>
        outcome(caller, upstream, JSON.stringify(text)),
      )
      expect(one).toEqual(other)
      // What another dialect cannot take is said, each by its name.
      const told = caller === upstream ? 0 : members.length
      expect((one?.losses ?? []).filter((loss) => /\bx_/.test(loss))).toHaveLength(told)
    })
  })

  it('that it be streamed changes nothing else', () => {
    always(asking, ([{ caller, upstream }, request]) => {
      const [streamed, whole] = [true, false].map((stream) => {
        const body = JSON.stringify(spoken(caller, { ...request, stream }))
        const { body: sent, losses } = outcome(caller, upstream, body, { stream })
        const { stream: _, stream_options: __, ...rest } = isObject(sent) ? sent : {}
        return { rest, losses }
      })
      expect(streamed).toEqual(whole)
    })
  })

  it('saying it again means the same', () => {
    always(asking, ([{ caller }, request]) => {
      const said = spokenBy(caller, request)
      expect(spokenBy(caller, said, spellingOf(request))).toEqual(said)
    })
  })

  it('the same is made every time', () => {
    always(asking, ([{ caller, upstream }, request]) => {
      const text = JSON.stringify(spoken(caller, request))
      const once = () => writeRequest(upstream, readRequest(caller, text)).text
      expect(once()).toBe(once())
    })
  })
})

/** A reply of an upstream through the whole proxy, in pieces of a size; what its caller gets. */
async function heard(
  { caller, upstream }: Pair,
  { text, size, stream, tools }: { text: string; size: number; stream: boolean; tools: Json },
): Promise<string> {
  const bytes = new TextEncoder().encode(text)
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
  const type = stream ? 'text/event-stream' : 'application/json'
  const proxy = proxyOf(
    () => ({
      status: 200,
      headers: new Headers({ 'content-type': type }),
      body: streamOf(chunks),
    }),
    {
      routes: [{ model: '*', upstream: 'plain' }],
      upstream: { dialect: upstream.dialect },
    },
    { dialects },
  )
  const client = clientOf(caller.dialect)
  const { path } = client.incoming('m', stream)
  const query = client.incoming('m', stream).query.get('alt') ? '?alt=sse' : ''
  const asked = { ...client.request('m', 'Hello'), ...(stream && { stream }), tools }
  const body = spelled(stringify(asked), text.length)
  const headers = { 'anthropic-version': '2023-06-01' }
  const response = await proxy.fetch(path + query, { body, headers })
  return `${response.status} ${await response.text()}`
}

describe('of a reply', () => {
  it('the pieces that it comes in mean nothing, and the same is made every time', async () => {
    const given = fc.record({
      both: pair,
      reply: richReply,
      places: cuts,
      size: fc.integer({ min: 1, max: 60 }),
      stream: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(given, async ({ both, reply, places, size, stream }) => {
        const events = inPieces(reply, places)
        const { frames, body = '' } = writeReply(both.upstream, requestFor(reply), events)
        const text = stream ? frames.map(sseFrame).join('') : body
        const { tools = [] } = writeRequest(both.caller, requestFor(reply)).body
        const told = { text, size: text.length * 4, stream, tools }
        const whole = await heard(both, told)
        // A reply of nothing but what a caller has no words for is a failure, as another law has it.
        if (/nothing that this API has words for/.test(whole)) return
        expect(whole).toMatch(/^200 /)
        if (stream) expect(framesIn(whole.slice(4)).length).toBeGreaterThan(0)
        expect(await heard(both, { ...told, size })).toBe(whole)
        expect(await heard(both, told)).toBe(whole)
        // Between two of a kind it is what came.
        if (both.caller === both.upstream) expect(whole).toBe(`200 ${text}`)
      }),
      cases(1000),
    )
  })
})
