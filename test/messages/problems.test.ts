import { describe, expect, it } from 'vitest'
import { messages } from '../../adapters/messages/index.ts'
import { readOverflow, type Problem, type ProblemKind } from '../../src/model/problem.ts'
import { fixture } from './help.ts'

const { readProblem } = messages.upstream
const written = (problem: Problem) => messages.caller.writeProblem(problem, 'req_1')

describe('an error of a messages upstream', () => {
  it.each([
    [true, { type: 'error', error: { type: 'api_error', message: 'No.' } }],
    [false, { type: 'error', error: { message: 'No.' } }],
    [false, { type: 'error', error: { type: 'api_error' } }],
    [false, { error: { type: 'api_error', message: 'No.' } }],
  ])('is one to clients of the dialect: %s, %j', (isOne, told) => {
    expect(messages.same.passing.tellsError?.(told)).toBe(isOne)
    expect(
      messages.same.passing.tellsFailure?.({ event: 'error', data: JSON.stringify(told) }),
    ).toBe(isOne)
  })

  it.each<[string, number, Partial<Problem>]>([
    ['too-long', 400, { kind: 'context-overflow', tokens: { used: 208_310, limit: 200_000 } }],
    ['rate-limit', 429, { kind: 'rate-limit', retryAfterMs: 7000 }],
    ['overloaded', 529, { kind: 'overloaded' }],
    ['thread', 404, { kind: 'not-found', code: 'thread_not_found' }],
  ])('is understood: %s', (name, status, expected) => {
    expect(readProblem(status, JSON.parse(fixture(`error/${name}.json`)))).toMatchObject(expected)
  })

  it.each<[number, ProblemKind]>([
    [400, 'invalid-request'],
    [401, 'authentication'],
    [402, 'billing'],
    [403, 'permission'],
    [404, 'not-found'],
    [408, 'timeout'],
    [409, 'conflict'],
    [413, 'too-large'],
    [418, 'invalid-request'],
    [422, 'invalid-request'],
    [429, 'rate-limit'],
    [500, 'internal'],
    [502, 'bad-upstream'],
    [503, 'unavailable'],
    [504, 'timeout'],
    [529, 'overloaded'],
    [304, 'bad-upstream'],
  ])('of status %d without a body is %s', (status, kind) => {
    expect(readProblem(status, undefined)).toMatchObject({ kind })
  })

  it('keeps a status of its own', () => {
    expect(readProblem(422, { error: { message: 'no' } })).toMatchObject({ status: 422 })
    expect(readProblem(400, { error: { message: 'no' } })).not.toHaveProperty('status')
  })

  it.each([
    ['text', 'nope', 'nope'],
    ['a detail', { detail: 'nope' }, 'nope'],
    ['a message', { message: 'nope' }, 'nope'],
    ['a text for an error', { error: 'nope' }, 'nope'],
    ['a list', [{ error: { message: 'nope' } }], 'nope'],
    ['a page', '<html>secret</html>', 'The upstream answered with a page of HTML.'],
    ['null', null, 'The upstream answered with status 500 and no explanation.'],
    ['a number', 7, 'The upstream answered with status 500 and no explanation.'],
  ])('is read from %s', (_, body, message) => {
    expect(readProblem(500, body).message).toBe(message)
  })

  it('says when to come back, wherever it says so', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }]
    expect(readProblem(429, { error: { message: 'x', details } }).retryAfterMs).toBe(34_000)
    const words = { error: { message: 'quota reset after 1.5s' } }
    expect(readProblem(429, words).retryAfterMs).toBe(1500)
  })
})

describe('an error for a messages caller', () => {
  it.each<[ProblemKind, number, string]>([
    ['invalid-request', 400, 'invalid_request_error'],
    ['authentication', 401, 'authentication_error'],
    ['billing', 402, 'billing_error'],
    ['permission', 403, 'permission_error'],
    ['not-found', 404, 'not_found_error'],
    ['method-not-allowed', 405, 'invalid_request_error'],
    ['conflict', 409, 'conflict_error'],
    ['too-large', 413, 'request_too_large'],
    ['unsupported-media-type', 415, 'invalid_request_error'],
    ['rate-limit', 429, 'rate_limit_error'],
    ['internal', 500, 'api_error'],
    ['bad-upstream', 502, 'api_error'],
    ['unavailable', 503, 'api_error'],
    ['overloaded', 529, 'overloaded_error'],
    ['timeout', 504, 'timeout_error'],
  ])('%s has status %d and type %s', (kind, status, type) => {
    expect(written({ kind, message: 'no' })).toEqual({
      status,
      body: { type: 'error', error: { type, message: 'no' }, request_id: 'req_1' },
    })
  })

  it.each([
    ['prompt is too long: 9 tokens > 8 maximum', undefined],
    ["This model's maximum context length is 8000 tokens, but you sent 9000.", 9000],
    ['Your input exceeds the context window of this model.', undefined],
  ])('says in known words that a conversation is too long: %s', (message, used) => {
    const tokens = used === undefined ? {} : { tokens: { used, limit: 8000 } }
    const { status, body } = written({ kind: 'context-overflow', message, ...tokens })
    expect(status).toBe(400)
    const expected = used === undefined ? /^prompt is too long: / : /: 9000 tokens > 8000 maximum$/
    expect(body['error']).toMatchObject({
      type: 'invalid_request_error',
      message: expect.stringMatching(expected),
    })
  })

  it.each([
    ['max_tokens', 'input length and `max_tokens` exceed context limit: 100000 + 30000 > 128000, '],
    ['less', 'prompt is too long: 150000 tokens > 128000 maximum'],
  ])('tells a reply that is to be too long from a conversation that is: %s', (what, expected) => {
    const [used, input] = what === 'max_tokens' ? [130_000, 100_000] : [150_000, 149_000]
    const message = `This model's maximum context length is 128000 tokens. However, you requested ${used} tokens (${input} in the messages, ${used - input} in the completion).`
    const problem = readOverflow(message)
    expect(problem && written(problem).body['error']).toMatchObject({
      message: expect.stringContaining(expected),
    })
  })

  it.each([
    ['image_block', 'Invalid content type. image_url is only supported by certain models.'],
    ['image_block', 'No endpoints found that support image input', 'not-found'],
    ['image_block', 'llava is not a multimodal model'],
    ['image_block', 'image input is not supported - hint: you may need to provide the mmproj'],
    ['image_block', 'messages[0]: unknown variant `image_url`, expected `text`'],
    ['document_block', 'PDF input is not supported by this model.'],
    ['media_budget', 'At most 4 image(s) may be provided in one prompt.'],
    ['media_budget', 'Too many images in request: 21.'],
    [
      'structured_outputs_unsupported',
      "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    ],
    [
      'effort_unsupported',
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    ],
  ] as const)(
    'names what a model lacks by the class that the client leaves out: %s, %s',
    (name, message, kind: ProblemKind = 'invalid-request') => {
      expect(written({ kind, message }).body['error']).toMatchObject({
        message: `capability_rejected: ${name} (${message})`,
      })
    },
  )

  it.each(['The model `x` does not exist.', 'tools.0.name: not supported', 'Bad image data.'])(
    'leaves other refusals as they are: %s',
    (message) => {
      expect(written({ kind: 'invalid-request', message }).body['error']).toMatchObject({ message })
    },
  )

  it('carries a code, where one is known', () => {
    const { body } = written({ kind: 'rate-limit', message: 'no', code: 'slow_down' })
    expect(body['error']).toMatchObject({ code: 'slow_down' })
  })
})
