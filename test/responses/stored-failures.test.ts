import { describe, expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { KEY, proxyOf, streamOf } from '../exchange/proxy.ts'

/** What an upstream answers about a response that it keeps, where that is a failure, reaches the caller as one. */

interface Said {
  text: string
  status?: number
  type?: string
}

async function asked(method: string, rest: string, { text, status = 200, type }: Said) {
  const headers = new Headers({ 'content-type': type ?? 'application/json' })
  const change = {
    routes: [{ model: '*', upstream: 'plain', as: 'own' }],
    upstream: { dialect: 'responses', key: { kind: 'caller' as const } },
  }
  const reply = () => ({ status, headers, body: text === '' ? null : streamOf([text]) })
  const proxy = proxyOf(reply, change, { dialects })
  const response = await proxy.fetch(`/v1/responses/resp_1${rest}`, {
    method,
    headers: { authorization: `Bearer ${KEY}` },
  })
  return { status: response.status, text: await response.text() }
}

const WAYS: [string, string][] = [
  ['GET', ''],
  ['POST', '/cancel'],
  ['GET', '/input_items'],
  ['DELETE', ''],
]
const READ = WAYS.slice(0, -1)

const messageIn = (text: string): unknown =>
  (JSON.parse(text) as { error: { message: unknown } }).error.message

describe('about a kept response', () => {
  it.each(WAYS)('a page of something in between is no answer: %s %s', async (method, rest) => {
    for (const status of [200, 503]) {
      const answer = await asked(method, rest, { text: '<html>Down</html>', status })
      expect(answer.status).toBe(status === 200 ? 502 : status)
      expect(messageIn(answer.text)).toMatch(/^The upstream answered/)
    }
  })

  it.each(WAYS)('half an answer is none: %s %s', async (method, rest) => {
    const answer = await asked(method, rest, { text: '{"id":"resp_1"' })
    expect(answer.status).toBe(502)
  })

  it.each(WAYS)('an error is one, whatever its status: %s %s', async (method, rest) => {
    const error = { message: `Broken, ${KEY}`, type: 'server_error', code: 'server_error' }
    const answer = await asked(method, rest, { text: JSON.stringify({ error }) })
    expect(answer.status).toBe(500)
    expect(JSON.parse(answer.text)).toEqual({ error: { ...error, message: 'Broken, ***' } })
  })

  it.each(READ)('a failure in foreign words is told: %s %s', async (method, rest) => {
    const answer = await asked(method, rest, { text: JSON.stringify({ detail: `No, ${KEY}` }) })
    expect(answer.status).toBe(500)
    expect(messageIn(answer.text)).toBe('No, ***')
  })

  it('a deletion may be told in any words, or in none', async () => {
    const worded = await asked('DELETE', '', { text: `{"message":"Deleted with ${KEY}."}` })
    expect(worded).toEqual({ status: 200, text: '{"message":"Deleted with ***."}' })
    for (const status of [200, 204])
      expect(await asked('DELETE', '', { text: '', status })).toEqual({ status, text: '' })
    for (const [method, rest] of READ)
      expect((await asked(method, rest, { text: '', status: 204 })).status).toBe(502)
  })

  it.each(WAYS)('what is no failure passes: %s %s', async (method, rest) => {
    for (const body of [
      { id: 'resp_1', object: 'response', deleted: true },
      { object: 'list', data: [], has_more: false },
      { id: 'resp_1', object: 'response', status: 'in_progress', model: 'own', output: [] },
      { id: 'resp_1', object: 'response', status: 'failed', error: { message: 'No' }, output: [] },
    ]) {
      const text = JSON.stringify(body)
      expect(await asked(method, rest, { text })).toEqual({ status: 200, text })
    }
  })
})

const streamed = (text: string) => asked('GET', '?stream=true', { text, type: 'text/event-stream' })

describe('the stream of a kept response', () => {
  const begun = `event: response.created\ndata: {"type":"response.created","sequence_number":4,"response":{"id":"resp_1","model":"own","status":"in_progress","output":[]}}\n\n`

  it('that breaks ends in an error, and not in a failure of the response, which goes on', async () => {
    const { status, text } = await streamed(`${begun}event: response.outp`)
    expect(status).toBe(200)
    expect(text.startsWith(begun)).toBe(true)
    expect(text).toContain('event: error')
    expect(text.match(/"sequence_number":\d/g)).toEqual(Array(2).fill('"sequence_number":4'))
  })

  it('that is whole passes', async () => {
    const end = `event: response.completed\ndata: {"type":"response.completed","sequence_number":5,"response":{"id":"resp_1","model":"own","status":"completed","output":[]}}\n\n`
    expect(await streamed(begun + end)).toEqual({ status: 200, text: begun + end })
    expect(await streamed(end)).toEqual({ status: 200, text: end })
  })

  it('hides the key in an error of any form', async () => {
    const { text } = await streamed(
      `event: error\ndata: {"type":"error","message":"No, ${KEY}"}\n\n`,
    )
    expect(text).toBe('event: error\ndata: {"type":"error","message":"No, ***"}\n\n')
  })

  it('that holds a foreign failure alone is one', async () => {
    const answer = await streamed(`data: {"detail":"No, ${KEY}"}\n\n`)
    expect(answer.status).toBe(500)
    expect(messageIn(answer.text)).toBe('No, ***')
  })
})
