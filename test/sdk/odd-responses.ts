import { has, hello, message, wordsOf, type OddRequest } from './odd-request.ts'
import { PIXEL } from './scene.ts'
import type { Wire } from './script.ts'

const PDF = 'JVBERi0xLjQKJeLjz9MKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c+PgplbmRvYmoK'

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

export const FROM_RESPONSES: OddRequest[] = [
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
  {
    name: 'cool thinking',
    body: responses('Hi', { reasoning: { effort: 'low' }, temperature: 0.2, top_p: 0.5 }),
    losses: { messages: /sampling\.temperature/ },
  },
  {
    name: 'a choice of a tool that only its own service has',
    body: responses('Hi', {
      tools: [{ type: 'mcp', server_label: 'docs', server_url: 'https://mcp.example' }, FUNCTION],
      tool_choice: { type: 'mcp', server_label: 'docs' },
    }),
    losses: { messages: /tools\.docs/, 'generate-content': /tools\.docs/ },
  },
  {
    name: 'a must of tools that nobody else has',
    body: responses('Hi', { tools: [{ type: 'image_generation' }], tool_choice: 'required' }),
    losses: { messages: /image_generation/, 'generate-content': /image_generation/ },
  },
  {
    name: 'some of the tools',
    body: responses('Hi', {
      tools: [FUNCTION, { ...FUNCTION, name: 'hear' }, { ...FUNCTION, name: 'smell' }],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'look' },
          { type: 'function', name: 'hear' },
        ],
      },
    }),
    // The others stay on offer: without them it would be another prompt to caches and to proofs of reasoning.
    check(heard) {
      if (heard.tools.length < 3) throw new Error('another prompt')
    },
    losses: { messages: /toolChoice/, 'chat-completions': /toolChoice/ },
  },
  {
    name: 'a refusal and a summary without a proof in the history',
    body: responses([
      hello,
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'No.' }] },
      message('assistant', [{ type: 'refusal', refusal: 'I will not.' }]),
      message('user', 'Please.'),
    ]),
    check: (heard) => has(wordsOf(heard), 'I will not.', 'Please.'),
  },
  {
    name: 'a PDF and words around it',
    body: responses([
      message('user', [
        { type: 'input_text', text: 'Read' },
        { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
        { type: 'input_text', text: 'this.' },
      ]),
    ]),
    check: (_heard, _upstream, sent) => has(sent, 'application/pdf', PDF),
  },
  {
    name: 'nobody but a developer',
    body: responses([message('developer', 'Say hi.')]),
  },
  {
    name: 'everything that is merely convenient',
    body: responses('Hi', {
      truncation: 'auto',
      text: { format: { type: 'text' }, verbosity: 'low' },
      top_logprobs: 3,
      user: 'someone@mail.example',
      metadata: { a: 'b' },
      service_tier: 'flex',
      prompt_cache_key: 'k',
      max_tool_calls: 4,
      stream_options: { include_obfuscation: false },
    }),
    losses: { messages: /truncation/, 'generate-content': /truncation/ },
  },
]
