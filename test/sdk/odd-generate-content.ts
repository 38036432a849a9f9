import { has, wordsOf, type OddRequest } from './odd-request.ts'
import { PIXEL } from './scene.ts'
import type { Wire } from './script.ts'

const content = (role: string, ...parts: Wire[]): Wire => ({ role, parts })
const contents = (list: Wire[], rest: Wire = {}): Wire => ({ contents: list, ...rest })
const hi = content('user', { text: 'Hi' })
const calls = (name: string, args: Wire = {}): Wire => ({ functionCall: { name, args } })
const answers = (name: string, response: Wire = { output: 'done' }): Wire => ({
  functionResponse: { name, response },
})
const declares = (name: string, parameters: Wire = {}): Wire => ({
  tools: [{ functionDeclarations: [{ name, description: 'Looks.', ...parameters }] }],
})

export const FROM_CONTENTS: OddRequest[] = [
  {
    name: 'names with dots and colons',
    body: contents(
      [hi, content('model', calls('files.read:v1')), content('user', answers('files.read:v1'))],
      declares('files.read:v1'),
    ),
  },
  {
    name: 'two calls of one function without ids',
    body: contents(
      [
        hi,
        content('model', calls('look', { at: 1 }), calls('look', { at: 2 })),
        content('user', answers('look', { n: 1 }), answers('look', { n: 2 })),
      ],
      declares('look'),
    ),
    check(heard) {
      const results = heard.turns[2]?.pieces.map((piece) => piece.kind === 'result' && piece.output)
      if (!/1/.test(String(results?.[0])) || !/2/.test(String(results?.[1])))
        throw new Error(`results came as ${JSON.stringify(results)}`)
    },
  },
  {
    name: 'results in turns of their own',
    body: contents(
      [
        hi,
        content('model', calls('look', { at: 1 }), calls('look', { at: 2 })),
        content('user', answers('look')),
        content('user', answers('look')),
      ],
      declares('look'),
    ),
  },
  {
    name: 'upper-case types in a schema',
    body: contents(
      [hi],
      declares('look', {
        parameters: {
          type: 'OBJECT',
          properties: { at: { type: 'STRING', nullable: true, format: 'date-time' } },
        },
      }),
    ),
  },
  {
    name: 'one content that is no list, in snake case',
    body: {
      contents: { parts: { text: 'Hi' } },
      system_instruction: { parts: { text: 'Be kind.' } },
      generation_config: { max_output_tokens: 99, stop_sequences: [] },
    },
    check(heard) {
      if (!heard.system.includes('Be kind.')) throw new Error('the system instruction is gone')
    },
  },
  {
    name: 'a seed, penalties and several candidates',
    body: contents([hi], {
      generationConfig: { seed: 7, presencePenalty: 0.5, topK: 3, candidateCount: 2 },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
    }),
    losses: { messages: /sampling\.seed/, responses: /sampling\.seed/ },
  },
  {
    name: 'the last word by the model',
    body: contents([hi, content('model', { text: 'Well,' })]),
  },
  {
    name: 'a thinking budget without a bound',
    body: contents([hi], {
      generationConfig: { thinkingConfig: { thinkingBudget: -1, includeThoughts: true } },
    }),
  },
  {
    name: 'ids, images in a result and a failure',
    body: contents(
      [
        hi,
        content(
          'model',
          { functionCall: { id: 'a/1', name: 'look', args: {} } },
          { functionCall: { id: 'a/2', name: 'look', args: {} } },
        ),
        content(
          'user',
          { functionResponse: { id: 'a/2', name: 'look', response: { error: 'blind' } } },
          {
            functionResponse: {
              id: 'a/1',
              name: 'look',
              response: { output: 'seen' },
              parts: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }],
            },
          },
        ),
      ],
      declares('look'),
    ),
    check(heard, _upstream, sent) {
      has(wordsOf(heard), 'blind', 'seen')
      has(sent, PIXEL)
    },
  },
  {
    name: 'sound',
    body: contents([
      content(
        'user',
        { inlineData: { mimeType: 'audio/mp3', data: 'SUQzBAAAAAAA' } },
        { text: 'Who?' },
      ),
    ]),
    losses: { messages: /turns\.0\.blocks\.0/ },
  },
  {
    name: 'two of three functions that must be called',
    body: contents([hi], {
      tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a', 'b'] } },
    }),
    // The others stay on offer: without them it would be another prompt to caches and to proofs of reasoning.
    check(heard) {
      if (heard.tools.length < 3) throw new Error('another prompt')
    },
    losses: { messages: /toolChoice/, 'chat-completions': /toolChoice/ },
  },
  {
    name: 'a thought that was switched off, and rules that are elsewhere',
    body: contents([hi], {
      generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }],
      labels: { a: 'b' },
    }),
    losses: { messages: /safetySettings/, responses: /safetySettings/ },
    // Of a model that nobody knows it is not known whether it can do without.
    check(heard, upstream, sent) {
      if (upstream === 'messages' && heard.thinking) throw new Error('it thinks')
      if (heard.thinking) has(sent, '"low"')
    },
  },
  {
    name: 'thoughts that nobody has signed',
    body: contents([
      hi,
      content('model', { text: 'Secretly.', thought: true }, { text: 'Aloud.' }),
      content('user', { text: 'What?' }),
    ]),
    check(heard) {
      const spoken = heard.turns.flatMap(({ pieces }) => pieces)
      if (spoken.some((piece) => piece.kind === 'text' && piece.text.includes('Secretly')))
        throw new Error('a thought was said aloud')
    },
  },
  {
    name: 'turns without a role and a function as one',
    body: {
      contents: [
        { parts: [{ text: 'Hi' }] },
        content('model', calls('look')),
        content('function', answers('look')),
      ],
      ...declares('look'),
    },
  },
  {
    name: 'integers beyond what JavaScript counts, in their order',
    body: `{"contents":[{"role":"user","parts":[{"text":"Hi"}]},
      {"role":"model","parts":[{"functionCall":{"name":"look","args":{"2":1,"1":12345678901234567890}}}]},
      {"role":"user","parts":[{"functionResponse":{"name":"look","response":{"n":98765432109876543210}}}]}],
      "tools":[{"functionDeclarations":[{"name":"look"}]}]}`,
    check: (_heard, _upstream, sent) =>
      has(sent.replaceAll('\\"', '"'), '{"2":1,"1":12345678901234567890}', '98765432109876543210'),
  },
]
