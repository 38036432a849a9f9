import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { DIALECTS } from '../../adapters/dialect.ts'
import { decodeBase64, encodeBase64 } from '../../src/json/base64.ts'
import { isObject, objectsOf, type Json, type JsonObject } from '../../src/json/json.ts'
import { createRecall } from '../../src/extras/recall/recall.ts'
import { cases } from '../cases.ts'
import { kits } from '../dialects/index.ts'
import { translator } from '../../src/named-translator.ts'
import { brokenAt, promptOf } from '../replay/chains.ts'
import { clientOf } from './session.ts'
import { messagesVendor } from './vendors.ts'

const TURNS = 8
/** Each reply has a thought, and each fifth a second one without words. */
const THOUGHTS = 9
/** In as many turns after those. */
const MORE = 10

const FOREIGN = DIALECTS.filter((dialect) => dialect !== 'messages')
const FORMS = ['ask', 'stream'] as const
const CASES = FOREIGN.flatMap((caller) => FORMS.map((form) => [caller, form] as const))

const remembering = () => createRecall({ bytes: 10_000_000, leastBytes: 256 })

/** A program that talks to a service that refuses what is bound elsewhere. */
class Program {
  readonly vendor = messagesVendor()
  readonly caller: Dialect
  readonly #client
  readonly #form: (typeof FORMS)[number]
  /** Where in the history each reply begins and ends. */
  readonly replies: [number, number][] = []
  request: JsonObject
  losses = ''

  constructor(caller: Dialect, form: (typeof FORMS)[number], recall = remembering()) {
    this.caller = caller
    this.#form = form
    this.#client = clientOf(caller, 'messages', this.vendor, recall)
    this.request = this.#client.first()
  }

  get sent(): readonly JsonObject[] {
    return this.#client.sent
  }

  async turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      const before = this.history.length
      const { status, body, losses } = await this.#client[this.#form](this.request)
      expect(status, JSON.stringify(body)).toBe(200)
      this.losses = losses
      this.request = this.#client.next(this.request, body)
      this.replies.push([before, this.history.length])
    }
  }

  get history(): Json[] {
    return kits[this.caller].client.history(this.request)
  }

  /** Every turn sends what the one before it sent, and more. */
  expectGrowth(from: number): void {
    for (let turn = from + 1; turn < this.sent.length; turn += 1) {
      const [before, after] = [this.sent[turn - 1], this.sent[turn]]
      if (before && after) expect(brokenAt(promptOf(before), promptOf(after))).toBeUndefined()
    }
  }

  /** Goes on without the thoughts of some replies. */
  forget(isForgotten: (reply: number) => boolean): void {
    const gone = this.replies.filter((_, reply) => isForgotten(reply))
    this.#setHistory(
      this.history.flatMap((element, index) => {
        const isGone = gone.some(([from, to]) => index >= from && index < to)
        return isGone ? withoutThoughts(element) : [element]
      }),
    )
  }

  /** Goes on with what it knew, and with what was said since. */
  remember(before: readonly Json[]): void {
    this.#setHistory([...before, ...this.history.slice(before.length)])
  }

  /** All that was handed out so far is as it was before proofs said what they are bound to. */
  age(): void {
    this.#setHistory(this.history.map(aged))
  }

  #setHistory(history: Json[]): void {
    this.request = { ...this.request, [kits[this.caller].ask.history]: history }
  }
}

const MEMBERS = new Set([
  'reasoning_details',
  'reasoning_content',
  'reasoning',
  'extra_content',
  'thoughtSignature',
])

/** An element of the history stays where it is, so that the places of the others hold; an empty one goes. */
function withoutThoughts(value: Json): Json[] {
  if (Array.isArray(value)) return [value.flatMap(withoutThoughts)]
  if (!isObject(value)) return [value]
  if (value['type'] === 'reasoning') return [{ type: 'message', role: 'user', content: [] }]
  if (value['thought'] === true) return []
  const kept = Object.entries(value).filter(([name]) => !MEMBERS.has(name))
  return [Object.fromEntries(kept.map(([name, each]) => [name, withoutThoughts(each)[0] ?? null]))]
}

const bare = (envelope: string): string => envelope.replace(/~[0-9a-f]{14}(?=\.)/, '')

function aged(value: Json): Json {
  if (Array.isArray(value)) return value.map(aged)
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, aged(each)]))
  if (typeof value !== 'string') return value
  if (value.startsWith('xseal1.')) return bare(value)
  return value.startsWith('eHNlYWwx') ? encodeBase64(bare(decodeBase64(value) ?? '')) : value
}

const thoughtsIn = (body: JsonObject | undefined): number =>
  objectsOf(body?.['messages'])
    .flatMap(({ content }) => objectsOf(content))
    .filter(({ type }) => type === 'thinking' || type === 'redacted_thinking').length

describe('a client that deletes thoughts', () => {
  const PLACES: [string, (reply: number) => boolean, number, boolean][] = [
    ['at the beginning', (reply) => reply < 3, THOUGHTS - 3, false],
    ['in the middle', (reply) => reply === 3, 3, true],
    ['next to the last', (reply) => reply === TURNS - 2, THOUGHTS - 2, true],
    ['in two places', (reply) => reply === 2 || reply === 5, 2, true],
    ['at both ends', (reply) => reply < 2 || reply > 5, THOUGHTS - 4, false],
    ['at the end', (reply) => reply > 4, THOUGHTS - 3, false],
    ['all', () => true, 0, false],
  ]

  describe.each(PLACES)('%s', (_, isForgotten, kept, isReported) => {
    it.each(CASES)('goes on: %s, %s', async (caller, form) => {
      const program = new Program(caller, form)
      await program.turns(TURNS)
      expect(thoughtsIn(program.sent.at(-1))).toBe(THOUGHTS - 1)
      program.forget(isForgotten)
      await program.turns(1)
      expect(thoughtsIn(program.sent.at(-1))).toBe(kept)
      expect(program.losses.includes('.seal')).toBe(isReported)
      // What is thought from here on is sent again.
      await program.turns(TURNS)
      expect(thoughtsIn(program.sent.at(-1))).toBe(kept + MORE)
      expect(program.vendor.returned.mismatches).toEqual([])
      program.expectGrowth(TURNS)
    })
  })

  it.each(FOREIGN)(
    'is sent the same whether its last request is remembered: %s',
    async (caller) => {
      const [recall, none] = [remembering(), createRecall({ bytes: 0 })]
      const [one, other] = [recall, none].map((each) => new Program(caller, 'ask', each))
      if (!one || !other) return
      for (const program of [one, other]) {
        await program.turns(TURNS)
        program.forget((reply) => reply === 3)
        await program.turns(TURNS)
      }
      expect(recall.held).toBeGreaterThan(0)
      expect(none.held).toBe(0)
      expect(one.sent).toEqual(other.sent)
    },
  )

  it.each(CASES)('and brings them back goes on: %s, %s', async (caller, form) => {
    const program = new Program(caller, form)
    await program.turns(TURNS)
    const before = program.history
    program.forget((reply) => reply > 4)
    await program.turns(2)
    program.remember(before)
    await program.turns(1)
    expect(thoughtsIn(program.sent.at(-1))).toBe(THOUGHTS)
    await program.turns(3)
    expect(program.vendor.returned.mismatches).toEqual([])
    program.expectGrowth(TURNS + 2)
  })

  it.each(CASES)('at random in each turn is never refused: %s, %s', async (caller, form) => {
    const forgotten = fc.array(fc.array(fc.nat(9), { maxLength: 4 }), { maxLength: 9 })
    const property = fc.asyncProperty(forgotten, async (turns) => {
      const program = new Program(caller, form)
      await program.turns(1)
      for (const gone of turns) {
        const before = program.history
        program.forget((reply) => gone.includes(reply))
        await program.turns(1)
        program.remember(before)
      }
      expect(program.vendor.returned.mismatches).toEqual([])
    })
    await fc.assert(property, cases(12))
  })

  it.each(CASES)('is served as before with proofs of old: %s, %s', async (caller, form) => {
    const program = new Program(caller, form)
    await program.turns(4)
    program.age()
    await program.turns(4)
    expect(thoughtsIn(program.sent.at(-1))).toBe(THOUGHTS - 1)
    program.expectGrowth(0)
    program.forget((reply) => reply === 5)
    await program.turns(4)
    expect(program.vendor.returned.mismatches).toEqual([])
    program.expectGrowth(8)
  })
})

it('passes the refusal to a client of messages, who alone may decide', async () => {
  const vendor = messagesVendor()
  const client = clientOf('messages', 'messages', vendor)
  let request = client.first()
  for (let turn = 0; turn < 3; turn += 1) {
    const { body } = await client.ask(request)
    request = client.next(request, body)
  }
  const messages = objectsOf(request['messages']).map((message, index) =>
    index === 3
      ? { ...message, content: objectsOf(message['content']).filter((_, at) => at > 0) }
      : message,
  )
  for (const form of FORMS) {
    const { status, body } = await client[form]({ ...request, messages })
    expect(status).toBe(400)
    expect(body).toHaveProperty(
      'error.message',
      expect.stringMatching(/^messages\.5\.content\.0: Invalid `signature` in `thinking` block\./),
    )
  }
  expect(client.sent).toHaveLength(5)
})

it('goes on where a program translates by itself', () => {
  const vendor = messagesVendor()
  const { client } = kits.responses
  const between = translator({ from: 'responses', to: 'messages' })
  const turn = (request: JsonObject): JsonObject => {
    const { status, body } = vendor.answer(between.request(request).body)
    expect(status).toBe(200)
    return client.followUp(request, between.reply(body).body)
  }
  let request = client.request('m', 'Do it.')
  for (let count = 0; count < 4; count += 1) request = turn(request)
  const thoughts = objectsOf(request['input']).filter(({ type }) => type === 'reasoning')
  request['input'] = objectsOf(request['input']).filter((item) => item !== thoughts[1])
  for (let count = 0; count < 3; count += 1) request = turn(request)
  // At last the first one, and those that were thought behind it alone, two at a time in the fifth turn.
  expect(vendor.returned).toEqual({ accepted: 1 + 2 + 3 + 1 + 3 + 4, mismatches: [] })
})
