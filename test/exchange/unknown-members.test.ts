import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'

/** A member of tomorrow, which is put into each object that is translated. */
const NAME = 'member_of_tomorrow'
const NEW = { [NAME]: { a: 1 } }

type Row = readonly [place: string, body: JsonObject]

const ROWS: Record<Dialect, readonly Row[]> = {
  messages: [
    [
      'cache_control',
      {
        model: 'm',
        max_tokens: 9,
        messages: [
          {
            role: 'user',
            content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral', ...NEW } }],
          },
        ],
      },
    ],
    [
      'tool_choice',
      {
        model: 'm',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'hi' }],
        tools: [{ name: 'f', input_schema: { type: 'object' } }],
        tool_choice: { type: 'tool', name: 'f', ...NEW },
      },
    ],
    [
      'tool_choice any',
      {
        model: 'm',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'hi' }],
        tools: [{ name: 'f', input_schema: { type: 'object' } }],
        tool_choice: { type: 'any', ...NEW },
      },
    ],
    [
      'thinking',
      {
        model: 'm',
        max_tokens: 9000,
        messages: [{ role: 'user', content: 'hi' }],
        thinking: { type: 'enabled', budget_tokens: 1024, ...NEW },
      },
    ],
    [
      'output_config',
      {
        model: 'm',
        max_tokens: 9000,
        messages: [{ role: 'user', content: 'hi' }],
        output_config: { effort: 'low', ...NEW },
      },
    ],
    [
      'output_config.format',
      {
        model: 'm',
        max_tokens: 9000,
        messages: [{ role: 'user', content: 'hi' }],
        output_config: {
          format: { type: 'json_schema', schema: { type: 'object', properties: {} }, ...NEW },
        },
      },
    ],
    ['message', { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi', ...NEW }] }],
    [
      'text',
      {
        model: 'm',
        max_tokens: 9,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', ...NEW }] }],
      },
    ],
    [
      'image.source',
      {
        model: 'm',
        max_tokens: 9,
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'image',
                source: { type: 'base64', media_type: 'image/png', data: 'aGk=', ...NEW },
              },
            ],
          },
        ],
      },
    ],
    [
      'tool_use',
      {
        model: 'm',
        max_tokens: 9,
        messages: [
          { role: 'user', content: 'a' },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'c', name: 'f', input: {}, ...NEW }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] },
        ],
      },
    ],
    [
      'tool_result',
      {
        model: 'm',
        max_tokens: 9,
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x', ...NEW }],
          },
        ],
      },
    ],
    [
      'tool',
      {
        model: 'm',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'a' }],
        tools: [{ name: 'f', input_schema: { type: 'object' }, ...NEW }],
      },
    ],
    [
      'web_search',
      {
        model: 'm',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'a' }],
        tools: [
          { name: 'f', input_schema: { type: 'object' } },
          { type: 'web_search_20250305', name: 'web_search', ...NEW },
        ],
      },
    ],
    [
      'citation',
      {
        model: 'm',
        max_tokens: 9,
        messages: [
          { role: 'user', content: 'q' },
          {
            role: 'assistant',
            content: [
              {
                type: 'text',
                text: 'a',
                citations: [
                  {
                    type: 'char_location',
                    cited_text: 'x',
                    document_index: 0,
                    document_title: null,
                    start_char_index: 0,
                    end_char_index: 1,
                    ...NEW,
                  },
                ],
              },
            ],
          },
          { role: 'user', content: 'q' },
        ],
      },
    ],
  ],
  'generate-content': [
    [
      'toolConfig',
      {
        contents: [{ role: 'user', parts: [{ text: 'a' }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY' }, ...NEW },
      },
    ],
    [
      'functionCallingConfig',
      {
        contents: [{ role: 'user', parts: [{ text: 'a' }] }],
        tools: [{ functionDeclarations: [{ name: 'f' }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY', ...NEW } },
      },
    ],
    [
      'generationConfig',
      {
        contents: [{ role: 'user', parts: [{ text: 'a' }] }],
        generationConfig: { temperature: 1, ...NEW },
      },
    ],
    [
      'thinkingConfig',
      {
        contents: [{ role: 'user', parts: [{ text: 'a' }] }],
        generationConfig: { thinkingConfig: { thinkingBudget: 1024, ...NEW } },
      },
    ],
    ['part', { contents: [{ role: 'user', parts: [{ text: 'a', ...NEW }] }] }],
    ['content', { contents: [{ role: 'user', parts: [{ text: 'a' }], ...NEW }] }],
    [
      'system',
      {
        systemInstruction: { parts: [{ text: 's' }], ...NEW },
        contents: [{ role: 'user', parts: [{ text: 'a' }] }],
      },
    ],
    [
      'inline',
      {
        contents: [
          {
            role: 'user',
            parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=', ...NEW } }],
          },
        ],
      },
    ],
    [
      'functionCall',
      {
        contents: [
          { role: 'user', parts: [{ text: 'a' }] },
          { role: 'model', parts: [{ functionCall: { name: 'f', args: {}, ...NEW } }] },
          { role: 'user', parts: [{ functionResponse: { name: 'f', response: { result: 'x' } } }] },
        ],
      },
    ],
    [
      'functionResponse',
      {
        contents: [
          { role: 'user', parts: [{ text: 'a' }] },
          { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
          {
            role: 'user',
            parts: [{ functionResponse: { name: 'f', response: { result: 'x' }, ...NEW } }],
          },
        ],
      },
    ],
    [
      'tool',
      {
        contents: [{ role: 'user', parts: [{ text: 'a' }] }],
        tools: [{ functionDeclarations: [{ name: 'f' }], ...NEW }],
      },
    ],
    [
      'decl',
      {
        contents: [{ role: 'user', parts: [{ text: 'a' }] }],
        tools: [{ functionDeclarations: [{ name: 'f', ...NEW }] }],
      },
    ],
    [
      'googleSearch',
      {
        contents: [{ role: 'user', parts: [{ text: 'a' }] }],
        tools: [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: { ...NEW } }],
      },
    ],
  ],
  responses: [
    [
      'tool_choice',
      {
        model: 'm',
        input: 'hi',
        tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
        tool_choice: { type: 'function', name: 'f', ...NEW },
      },
    ],
    [
      'allowed_tools',
      {
        model: 'm',
        input: 'hi',
        tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
        tool_choice: {
          type: 'allowed_tools',
          mode: 'auto',
          tools: [{ type: 'function', name: 'f' }],
          ...NEW,
        },
      },
    ],
    [
      'tools.format text',
      {
        model: 'm',
        input: 'hi',
        tools: [{ type: 'custom', name: 'f', format: { type: 'text', ...NEW } }],
      },
    ],
    [
      'summary',
      {
        model: 'm',
        input: [
          { role: 'user', content: 'q' },
          { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'x', ...NEW }] },
          { role: 'assistant', content: 'a' },
          { role: 'user', content: 'q' },
        ],
      },
    ],
    ['reasoning', { model: 'm', input: 'hi', reasoning: { effort: 'low', ...NEW } }],
    [
      'text.format',
      {
        model: 'm',
        input: 'hi',
        text: {
          format: {
            type: 'json_schema',
            name: 'a',
            schema: { type: 'object', properties: {} },
            ...NEW,
          },
        },
      },
    ],
    [
      'stream_options',
      {
        model: 'm',
        input: 'hi',
        stream: true,
        stream_options: { include_obfuscation: false, ...NEW },
      },
    ],
    [
      'prompt_cache_options',
      { model: 'm', input: 'hi', prompt_cache_options: { mode: 'implicit', ...NEW } },
    ],
    [
      'breakpoint',
      {
        model: 'gpt-5.6',
        input: [
          {
            role: 'user',
            content: [
              {
                type: 'input_text',
                text: 'x',
                prompt_cache_breakpoint: { mode: 'explicit', ...NEW },
              },
            ],
          },
        ],
      },
    ],
    [
      'call',
      {
        model: 'm',
        input: [
          { role: 'user', content: 'q' },
          { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', ...NEW },
          { type: 'function_call_output', call_id: 'c', output: 'x' },
        ],
      },
    ],
    [
      'output',
      {
        model: 'm',
        input: [
          { role: 'user', content: 'q' },
          { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output: 'x', ...NEW },
        ],
      },
    ],
    [
      'tool',
      {
        model: 'm',
        input: 'hi',
        tools: [
          { type: 'function', name: 'f', parameters: { type: 'object' }, strict: false, ...NEW },
        ],
      },
    ],
    [
      'web_search',
      {
        model: 'm',
        input: 'hi',
        tools: [
          { type: 'function', name: 'f', parameters: { type: 'object' }, strict: false },
          { type: 'web_search', ...NEW },
        ],
      },
    ],
    [
      'filters',
      {
        model: 'm',
        input: 'hi',
        tools: [
          { type: 'function', name: 'f', parameters: { type: 'object' }, strict: false },
          { type: 'web_search', filters: { allowed_domains: ['x.org'], ...NEW } },
        ],
      },
    ],
    [
      'annotation',
      {
        model: 'm',
        input: [
          { role: 'user', content: 'q' },
          {
            type: 'message',
            role: 'assistant',
            content: [
              {
                type: 'output_text',
                text: 'a',
                annotations: [
                  {
                    type: 'url_citation',
                    url: 'https://x.org',
                    title: 't',
                    start_index: 0,
                    end_index: 1,
                    ...NEW,
                  },
                ],
              },
            ],
          },
          { role: 'user', content: 'q' },
        ],
      },
    ],
    [
      'input_image',
      {
        model: 'm',
        input: [
          {
            role: 'user',
            content: [{ type: 'input_image', image_url: 'https://x/y.png', ...NEW }],
          },
        ],
      },
    ],
  ],
  'chat-completions': [
    [
      'tool_choice',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
        tool_choice: { type: 'function', function: { name: 'f' }, ...NEW },
      },
    ],
    [
      'tool_choice.function',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
        tool_choice: { type: 'function', function: { name: 'f', ...NEW } },
      },
    ],
    [
      'allowed_tools',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: {
            mode: 'auto',
            tools: [{ type: 'function', function: { name: 'f' } }],
            ...NEW,
          },
        },
      },
    ],
    [
      'stream_options',
      {
        model: 'm',
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
        stream_options: { include_usage: true, ...NEW },
      },
    ],
    [
      'response_format',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', schema: { type: 'object', properties: {} } },
          ...NEW,
        },
      },
    ],
    [
      'response_format.json_schema',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', schema: { type: 'object', properties: {} }, ...NEW },
        },
      },
    ],
    [
      'response_format json_object',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        response_format: { type: 'json_object', ...NEW },
      },
    ],
    [
      'response_format text',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        response_format: { type: 'text', ...NEW },
      },
    ],
    ['message', { model: 'm', messages: [{ role: 'user', content: 'hi', ...NEW }] }],
    [
      'image',
      {
        model: 'm',
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'https://x/y.png', ...NEW } }],
          },
        ],
      },
    ],
    [
      'call',
      {
        model: 'm',
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            tool_calls: [
              { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, ...NEW },
            ],
          },
          { role: 'tool', tool_call_id: 'c', content: 'x' },
        ],
      },
    ],
    [
      'call.function',
      {
        model: 'm',
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            tool_calls: [
              { id: 'c', type: 'function', function: { name: 'f', arguments: '{}', ...NEW } },
            ],
          },
          { role: 'tool', tool_call_id: 'c', content: 'x' },
        ],
      },
    ],
    [
      'tool',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        tools: [
          { type: 'function', function: { name: 'f', parameters: { type: 'object' } }, ...NEW },
        ],
      },
    ],
    [
      'tool.function',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        tools: [
          { type: 'function', function: { name: 'f', parameters: { type: 'object' }, ...NEW } },
        ],
      },
    ],
    [
      'web_search_options',
      { model: 'm', messages: [{ role: 'user', content: 'hi' }], web_search_options: { ...NEW } },
    ],
  ],
}

function without(value: Json): Json {
  if (Array.isArray(value)) return value.map(without)
  if (!isObject(value)) return value
  const known = Object.entries(value).filter(([name]) => name !== NAME)
  return Object.fromEntries(known.map(([name, member]) => [name, without(member)]))
}

const CASES = DIALECTS.flatMap((from) =>
  ROWS[from].flatMap(([place, body]) =>
    DIALECTS.filter((to) => to !== from).map((to) => ({ from, to, place, body })),
  ),
)

describe('a member that nobody knows yet', () => {
  it.each(CASES)('is carried or reported: $place of $from to $to', ({ from, to, body }) => {
    const translated = (given: Json) =>
      translator({ from, to, model: 'gpt-5.6' }).request(given as JsonObject)
    const before = translated(without(body))
    const after = translated(body)
    const [known, told] = [before, after].map(({ losses }) => losses.map(({ path }) => path).join())
    if (!JSON.stringify(after.body).includes(NAME)) expect(told).not.toBe(known)
  })
})
