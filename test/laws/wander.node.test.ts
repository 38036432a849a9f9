import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject, objectIn, parseObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { cases } from '../cases.ts'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { kits } from '../dialects/index.ts'
import { hear } from '../memory/heard.ts'
import { BASE, KEYS, proxyOf } from '../memory/proxy.ts'
import { brokenAt, promptOf } from '../replay/chains.ts'
import { framesOf } from '../replay/replies.ts'
import { call, merged, said, text, thinking, type Piece } from '../sdk/script.ts'

/** Services that prove their thoughts, and take them back in their places only. */
const SERVICES = ['messages', 'responses', 'generate-content'] as const

interface Turn {
  service: (typeof SERVICES)[number]
  stream: boolean
  /** What the reply says, calls last, since a message of chat completions has them there. */
  words: { thinks: boolean; kind: 'text' | 'call' }[]
}

const word = fc.record({
  thinks: fc.boolean(),
  kind: fc.constantFrom('text' as const, 'call' as const),
})
const words = fc
  .array(word, { minLength: 1, maxLength: 4 })
  .map((list) => [
    ...list.filter(({ kind }) => kind === 'text'),
    ...list.filter(({ kind }) => kind === 'call'),
  ])

const turnAt = (services: readonly Turn['service'][]): fc.Arbitrary<Turn> =>
  fc.record({ service: fc.constantFrom(...services), stream: fc.boolean(), words })

const reply = ({ service, words }: Turn, at: number): Piece[] =>
  words.flatMap(({ thinks, kind }, index) => {
    const mark = `${at}${index}`.padStart(4, '0')
    const prefix = kits[service].scripted.idPrefix || 'call_'
    const thought = thinks ? [thinking(`Thought ${mark}.`, `cHJvb2Y${mark}A`)] : []
    const next = kind === 'text' ? text(`Words ${mark}.`) : call(prefix + mark, 'look', { mark })
    return [...thought, next]
  })

/** What has to come back of a reply: words, calls, and among them the proofs of whom it was made by. */
const shape = (pieces: readonly Piece[], isOwn: boolean): string =>
  pieces
    .map((piece) => {
      if (piece.kind === 'thinking') return isOwn && piece.proof !== '' ? `<${piece.proof}>` : ''
      if (piece.kind === 'text') return piece.text
      return piece.kind === 'call' ? `{${piece.name} ${piece.input}}` : ''
    })
    .join('')

const MEMBERS = new Set(['reasoning_details', 'reasoning_content', 'reasoning', 'thoughtSignature'])
const THOUGHTS = new Set<unknown>(['thinking', 'redacted_thinking', 'reasoning'])

/** A history without any thought, as many libraries keep it. */
function forgotten(value: Json): Json {
  if (Array.isArray(value))
    return value
      .filter((each) => !isObject(each) || !(each['thought'] || THOUGHTS.has(each['type'])))
      .map(forgotten)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => !MEMBERS.has(name))
  return Object.fromEntries(kept.map(([name, each]) => [name, forgotten(each)]))
}

interface Journey {
  caller: Dialect
  turns: Turn[]
  /** The client brings no thoughts back, and the proxy remembers their proofs by the calls that they led to. */
  forgets: boolean
}

/** Talks, and gives what each service was sent. */
async function wander({ caller, turns, forgets }: Journey): Promise<JsonObject[]> {
  const { http, client, ask } = kits[caller]
  const replies = turns.map(reply)
  const proxy = proxyOf(
    () => {
      const pieces = replies[proxy.got.length - 1] ?? []
      return said(pieces, pieces.some(({ kind }) => kind === 'call') ? 'tool-call' : 'stop')
    },
    { change: { retention: { proofs: forgets } } },
  )
  // What is not to be stored is not remembered either.
  const { model: _, store: __, ...first } = client.request('m', 'Go.')
  let request: JsonObject = { ...first, ...ask.offer([TOOL]), ...THINKING[caller] }
  for (const { service, stream: streams } of turns) {
    // The kit has no program of messages that reads a stream.
    const stream = streams && caller !== 'messages'
    const { history } = ask
    const sent = forgets ? { ...request, [history]: forgotten(request[history] ?? []) } : request
    const model = `${service}-x`
    const response = await proxy.fetch(BASE + http.path(model, stream), {
      method: 'POST',
      body: JSON.stringify(http.body(model, stream, sent)),
      headers: { ...HEADERS, ...http.credentials(KEYS[0] ?? '') },
    })
    const told = await response.text()
    expect(response.status, told).toBe(200)
    request = client.followUp(request, stream ? gathered(caller, told) : JSON.parse(told))
  }
  return proxy.got.map(({ body }) => body as JsonObject)
}

/** Callers of messages are given no proof behind the last words unless they ask for thoughts. */
const THINKING: Partial<Record<Dialect, JsonObject>> = {
  messages: { thinking: { type: 'enabled', budget_tokens: 2000 } },
}
const TOOL = { name: 'look', schema: { type: 'object', properties: { mark: { type: 'string' } } } }
const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }

function gathered(caller: Dialect, told: string): JsonObject {
  const frames = framesOf(told)
  return (
    kits[caller].client.gather?.(frames) ??
    objectIn(parseObject(frames.at(-1)?.data ?? '')?.['response'])
  )
}

function expectReplay({ turns, forgets }: Journey, bodies: readonly JsonObject[]): void {
  for (const [at, { service }] of turns.entries()) {
    const body = bodies[at] ?? {}
    const heard = merged(hear(service, body).turns).filter(({ role }) => role === 'assistant')
    const expected = turns.slice(0, at).map((earlier, index) => {
      const isKept = !forgets || earlier.words.some(({ kind }) => kind === 'call')
      return shape(reply(earlier, index), isKept && earlier.service === service)
    })
    expect(heard.map(({ pieces }) => shape(pieces, true))).toEqual(expected)
    // Where it stays with a service, what is sent begins with what was sent before.
    if (turns[at - 1]?.service === service)
      expect(brokenAt(promptOf(bodies[at - 1] ?? {}), promptOf(body))).toBeUndefined()
  }
}

describe('a session that wanders between services', () => {
  describe.each(DIALECTS)('of %s', (caller) => {
    // Of the caller's own dialect bytes pass, and the client alone decides.
    const foreign = SERVICES.filter((service) => service !== caller)
    // What is signed before a call may be a text there, and texts are not remembered by calls.
    const bound = foreign.filter((service) => service !== 'generate-content')
    it.each([
      ['is replayed as it was said', foreign, false],
      ['is replayed with the thoughts that its client has forgotten', bound, true],
    ] as const)('%s', async (_, services, forgets) => {
      const journeys = fc.array(turnAt(services), { minLength: 2, maxLength: 7 })
      const property = fc.asyncProperty(journeys, async (turns) => {
        const journey = { caller, turns, forgets }
        expectReplay(journey, await wander(journey))
      })
      await fc.assert(property, cases(50))
    })
  })
})
