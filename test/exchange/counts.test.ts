import { expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { MODEL, said, text } from '../sdk/script.ts'
import { proxyOf, sseReply } from './proxy.ts'

const NEVER = new Promise(() => undefined)

/** All but the mark of the end: the counts stand in it. */
const countedEvents = (dialect: 'generate-content' | 'chat-completions'): string[] => {
  const whole = kits[dialect].scripted.events(said([text('Hello!')], 'stop'), MODEL)
  return dialect === 'generate-content' ? whole : whole.slice(0, -1)
}

it.each([
  ['generate-content', 'generate-content'],
  ['messages', 'generate-content'],
  ['chat-completions', 'chat-completions'],
  ['responses', 'chat-completions'],
] as const)('the log of a %s caller that leaves has what %s counted', async (caller, upstream) => {
  const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: upstream } }
  // Together, so that all of it has been heard when the caller has its first bytes.
  const reply = sseReply([countedEvents(upstream).join(''), NEVER])
  const proxy = proxyOf(() => reply, change, { dialects })
  const { http, client } = kits[caller]
  const response = await proxy.fetch(http.path('m', true), {
    body: http.body('m', true, client.request('m', 'hi')),
    headers: { 'anthropic-version': '2023-06-01' },
  })
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  const counted = { input: 100, cacheRead: 64, output: 40, reasoning: 15 }
  expect(proxy.log.at(-1)).toMatchObject({ outcome: 'left', usage: counted, estimated: true })
})
