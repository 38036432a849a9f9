import { expect, test } from 'vitest'
import { DEMO_ORIGIN } from '../../src/config/defaults.ts'
import { createApp } from '../../src/index.ts'

/** A proxy in front of another one, which a team shares: the inner one has made ids of its own form. */
function chained() {
  const inner = createApp({
    upstreams: { demo: { dialect: 'messages', url: `${DEMO_ORIGIN}/messages` } },
  })
  const asked: string[] = []
  const upstreams = { team: { dialect: 'responses' as const, url: 'http://team.example/v1' } }
  const outer = createApp(
    { upstreams },
    {
      async send({ method, url, headers, body }) {
        asked.push(`${method} ${new URL(url).pathname}`)
        const sent =
          method === 'POST'
            ? { body: await new Response(body as ConstructorParameters<typeof Response>[0]).text() }
            : {}
        return inner.fetch(new Request(url, { method, headers, ...sent }))
      },
    },
  )
  return { inner, outer, asked }
}

test('a response that another such proxy keeps is deleted there too', async () => {
  const { inner, outer, asked } = chained()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'any', input: 'Hello' })
  const made = await outer.request('/v1/responses', { method: 'POST', headers, body })
  const { id } = (await made.json()) as { id: string }
  const path = `/v1/responses/${id}`
  expect((await outer.request(path)).status).toBe(200)
  const deleted = await outer.request(path, { method: 'DELETE' })
  expect(await deleted.json()).toMatchObject({ id, deleted: true })
  expect(asked).toContain(`DELETE ${path}`)
  for (const app of [outer, inner]) expect((await app.request(path)).status).toBe(404)
})
