import { describe, expect, it } from 'vitest'
import { responses } from '../../adapters/responses/index.ts'
import type { ProblemKind } from '../../src/model/problem.ts'
import { foreign, text, user } from './exchange.ts'

const ERRORS = import.meta.glob('../../fixtures/responses/error/*.json', {
  query: '?raw',
  eager: true,
  import: 'default',
})
const { caller, upstream, same } = responses
const incoming = (method: string, path: string) => ({ method, path, query: { get: () => null } })

describe('an error of an upstream', () => {
  it.each(Object.entries(ERRORS))('is understood: %s', (_, raw) => {
    const { status, body, ...expected } = JSON.parse(raw)
    const problem = upstream.readProblem(status, body)
    expect(problem).toMatchObject(expected)
    expect(problem.message).not.toMatch(/[<>]|10\.0\.0\.1/)
  })

  it('without a body is known by its status', () => {
    expect(upstream.readProblem(529, undefined)).toMatchObject({ kind: 'overloaded' })
    expect(upstream.readProblem(418, {})).toMatchObject({ kind: 'invalid-request', status: 418 })
  })
})

describe('an error for a caller', () => {
  it.each<[ProblemKind, number, string, string | null]>([
    ['invalid-request', 400, 'invalid_request_error', null],
    ['context-overflow', 400, 'invalid_request_error', 'context_length_exceeded'],
    ['authentication', 401, 'invalid_request_error', 'invalid_api_key'],
    ['not-found', 404, 'invalid_request_error', 'not_found'],
    ['too-large', 413, 'invalid_request_error', 'request_too_large'],
    ['rate-limit', 429, 'rate_limit_error', 'rate_limit_exceeded'],
    ['bad-upstream', 502, 'server_error', 'bad_upstream'],
    ['unavailable', 503, 'server_error', 'upstream_unavailable'],
    ['overloaded', 503, 'server_error', 'server_is_overloaded'],
    ['timeout', 504, 'server_error', 'timeout'],
  ])('has the words of the dialect: %s', (kind, status, type, code) => {
    expect(caller.writeProblem({ kind, message: 'm', param: 'p' }, 'id')).toEqual({
      status,
      body: { error: { message: 'm', type, param: 'p', code } },
    })
  })
})

describe('the endpoints', () => {
  it('are two, and only for sending', () => {
    expect(caller.match(incoming('POST', '/v1/responses'))).toEqual({ operation: 'create' })
    expect(caller.match(incoming('POST', '/v1/responses/input_tokens'))).toEqual({
      operation: 'count-tokens',
    })
    expect(caller.match(incoming('GET', '/v1/responses'))).toBeUndefined()
    expect(caller.match(incoming('POST', '/v1/responses/constructor'))).toBeUndefined()
    expect(same.path(incoming('POST', '/v1/responses'), 'm')).toBe('/v1/responses')
  })

  it('count tokens in their own words', () => {
    expect(caller.writeTokenCount(5)).toEqual({ object: 'response.input_tokens', input_tokens: 5 })
    expect(upstream.readTokenCount(caller.writeTokenCount(5))).toBe(5)
    expect(upstream.readTokenCount({ input_tokens: '5' })).toBeUndefined()
  })

  it('ask an upstream to count what the model would see', () => {
    const request = foreign([user(text('a'))], { sampling: { temperature: 0.5 }, stream: true })
    const target = { model: 'm', defaultMaxOutputTokens: 1, facts: {} }
    const outgoing = upstream.writeCountRequest(request, { target, lose: () => undefined })
    expect(outgoing?.path).toBe('/v1/responses/input_tokens')
    expect(Object.keys(outgoing?.body ?? {})).toEqual(['model', 'input'])
  })

  it('list models', () => {
    expect(caller.writeModels([{ id: 'a', contextWindow: 8 }], 3)).toEqual({
      object: 'list',
      data: [{ id: 'a', object: 'model', created: 3, owned_by: 'dragoman', context_window: 8 }],
    })
  })
})
