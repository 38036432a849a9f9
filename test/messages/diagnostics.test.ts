import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { responsesReply } from '../dialects/responses/reply.ts'
import { siteOf } from '../cache/exchange.ts'

const MODEL = 'gpt-5.6'
const HELLO = { max_tokens: 99, messages: [{ role: 'user', content: 'hello' }] }

const asking = (previous_message_id: string | null, stream = false) => ({
  ...HELLO,
  stream,
  diagnostics: { previous_message_id },
})

/** What a service that was asked says of its cache. */
async function compared(found: JsonObject, stream = false) {
  const reply = () => ({ ...responsesReply('hi'), prompt_cache_diagnostics: found })
  const site = siteOf({ caller: 'messages', upstream: 'responses', reply })
  const response = await site.ask(MODEL, asking('resp_1', stream))
  return { text: await response.text(), losses: site.log[0]?.losses ?? [] }
}

describe('why the cache did not hold a prompt', () => {
  it('is asked for by the reply that came before', async () => {
    const site = siteOf({ caller: 'messages', upstream: 'responses' })
    const response = await site.ask(MODEL, asking('resp_1'))
    expect(site.sent[0]).toMatchObject({
      prompt_cache_options: { comparison_response_id: 'resp_1' },
    })
    expect(response.headers.get('x-dragoman-losses') ?? '').not.toContain('caching')
  })

  it.each([
    ['another service made the reply', 'responses', MODEL, 'msg_1'],
    ['the model takes no such options', 'responses', 'gpt-4.1', 'resp_1'],
    ['nothing is compared', 'generate-content', MODEL, 'resp_1'],
    ['nothing is compared', 'chat-completions', MODEL, 'resp_1'],
  ] as const)('is reported as lost where %s: %s, %s', async (_, upstream, model, id) => {
    const site = siteOf({ caller: 'messages', upstream })
    const response = await site.ask(model, asking(id))
    expect(response.headers.get('x-dragoman-losses')).toContain('dropped caching.comparedWith')
    expect(JSON.stringify(site.sent)).not.toContain(id)
  })

  it.each<Dialect>(['messages', 'generate-content', 'chat-completions'])(
    'cannot be asked of %s by the id of a response',
    async (upstream) => {
      const site = siteOf({ caller: 'responses', upstream })
      const options = { comparison_response_id: 'resp_1' }
      const response = await site.ask('m', { input: 'hello', prompt_cache_options: options })
      expect(response.headers.get('x-dragoman-losses')).toContain('dropped caching.comparedWith')
      expect(JSON.stringify(site.sent)).not.toContain('resp_1')
    },
  )

  it.each<[JsonObject, JsonObject]>([
    [
      { type: 'cache_miss', reason: 'tools_changed', cache_missed_tokens: 7 },
      { type: 'tools_changed', cache_missed_input_tokens: 7 },
    ],
    [
      { type: 'cache_miss', reason: 'context_compacted', cache_missed_tokens: 7 },
      { type: 'messages_changed', cache_missed_input_tokens: 7 },
    ],
    [
      { type: 'cache_miss', reason: 'verbosity_changed', cache_missed_tokens: 7 },
      { type: 'unavailable' },
    ],
    [{ type: 'comparison_response_not_found' }, { type: 'previous_message_not_found' }],
    [{ type: 'unavailable' }, { type: 'unavailable' }],
  ])('is told in the words of messages: %j', async (found, cache_miss_reason) => {
    const { text } = await compared(found)
    expect(JSON.parse(text)).toMatchObject({ diagnostics: { cache_miss_reason } })
  })

  it('is nothing where the cache held it', async () => {
    const { text, losses } = await compared({ type: 'cache_hit' })
    expect(JSON.parse(text)).not.toHaveProperty('diagnostics')
    expect(losses).toEqual([])
  })

  it('is lost in a stream, which has begun before it is known', async () => {
    const found = { type: 'cache_miss', reason: 'model_changed', cache_missed_tokens: 7 }
    const { text, losses } = await compared(found, true)
    expect(text).not.toContain('diagnostics')
    expect(losses).toMatchObject([{ path: 'reply.cacheMiss' }])
  })
})
