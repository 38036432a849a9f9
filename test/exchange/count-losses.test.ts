import { expect, it } from 'vitest'
import { createApp } from '../../src/index.ts'
import { kits, PAIRS } from '../dialects/index.ts'

const COUNTED = PAIRS.filter(([caller, upstream]) => {
  const [asked, counter] = [caller, upstream].map((dialect) => kits[dialect].http.count)
  return asked && counter && caller !== upstream
})

it.each(COUNTED)(
  'a count for %s says nothing of the bound of a reply to %s',
  async (caller, upstream) => {
    const { http, ask } = kits[caller]
    const app = createApp({
      upstreams: { one: { dialect: upstream, url: 'https://one.example', key: 'key-of-the-test' } },
      routes: [{ model: '*', upstream: 'one' }],
      callers: 'open',
    })
    const response = await app.fetch(
      new Request(`http://localhost/explain${http.count?.path('m') ?? ''}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...http.credentials('key-of-the-caller') },
        body: JSON.stringify(http.body('m', false, ask.text('x'))),
      }),
    )
    expect([response.status, await response.json()]).toMatchObject([200, { losses: [] }])
  },
)
