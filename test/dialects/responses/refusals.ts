import { openAiRefusals } from '../openai-refusals.ts'

export const refusals = openAiRefusals({
  requestId: 'req_b0c0ffee',
  param: 'input',
  message: 'input[0].content',
  amount: 'your input is 215000 tokens',
})

/** What it sends in the middle of a stream when it fails after all. */
export const failureInStream = `event: response.failed\ndata: ${JSON.stringify({
  type: 'response.failed',
  sequence_number: 9,
  response: {
    id: 'resp_6891a5f2c1b481a0a4e2d7c3f5b60918',
    object: 'response',
    created_at: 1_786_000_000,
    status: 'failed',
    error: { code: 'server_error', message: 'The server had an error.' },
    incomplete_details: null,
    model: 'dragon-1',
    output: [],
    usage: null,
  },
})}\n\n`
