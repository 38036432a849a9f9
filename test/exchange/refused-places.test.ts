import { expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { jsonReply, proxyOf } from './proxy.ts'

const picture = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'aaaa' },
}
const asked = {
  model: 'm',
  max_tokens: 100,
  tools: ['a', 'b', 'c'].map((name) => ({ name, input_schema: { type: 'object', title: name } })),
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Look.' }, picture] },
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: 'Again.' },
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: [picture, { type: 'text', text: 'Look.' }] },
  ],
}

it.each([
  ['input[0].content[1]', 'messages.0.content.1'],
  ['input[0].content[0]', 'messages.0.content.0'],
  ['input[1].content[0]', 'messages.1'],
  ['input[2].content[0]', 'messages.2'],
  ['input[3].content[0]', 'messages.3'],
  ['input[4].content[0]', 'messages.4.content.0'],
  ['input[4].content[1]', 'messages.4.content.1'],
  ['tools[0].parameters', 'tools.0'],
  ['tools[1].parameters', 'tools.1'],
  ['tools[2].parameters', 'tools.2'],
])('what an upstream says of %s is said of %s', async (named, place) => {
  const said = { error: { message: `Not ${named}.`, type: 'invalid_request_error', param: named } }
  const settings = {
    upstreams: ['responses'],
    routes: [{ model: '*', upstream: 'responses' }],
  }
  const proxy = proxyOf(() => jsonReply(said, 400), settings, { dialects })
  const answer = await proxy.fetch('/v1/messages', {
    body: asked,
    headers: { 'anthropic-version': '2023-06-01' },
  })
  expect(await answer.json()).toMatchObject({ error: { message: `Not ${place}.` } })
})

it.each([
  'messages.0.content.1.source.media_type',
  'messages.1.content',
  'messages.4.content.1.text',
  'tools.2.input_schema.title',
  'tools.1.max_uses',
])('an upstream of the same dialect names %s, behind an alias, and so is told', async (named) => {
  const message = `${named}: not like this`
  const said = { type: 'error', error: { type: 'invalid_request_error', message } }
  const settings = {
    upstreams: ['messages'],
    routes: [{ model: '*', upstream: 'messages', as: 'own' }],
  }
  const proxy = proxyOf(() => jsonReply(said, 400), settings, { dialects })
  const answer = await proxy.fetch('/v1/messages', {
    body: asked,
    headers: { 'anthropic-version': '2023-06-01' },
  })
  expect(await answer.json()).toMatchObject({ error: { message } })
})
