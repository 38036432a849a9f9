import { describe, expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { contentReply } from '../dialects/generate-content/reply.ts'
import { responsesItems } from '../dialects/responses/reply.ts'
import { jsonReply, proxyOf, sse, sseReply } from './proxy.ts'

const decodeText = (body: unknown) => new TextDecoder().decode(body as Uint8Array)

const page = (retrievedUrl: string, status?: string) => ({
  retrievedUrl,
  ...(status && { urlRetrievalStatus: `URL_RETRIEVAL_STATUS_${status}` }),
})
const CLOSED = 'https://a.example/closed'

const reply = (...urlMetadata: object[]) =>
  contentReply('I could not read it.', { urlContextMetadata: { urlMetadata } })

const change = {
  routes: [{ model: '*', upstream: 'plain' }],
  upstream: { dialect: 'generate-content' },
}
const question = { role: 'user', content: `What is in ${CLOSED}?` }
const said = reply(page(CLOSED, 'ERROR'))

const isReply = (value: unknown): value is { content: Record<string, unknown>[] } =>
  typeof value === 'object' && value !== null && 'content' in value

const turn = async (messages: object[], pages: object = said) => {
  const proxy = proxyOf(() => jsonReply(pages), change, { dialects })
  const body = { model: 'm', max_tokens: 10, messages }
  const headers = { 'anthropic-version': '2023-06-01' }
  const response = await proxy.fetch('/v1/messages', { body, headers })
  const reply: unknown = await response.json()
  if (!isReply(reply)) throw new Error('no reply')
  return { reply, response, sent: decodeText(proxy.sent[0]?.body) }
}
const lossesOf = ({ headers }: Response) => headers.get('x-dragoman-losses')
const respond = async (path: string, body: object, stream = false) => {
  const proxy = proxyOf(() => (stream ? sseReply(sse(said)) : jsonReply(said)), change, {
    dialects,
  })
  return await proxy.fetch(path, { body: { model: 'm', stream, ...body } })
}

describe('a page that the service could not open', () => {
  it('is a failed fetch for callers of messages', async () => {
    const { reply, response } = await turn([question])
    expect(lossesOf(response)).toBeNull()
    expect(reply).toMatchObject({
      stop_reason: 'end_turn',
      content: [
        { type: 'text' },
        { type: 'server_tool_use', name: 'web_fetch', input: { url: CLOSED } },
        {
          type: 'web_fetch_tool_result',
          content: { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' },
        },
      ],
    })
    const [, use, result] = reply.content
    expect(result?.['tool_use_id']).toBe(use?.['id'])
  })

  it('goes back to no service with the next turn', async () => {
    const { reply, sent } = await turn([question])
    const [text = {}] = reply.content
    const next = { role: 'user', content: 'Try again.' }
    const whole = await turn([question, { role: 'assistant', content: reply.content }, next])
    const plain = await turn([question, { role: 'assistant', content: [text] }, next])
    expect(whole.sent).toBe(plain.sent)
    // The prefix law: the first turn stands unchanged in the second.
    expect(whole.sent).toContain(sent.slice(0, sent.indexOf(']}')))
  })

  it.each([false, true])(
    'was opened in vain for callers of responses: stream %s',
    async (stream) => {
      const response = await respond('/v1/responses', { input: 'hi' }, stream)
      const text = await response.text()
      expect(text).toMatch(/"status":"failed","action":\{"type":"open_page","url":"[^"]*closed"/)
      expect(text).not.toContain('web_search_call.completed')
    },
  )

  it('is reported to callers of chat completions', async () => {
    const body = { messages: [{ role: 'user', content: 'hi' }] }
    const response = await respond('/v1/chat/completions', body)
    expect(lossesOf(response)).toBe('1; dropped reply.search')
  })

  it('says why in the list of losses where the caller has no word for it', async () => {
    const { reply: told, response } = await turn([question], reply(page(CLOSED, 'PAYWALL')))
    expect(told.content).toHaveLength(3)
    expect(lossesOf(response)).toBe('1; dropped reply.search.urlRetrievalStatus')
  })
})

describe('a page that the service has read', () => {
  it('is no fetch for callers of messages, because its text is not told', async () => {
    const { reply: told, response } = await turn([question], reply(page('https://b.example')))
    expect(told.content).toHaveLength(1)
    expect(lossesOf(response)).toBe('1; dropped reply.search.page')
  })
})

describe('a page that a service of responses could not open', () => {
  const action = { type: 'open_page', url: CLOSED }
  const failed = responsesItems({ type: 'web_search_call', id: 'ws_1', status: 'failed', action })
  const ask = async (path: string, body: object) => {
    const routes = [{ model: '*', upstream: 'plain' }]
    const other = { routes, upstream: { dialect: 'responses' } }
    const proxy = proxyOf(() => jsonReply(failed), other, { dialects })
    const headers = { 'anthropic-version': '2023-06-01' }
    const response = await proxy.fetch(path, { body, headers })
    return { told: await response.json(), losses: lossesOf(response) }
  }

  it('is a failed fetch for callers of messages', async () => {
    const { told } = await ask('/v1/messages', { model: 'm', max_tokens: 99, messages: [question] })
    const content = { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' }
    expect(told).toMatchObject({
      content: [{ name: 'web_fetch', input: { url: CLOSED } }, { content }],
    })
  })

  it('is no source for callers of generate-content', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
    const { told, losses } = await ask('/v1beta/models/m:generateContent', { contents })
    const urlContextMetadata = { urlMetadata: [page(CLOSED, 'ERROR')] }
    expect(told).toMatchObject({ candidates: [{ urlContextMetadata }] })
    expect(JSON.stringify(told)).not.toContain('groundingMetadata')
    expect(losses).toBeNull()
  })
})

it('reports pages without an address, and what stands beside the list', async () => {
  const odd = { urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' }
  const { reply: told, response } = await turn([question], reply(odd))
  expect(told.content).toHaveLength(1)
  expect(lossesOf(response)).toBe('1; dropped reply.urlContextMetadata')
})
