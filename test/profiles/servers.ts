import type { Dialect } from '../../adapters/dialect.ts'
import type { Json } from '../../src/json/json.ts'
import type { Refusal } from './refusals.ts'

/** A server that speaks a part of a dialect, and what it says to the rest: the words are quoted from it. */
export interface Server {
  /** The name of its profile. */
  profile: string
  dialect: Dialect
  refusals: readonly Refusal[]
  /** The name that every model has there. */
  model?: string
  /** Its thoughts come without a proof. */
  open?: true
}

const error = (message: string, code: Json = null, type = 'invalid_request_error'): Json => ({
  error: { message, type, param: null, code },
})

const llamaCpp = (message: string): Json => error(message, 400)

const xai = (message: string): Json => ({
  code: 'Client specified an invalid argument',
  error: message,
})

const UNTAGGED =
  'Failed to deserialize the JSON body into the target type: data did not match any variant of untagged enum ModelInput'

const CHAT_CALLS = 'messages.*[role=assistant][tool_calls]'

/** What Mistral says to the id of a call, where it is made and where it is answered. */
const BAD_CALL_ID = {
  misses: /^[a-zA-Z0-9]{9}$/,
  status: 400,
  says: {
    object: 'error',
    message: 'Tool call id was {value} but must be a-z, A-Z, 0-9, with a length of 9.',
    type: 'invalid_request_function_call',
    param: null,
    code: '3280',
  },
}

export const SERVERS: readonly Server[] = [
  {
    profile: 'llama.cpp',
    dialect: 'responses',
    open: true,
    refusals: [
      {
        at: 'previous_response_id',
        matches: /./,
        status: 400,
        says: llamaCpp("llama.cpp does not support 'previous_response_id'."),
      },
      {
        at: 'input.*.type',
        is: ['custom_tool_call', 'custom_tool_call_output', 'additional_tools', 'item_reference'],
        status: 400,
        says: llamaCpp("Cannot determine type of 'item'"),
      },
      {
        at: 'input.*[type=reasoning].content',
        absent: true,
        status: 400,
        says: llamaCpp("item['content'] is not an array"),
      },
      {
        at: 'input.*.content.*.type',
        is: ['input_file'],
        status: 400,
        says: llamaCpp("'input_file' is not supported by llamacpp at this moment"),
      },
      {
        at: 'tools.*.type',
        not: ['function'],
        status: 400,
        says: llamaCpp("'type' of tool must be 'function'"),
      },
      {
        at: 'input.*[type=function_call_output].output',
        list: true,
        status: 400,
        says: llamaCpp("Output of tool call should be 'Input text'"),
      },
    ],
  },
  {
    profile: 'llama.cpp',
    dialect: 'chat-completions',
    open: true,
    refusals: [
      {
        at: 'tools.*.type',
        not: ['function'],
        status: 500,
        says: error('Failed to parse tools: Unsupported tool type', 500, 'server_error'),
      },
      {
        at: 'messages.*.content.*.type',
        is: ['file'],
        status: 400,
        says: llamaCpp('unsupported content[].type'),
      },
      {
        at: `${CHAT_CALLS}.tool_calls.*.function.arguments`,
        misses: /^\s*\{.*\}\s*$/s,
        status: 500,
        says: error('Failed to parse tool call arguments as JSON', 500, 'server_error'),
      },
    ],
  },
  { profile: 'llama.cpp', dialect: 'messages', open: true, refusals: [] },
  {
    profile: 'vllm',
    dialect: 'responses',
    open: true,
    refusals: [
      {
        at: 'store',
        is: [true],
        status: 400,
        says: error(
          '`store=True` (default) is not supported. Please set `store=False` in Responses API or set `VLLM_ENABLE_RESPONSES_API_STORE=1` in the environment.',
          400,
        ),
      },
      {
        at: '.store',
        absent: true,
        status: 400,
        says: error(
          '`store=True` (default) is not supported. Please set `store=False` in Responses API or set `VLLM_ENABLE_RESPONSES_API_STORE=1` in the environment.',
          400,
        ),
      },
      {
        at: 'input.*.content.*[type=input_image].detail',
        absent: true,
        status: 400,
        says: error(
          '1 validation error for ResponseInputImageParam\ndetail\n  Field required [type=missing, input_type=dict]',
          400,
        ),
      },
      {
        at: 'previous_response_id',
        matches: /./,
        status: 404,
        says: error("Response with id '{value}' not found.", 404),
      },
    ],
  },
  {
    profile: 'vllm',
    dialect: 'chat-completions',
    open: true,
    refusals: [
      {
        at: 'messages.*[role=system]',
        beyond: 0,
        status: 400,
        says: error('System message must be at the beginning.', 400, 'BadRequestError'),
      },
      {
        at: 'messages.*[role=tool].content.*.type',
        is: ['image_url'],
        status: 400,
        says: error('Only text is supported in tool messages.', 400, 'BadRequestError'),
      },
    ],
  },
  {
    profile: 'ollama',
    dialect: 'responses',
    open: true,
    refusals: [
      {
        at: 'tools.*.type',
        not: ['function'],
        status: 500,
        says: error('Failed to parse tools: Unsupported tool type', null, 'api_error'),
      },
    ],
  },
  { profile: 'ollama', dialect: 'messages', open: true, refusals: [] },
  {
    profile: 'lmstudio',
    dialect: 'responses',
    refusals: [
      {
        at: 'tools.*.type',
        not: ['function'],
        status: 400,
        says: { message: 'Invalid', param: '{place}', code: 'invalid_string' },
      },
    ],
  },
  {
    profile: 'openrouter',
    dialect: 'responses',
    refusals: [
      {
        at: 'store',
        is: [true],
        status: 400,
        says: {
          error: { code: 'invalid_prompt', message: 'Invalid Responses API request' },
          metadata: { raw: '[{"path":["store"],"code":"invalid_literal"}]' },
        },
      },
      {
        at: 'previous_response_id',
        matches: /./,
        status: 400,
        says: {
          error: { code: 'invalid_prompt', message: 'Invalid Responses API request' },
          metadata: null,
        },
      },
      {
        at: 'tools.*.type',
        not: ['function'],
        status: 400,
        says: {
          error: { code: 'invalid_prompt', message: 'Invalid Responses API request' },
          metadata: { raw: '[{"code":"invalid_union"}]' },
        },
      },
    ],
  },
  {
    profile: 'xai',
    dialect: 'responses',
    refusals: [
      {
        at: 'input.*.type',
        is: ['custom_tool_call', 'custom_tool_call_output', 'additional_tools'],
        status: 422,
        says: xai(UNTAGGED),
      },
      {
        at: 'input.*[type=reasoning].content',
        is: [null],
        status: 422,
        says: xai(UNTAGGED),
      },
      {
        at: 'tools.*.type',
        is: ['namespace', 'custom'],
        status: 422,
        says: xai('tools[0].type: unknown variant `{value}`'),
      },
      {
        at: '[tool_choice].tools',
        absent: true,
        status: 400,
        says: xai('A tool_choice was set on the request but no tools were specified.'),
      },
    ],
  },
  {
    profile: 'deepseek',
    dialect: 'responses',
    refusals: [
      {
        at: 'tools.*.type',
        not: ['function'],
        status: 400,
        says: error('{index}: unknown variant `{value}`, expected `function`'),
      },
    ],
  },
  {
    profile: 'deepseek',
    dialect: 'messages',
    refusals: [],
  },
  {
    profile: 'deepseek',
    dialect: 'chat-completions',
    open: true,
    refusals: [
      {
        at: `${CHAT_CALLS}.reasoning_content`,
        absent: true,
        status: 400,
        says: error('The `reasoning_content` in the thinking mode must be passed back to the API.'),
      },
      {
        at: '[thinking/type=enabled].tool_choice',
        not: ['auto', 'none'],
        status: 400,
        says: error('Thinking mode does not support this tool_choice'),
      },
    ],
  },
  {
    profile: 'bedrock-mantle',
    dialect: 'responses',
    refusals: [
      {
        at: 'input.*.type',
        matches:
          /^(?:agent_message|compaction.*|local_shell_call|tool_search_.*|additional_tools)$/,
        status: 400,
        says: error(
          "invalid request body: Invalid 'input': value did not match any expected variant",
        ),
      },
      {
        at: 'tools.*[type=namespace].name',
        is: ['functions'],
        status: 400,
        says: error(
          "invalid request body: Invalid 'input': value did not match any expected variant",
        ),
      },
    ],
  },
  {
    profile: 'mistral',
    dialect: 'chat-completions',
    refusals: [
      {
        at: `${CHAT_CALLS}.tool_calls.*.id`,
        ...BAD_CALL_ID,
      },
      {
        at: 'messages.*[role=tool].tool_call_id',
        ...BAD_CALL_ID,
      },
      {
        at: 'messages.*[role=user]',
        behind: 'tool',
        status: 400,
        says: {
          object: 'error',
          message: "Unexpected role 'user' after role 'tool'",
          type: 'invalid_request_message_order',
          param: null,
          code: '3230',
        },
      },
      ...['stream_options', 'seed', 'store', 'user', 'max_completion_tokens', 'logit_bias'].map(
        (member) => ({
          at: member,
          status: 422,
          says: {
            detail: [
              {
                type: 'extra_forbidden',
                loc: ['body', member],
                msg: 'Extra inputs are not permitted',
                input: null,
              },
            ],
          },
        }),
      ),
      {
        at: 'messages.*[role=assistant].reasoning_content',
        status: 422,
        says: {
          detail: [
            {
              type: 'extra_forbidden',
              loc: ['body', 'messages'],
              msg: 'Extra inputs are not permitted',
              input: null,
            },
          ],
        },
      },
    ],
  },
  {
    profile: 'gemini',
    dialect: 'chat-completions',
    model: 'gemini-3.6-flash',
    refusals: [
      {
        at: `${CHAT_CALLS}.tool_calls.0.extra_content`,
        absent: true,
        status: 400,
        says: [
          {
            error: {
              code: 400,
              message:
                'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:f` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
              status: 'INVALID_ARGUMENT',
            },
          },
        ],
      },
    ],
  },
  {
    profile: 'groq',
    dialect: 'chat-completions',
    refusals: ['reasoning_content', 'name'].map((member) => ({
      at: `messages.*[role=assistant].${member}`,
      status: 400,
      says: error(
        `'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property '${member}' is unsupported)]`,
      ),
    })),
  },
]
