import { describe, expect, it } from 'vitest'
import { generateContent } from '../../adapters/generate-content/index.ts'
import type { Problem, ProblemKind } from '../../src/model/problem.ts'
import { fixture } from './help.ts'

const readProblem = (status: number, name: string) =>
  generateContent.upstream.readProblem(status, JSON.parse(fixture(`error/${name}`)))
const write = (problem: Problem) => generateContent.caller.writeProblem(problem, 'request-1')

const said = (message: string) =>
  generateContent.upstream.readProblem(429, { error: { message } }).retryAfterMs

describe('errors of the service', () => {
  it('say how long to wait', () => {
    expect(readProblem(429, 'quota.json')).toMatchObject({
      kind: 'rate-limit',
      retryAfterMs: 34_000,
    })
    expect(said('Please retry in 7s.')).toBe(7000)
    expect(said('Quota will reset after 373.8ms.')).toBe(374)
    expect(said('No idea.')).toBeUndefined()
  })

  it('are known by their words where the status says too little', () => {
    expect(readProblem(400, 'key.json')).toMatchObject({ kind: 'authentication' })
    expect(readProblem(400, 'overflow.json')).toMatchObject({
      kind: 'context-overflow',
      tokens: { used: 1_200_000, limit: 1_048_576 },
    })
    expect(readProblem(404, 'list.json')).toMatchObject({
      kind: 'not-found',
      message: 'models/none is not found.',
    })
  })

  it.each<[number, unknown, ProblemKind, string]>([
    [400, 'plain words', 'invalid-request', 'plain words'],
    [422, { detail: 'no field' }, 'invalid-request', 'no field'],
    [500, { message: 'oops' }, 'internal', 'oops'],
    [
      502,
      '<html><body>nginx</body></html>',
      'bad-upstream',
      'The upstream answered with a page of HTML.',
    ],
    [
      503,
      { error: { message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
      'overloaded',
      'The model is overloaded.',
    ],
    [503, undefined, 'unavailable', 'The upstream answered with an error.'],
    [403, { error: { status: 'PERMISSION_DENIED', message: 'no' } }, 'permission', 'no'],
    [418, {}, 'invalid-request', 'The upstream answered with an error.'],
  ])('of status %s are understood in other shapes, too: %j', (status, body, kind, message) => {
    const json = body === undefined ? undefined : JSON.parse(JSON.stringify(body))
    expect(generateContent.upstream.readProblem(status, json)).toMatchObject({ kind, message })
  })

  it('come back as they were', () => {
    const body = JSON.parse(fixture('error/quota.json'))
    expect(write(generateContent.upstream.readProblem(429, body))).toEqual({ status: 429, body })
  })
})

describe('errors for a caller', () => {
  it.each<[ProblemKind, number, string]>([
    ['invalid-request', 400, 'INVALID_ARGUMENT'],
    ['authentication', 401, 'UNAUTHENTICATED'],
    ['billing', 403, 'PERMISSION_DENIED'],
    ['permission', 403, 'PERMISSION_DENIED'],
    ['not-found', 404, 'NOT_FOUND'],
    ['too-large', 413, 'PAYLOAD_TOO_LARGE'],
    ['rate-limit', 429, 'RESOURCE_EXHAUSTED'],
    ['internal', 500, 'INTERNAL'],
    ['bad-upstream', 502, 'UNAVAILABLE'],
    ['overloaded', 503, 'UNAVAILABLE'],
    ['timeout', 504, 'DEADLINE_EXCEEDED'],
  ])('%s is %s %s', (kind, code, status) => {
    expect(write({ kind, message: 'why' })).toEqual({
      status: code,
      body: { error: { code, message: 'why', status } },
    })
  })

  it('name the field, the time to wait and the tokens', () => {
    expect(
      write({ kind: 'invalid-request', message: 'why', param: 'contents.0', retryAfterMs: 1500 })
        .body,
    ).toMatchObject({
      error: {
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: 'contents.0', description: 'why' }],
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' },
        ],
      },
    })
    expect(
      write({
        kind: 'context-overflow',
        message: 'prompt is too long',
        tokens: { used: 20, limit: 10 },
      }).body,
    ).toMatchObject({
      error: {
        message: 'The input token count (20) exceeds the maximum number of tokens allowed (10).',
      },
    })
  })

  it('leave out what another dialect calls details', () => {
    expect(
      write({ kind: 'internal', message: 'why', details: { error_code: 'x' } }).body,
    ).not.toHaveProperty('error.details')
  })
})
