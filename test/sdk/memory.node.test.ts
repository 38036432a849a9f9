import { describe, expect, test } from 'vitest'
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses'
import { call, said, text, thinking, type Dialect, type Said } from './script.ts'
import { HEARD } from '../memory/heard.ts'
import { proxyOf, type Got } from '../memory/proxy.ts'

const TURNS = 10
const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'Says the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
}

/** Odd turns think and call a tool, even ones answer. */
const reply = (got: Got, turn: number): Said => {
  const thought = thinking(`Thought ${turn}.`, `cHJvb2Yg${turn}AAA`)
  return turn % 2 === 1
    ? said([thought, call(idFor(got.dialect, turn), 'weather', { city: `C${turn}` })], 'tool-call')
    : said([thought, text(`Answer ${turn}.`)])
}

const idFor = (dialect: Dialect, turn: number) =>
  dialect === 'messages' ? `toolu_${turn}` : `call_${turn}`

const nextInput = (last: Response | undefined, turn: number): string | ResponseInputItem[] => {
  const calls = last?.output.filter((item) => item.type === 'function_call') ?? []
  if (calls.length === 0) return `Question ${turn}.`
  return calls.map(({ call_id }) => ({
    type: 'function_call_output' as const,
    call_id,
    output: `Result ${turn}.`,
  }))
}

describe.each(['messages', 'generate-content'] as const)('over %s', (dialect) => {
  test.each([true, false])('ten turns, each with the new one only (stream: %s)', async (stream) => {
    let turn = 0
    const proxy = proxyOf((got) => reply(got, (turn += 1)))
    const client = proxy.client()
    let last: Response | undefined
    for (let at = 1; at <= TURNS; at += 1) {
      const body = {
        model: `${dialect}-x`,
        input: nextInput(last, at),
        tools: [weather],
        reasoning: { effort: 'low' as const, summary: 'auto' as const },
        ...(at === 1 && { instructions: 'Only now.' }),
        ...(last && { previous_response_id: last.id }),
      }
      const before = last?.id ?? null
      last = stream
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body)
      expect(last.previous_response_id).toBe(before)
    }
    expect(proxy.got).toHaveLength(TURNS)
    const heard = proxy.got.map((got) => HEARD[dialect](got.body))
    for (const [index, conversation] of heard.entries()) {
      // The first turn, and two for each that followed.
      expect(conversation.turns).toHaveLength(2 * index + 1)
      expect(conversation.system).toBe(index === 0 ? 'Only now.' : '')
    }
    const pieces = heard.at(-1)?.turns.flatMap((each) => each.pieces) ?? []
    const proofs = pieces.flatMap((piece) =>
      piece.kind === 'thinking' && piece.proof !== '' ? [piece.proof] : [],
    )
    expect(proofs).toEqual(
      Array.from({ length: TURNS - 1 }, (_, index) => `cHJvb2Yg${index + 1}AAA`),
    )
    expect(pieces.filter((piece) => piece.kind === 'result')).toHaveLength(TURNS / 2)
    const losses = proxy.log.flatMap((entry) => entry.losses ?? [])
    expect(losses.filter(({ code }) => code === 'dropped')).toEqual([])
  })

  test('a turn begins with the bytes of the one before', async () => {
    let turn = 0
    const proxy = proxyOf((got) => reply(got, (turn += 1)))
    const client = proxy.client()
    let last: Response | undefined
    for (let at = 1; at <= 6; at += 1)
      last = await client.responses.create({
        model: `${dialect}-x`,
        input: nextInput(last, at),
        tools: [weather],
        ...(last && { previous_response_id: last.id }),
      })
    const histories = proxy.got.map(({ body }) =>
      JSON.stringify(body['messages'] ?? body['contents']).slice(0, -1),
    )
    for (const [index, history] of histories.entries())
      if (index > 0) expect(history.startsWith(histories[index - 1] ?? '?')).toBe(true)
  })
})
