import { describe, expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import type { UpstreamRequest } from '../../src/ports.ts'
import { jsonReply, proxyOf } from '../exchange/proxy.ts'
import { voices } from '../faults/voices.ts'

/**
 * Three dialects name the model in the body, one in the path. What a body may say a path may say too, with or without
 * escapes: Claude Code's variants, claude-code-router's `PROVIDER,MODEL`, names of local files.
 */
const NAMES = ['x[2]y', 'provider,org/model', 'my model', 'a+b', "l'été (1)=~!", 'o@v:1']
const headers = { 'anthropic-version': '2023-06-01' }

/** The model that an upstream is asked for, in the path or in the body. */
const sentName = ({ url, body }: UpstreamRequest): unknown => {
  const inPath = /\/models\/([^?]*):generateContent/.exec(url)?.[1]
  if (inPath !== undefined) return decodeURIComponent(inPath)
  return body instanceof Uint8Array && JSON.parse(new TextDecoder().decode(body)).model
}

const pairs = voices.flatMap((caller) => voices.map((voice) => ({ caller, voice })))

describe.each(pairs)('$caller.dialect over $voice.dialect', ({ caller, voice }) => {
  const proxy = () =>
    proxyOf(
      () => jsonReply(voice.whole),
      { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: voice.dialect } },
      { dialects },
    )
  it.each(NAMES)('%s is a model', async (name) => {
    for (const escape of [encodeURIComponent, encodeURI]) {
      const stage = proxy()
      const body = caller.request(name, false)
      const response = await stage.fetch(caller.path(escape(name), false), { body, headers })
      expect(response.status).toBe(200)
      expect(stage.sent.map(sentName)).toEqual([name])
      expect(stage.sent[0]?.url).not.toMatch(/[[\], +]/)
    }
  })

  it.each(['a\ud800', 'a\0b', '../x', 'a/ ../b', 'a%2e%2e%2fb', 'a?key=b'])(
    'no path becomes another one by %j',
    async (name) => {
      const stage = proxy()
      const path = caller.path(encodeURIComponent(name.toWellFormed()), false)
      const body = caller.request(name, false)
      const response = await stage.fetch(path, { body, headers })
      expect([200, 400, 404]).toContain(response.status)
      for (const { url } of stage.sent) expect(url).not.toMatch(/models\/.*(?:%25|%3F|%00|\.\.)/)
    },
  )
})

it.each(['%zz', '%C3', 'm%', '%'])('a broken escape is told in the dialect: %s', async (name) => {
  const stage = proxyOf(() => jsonReply({}), {}, { dialects })
  for (const path of [`/v1beta/models/${name}:generateContent`, `/v1/models/${name}:countTokens`]) {
    const response = await stage.fetch(path, { body: { contents: [] } })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { status: 'NOT_FOUND' } })
  }
  expect(stage.sent).toEqual([])
})

it.each(['plain-x%5B1m%5D', 'plain-provider,model', 'plain-my%20model'])(
  'a list of models knows %s',
  async (name) => {
    const stage = proxyOf(() => jsonReply({}))
    const response = await stage.fetch(`/v1/models/${name}`)
    expect(await response.json()).toMatchObject({ id: decodeURIComponent(name) })
  },
)
