import fc from 'fast-check'
import { expect } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { isObject, listOf, type JsonObject } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'
import { requestsOf } from '../growth/fixtures.ts'
import { KEYS } from '../memory/proxy.ts'
import { edited, type Edit, type Step } from './edits.ts'
import type { Twins } from './twins.ts'

/** Every element that a history of a dialect may have, as far as it is written down. */
function makeElements(dialect: Dialect): JsonObject[] {
  const name = kits[dialect].ask.history
  return requestsOf(dialect).flatMap((request) => listOf(request[name]).filter(isObject))
}

interface Base {
  /** A request with everything that the dialect has, or one that every upstream takes. */
  isFull: boolean
  /** Which elements of histories come, and in which order. */
  seed: number
}

const AGENT = {
  steps: Array.from({ length: 40 }, (_, index) => ({
    id: `call_${index}`,
    said: `Я посмотрю файл ${index} “next”`,
    tool: 'read',
    input: { path: `/a/${index}`, n: index },
    result: `файл ${index}\n"quoted" \\ and ${'x'.repeat(index)}`,
  })),
  tools: ['read', 'write'].map((name) => ({
    name,
    description: `Use ${name}.`,
    schema: { type: 'object', properties: { path: { type: 'string' } } },
  })),
  system: 'You are careful. '.repeat(20),
  task: 'Сумма неверна.',
}

function makeBody(dialect: Dialect, { isFull, seed }: Base, turns: number): JsonObject {
  const { ask, bench } = kits[dialect]
  if (!isFull)
    return { ...bench.history({ ...AGENT, steps: AGENT.steps.slice(0, turns) }) } as JsonObject
  const [full = {}] = requestsOf(dialect)
  const elements = makeElements(dialect)
  const drawn = Array.from(
    { length: turns },
    (_, index) => elements[(seed + index * 7) % elements.length] ?? {},
  )
  return { ...full, [ask.history]: [...listOf(full[ask.history]), ...drawn] }
}

interface Session {
  base: Base
  turns: number
  lasting: Edit[]
}

/** Plays a session with and without a memory, and compares all that can be seen. */
export class Player {
  readonly #twins: Twins
  readonly #caller: Dialect
  readonly #upstreams: readonly Dialect[]
  readonly #sessions: Session[]
  #current = 0
  #key = 0
  #stream = false
  #upstream = 0

  constructor(both: Twins, caller: Dialect, upstreams: readonly Dialect[], bases: Base[]) {
    this.#twins = both
    this.#caller = caller
    this.#upstreams = upstreams
    this.#sessions = bases.map((base) => ({ base, turns: 4, lasting: [] }))
  }

  async play(step: Step): Promise<void> {
    const session = this.#sessions[this.#current % this.#sessions.length]
    if (!session) return
    const edits: Edit[] = []
    if (step.kind === 'grow') session.turns += step.by
    if (step.kind === 'shrink') session.turns = Math.max(1, session.turns - step.by)
    if (step.kind === 'mend') session.lasting = []
    if (step.kind === 'edit') (step.lasts ? session.lasting : edits).push(step.edit)
    if (step.kind === 'other') this.#turnTo(step.what)
    const upstream = this.#upstreams[this.#upstream % this.#upstreams.length] ?? this.#caller
    const model = `${upstream}-x`
    const body = makeBody(this.#caller, session.base, session.turns)
    const whole = kits[this.#caller].http.body(model, this.#stream, body)
    const text = [...session.lasting, ...edits].reduce(edited, JSON.stringify(whole))
    const bytes = Buffer.from(text)
    const sent = step.kind === 'bytes' ? spoiled(bytes, step.at, step.bytes) : bytes
    const asked = {
      caller: this.#caller,
      upstream,
      stream: this.#stream,
      key: KEYS[this.#key] ?? '',
    }
    const [warm, cold] = await this.#twins.ask({ ...asked, bytes: new Uint8Array(sent) })
    expect(warm).toEqual(cold)
  }

  #turnTo(what: (Step & { kind: 'other' })['what']): void {
    if (what === 'session') this.#current += 1
    if (what === 'caller') this.#key = 1 - this.#key
    if (what === 'stream') this.#stream = !this.#stream
    if (what === 'upstream') this.#upstream += 1
  }
}

function spoiled(bytes: Buffer, at: number, added: readonly number[]): Buffer {
  const place = Math.floor(at * bytes.length)
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(added), bytes.subarray(place)])
}

export const anyBase = fc.record({ isFull: fc.boolean(), seed: fc.nat(1000) })
