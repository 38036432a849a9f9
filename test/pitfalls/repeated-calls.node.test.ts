import { describe, expect, it } from 'vitest'
import { parseObject, type JsonObject } from '../../src/json/json.ts'
import { kits, PAIRS } from '../dialects/index.ts'
import { BASE, KEYS, proxyOf } from '../memory/proxy.ts'
import { brokenAt, promptOf } from '../replay/chains.ts'
import { call, said, thinking } from '../sdk/script.ts'

/** The ids of calls, and of what answers them, in the order in which a body names them. */
const CALLS = /"(?:id|call_id|tool_call_id|tool_use_id)":\s*"(call_[^"]*)"/g
const idsIn = (text: string): string[] => [...text.matchAll(CALLS)].map(([, id]) => id ?? '')
const found = (text: string): string[] => [...new Set(idsIn(text))]

const TURNS = 3
/** From here on the proxy lets go of a conversation once it has been sent. */
const LONG = 'w'.repeat(70_000)

/**
 * Servers may number the calls of each reply anew (`call_0`). Gemini CLI (0.61.0) takes a call by the id of one that
 * it has answered for answered, and waits for good.
 */
describe.each([
  ['a short conversation', 'go'],
  ['a long one', LONG],
])('calls of a server that numbers them anew in each reply, in %s', (_, task) => {
  it.each(PAIRS)('have ids of their own for callers of %s over %s', async (from, to) => {
    let turn = 0
    const proxy = proxyOf(() =>
      said([call('call_0', 'f', { turn }), call('call_1', 'g', { turn })], 'tool-call'),
    )
    const { ask, client, http } = kits[from]
    const model = `${to}-x`
    const tools = ask.offer(['f', 'g'].map((name) => ({ name, schema: { type: 'object' } })))
    let body: JsonObject = { ...ask.needed, ...client.request(model, task), ...tools }
    const send = async (stream: boolean) => {
      const headers = { ...http.credentials(KEYS[0] ?? ''), 'anthropic-version': '2023-06-01' }
      const answer = await proxy.fetch(BASE + http.path(model, stream), {
        method: 'POST',
        body: JSON.stringify(http.body(model, stream, body)),
        headers: { 'content-type': 'application/json', ...headers },
      })
      return answer.text()
    }
    const known: string[] = []
    for (; turn < TURNS; turn += 1) {
      const streamed = await send(true)
      const reply = await send(false)
      expect(found(streamed)).toEqual(found(reply))
      known.push(...found(reply))
      body = client.followUp(body, parseObject(reply) ?? {})
    }
    await send(false)
    expect(new Set(known).size).toBe(2 * TURNS)
    // What a service is sent stays as it was, and names each call once, where it names calls at all.
    const prompts = proxy.got.map(({ body }) => promptOf(body as JsonObject))
    const breaks = prompts.slice(1).map((later, at) => brokenAt(prompts[at] ?? later, later))
    expect(breaks.filter(Boolean)).toEqual([])
    expect([known, []]).toContainEqual(found(proxy.got.at(-1)?.text ?? ''))
  })
})

/** What a client keeps of a reply that keeps calls alone. */
const CLIENTS = {
  responses: {
    path: '/v1/responses',
    request: (input: object[]) => ({
      input,
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
    }),
    turn: (id: string) => [
      { type: 'function_call', call_id: id, name: 'f', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: id, output: 'ok' },
    ],
  },
  'chat-completions': {
    path: '/v1/chat/completions',
    request: (messages: object[]) => ({
      messages,
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    }),
    turn: (id: string) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: id, content: 'ok' },
    ],
  },
}

it.each(Object.entries(CLIENTS))(
  'finds the proof of each of such calls for a client of %s that drops them',
  async (_, { path, request, turn }) => {
    const proxy = proxyOf(
      () =>
        said(
          [thinking('Hm.', `proof${proxy.got.length}`), call('call_0', 'f', { a: 1 })],
          'tool-call',
        ),
      { change: { retention: { proofs: true } } },
    )
    const history: object[] = [{ role: 'user', content: 'go' }]
    for (let step = 0; step < TURNS; step += 1) {
      const json = { model: 'messages-x', ...request(history) }
      const [id = ''] = found(await (await proxy.ask(path, { json })).text())
      history.push(...turn(id))
    }
    const { text } = proxy.got.at(-1) ?? { text: '' }
    const proofs = [...text.matchAll(/"signature":"([^"]*)"/g)].map(([, proof]) => proof)
    expect(proofs).toEqual(['proof1', 'proof2'])
  },
)
