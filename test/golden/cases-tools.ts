import {
  generateReply,
  generateRequest,
  messagesReply,
  messagesRequest,
  outputMessage,
  outputText,
  responsesReply,
  responsesRequest,
  type Case,
} from './case.ts'

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', description: 'The city' }, days: { type: 'integer' } },
  required: ['city'],
}

const INPUT = { city: 'Köln', days: 2 }
const declared = { name: 'get_weather', description: 'Weather of a city' }

const tools: Case = {
  name: 'tools',
  request: {
    messages: messagesRequest(
      [
        { role: 'user', content: 'Weather in Köln and Ulm?' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'toolu_01', name: 'get_weather', input: { city: 'Köln' } },
            { type: 'tool_use', id: 'toolu_02', name: 'get_weather', input: { city: 'Ulm' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_01', content: '21 °C' },
            {
              type: 'tool_result',
              tool_use_id: 'toolu_02',
              is_error: true,
              content: [{ type: 'text', text: 'no station' }],
            },
            { type: 'text', text: 'Now in two days.' },
          ],
        },
      ],
      {
        tools: [{ ...declared, input_schema: SCHEMA }],
        tool_choice: { type: 'any', disable_parallel_tool_use: true },
      },
    ),
    'generate-content': generateRequest(
      [
        { role: 'user', parts: [{ text: 'Weather in Köln and Ulm?' }] },
        {
          role: 'model',
          parts: [
            { text: 'I look.' },
            { functionCall: { name: 'get_weather', args: { city: 'Köln' } } },
            { functionCall: { name: 'get_weather', args: { city: 'Ulm' } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'get_weather', response: { output: '21 °C' } } },
            { functionResponse: { name: 'get_weather', response: { error: 'no station' } } },
          ],
        },
      ],
      {
        tools: [
          {
            functionDeclarations: [
              {
                ...declared,
                parameters: {
                  type: 'OBJECT',
                  properties: {
                    city: { type: 'STRING', description: 'The city' },
                    days: { type: 'INTEGER' },
                  },
                  required: ['city'],
                },
              },
            ],
          },
        ],
        toolConfig: {
          functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['get_weather'] },
        },
      },
    ),
    responses: responsesRequest(
      [
        { role: 'user', content: 'Weather in Köln and Ulm?' },
        outputMessage(outputText('I look.')),
        {
          type: 'function_call',
          call_id: 'call_01',
          name: 'get_weather',
          arguments: '{"city":"Köln"}',
        },
        {
          type: 'function_call',
          call_id: 'call_02',
          name: 'get_weather',
          arguments: '{"city":"Ulm"}',
        },
        { type: 'function_call_output', call_id: 'call_01', output: '21 °C' },
        { type: 'function_call_output', call_id: 'call_02', output: 'Error: no station' },
      ],
      {
        tools: [{ type: 'function', ...declared, parameters: SCHEMA, strict: false }],
        tool_choice: 'required',
        parallel_tool_calls: false,
      },
    ),
  },
  answer: {
    messages: messagesReply(
      [
        { type: 'text', text: 'Again.' },
        { type: 'tool_use', id: 'toolu_03', name: 'get_weather', input: INPUT },
        { type: 'tool_use', id: 'toolu_04', name: 'get_weather', input: {} },
      ],
      'tool_use',
    ),
    'generate-content': generateReply([
      { text: 'Again.' },
      { functionCall: { name: 'get_weather', args: INPUT } },
      { functionCall: { name: 'get_weather', args: {} } },
    ]),
    responses: responsesReply([
      outputMessage(outputText('Again.')),
      {
        id: 'fc_01',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_03',
        name: 'get_weather',
        arguments: JSON.stringify(INPUT),
      },
      {
        id: 'fc_02',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_04',
        name: 'get_weather',
        arguments: '',
      },
    ]),
  },
}

const reasoning: Case = {
  name: 'reasoning',
  request: {
    messages: messagesRequest(
      [
        { role: 'user', content: 'Two and two?' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'I add.', signature: 'c2lnbmF0dXJlLTE=' },
            { type: 'redacted_thinking', data: 'cmVkYWN0ZWQtMQ==' },
            { type: 'text', text: 'Four.' },
          ],
        },
        { role: 'user', content: 'And one?' },
      ],
      { thinking: { type: 'enabled', budget_tokens: 2048 }, max_tokens: 8000 },
    ),
    'generate-content': generateRequest(
      [
        { role: 'user', parts: [{ text: 'Two and two?' }] },
        {
          role: 'model',
          parts: [
            { text: 'I add.', thought: true },
            { text: 'Four.', thoughtSignature: 'c2lnbmF0dXJlLTE=' },
          ],
        },
        { role: 'user', parts: [{ text: 'And one?' }] },
      ],
      { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } } },
    ),
    responses: responsesRequest(
      [
        { role: 'user', content: 'Two and two?' },
        {
          id: 'rs_01',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'I add.' }],
          encrypted_content: 'gAAAAABsignature_1',
        },
        outputMessage(outputText('Four.')),
        { role: 'user', content: 'And one?' },
      ],
      {
        reasoning: { effort: 'medium', summary: 'auto' },
        store: false,
        include: ['reasoning.encrypted_content'],
      },
    ),
  },
  answer: {
    messages: messagesReply([
      { type: 'thinking', thinking: 'I add again.', signature: 'c2lnbmF0dXJlLTI=' },
      { type: 'redacted_thinking', data: 'cmVkYWN0ZWQtMg==' },
      { type: 'text', text: 'Five.' },
    ]),
    'generate-content': generateReply(
      [
        { text: 'I add again.', thought: true },
        { text: 'Five.', thoughtSignature: 'c2lnbmF0dXJlLTI=' },
        {
          functionCall: { name: 'get_weather', args: { city: 'Ulm' } },
          thoughtSignature: 'c2lnbmF0dXJlLTM=',
        },
      ],
      'STOP',
      {},
      {
        usageMetadata: {
          promptTokenCount: 10,
          candidatesTokenCount: 20,
          thoughtsTokenCount: 15,
          totalTokenCount: 45,
        },
      },
    ),
    responses: responsesReply([
      {
        id: 'rs_02',
        type: 'reasoning',
        summary: [
          { type: 'summary_text', text: 'I add again.' },
          { type: 'summary_text', text: 'And check.' },
        ],
        encrypted_content: 'gAAAAABsignature_2',
      },
      outputMessage(outputText('Five.')),
    ]),
  },
}

export const TOOL_CASES: readonly Case[] = [tools, reasoning]
