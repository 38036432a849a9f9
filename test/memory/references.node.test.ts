import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { PROVING } from '../dialects/index.ts'
import * as z from 'zod'
import { call, said, text, thinking } from '../sdk/script.ts'
import { hear } from './heard.ts'
import { BASE, KEYS, proxyOf } from './proxy.ts'

const reference = (id: string | undefined) => ({ type: 'item_reference' as const, id: id ?? '' })
const says = (role: 'user', content: string) => ({ role, content })

describe('item_reference', () => {
  test.each(PROVING.filter((dialect) => dialect !== 'responses'))(
    'stands for the item over %s, thoughts and proofs included',
    async (dialect) => {
      const proxy = proxyOf(() =>
        said([thinking('Hm.', 'cHJvb2YAAAAA'), text('Sunny.'), call('call_1', 'look', { x: 1 })]),
      )
      const client = proxy.client()
      const model = `${dialect}-x`
      const question = says('user', 'Weather?')
      const first = await client.responses.create({ model, input: [question] })
      const answer = { type: 'function_call_output' as const, call_id: 'call_1', output: '7' }
      const output = first.output.map((item) => reference(item.id))
      await client.responses.create({ model, input: [question, ...output, answer] })
      const whole = first.output as Parameters<typeof client.responses.create>[0]['input']
      await client.responses.create({
        model,
        input: [question, ...(Array.isArray(whole) ? whole : []), answer],
      })
      expect(proxy.got[1]?.text).toBe(proxy.got[2]?.text)
      const heard = hear(dialect, proxy.got[1]?.body)
      const pieces = heard.turns.flatMap((turn) => turn.pieces)
      expect(pieces).toContainEqual(expect.objectContaining({ proof: 'cHJvb2YAAAAA' }))
      expect(pieces).toContainEqual(expect.objectContaining({ kind: 'result', output: '7' }))
    },
  )

  test('may leave out its type, may name input, and repeats nothing that the chain brings', async () => {
    const proxy = proxyOf(() => said([text('Yes.')]))
    const client = proxy.client()
    const model = 'messages-x'
    const first = await client.responses.create({ model, input: 'One.' })
    const { data } = await client.responses.inputItems.list(first.id)
    const input = [{ id: data[0]?.id ?? '' }, { id: first.output[0]?.id ?? '' }] as never
    await client.responses.create({ model, input: [...input, says('user', 'Two.')] })
    const turns = (index: number) => hear('messages', proxy.got[index]?.body).turns
    expect(turns(1)).toMatchObject([
      { role: 'user', pieces: [{ text: 'One.' }] },
      { role: 'assistant', pieces: [{ text: 'Yes.' }] },
      { role: 'user', pieces: [{ text: 'Two.' }] },
    ])
    await client.responses.create({
      model,
      previous_response_id: first.id,
      input: [reference(first.output[0]?.id), says('user', 'Two.')],
    })
    expect(turns(2)).toEqual(turns(1))
  })

  test('is kept as the item: what follows needs no reference to a reference', async () => {
    const proxy = proxyOf(() => said([text('Yes.')]))
    const client = proxy.client()
    const model = 'messages-x'
    const first = await client.responses.create({ model, input: 'One.' })
    const input = [says('user', 'One.'), reference(first.output[0]?.id), says('user', 'Two.')]
    const second = await client.responses.create({ model, input })
    await client.responses.delete(first.id)
    await client.responses.create({ model, input: 'Three.', previous_response_id: second.id })
    expect(hear('messages', proxy.got[2]?.body).turns).toHaveLength(5)
  })

  test('is refused in numbers that would keep the store busy', async () => {
    const proxy = proxyOf(() => said([text('Yes.')]))
    const input = Array.from({ length: 1001 }, (_, index) =>
      reference(`msg_${index.toString(16).padStart(16, '0')}00000001`),
    )
    const refused = await proxy.ask('/v1/responses', { json: { model: 'messages-x', input } })
    expect(refused.status).toBe(400)
    expect(proxy.got).toHaveLength(0)
  })

  test.each(PROVING.filter((dialect) => dialect !== 'responses'))(
    'is how the ai package remembers its own steps, over %s',
    async (dialect) => {
      let turn = 0
      const scripted = () => {
        turn += 1
        const thought = thinking(`T${turn}`, `cHJvb2Yg${turn}AAA`)
        return turn === 1
          ? said([thought, call('call_1', 'look', { place: 'here' })], 'tool-call')
          : said([thought, text('Done.')])
      }
      const routes = [{ model: '*', upstream: dialect }]
      const proxy = proxyOf(scripted, { routes })
      const bodies: unknown[] = []
      const provider = createOpenAI({
        apiKey: KEYS[0] ?? '',
        baseURL: `${BASE}/v1`,
        fetch: async (input, init) => {
          bodies.push(JSON.parse(String(init?.body)))
          return proxy.fetch(input, init)
        },
      })
      const look = tool({
        inputSchema: z.object({ place: z.string() }),
        execute: async () => 'a dragon',
      })
      const result = await generateText({
        model: provider.responses('gpt-5'),
        prompt: 'Look.',
        tools: { look },
        stopWhen: stepCountIs(3),
        providerOptions: { openai: { reasoningSummary: 'auto' } },
      })
      expect(result.text).toBe('Done.')
      expect(JSON.stringify(bodies[1])).toContain('"item_reference"')
      const heard = hear(dialect, proxy.got[1]?.body)
      const pieces = heard.turns.flatMap((each) => each.pieces)
      expect(pieces).toContainEqual(expect.objectContaining({ proof: 'cHJvb2Yg1AAA' }))
      expect(pieces).toContainEqual(expect.objectContaining({ kind: 'call', name: 'look' }))
    },
  )
})
