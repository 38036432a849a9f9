import {
  generateReply,
  generateRequest,
  hello,
  messagesReply,
  messagesRequest,
  outputMessage,
  outputText,
  responsesReply,
  responsesRequest,
  says,
  type Case,
} from './case.ts'

const custom: Case = {
  name: 'custom-tool',
  request: {
    ...hello,
    responses: responsesRequest(
      [
        { role: 'user', content: 'Fix it.' },
        { type: 'custom_tool_call', call_id: 'call_01', name: 'patch', input: '*** Begin\n"x"' },
        { type: 'custom_tool_call_output', call_id: 'call_01', output: 'done' },
      ],
      {
        tools: [
          {
            type: 'custom',
            name: 'patch',
            description: 'Applies a patch',
            format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
          },
          {
            type: 'namespace',
            name: 'files',
            description: 'Files',
            tools: [
              { type: 'function', name: 'read', parameters: { type: 'object', properties: {} } },
            ],
          },
        ],
      },
    ),
  },
  answer: {
    messages: messagesReply(
      [{ type: 'tool_use', id: 'toolu_01', name: 'patch', input: { input: '*** End\n' } }],
      'tool_use',
    ),
    'generate-content': generateReply([
      { functionCall: { name: 'files__read', args: {} } },
      { functionCall: { name: 'patch', args: { input: '*** End\n' } } },
    ]),
    responses: says('No need.').responses,
  },
}

const cache: Case = {
  name: 'usage',
  request: hello,
  answer: {
    messages: messagesReply([{ type: 'text', text: 'Hi.' }], 'end_turn', {
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 50,
        output_tokens: 20,
        output_tokens_details: { thinking_tokens: 5 },
      },
    }),
    'generate-content': generateReply(
      [{ text: 'Hi.' }],
      'STOP',
      {},
      {
        usageMetadata: {
          promptTokenCount: 110,
          cachedContentTokenCount: 100,
          candidatesTokenCount: 15,
          thoughtsTokenCount: 5,
          totalTokenCount: 130,
        },
      },
    ),
    responses: responsesReply([outputMessage(outputText('Hi.'))], {
      usage: {
        input_tokens: 160,
        input_tokens_details: { cached_tokens: 100 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 180,
      },
    }),
  },
}

const CITED = 'Müller wrote it.'
const PAGE = { url: 'https://pages.example/a', title: 'A page' }

const citations: Case = {
  name: 'citations',
  request: {
    messages: messagesRequest([{ role: 'user', content: 'Who?' }], {
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }],
    }),
    'generate-content': generateRequest([{ role: 'user', parts: [{ text: 'Who?' }] }], {
      tools: [{ googleSearch: {} }],
    }),
    responses: responsesRequest([{ role: 'user', content: 'Who?' }], {
      tools: [{ type: 'web_search' }],
    }),
  },
  answer: {
    messages: messagesReply([
      { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: 'who' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_01',
        content: [
          { type: 'web_search_result', ...PAGE, encrypted_content: 'ZW5j', page_age: null },
        ],
      },
      {
        type: 'text',
        text: CITED,
        citations: [
          {
            type: 'web_search_result_location',
            ...PAGE,
            cited_text: 'Müller',
            encrypted_index: 'aWR4',
          },
        ],
      },
    ]),
    'generate-content': generateReply([{ text: CITED }], 'STOP', {
      groundingMetadata: {
        webSearchQueries: ['who'],
        groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }],
        groundingSupports: [
          {
            segment: { startIndex: 0, endIndex: 7, text: 'Müller' },
            groundingChunkIndices: [0],
            confidenceScores: [0.9],
          },
        ],
      },
    }),
    responses: responsesReply([
      {
        id: 'ws_01',
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query: 'who' },
      },
      outputMessage(
        outputText(CITED, [{ type: 'url_citation', ...PAGE, start_index: 0, end_index: 6 }]),
      ),
    ]),
  },
}

export const REPLY_CASES: readonly Case[] = [custom, cache, citations]
