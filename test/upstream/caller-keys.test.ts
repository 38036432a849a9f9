import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/type.ts'
import type { UpstreamResponse } from '../../src/ports.ts'
import { jsonReply, sseReply } from '../exchange/proxy.ts'
import { DIALECTS, siteOf, voiceOf } from '../pools/site.ts'

/** No configuration holds this key, so that the log could not find it by itself. */
const SHORT = 'k-mine0123456789abcdef'
/** As long as the tokens of clouds. */
const LONG = SHORT + Array.from({ length: 1200 }, (_, at) => `${at}Z`).join('')

const pairs = DIALECTS.flatMap((caller) =>
  DIALECTS.flatMap((upstream) => [SHORT, LONG].map((key) => [caller, upstream, key] as const)),
)

describe.each(pairs)(
  'the key that a caller of %s brings for upstreams of %s',
  (caller, dialect, KEY) => {
    const BASE64 = Buffer.from(KEY).toString('base64')
    const ERROR = { error: { type: 'x', code: KEY, param: KEY, message: `no ${KEY}, ${BASE64}` } }
    const EVENT = `event: error\ndata: ${JSON.stringify({ type: 'error', ...ERROR })}\n\n`
    const { opening, whole } = voiceOf(dialect)
    const middle = EVENT.indexOf(KEY) + 5
    const said: [string, () => UpstreamResponse][] = [
      ['as an id', () => jsonReply(whole, 200, { 'request-id': KEY })],
      ['as an id of a failure', () => jsonReply(ERROR, 400, { 'x-request-id': BASE64 })],
      ['in a failure with a success as its status', () => jsonReply(ERROR)],
      ['in the first event', () => sseReply([EVENT])],
      ['in a later event', () => sseReply([opening, EVENT.slice(0, middle), EVENT.slice(middle)])],
      ['in foreign words', () => sseReply([opening, EVENT.replace(/^.*\n/, '')])],
    ]
    it.each(said)('is not told or logged where one repeats it %s', async (_, answer) => {
      const config: Config = {
        upstreams: {
          up: { dialect: dialect as 'messages', url: 'https://up.example', key: 'caller' },
        },
        routes: [{ model: '*', upstream: 'up' }],
      }
      for (const stream of [false, true]) {
        const site = siteOf(config, { mine: answer })
        const headers = { authorization: `Bearer ${KEY}` }
        const response = await site.ask({ voice: voiceOf(caller), stream, headers })
        const text = await response.text()
        expect(site.sent).toHaveLength(1)
        const seen = JSON.stringify([site.log, [...response.headers], text])
        expect(seen).not.toContain(KEY)
        expect(seen).not.toContain(BASE64)
      }
    })
  },
)
