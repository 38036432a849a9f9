import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { chatCompletions } from '../../adapters/chat-completions/index.ts'
import { PROBLEM_KINDS } from '../../adapters/openai/problem-kinds.ts'
import { responses } from '../../adapters/responses/index.ts'
import type { Json } from '../../src/json/json.ts'
import { isVague, type Problem } from '../../src/model/problem.ts'
import { kits } from '../dialects/index.ts'
import { jsonReply, proxyOf } from '../exchange/proxy.ts'

/** The numbers are those of the traps that servers of this dialect set; the words are theirs. */

const { readProblem } = chatCompletions.upstream
const error = (members: Json & object) => ({ error: { message: 'No.', ...members } })

describe('an error', () => {
  // Those that are vague say less than a status.
  const exact = [...PROBLEM_KINDS].filter(([, kind]) => !isVague(kind))
  it.each(exact)('is the same in both dialects of its maker: %s', (code, kind) => {
    for (const { upstream } of [chatCompletions, responses])
      expect(upstream.readProblem(200, error({ code }))).toMatchObject({ kind, code })
  })

  it('has as many words as one in any other shape, where it is a text', () => {
    expect(readProblem(500, { error: 'x'.repeat(10_000) }).message).toHaveLength(2000)
    expect(readProblem(500, { error: 'No.', message: 'Not now.' }).message).toBe('Not now.')
  })

  it.each<[string, Json, Partial<Problem>]>([
    ['a number', error({ code: 400 }), { kind: 'invalid-request' }],
    ['a number as text (Azure)', error({ code: '404' }), { kind: 'not-found' }],
    ['a word', error({ code: 'invalid_api_key' }), { kind: 'authentication' }],
    ['null', error({ code: null, type: 'server_error' }), { kind: 'invalid-request' }],
  ])('16: is understood where its code is %s', (_, body, expected) => {
    const status =
      expected.kind === 'authentication' ? 401 : expected.kind === 'not-found' ? 404 : 400
    expect(readProblem(status, body)).toMatchObject({ message: 'No.', ...expected })
  })

  it.each<[string, number, Json, string]>([
    [
      '17: Cerebras',
      404,
      { message: 'No.', type: 'not_found_error', code: 'model_not_found' },
      'No.',
    ],
    [
      '17: Mistral',
      400,
      { object: 'error', message: 'No.', type: 'x', param: null, code: '3051' },
      'No.',
    ],
    ['17: doubleword', 400, { code: 400, message: 'No.', type: 'Bad Request' }, 'No.'],
    ['18: Mistral without a key', 401, { detail: 'Unauthorized' }, 'Unauthorized'],
    [
      '18: a list of details',
      422,
      { detail: [{ type: 'extra_forbidden', loc: ['body', 'x'], msg: 'Extra inputs', input: 1 }] },
      'Extra inputs',
    ],
    [
      "19: OpenRouter's cause",
      400,
      {
        error: {
          code: 400,
          message: 'Provider returned error',
          metadata: { raw: '{"error":{"message":"Too hot."}}', provider_name: 'A' },
        },
      },
      'Provider returned error: Too hot.',
    ],
    ['20: a list (Gemini)', 400, [{ error: { code: 400, message: 'No.', status: 'X' } }], 'No.'],
    [
      'in front of them a status in brackets (Alibaba)',
      200,
      error({ message: '<400> InternalError.Algo: No.', code: 'invalid_parameter_error' }),
      '<400> InternalError.Algo: No.',
    ],
    ['a text (xAI)', 400, { code: 'x', error: 'No.' }, 'No.'],
  ])('says its words: %s', (_, status, body, message) => {
    expect(readProblem(status, body).message).toBe(message)
  })

  it('21: of a page for people is its status', () => {
    const problem = readProblem(401, '<html><body>Unauthorized</body></html>')
    expect(problem).toMatchObject({ kind: 'authentication' })
    expect(problem.message).not.toContain('html')
  })

  it.each([
    [400, 'Model Not Exist'],
    [400, 'Invalid model: x'],
    [400, 'x is not a valid model ID'],
    [400, 'invalid model ID'],
  ])('22: is about a model that is not there: %s %s', (status, message) => {
    expect(readProblem(status, { error: { message } }).kind).toBe('not-found')
  })

  it.each<[number, Json & object]>([
    [
      400,
      { message: "This model's maximum context length is 10 tokens. However, you requested 12" },
    ],
    [
      400,
      { message: "This endpoint's maximum context length is 10 tokens. However, you requested 12" },
    ],
    [400, { message: 'the context window exceeds limit' }],
    [400, { message: 'Prompt is too large for model with 131072 maximum context length' }],
    [400, { message: 'request (2009 tokens) exceeds the available context size (512 tokens)' }],
    [400, { message: 'No.', type: 'exceed_context_size_error', n_prompt_tokens: 9, n_ctx: 5 }],
    [500, { message: 'Context size has been exceeded.' }],
    [400, { message: 'prompt too long; exceeded max context length by 1119046 tokens' }],
    [400, { message: 'The total length of all messages is too long.' }],
    [400, { message: 'No.', type: 'too_many_prompt_tokens' }],
    [400, { message: "This model's maximum prompt length is 131072 but the request contains 9" }],
    [400, { message: 'Please reduce the length of the messages or completion.' }],
    [400, { message: 'tokens to keep from the initial prompt is greater than the context length' }],
    [400, { message: 'prompt token count of 9 exceeds the limit of 5' }],
    [400, { message: 'Your request exceeded model token limit: 5 (requested: 9)' }],
    [400, { message: 'Range of input length should be [1, 98304]' }],
    [400, { message: '<400> InternalError.Algo: Range of input length should be [1, 98304]' }],
    [400, { message: 'litellm.ContextWindowExceededError: ContextWindowExceededError: too much' }],
  ])('23: is about a context that is full: %s %j', (status, members) => {
    const problem = readProblem(status, { error: members })
    expect(problem.kind).toBe('context-overflow')
    expect(chatCompletions.caller.writeProblem(problem, 'r')).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', code: 'context_length_exceeded' } },
    })
  })

  it('hands on what the model said when it made no valid call', () => {
    const body = error({ code: 'tool_use_failed', failed_generation: '<f>' })
    expect(chatCompletions.caller.writeProblem(readProblem(400, body), 'r').body).toMatchObject({
      error: { code: 'tool_use_failed', failed_generation: '<f>' },
    })
  })
})

/** A refusal of one parameter, in the words of a dialect's service. */
const refusing = (dialect: Dialect, param: string): object =>
  dialect === 'generate-content'
    ? {
        error: {
          code: 400,
          message: 'No.',
          status: 'INVALID_ARGUMENT',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: [{ field: param }],
            },
          ],
        },
      }
    : { error: { message: 'No.', type: 'invalid_request_error', param, code: 'unsupported' } }

describe('24: an error about one parameter', () => {
  it.each<[Dialect, Dialect, string, string]>([
    ['responses', 'chat-completions', 'max_tokens', '"param":"max_output_tokens"'],
    ['responses', 'chat-completions', 'tools[0].function.parameters', '"param":"tools"'],
    ['responses', 'generate-content', 'generation_config.top_p', '"param":"top_p"'],
    ['responses', 'chat-completions', 'prediction', '"param":null'],
    ['chat-completions', 'responses', 'text.format', '"param":"response_format"'],
    ['chat-completions', 'generate-content', 'generationConfig.stopSequences', '"param":"stop"'],
    ['generate-content', 'chat-completions', 'stop', '"field":"generationConfig.stopSequences"'],
    [
      'generate-content',
      'responses',
      'reasoning.effort',
      '"field":"generationConfig.thinkingConfig"',
    ],
  ])('names it as %s callers do, of %s: %s', async (from, to, param, expected) => {
    const { http, ask } = kits[from]
    const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: to } }
    const proxy = proxyOf(() => jsonReply(refusing(to, param), 400), change, { dialects })
    const answer = await proxy.fetch(http.path('m', false), {
      body: http.body('m', false, { ...ask.needed, ...ask.text('hi') }),
    })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain(expected)
  })
})
