import type { Json } from '../../../src/json/json.ts'

/** Legal requests with what no fixture has. */
export const rare: Json[] = [
  {
    systemInstruction: { role: 'system', parts: { text: 'x' } },
    serviceTier: 'flex',
    labels: { a: 'x' },
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    tools: {
      functionDeclarations: {
        name: 'f',
        description: 'x',
        parameters: {},
        parametersJsonSchema: {},
      },
    },
    generationConfig: {
      stopSequences: ['x'],
      responseMimeType: 'text/plain',
      responseSchema: {},
      responseJsonSchema: {},
      responseModalities: ['TEXT'],
      candidateCount: 1,
      maxOutputTokens: '1',
      temperature: 2,
      topP: 1,
      topK: 1,
      seed: 1,
      presencePenalty: 1,
      frequencyPenalty: 1,
      responseLogprobs: true,
      logprobs: 1,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 1, thinkingLevel: 'LOW' },
    },
    contents: [
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: 'AA==' } },
          { fileData: { fileUri: 'x', mimeType: 'image/png' } },
          {
            functionResponse: {
              id: 'a',
              name: 'f',
              response: {},
              parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }],
            },
          },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'x', thought: true, thoughtSignature: 'AA==' },
          { functionCall: { id: 'a', name: 'f', args: {} } },
          { executableCode: { id: 'a', language: 'PYTHON', code: 'x' } },
          { codeExecutionResult: { id: 'a', outcome: 1, output: 'x' } },
        ],
      },
    ],
  },
]
