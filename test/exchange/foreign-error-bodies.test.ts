import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { jsonReply, proxyOf } from './proxy.ts'

/** An upstream of the caller's own dialect that answers an error in the words of something in between. */

const WORDS = 'No such thing here.'

const SHAPES: Record<string, (status: number) => unknown> = {
  'of OpenAI': () => ({ error: { message: WORDS, type: 'some_error', param: null, code: null } }),
  'of Anthropic': () => ({ type: 'error', error: { type: 'some_error', message: WORDS } }),
  'of Google': (code) => ({ error: { code, message: WORDS, status: 'SOME_STATUS' } }),
  'with a message alone': () => ({ error: { message: WORDS } }),
  'with a detail': () => ({ error: { detail: WORDS } }),
  'with a list': () => ({ error: { errors: [{ msg: WORDS }] } }),
}
type Shape = keyof typeof SHAPES

/** The shapes that clients of the dialect read, which pass. */
const OWN: Record<Dialect, readonly Shape[]> = {
  messages: ['of Anthropic'],
  'generate-content': ['of Google'],
  responses: ['of OpenAI', 'of Anthropic', 'of Google', 'with a message alone'],
  'chat-completions': ['of OpenAI', 'of Anthropic', 'of Google', 'with a message alone'],
}

interface Body {
  type?: string
  error: { message: string; type?: string; code?: unknown; status?: string }
}

/** What clients of the dialect look for in an error. */
const READABLE: Record<Dialect, (body: Body, status: number) => boolean> = {
  messages: ({ type, error }) => type === 'error' && typeof error.type === 'string',
  'generate-content': ({ error }, status) =>
    error.code === status && typeof error.status === 'string',
  responses: ({ error }) => typeof error.type === 'string',
  'chat-completions': ({ error }) => typeof error.type === 'string',
}

async function told(dialect: Dialect, said: unknown, status: number, stream: boolean) {
  const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect } }
  const { http, client } = kits[dialect]
  const proxy = proxyOf(() => jsonReply(said, status), change, { dialects })
  return proxy.fetch(http.path('m', stream), {
    body: http.body('m', stream, client.request('m', 'hi')),
    headers: { 'anthropic-version': '2023-06-01' },
  })
}

const STATUSES = [400, 404, 413, 418, 422, 429, 500, 502, 503, 504]
const cases = DIALECTS.flatMap((dialect) =>
  Object.keys(SHAPES).flatMap((shape) =>
    [true, false].map((stream) => ({ dialect, shape, stream })),
  ),
)
const isOwn = ({ dialect, shape }: { dialect: Dialect; shape: Shape }) =>
  OWN[dialect].includes(shape)

describe('an error body between two of one dialect', () => {
  it.each(cases.filter(isOwn))(
    'passes where clients read it: $shape, $dialect, stream $stream',
    async ({ dialect, shape, stream }) => {
      for (const status of STATUSES) {
        const said = JSON.stringify(SHAPES[shape]?.(status))
        const response = await told(dialect, said, status, stream)
        expect(response.status).toBe(status)
        expect(await response.text()).toBe(said)
      }
    },
  )

  it.each(cases.filter((each) => !isOwn(each)))(
    'is written anew: $shape, $dialect, stream $stream',
    async ({ dialect, shape, stream }) => {
      for (const status of STATUSES) {
        const response = await told(dialect, SHAPES[shape]?.(status), status, stream)
        expect(response.status).toBe(status)
        const body = (await response.json()) as Body
        expect(body.error.message).toContain(WORDS)
        expect(READABLE[dialect](body, status)).toBe(true)
      }
    },
  )

  it.each(cases.filter((each) => !isOwn(each) && !each.stream))(
    'that comes as a success is a failure: $shape, $dialect',
    async ({ dialect, shape }) => {
      const response = await told(dialect, SHAPES[shape]?.(503), 200, false)
      expect(response.status).toBeGreaterThanOrEqual(500)
      const body = (await response.json()) as Body
      expect(body.error.message).toContain(WORDS)
      expect(READABLE[dialect](body, response.status)).toBe(true)
    },
  )

  it('keeps its type', async () => {
    const error = { message: WORDS, type: 'not_found_error', code: null }
    const response = await told('messages', { error }, 400, false)
    expect(response.status).toBe(400)
    expect(((await response.json()) as Body).error.type).toBe('not_found_error')
  })
})
