import { PIXEL } from './scene.ts'
import type { Dialect, Heard, Wire } from './script.ts'

/** A request that is legal in the caller's dialect and awkward for the others. */
export interface OddRequest {
  name: string
  caller: Dialect
  body: Wire
  /** What has to be true of what a strict upstream understood. */
  check?(heard: Heard, upstream: Dialect): void
  /** What the header of losses has to name, where the upstream's dialect cannot say it. */
  losses?: Partial<Record<Dialect, RegExp>>
}

const message = (role: string, content: unknown): Wire => ({ role, content })
const messages = (list: Wire[], rest: Wire = {}): Wire => ({
  model: 'claude-opus-4-8',
  max_tokens: 1000,
  messages: list,
  ...rest,
})
const hello = message('user', 'Hello')
const use = (id: string, name = 'look', input: unknown = {}): Wire => ({
  type: 'tool_use',
  id,
  name,
  input,
})
const got = (id: string, content: unknown = 'done'): Wire => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})
const LOOK = { name: 'look', input_schema: { type: 'object' } }
const PDF = 'JVBERi0xLjQKJeLjz9MKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c+PgplbmRvYmoK'

const FROM_MESSAGES: Omit<OddRequest, 'caller'>[] = [
  { name: 'a bound of one token', body: messages([hello], { max_tokens: 1 }) },
  {
    name: 'a prefilled answer',
    body: messages([hello, message('assistant', 'Well,')]),
  },
  {
    name: 'two messages by the user in a row',
    body: messages([hello, message('user', 'Are you there?')]),
  },
  {
    name: 'a tool whose result is empty',
    body: messages([hello, message('assistant', [use('t1')]), message('user', [got('t1', [])])], {
      tools: [LOOK],
    }),
  },
  {
    name: 'a result without content',
    body: messages(
      [
        hello,
        message('assistant', [use('t1')]),
        message('user', [{ type: 'tool_result', tool_use_id: 't1' }]),
      ],
      { tools: [LOOK] },
    ),
  },
  {
    name: 'words after the results',
    body: messages(
      [
        hello,
        message('assistant', [use('t1'), use('t2')]),
        message('user', [got('t1'), got('t2'), { type: 'text', text: 'Go on.' }]),
      ],
      { tools: [LOOK] },
    ),
  },
  {
    name: 'a long and odd id',
    body: messages(
      [hello, message('assistant', [use('x'.repeat(90))]), message('user', [got('x'.repeat(90))])],
      { tools: [LOOK] },
    ),
  },
  {
    name: 'a call that was never answered',
    body: messages([hello, message('assistant', [use('t1')]), message('user', 'Never mind.')], {
      tools: [LOOK],
    }),
  },
  {
    name: 'a result of a call that is gone',
    body: messages([message('user', [got('t9', 'forty-two')])], { tools: [LOOK] }),
  },
  {
    name: 'a PDF and an image',
    body: messages([
      message('user', [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Plain.' } },
        { type: 'text', text: 'Compare.' },
      ]),
    ]),
  },
  {
    name: 'thinking of a service that is not this one',
    body: messages(
      [
        hello,
        message('assistant', [{ type: 'thinking', thinking: 'Hm', signature: 'EqQB' }, use('t1')]),
        message('user', [got('t1')]),
      ],
      { tools: [LOOK], thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048 },
    ),
    losses: { responses: /turns\.1\.blocks\.0/, 'generate-content': /turns\.1\.blocks\.0/ },
  },
  {
    name: 'bounds that only this dialect has',
    body: messages([hello], { top_k: 5, stop_sequences: ['A', 'B', 'C', 'D', 'E', 'F'] }),
    losses: { responses: /sampling\.topK.*limits\.stop|limits\.stop.*sampling\.topK/ },
  },
  {
    name: 'an empty message by the assistant',
    body: messages([hello, message('assistant', ''), message('user', 'Hello?')]),
  },
]

const responses = (input: unknown, rest: Wire = {}): Wire => ({ model: 'gpt-5', input, ...rest })
const FUNCTION = {
  type: 'function',
  name: 'look',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  strict: true,
}
const made = (call_id: string, args = '{}'): Wire => ({
  type: 'function_call',
  call_id,
  name: 'look',
  arguments: args,
})
const output = (call_id: string, words: unknown = 'done'): Wire => ({
  type: 'function_call_output',
  call_id,
  output: words,
})

const FROM_RESPONSES: Omit<OddRequest, 'caller'>[] = [
  { name: 'much thinking and no bound', body: responses('Hi', { reasoning: { effort: 'high' } }) },
  {
    name: 'much thinking and a small bound',
    body: responses('Hi', { reasoning: { effort: 'xhigh' }, max_output_tokens: 100 }),
  },
  {
    name: 'a temperature that is too hot elsewhere',
    body: responses('Hi', { temperature: 1.7 }),
    losses: { messages: /approximated sampling\.temperature/ },
  },
  { name: 'a call with empty arguments', body: responses([hello, made('c1', ''), output('c1')]) },
  {
    name: 'a call with broken arguments',
    body: responses([hello, made('c1', '{"a":'), output('c1')]),
  },
  {
    name: 'calls and results that are mixed up',
    body: responses([hello, made('c1'), made('c2'), output('c2'), output('c1')], {
      tools: [FUNCTION],
    }),
  },
  {
    name: 'a message between a call and its result',
    body: responses([hello, made('c1'), message('user', 'Quick!'), output('c1')]),
  },
  {
    name: 'an odd id',
    body: responses([hello, made('functions.look:0'), output('functions.look:0')]),
  },
  {
    name: 'reasoning that another service has signed, in front of a forced call',
    body: responses(
      [
        hello,
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
        made('c1'),
        output('c1'),
      ],
      { tools: [FUNCTION], tool_choice: 'required', reasoning: { effort: 'medium' } },
    ),
  },
  {
    name: 'a whole conversation by the assistant and a developer in the middle',
    body: responses([
      message('assistant', 'How can I help?'),
      hello,
      message('developer', 'Be kind.'),
      message('user', 'Thanks.'),
    ]),
  },
  {
    name: 'JSON of any shape',
    body: responses('As JSON: hi', { text: { format: { type: 'json_object' } } }),
  },
  {
    name: 'one call at a time',
    body: responses('Hi', { tools: [FUNCTION], parallel_tool_calls: false }),
  },
  {
    name: 'an image as the result of a tool',
    body: responses(
      [
        hello,
        made('c1'),
        output('c1', [
          { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'high' },
        ]),
      ],
      { tools: [FUNCTION] },
    ),
  },
]

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

const FROM_CONTENTS: Omit<OddRequest, 'caller'>[] = [
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
]

const by =
  (caller: Dialect) =>
  (odd: Omit<OddRequest, 'caller'>): OddRequest => ({ caller, ...odd })

export const ODD_REQUESTS: OddRequest[] = [
  ...FROM_MESSAGES.map(by('messages')),
  ...FROM_RESPONSES.map(by('responses')),
  ...FROM_CONTENTS.map(by('generate-content')),
]
