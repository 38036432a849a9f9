import { expect, it } from 'vitest'
import { createApp, memoryStore, type Config } from '../../src/index.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'

const config: Config = {
  upstreams: { demo: { dialect: 'messages', url: 'http://upstream.invalid' } },
  callers: 'open',
}
const reply = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmF0dXJl' },
    { type: 'text', text: 'Yes.' },
  ],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
}

it('says in which stored response a turn stands that the caller did not send again', async () => {
  const app = createApp(config, {
    store: memoryStore(STORE_BOUNDS),
    send: async () => ({
      status: 200,
      headers: new Headers({ 'content-type': 'application/json' }),
      body: new Response(JSON.stringify(reply)).body,
    }),
  })
  const ask = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return JSON.parse(await (await app.fetch(new Request(`http://x.invalid${path}`, init))).text())
  }
  const thinks = { model: 'm', reasoning: { effort: 'high' } }
  const image = { type: 'input_image', image_url: 'https://x.invalid/a.png', detail: 'low' }
  const looks = { role: 'user', content: [{ type: 'input_text', text: 'Look.' }, image] }
  const first = await ask('/v1/responses', { ...thinks, input: 'Hi' })
  const second = await ask('/v1/responses', {
    ...thinks,
    input: [{ role: 'user', content: 'Wait.' }, looks],
    previous_response_id: first.id,
  })
  const told = await ask('/explain/v1/responses', {
    ...thinks,
    input: [{ role: 'user', content: 'Now?' }, looks],
    previous_response_id: second.id,
  })
  const lost = { code: 'dropped', storedAt: '/input/1/content/1/detail' }
  expect(told.losses.slice(0, 2)).toMatchObject([
    { ...lost, stored: second.id },
    { code: 'dropped', field: '/input/1/content/1/detail' },
  ])
  expect(told.losses[0]).not.toHaveProperty('field')
  expect(told.proofs).toEqual(
    [first, second].map(({ id }, turn) => ({
      path: `turns.${turn === 0 ? 1 : 4}.blocks.0.seal`,
      stored: id,
      storedAt: '/output/0/encrypted_content',
      sentAt: `/messages/${turn === 0 ? 1 : 3}/content`,
    })),
  )
})
