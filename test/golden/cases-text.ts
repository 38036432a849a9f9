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

const WORDS = 'Grüße aus Köln, 天気は晴れ 🌤️, “quoted” \\ and\na second line'

const text: Case = {
  name: 'text',
  request: {
    messages: messagesRequest(
      [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
        { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
      ],
      { temperature: 0.5, top_p: 0.9, top_k: 40, metadata: { user_id: 'user-1' } },
    ),
    'generate-content': generateRequest(
      [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [{ text: 'Hi.' }] },
        { role: 'user', parts: [{ text: 'And now?' }] },
      ],
      {
        generationConfig: { temperature: 0.5, topP: 0.9, topK: 40, seed: 7, maxOutputTokens: 100 },
      },
    ),
    responses: responsesRequest(
      [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
      ],
      {
        temperature: 0.5,
        top_p: 0.9,
        max_output_tokens: 100,
        user: 'user-1',
        metadata: { a: 'b' },
      },
    ),
  },
  answer: says('Now we talk.'),
}

const system: Case = {
  name: 'system',
  request: {
    messages: messagesRequest([{ role: 'user', content: 'Hello' }], {
      system: [
        { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'Be kind.' },
      ],
    }),
    'generate-content': generateRequest([{ role: 'user', parts: [{ text: 'Hello' }] }], {
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
    }),
    responses: responsesRequest(
      [
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'system', content: 'From now on in verse.' },
        { role: 'user', content: 'Go on.' },
      ],
      { instructions: 'Be brief.' },
    ),
  },
  answer: says('Hi.'),
}

const unicode: Case = {
  name: 'unicode',
  request: {
    messages: messagesRequest([{ role: 'user', content: WORDS }]),
    'generate-content': generateRequest([{ role: 'user', parts: [{ text: WORDS }] }]),
    responses: responsesRequest([{ role: 'user', content: WORDS }]),
  },
  answer: says(WORDS),
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PAPER = 'JVBERi0xLjQKJSVFT0YK'

const images: Case = {
  name: 'images',
  request: {
    messages: messagesRequest([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
          { type: 'image', source: { type: 'url', url: 'https://images.example/a.png' } },
          { type: 'text', text: 'Compare them.' },
        ],
      },
    ]),
    'generate-content': generateRequest([
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: PIXEL } },
          { fileData: { mimeType: 'image/png', fileUri: 'https://images.example/a.png' } },
          { text: 'Compare them.' },
        ],
      },
    ]),
    responses: responsesRequest([
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'high' },
          { type: 'input_image', image_url: 'https://images.example/a.png', detail: 'auto' },
          { type: 'input_text', text: 'Compare them.' },
        ],
      },
    ]),
  },
  answer: says('They are alike.'),
}

const pdf: Case = {
  name: 'pdf',
  request: {
    messages: messagesRequest([
      {
        role: 'user',
        content: [
          {
            type: 'document',
            title: 'paper.pdf',
            source: { type: 'base64', media_type: 'application/pdf', data: PAPER },
          },
          { type: 'text', text: 'Summarise.' },
        ],
      },
    ]),
    'generate-content': generateRequest([
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'application/pdf', data: PAPER } },
          { text: 'Summarise.' },
        ],
      },
    ]),
    responses: responsesRequest([
      {
        role: 'user',
        content: [
          {
            type: 'input_file',
            filename: 'paper.pdf',
            file_data: `data:application/pdf;base64,${PAPER}`,
          },
          { type: 'input_text', text: 'Summarise.' },
        ],
      },
    ]),
  },
  answer: says('It is empty.'),
}

const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
}

const structured: Case = {
  name: 'structured-output',
  request: {
    messages: messagesRequest([{ role: 'user', content: 'Who?' }], {
      output_config: { format: { type: 'json_schema', schema: SCHEMA } },
    }),
    'generate-content': generateRequest([{ role: 'user', parts: [{ text: 'Who?' }] }], {
      generationConfig: {
        responseMimeType: 'application/json',
        responseSchema: {
          type: 'OBJECT',
          properties: { name: { type: 'STRING' }, age: { type: 'INTEGER', minimum: 0 } },
          required: ['name', 'age'],
        },
      },
    }),
    responses: responsesRequest([{ role: 'user', content: 'Who?' }], {
      text: { format: { type: 'json_schema', name: 'person', strict: true, schema: SCHEMA } },
    }),
  },
  answer: says('{"name":"Ada","age":36}'),
}

const length: Case = {
  name: 'length',
  request: hello,
  answer: {
    messages: messagesReply([{ type: 'text', text: 'To be cont' }], 'max_tokens'),
    'generate-content': generateReply([{ text: 'To be cont' }], 'MAX_TOKENS'),
    responses: responsesReply([outputMessage(outputText('To be cont'))], {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    }),
  },
}

const stop: Case = {
  name: 'stop-sequence',
  request: {
    messages: messagesRequest([{ role: 'user', content: 'Count.' }], { stop_sequences: ['END'] }),
    'generate-content': generateRequest([{ role: 'user', parts: [{ text: 'Count.' }] }], {
      generationConfig: { stopSequences: ['END'] },
    }),
    responses: responsesRequest([{ role: 'user', content: 'Count.' }]),
  },
  answer: {
    ...says('1 2 3 '),
    messages: messagesReply([{ type: 'text', text: '1 2 3 ' }], 'stop_sequence', {
      stop_sequence: 'END',
    }),
  },
}

const refusal: Case = {
  name: 'refusal',
  request: hello,
  answer: {
    messages: messagesReply([{ type: 'text', text: 'I cannot help.' }], 'refusal'),
    'generate-content': generateReply([{ text: 'I cannot' }], 'SAFETY', {
      safetyRatings: [
        { category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true },
      ],
    }),
    responses: responsesReply([outputMessage({ type: 'refusal', refusal: 'I cannot help.' })]),
  },
}

export const TEXT_CASES: readonly Case[] = [
  text,
  system,
  unicode,
  images,
  pdf,
  structured,
  length,
  stop,
  refusal,
]
