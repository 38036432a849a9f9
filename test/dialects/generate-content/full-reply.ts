import type { JsonObject } from '../../../src/json/json.ts'

/** A reply with whatever the service may say besides. */
export const fullReply: JsonObject = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true, thoughtSignature: 'c2ln' },
          { text: 'Blue.', partMetadata: { source: 'cache' } },
          { toolCall: { toolType: 'GOOGLE_SEARCH_WEB', id: 's-1' }, thoughtSignature: 'c2ln' },
          { inlineData: { mimeType: 'image/png', data: 'aGFsbG8=', displayName: 'a.png' } },
        ],
      },
      finishReason: 'PROHIBITED_CONTENT',
      finishMessage: 'Not that.',
      index: 0,
      avgLogprobs: -0.25,
      safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }],
      citationMetadata: { citationSources: [{ uri: 'https://b.example', license: 'mit' }] },
      logprobsResult: { chosenCandidates: [{ token: 'Blue', tokenId: 1, logProbability: -0.5 }] },
      groundingMetadata: {
        groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
        searchEntryPoint: { renderedContent: '<b>sky</b>' },
      },
      urlContextMetadata: {
        urlMetadata: [
          {
            retrievedUrl: 'https://a.example',
            urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_PAYWALL',
          },
        ],
      },
    },
    { content: { role: 'model', parts: [{ text: 'Grey.' }] }, index: 1 },
  ],
  promptFeedback: { safetyRatings: [{ category: 'HARM_CATEGORY_SPAM', probability: 'LOW' }] },
  usageMetadata: {
    promptTokenCount: 10,
    candidatesTokenCount: 5,
    totalTokenCount: 15,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 4 },
      { modality: 'IMAGE', tokenCount: 6 },
    ],
    serviceTier: 'priority',
  },
  modelVersion: 'm',
  modelStatus: { modelStage: 'DEPRECATED' },
  responseId: 'r-1',
}
