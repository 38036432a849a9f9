import { expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { placing } from '../../src/extras/places/placing.ts'
import { proxyOf } from '../exchange/proxy.ts'

it('tells where a body of the upstream’s own dialect was edited', async () => {
  const groq = dialects
    .of('chat-completions')
    ?.upstream.profiles?.find(({ name }) => name === 'groq')?.facts
  const change = {
    routes: [{ model: '*', upstream: 'plain' }],
    upstream: { dialect: 'chat-completions', ...(groq && { server: groq }) },
  }
  const proxy = proxyOf(() => Promise.reject(new Error('nothing is sent')), change, {
    dialects,
    placing,
  })
  const answer = await proxy.fetch('/explain/v1/chat/completions', {
    body: { model: 'm', messages: [{ role: 'user', content: 'x' }], logit_bias: { '1': 2 } },
  })
  expect(JSON.parse(await answer.text()).losses).toEqual([
    expect.objectContaining({ code: 'dropped', path: 'logit_bias', field: '/logit_bias' }),
  ])
})
