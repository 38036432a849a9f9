import type OpenAI from 'openai'
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses'
import { expect } from 'vitest'
import { kits } from '../dialects/index.ts'
import { call, said, text, thinking, type Dialect, type Said, type Wire } from '../sdk/script.ts'
import { hear } from './heard.ts'

export const TURNS = 10

const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'Says the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
}

const makeProof = (turn: number) => `cHJvb2Y${'ABCDEFGHIJ'[turn - 1] ?? 'Z'}`

/** What the upstream says in a turn, from 1: odd ones think and call a tool, even ones answer. */
export function reply(dialect: Dialect, turn: number): Said {
  const thought = thinking(`Thought ${turn}.`, makeProof(turn))
  const id = `${kits[dialect].scripted.idPrefix || 'call_'}${turn}`
  return turn % 2 === 1
    ? said([thought, call(id, 'weather', { city: `C${turn}` })], 'tool-call')
    : said([thought, text(`Answer ${turn}.`)])
}

function nextInput(last: Response | undefined, turn: number): string | ResponseInputItem[] {
  const calls = last?.output.filter((item) => item.type === 'function_call') ?? []
  if (calls.length === 0) return `Question ${turn}.`
  return calls.map(({ call_id }) => ({
    type: 'function_call_output' as const,
    call_id,
    output: `Result ${turn}.`,
  }))
}

export interface Talk {
  /** Whom to ask in a turn, from 1. */
  client(turn: number): OpenAI | Promise<OpenAI>
  model: string
  stream: boolean
  turns?: number
}

/** A conversation by the official client that sends only what is new. */
export async function talk({ client, model, stream, turns = TURNS }: Talk): Promise<Response[]> {
  const responses: Response[] = []
  for (let turn = 1; turn <= turns; turn += 1) {
    const last = responses.at(-1)
    const body = {
      model,
      input: nextInput(last, turn),
      tools: [weather],
      reasoning: { effort: 'low' as const, summary: 'auto' as const },
      ...(turn === 1 && { instructions: 'Only now.' }),
      ...(last && { previous_response_id: last.id }),
    }
    const api = (await client(turn)).responses
    const next = stream ? await api.stream(body).finalResponse() : await api.create(body)
    expect(next.previous_response_id).toBe(last?.id ?? null)
    responses.push(next)
  }
  return responses
}

/** Holds what reached the upstream against the whole conversation, thoughts and proofs included. */
export function expectWhole(dialect: Dialect, bodies: readonly Wire[]): void {
  expect(bodies).toHaveLength(TURNS)
  const heard = bodies.map((body) => hear(dialect, body))
  for (const [index, { turns, system }] of heard.entries()) {
    // The first turn, and two for each that followed.
    expect(turns).toHaveLength(2 * index + 1)
    expect(system).toBe(index === 0 ? 'Only now.' : '')
  }
  const pieces = heard.at(-1)?.turns.flatMap((turn) => turn.pieces) ?? []
  const proofs = pieces.flatMap((piece) =>
    piece.kind === 'thinking' && piece.proof !== '' ? [piece.proof] : [],
  )
  expect(proofs).toEqual(Array.from({ length: TURNS - 1 }, (_, index) => makeProof(index + 1)))
  expect(pieces.filter((piece) => piece.kind === 'result')).toHaveLength(TURNS / 2)
  // Instructions are said with the first turn alone, and one dialect has them in its conversation.
  const histories = bodies.map((body) => {
    const turns = body[kits[dialect].ask.history] as Wire[]
    const text = JSON.stringify(turns.filter(({ role }) => role !== 'system')).slice(0, -1)
    // Marks of what to cache move on with the conversation.
    return text.replaceAll(/,"cache_control":\{[^}]*\}/g, '')
  })
  for (const [index, history] of histories.entries())
    if (index > 0) expect(history.startsWith(histories[index - 1] ?? '?')).toBe(true)
}
