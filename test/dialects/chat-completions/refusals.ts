import { openAiRefusals } from '../openai-refusals.ts'

export const refusals = openAiRefusals({
  requestId: 'req_c0ffee',
  param: 'messages',
  message: 'messages.[0].content',
  amount: 'your messages resulted in 215000 tokens',
})

/** What it sends in the middle of a stream when it fails after all. */
export const failureInStream = `data: ${JSON.stringify({
  error: { message: 'The server had an error.', type: 'server_error', param: null, code: null },
})}\n\n`
