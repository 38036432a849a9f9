import type { Json } from '../../src/json/json.ts'

/** Legal requests with what no fixture has. */
export const RARE: ReadonlyMap<string, Json[]> = new Map<string, Json[]>([
  [
    'messages',
    [
      {
        model: 'm',
        max_tokens: 2000,
        metadata: { user_id: 'u' },
        stop_sequences: ['x'],
        stream: true,
        temperature: 1,
        top_p: 1,
        top_k: 1,
        service_tier: 'auto',
        thinking: { type: 'enabled', budget_tokens: 1024 },
        tool_choice: { type: 'tool', name: 'f' },
        output_config: { effort: 'low', format: { type: 'json_schema', schema: {} } },
        output_format: { type: 'json_schema', schema: {} },
        cache_control: { type: 'ephemeral', ttl: '5m' },
        system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        tools: [
          {
            name: 'f',
            description: 'x',
            input_schema: {},
            strict: true,
            cache_control: { type: 'ephemeral', ttl: '1h' },
          },
          { type: 'custom', name: 'g', input_schema: {} },
          { type: 'future_20300101', name: 'h' },
        ],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
              { type: 'image', source: { type: 'url', url: 'https://a.example/' } },
              { type: 'document', source: { type: 'file', file_id: 'f' } },
              { type: 'document', source: { type: 'text', data: 'x' }, cache_control: null },
              { type: 'search_result', source: 's', title: 't', content: [{ type: 'text' }] },
            ],
          },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'x', signature: 'AA==' },
              { type: 'redacted_thinking', data: 'AA==' },
              { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
              { type: 'tool_use', id: 't', name: 'f', input: {}, cache_control: null },
            ],
          },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't',
                is_error: false,
                cache_control: null,
                content: [
                  { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } },
                  { type: 'image', source: { type: 'file', file_id: 'f' } },
                ],
              },
            ],
          },
        ],
      },
    ],
  ],
  [
    'responses',
    [
      {
        model: 'm',
        instructions: 'x',
        parallel_tool_calls: true,
        previous_response_id: 'r',
        reasoning: { effort: 'low', summary: 'auto', generate_summary: 'auto' },
        text: {
          format: { type: 'json_schema', name: 'f', schema: {}, description: 'x', strict: true },
        },
        tool_choice: { type: 'function', name: 'f' },
        include: ['x'],
        max_output_tokens: 1,
        metadata: { a: 'x' },
        prompt_cache_key: 'x',
        safety_identifier: 'x',
        service_tier: 'auto',
        store: true,
        stream: true,
        temperature: 2,
        top_p: 1,
        top_logprobs: 1,
        truncation: 'auto',
        user: 'x',
        tools: [
          { type: 'function', name: 'f', description: 'x', parameters: {}, strict: true },
          { type: 'custom', name: 'c', description: 'x', format: { type: 'text' } },
          {
            type: 'namespace',
            name: 'n',
            tools: [
              { type: 'function', name: 'f', parameters: null },
              { type: 'namespace', name: 'o', tools: [{ type: 'custom', name: 'd' }] },
            ],
          },
          {
            type: 'file_search',
            vector_store_ids: ['v'],
            max_num_results: 50,
            ranking_options: { score_threshold: 1 },
          },
        ],
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'x' },
              { type: 'input_image', file_id: 'f', detail: 'low' },
              { type: 'input_file', file_id: 'f', file_data: 'x', file_url: 'x', filename: 'x' },
              { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
            ],
          },
          {
            type: 'message',
            role: 'assistant',
            content: [
              { type: 'output_text', text: 'x', annotations: [{}] },
              { type: 'refusal', refusal: 'x' },
            ],
          },
          { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}', namespace: 'n' },
          { type: 'custom_tool_call', call_id: 'b', name: 'c', input: 'x', namespace: 'n' },
          {
            type: 'function_call_output',
            call_id: 'a',
            output: [{ type: 'input_text', text: '' }],
          },
          { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'future' }] },
          { type: 'reasoning', summary: [{ text: 'x' }], encrypted_content: 'AA==' },
          { type: 'web_search_call', action: {} },
          { type: 'code_interpreter_call', id: 'x', code: 'x', outputs: [{}] },
          { type: 'additional_tools', tools: [{ type: 'function', name: 'f', strict: true }] },
        ],
      },
    ],
  ],
  [
    'generate-content',
    [
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
    ],
  ],
])
