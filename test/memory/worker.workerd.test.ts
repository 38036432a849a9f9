import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import worker from '../../src/worker.ts'

const KEY = 'worker-caller-key-0001'
const OTHER = 'worker-caller-key-0002'
const upstreams = { demo: { dialect: 'messages', url: 'http://demo.invalid/messages' } }
const callers = { keys: [KEY, OTHER] }

interface Told {
  id: string
  output: { content: { text: string }[] }[]
}

/** Two isolates of one deployment: what one of them keeps in its own memory the other does not see. */
const isolates = (store: string) => {
  const config = JSON.stringify({ upstreams, callers, state: { store } })
  return [1, 2].map(() => {
    const environment = { ...env, DRAGOMAN_CONFIG: config }
    return (path: string, body?: object, key = KEY) =>
      worker.fetch(
        new Request(`https://proxy.example${path}`, {
          method: body ? 'POST' : 'GET',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          ...(body && { body: JSON.stringify(body) }),
        }),
        environment,
      )
  })
}

describe.each(['durable', 'kv'])('the Worker with %s', (store) => {
  it('continues a conversation in another isolate, for its own caller only', async () => {
    const [one, other] = isolates(store)
    if (!one || !other) throw new Error('two isolates')
    const first = await one('/v1/responses', { model: 'm', input: 'One.' })
    const { id } = (await first.json()) as Told
    const body = { model: 'm', input: 'Two.', previous_response_id: id }
    const second = await other('/v1/responses', body)
    expect(second.status).toBe(200)
    const { id: next } = (await second.json()) as Told
    const list = await one(`/v1/responses/${next}/input_items?order=asc`)
    expect(await list.json()).toMatchObject({
      data: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }],
    })
    expect((await one(`/v1/responses/${id}`)).status).toBe(200)
    expect((await one(`/v1/responses/${id}`, undefined, OTHER)).status).toBe(404)
    expect((await other('/v1/responses', body, OTHER)).status).toBe(400)
  })
})

describe('the Worker', () => {
  it('says in its log what is missing when the store has no binding, and to nobody else', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const config = JSON.stringify({ upstreams, callers, state: { store: 'kv' } })
    const request = new Request('https://proxy.example/v1/responses/resp_1')
    const response = await worker.fetch(request, { DRAGOMAN_CONFIG: config })
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('STATE_KV')
    expect(logged.mock.calls.flat().join()).toMatch(/state\.store: kv needs the binding STATE_KV/)
    logged.mockRestore()
  })
})
