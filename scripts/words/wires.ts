import type { Dialect } from '../../adapters/dialect.ts'
import type { Type } from './declarations.ts'
import { isObject, objectIn, objectsOf, type Json, type JsonObject } from '../../src/json/json.ts'

/** Where the words of a dialect are written down, and what a body needs in which one of them is said. */
export interface Wire {
  readonly package: string
  readonly files: readonly string[]
  /** Another client of the service, and a file of this folder with what it has besides. */
  readonly beside?: { readonly client: string; readonly file: string }
  /** The types of a whole body. Several are taken together. */
  readonly roots: readonly string[]
  /** Members that the package has elsewhere. */
  readonly members?: Readonly<Record<string, Type>>
  readonly frame: (body: JsonObject) => JsonObject
  readonly omit?: readonly string[]
  /** Members of a reply that repeat what its request said. */
  readonly echo?: readonly string[]
  readonly values?: Readonly<Record<string, Json>>
  readonly least?: Readonly<Record<string, JsonObject>>
}

const named = (name: string): Type => ({ kind: 'named', name, scope: '' })

const ANTHROPIC = {
  package: '@anthropic-ai/sdk',
  files: ['resources/messages/messages.d.ts', 'resources/beta/messages/messages.d.ts'],
}

const OF_MODEL =
  /^(?:thinking|redacted_thinking|tool_use|server_tool_use|mcp_tool_use|.*_tool_result|compaction|fallback)$/

/** In the role that says such blocks, between words of the user. */
function framedMessages(body: JsonObject): JsonObject {
  const said = objectsOf(body['messages']).map((message) => {
    const [block] = objectsOf(message['content'])
    const type = String(block?.['type'] ?? '')
    const isOfModel = type !== 'tool_result' && OF_MODEL.test(type)
    const role = isOfModel ? 'assistant' : (message['role'] ?? 'user')
    return { ...message, role }
  })
  const answered = objectsOf(objectIn(said[0])['content']).some((b) => b['type'] === 'tool_result')
  const called = {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'x', name: 'x', input: {} }],
  }
  const isUser = said.length > 0 && said[0]?.['role'] === 'user'
  const before = answered ? [called] : isUser ? [{ role: 'assistant', content: 'Yes?' }] : []
  return {
    model: 'm',
    max_tokens: 4096,
    tools: [{ name: 'x', input_schema: { type: 'object' } }],
    ...body,
    messages: [
      { role: 'user', content: 'Hi' },
      ...before,
      ...said,
      ...(isUser ? [{ role: 'assistant', content: 'Yes.' }] : []),
      { role: 'user', content: 'On.' },
    ],
  }
}

const BLOB = { mimeType: 'image/png', data: 'aGk=' }
const FILE = { mimeType: 'image/png', fileUri: 'https://a.example/x.png' }

/** All members of this package's types are optional. */
const CONTENT_LEAST = {
  Content: { role: 'model', parts: [{ text: 'x' }] },
  Blob_2: BLOB,
  FunctionResponseBlob: BLOB,
  FileData: FILE,
  FunctionResponseFileData: FILE,
  FunctionCall: { name: 'x' },
  UrlMetadata: { retrievedUrl: 'https://a.example' },
  FunctionResponse: { name: 'x', response: { x: 1 } },
  ExecutableCode: { code: '1', language: 'PYTHON' },
  CodeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' },
  FunctionDeclaration: { name: 'x' },
}

const OPENAI_VALUES = {
  model: 'm',
  temperature: 0.5,
  top_p: 0.5,
  parameters: { type: 'object' },
  schema: { type: 'object', properties: {} },
  arguments: '{"x":1}',
}

const PYTHON = { client: 'google-genai 3.6.1 for Python', file: 'google-genai.d.ts' }

export const REQUESTS: Readonly<Record<Dialect, Wire>> = {
  messages: {
    ...ANTHROPIC,
    roots: ['MessageCreateParamsBase'],
    frame: framedMessages,
    omit: ['betas', 'user_profile_id', 'workspace_id'],
    least: { SystemMessageParam: { content: 'x' } },
    values: {
      budget_tokens: 1024,
      max_tokens: 4096,
      temperature: 0.5,
      top_p: 0.5,
      model: 'm',
      input_schema: { type: 'object' },
      schema: { type: 'object', properties: {} },
      input: { x: 1 },
      url: 'https://a.example/x',
    },
  },
  'generate-content': {
    package: '@google/genai',
    files: ['dist/genai.d.ts'],
    beside: PYTHON,
    // Here the contents are an argument beside the options, and all that a client may write for one.
    members: {
      contents: { kind: 'list', of: named('Content') },
      systemInstruction: named('Content'),
      tools: { kind: 'list', of: named('Tool') },
    },
    roots: ['GenerateContentConfig', 'GenerationConfig'],
    frame: framedContents,
    omit: [
      'abortSignal',
      'httpOptions',
      'automaticFunctionCalling',
      'automaticContinuation',
      'shouldReturnHttpResponse',
    ],
    values: {
      temperature: 0.5,
      topP: 0.5,
      data: 'aGk=',
      imageBytes: 'aGk=',
      mimeType: 'image/png',
      fileUri: 'https://a.example/x.png',
      thoughtSignature: 'c2ln',
      responseJsonSchema: { type: 'object' },
      parametersJsonSchema: { type: 'object' },
      args: { x: 1 },
      response: { x: 1 },
      labels: { x: 'x' },
      excludedPredefinedFunctions: ['click'],
    },
    least: CONTENT_LEAST,
  },
  responses: {
    package: 'openai',
    files: [
      'resources/responses/responses.d.ts',
      'resources/responses/input-tokens.d.ts',
      'resources/shared.d.ts',
    ],
    // Counts of tokens are asked for with the same members, and some of their own.
    roots: ['InputTokenCountParams', 'ResponseCreateParamsBase'],
    frame: (body) => ({
      model: 'm',
      tools: [{ type: 'function', name: 'x', parameters: { type: 'object' } }],
      ...body,
      input: Array.isArray(body['input']) ? around(body['input']) : 'Hi',
    }),
    values: {
      ...OPENAI_VALUES,
      image_url: 'https://a.example/x.png',
      file_url: 'https://a.example/x.pdf',
      server_url: 'https://mcp.example',
    },
  },
  'chat-completions': {
    package: 'openai',
    files: ['resources/chat/completions/completions.d.ts', 'resources/shared.d.ts'],
    roots: ['ChatCompletionCreateParamsBase'],
    frame: (body) => ({
      model: 'm',
      tools: [{ type: 'function', function: { name: 'x', parameters: { type: 'object' } } }],
      ...body,
      messages: [
        { role: 'user', content: 'Hi' },
        ...objectsOf(body['messages']),
        { role: 'user', content: 'On.' },
      ],
    }),
    values: {
      ...OPENAI_VALUES,
      url: 'https://a.example/x.png',
    },
  },
}

const USER = { role: 'user', content: 'Hi' }

/** An item among others; behind an order for a summary nothing may stand. */
const around = (items: readonly Json[]): Json[] =>
  items.some((item) => objectIn(item)['type'] === 'compaction_trigger')
    ? [USER, ...items]
    : [USER, ...items, USER]

/** Which members of the client's options stand beside the contents, and not among the options of generation. */
const TOP = new Set(
  'contents systemInstruction tools toolConfig safetySettings cachedContent labels serviceTier store continuationToken modelArmorConfig generationOutputConfig'.split(
    ' ',
  ),
)

function framedContents(body: JsonObject): JsonObject {
  const entries = Object.entries(body)
  const options = entries.filter(([key]) => !TOP.has(key))
  const contents = Array.isArray(body['contents']) ? body['contents'] : []
  const [part] = objectsOf(objectIn(contents[0])['parts'])
  const isOfUser = isObject(part?.['functionResponse'])
  const said = objectsOf(contents).map((content) => ({
    ...content,
    role: isOfUser ? 'user' : (content['role'] ?? 'model'),
  }))
  const called = { role: 'model', parts: [{ functionCall: { name: 'x', args: {} } }] }
  return {
    tools: [{ functionDeclarations: [{ name: 'x' }] }],
    ...Object.fromEntries(entries.filter(([key]) => TOP.has(key))),
    ...(options.length > 0 && { generationConfig: Object.fromEntries(options) }),
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      ...(isOfUser ? [called] : []),
      ...said,
      { role: 'user', parts: [{ text: 'On.' }] },
    ],
  }
}

const M_REPLY = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  usage: { input_tokens: 9, output_tokens: 9 },
}
const SAID_M = { type: 'text', text: 'Yes.' }
const SAID_R = {
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
}
const COUNTS = { input_tokens: 9, output_tokens: 9, total_tokens: 18 }

export const REPLIES: Readonly<Record<Dialect, Wire>> = {
  messages: {
    ...ANTHROPIC,
    roots: ['Message', 'BetaMessage'],
    frame: (body) => ({
      ...M_REPLY,
      ...body,
      content: [SAID_M, ...objectsOf(body['content'])],
      usage: { ...M_REPLY.usage, ...objectIn(body['usage']) },
    }),
    values: { input: { x: 1 }, id: 'x_1', tool_use_id: 'x_1', input_tokens: 9, output_tokens: 9 },
  },
  'generate-content': {
    package: '@google/genai',
    files: ['dist/genai.d.ts'],
    beside: PYTHON,
    roots: ['GenerateContentResponse'],
    omit: ['sdkHttpResponse', 'responseInternal', 'automaticFunctionCallingHistory'],
    frame: framedCandidate,
    values: {
      data: 'aGk=',
      mimeType: 'image/png',
      thoughtSignature: 'c2ln',
      args: { x: 1 },
      promptTokenCount: 9,
      candidatesTokenCount: 9,
    },
    least: CONTENT_LEAST,
  },
  responses: {
    package: 'openai',
    files: ['resources/responses/responses.d.ts', 'resources/shared.d.ts'],
    roots: ['Response'],
    echo: [
      'background',
      'context_management',
      'conversation',
      'include',
      'instructions',
      'max_output_tokens',
      'max_tool_calls',
      'metadata',
      'parallel_tool_calls',
      'previous_response_id',
      'prompt',
      'prompt_cache_key',
      'prompt_cache_options',
      'prompt_cache_retention',
      'reasoning',
      'safety_identifier',
      'store',
      'temperature',
      'text',
      'tool_choice',
      'tools',
      'top_logprobs',
      'top_p',
      'truncation',
      'user',
    ],
    frame: (body) => ({
      object: 'response',
      created_at: 1,
      model: 'm',
      ...body,
      id: 'resp_1',
      status: body['status'] ?? (body['incomplete_details'] ? 'incomplete' : 'completed'),
      error: body['error'] ?? null,
      output: [SAID_R, ...objectsOf(body['output'])],
      usage: { ...COUNTS, ...objectIn(body['usage']) },
    }),
    values: { arguments: '{"x":1}', id: 'x_1', call_id: 'x_1', input_tokens: 9, output_tokens: 9 },
  },
  'chat-completions': {
    package: 'openai',
    files: [
      'resources/chat/completions/completions.d.ts',
      'resources/shared.d.ts',
      'resources/completions.d.ts',
    ],
    roots: ['ChatCompletion'],
    frame: (body) => {
      const [choice] = objectsOf(body['choices'])
      const message = { role: 'assistant', content: 'Yes.', ...objectIn(choice?.['message']) }
      const said = { ...message, content: message.content ?? 'Yes.' }
      return {
        id: 'chatcmpl_1',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        ...body,
        choices: [{ index: 0, finish_reason: 'stop', ...choice, message: said }],
        usage: {
          prompt_tokens: 9,
          completion_tokens: 9,
          total_tokens: 18,
          ...objectIn(body['usage']),
        },
      }
    },
    values: { arguments: '{"x":1}', id: 'x_1', prompt_tokens: 9, completion_tokens: 9 },
  },
}

function framedCandidate(body: JsonObject): JsonObject {
  const [candidate] = objectsOf(body['candidates'])
  const { content } = candidate ?? {}
  const parts = objectsOf(objectIn(content)['parts'])
  return {
    modelVersion: 'm',
    responseId: 'x_1',
    ...body,
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        ...candidate,
        content: { role: 'model', ...objectIn(content), parts: [{ text: 'Yes.' }, ...parts] },
      },
    ],
    usageMetadata: {
      promptTokenCount: 9,
      candidatesTokenCount: 9,
      totalTokenCount: 18,
      ...objectIn(body['usageMetadata']),
    },
  }
}

/** What a caller of a dialect asked before. */
export const earlierRequest = (dialect: Dialect): JsonObject => REQUESTS[dialect].frame({})
