import type { JsonObject } from '../../../src/json/json.ts'
import { NAMES, PICTURE, say, schema, type WildSession } from '../wild-session.ts'

const inlineData = { mimeType: 'image/png', data: PICTURE }
const model = (...parts: JsonObject[]): JsonObject => ({ role: 'model', parts })
const asked = (...parts: JsonObject[]): JsonObject => ({ role: 'user', parts })
const answer = (name: string, id: string): JsonObject => ({
  functionResponse: { id, name, response: { output: say(id) } },
})

export const wildSession: WildSession = {
  history: 'contents',
  base: {
    systemInstruction: { parts: [{ text: say('system') }] },
    tools: [
      { functionDeclarations: NAMES.map((name) => ({ name, parametersJsonSchema: schema })) },
    ],
  },
  steps: [
    [asked({ text: say('task') })],
    [
      model(
        { text: say('thought'), thought: true },
        { functionCall: { id: 'a', name: 'read', args: { path: '1' } }, thoughtSignature: 'c2ln' },
        { functionCall: { id: 'b', name: 'list', args: { path: '2' } } },
      ),
      asked(answer('list', 'b'), answer('read', 'a')),
    ],
    [model({ text: say('answer') }), asked({ inlineData }, { text: say('look') })],
    [asked({ text: say('and') })],
    [model({ functionCall: { name: 'write', args: { path: '3' } } }), asked(answer('write', 'c'))],
    [model({ text: say('done') }), asked({ text: say('again') })],
  ],
  options: [
    {},
    { toolConfig: { functionCallingConfig: { mode: 'NONE' } } },
    { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read'] } } },
    { generationConfig: { temperature: 0.5, maxOutputTokens: 3000 } },
    { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } },
  ],
}
