import { has, hello, message, wordsOf, type OddRequest } from './odd-request.ts'
import { PIXEL } from './scene.ts'
import type { Wire } from './script.ts'

const chat = (messages: unknown[], rest: Wire = {}): Wire => ({
  model: 'gpt-4o',
  messages,
  ...rest,
})
const LOOK = {
  type: 'function',
  function: { name: 'look', parameters: { type: 'object', properties: {} } },
}
const made = (...ids: string[]): Wire => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'look', arguments: '{}' },
  })),
})
const result = (tool_call_id: string, content: unknown = 'done'): Wire => ({
  role: 'tool',
  tool_call_id,
  content,
})

export const FROM_CHAT_COMPLETIONS: OddRequest[] = [
  { name: 'much thinking and no bound', body: chat([hello], { reasoning_effort: 'high' }) },
  {
    name: 'a temperature that is too hot elsewhere',
    body: chat([hello], { temperature: 1.7 }),
    losses: { messages: /approximated sampling\.temperature/ },
  },
  {
    name: 'a stop sequence that is no list',
    body: chat([hello], { stop: 'END' }),
    losses: { responses: /limits\.stop/ },
  },
  {
    name: 'a tool that has to be called, in a word of Mistral',
    body: chat([hello], { tools: [LOOK], tool_choice: 'any' }),
    check(heard) {
      if (heard.choice !== 'required') throw new Error(heard.choice)
    },
  },
  {
    name: 'the functions of old',
    body: chat(
      [
        hello,
        { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
        { role: 'function', name: 'look', content: 'done' },
      ],
      { functions: [LOOK.function], function_call: 'auto' },
    ),
  },
  { name: 'an odd id', body: chat([hello, made('functions.look:0'), result('functions.look:0')]) },
  {
    name: 'results that are mixed up',
    body: chat([hello, made('c1', 'c2'), result('c2'), result('c1')], { tools: [LOOK] }),
  },
  {
    name: 'a call that was never answered',
    body: chat([hello, made('c1', 'c2'), result('c1'), message('user', 'Go on.')]),
  },
  {
    name: 'an image as the result of a tool',
    body: chat([
      hello,
      made('c1'),
      result('c1', [
        { type: 'text', text: 'Here.' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
      ]),
    ]),
  },
  {
    name: 'instructions at the top and in the middle',
    body: chat([
      message('system', 'Be brief.'),
      message('developer', [{ type: 'text', text: 'Be kind.' }]),
      hello,
      message('assistant', 'Hi.'),
      message('system', 'Be quick.'),
      message('user', 'Well?'),
    ]),
    check: (heard) => has(heard.system, 'Be brief.', 'Be kind.'),
  },
  {
    name: 'what the model refused',
    body: chat([
      hello,
      { role: 'assistant', content: null, refusal: 'I will not.' },
      message('user', 'Please.'),
    ]),
    check: (heard) => has(wordsOf(heard), 'I will not.', 'Please.'),
  },
  {
    name: 'JSON of any shape',
    body: chat([message('user', 'As JSON: hi')], { response_format: { type: 'json_object' } }),
  },
  {
    name: 'everything that is merely convenient',
    body: chat([hello], {
      user: 'someone@mail.example',
      metadata: { a: 'b' },
      service_tier: 'flex',
      prompt_cache_key: 'k',
      logprobs: true,
      top_logprobs: 3,
      logit_bias: { 50256: -100 },
      verbosity: 'low',
      store: false,
    }),
    losses: { messages: /logit_bias/, 'generate-content': /logit_bias/, responses: /logit_bias/ },
  },
  { name: 'nobody but a system', body: chat([message('system', 'Say hi.')]) },
]
