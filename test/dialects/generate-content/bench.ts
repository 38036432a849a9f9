import { LAST_WORDS, TEXT, data, type BenchReply, type BenchWords } from '../../bench/words.ts'

const history: BenchWords['history'] = ({ steps, system, task, tools }) => ({
  contents: [
    { role: 'user', parts: [{ text: task }] },
    ...steps.flatMap(({ id, said, tool, input, result }) => [
      { role: 'model', parts: [{ text: said }, { functionCall: { id, name: tool, args: input } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id, name: tool, response: { output: result } } }],
      },
    ]),
  ],
  systemInstruction: { parts: [{ text: system }] },
  tools: [
    {
      functionDeclarations: tools.map(({ name, description, schema }) => ({
        name,
        description,
        parametersJsonSchema: schema,
      })),
    },
  ],
  generationConfig: { maxOutputTokens: 8192 },
})

const generated = (text: string, tokens: number, finishReason?: string) => ({
  candidates: [
    {
      content: { parts: [{ text }], role: 'model' },
      ...(finishReason && { finishReason }),
      index: 0,
    },
  ],
  usageMetadata: {
    promptTokenCount: 214,
    candidatesTokenCount: tokens,
    totalTokenCount: 214 + tokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 214 }],
  },
  modelVersion: 'bench-generate-content',
  responseId: 'kQ4DacHnGr6_kdUPsYmRoAI',
})

const reply: BenchReply = {
  json: JSON.stringify(generated(TEXT, 120, 'STOP'), undefined, 1),
  opening: [],
  delta: (text, index) => `${data(generated(text, index + 1))}\r\n\r\n`,
  closing: (deltas) => [`${data(generated(LAST_WORDS, deltas, 'STOP'))}\r\n\r\n`],
}

export const bench: BenchWords = {
  small: ({ rules, question }) => ({
    systemInstruction: { parts: [{ text: rules }] },
    contents: [{ role: 'user', parts: [{ text: question }] }],
    generationConfig: { maxOutputTokens: 1024, temperature: 0.5 },
  }),
  image: ({ data, question }) => ({
    contents: [
      {
        role: 'user',
        parts: [{ inlineData: { mimeType: 'image/png', data } }, { text: question }],
      },
    ],
    generationConfig: { maxOutputTokens: 1024 },
  }),
  history,
  reply,
  ending: { json: '"candidates"', stream: '"finishReason":"STOP"' },
}
