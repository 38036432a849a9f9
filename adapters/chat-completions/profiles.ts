import type { Profile, ServerFacts } from '../contract.ts'

/** Servers with chat templates. Many templates know only three roles, and take instructions only at the beginning. */
const TEMPLATE: ServerFacts = {
  maxTokensMember: 'max_tokens',
  reasoningStyle: 'template',
  developerRole: false,
  systemFirst: true,
  hostedTools: false,
  validArguments: true,
  topK: true,
  jsonSchema: true,
}

/** Nothing is said of `webSearch`: it depends on the model, and OpenAI has more models than the table. */
const OPENAI: ServerFacts = {
  cacheKey: true,
  cacheMark: 'none',
  store: true,
  reasoningStyle: 'openai',
  topK: false,
  verbosity: true,
  safetyIdentifier: true,
  jsonWord: true,
  maxTokensMember: 'max_completion_tokens',
  reasoningField: 'none',
  developerRole: true,
  customTools: true,
  allowedTools: true,
  toolMedia: false,
  callIds: 40,
}

/** The members that Mistral accepts; it answers 422 to any other. */
const MISTRAL_TAKES =
  'model messages max_tokens stream stop temperature top_p random_seed tools tool_choice ' +
  'parallel_tool_calls presence_penalty frequency_penalty n response_format prediction ' +
  'prompt_mode reasoning_effort safe_prompt metadata'

/** The facts about nearly all servers but OpenAI's. */
const USUAL: ServerFacts = { wellKnown: true, customTools: false, jsonWord: false }

const ROWS: readonly Profile[] = [
  {
    name: 'openai',
    facts: OPENAI,
    refusals: [
      {
        words: /Use 'max_completion_tokens' instead/,
        says: 'calls the bound of a reply otherwise',
      },
      {
        words: /Image URLs are only allowed for messages with role 'user'/,
        says: 'takes no pictures in results of tools',
      },
    ],
  },
  {
    name: 'azure',
    facts: OPENAI,
  },
  {
    name: 'openrouter',
    facts: {
      reasoningField: 'details',
      reasoningReplay: 'all',
      reasoningStyle: 'openrouter',
      cacheMark: 'cache_control',
      webSearch: true,
      topK: true,
      verbosity: true,
      jsonWord: true,
    },
  },
  {
    name: 'deepseek',
    facts: {
      jsonWord: true,
      maxTokensMember: 'max_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      reasoningFiller: '',
      reasoningStyle: 'thinking',
      forcedWhileThinking: false,
      jsonSchema: false,
      developerRole: false,
      hostedTools: false,
    },
    refusals: [
      {
        words: /reasoning_content.{0,20}in the thinking mode must be passed back/,
        says: 'wants the thoughts of earlier turns',
      },
      {
        words: /Thinking mode does not support this tool_choice/,
        says: 'cannot be made to call a tool while it thinks',
      },
    ],
  },
  {
    name: 'kimi',
    facts: {
      fetchesUrls: false,
      maxTokensMember: 'max_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      // Reports contradict each other about whether an empty text is accepted, so a space is sent.
      reasoningFiller: ' ',
      reasoningStyle: 'thinking',
      developerRole: false,
    },
    refusals: [
      {
        words: /reasoning_content is missing in assistant tool call message/,
        says: 'wants the thoughts of earlier turns',
      },
    ],
  },
  {
    name: 'zai',
    facts: {
      maxTokensMember: 'max_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'all',
      reasoningStyle: 'thinking',
      developerRole: false,
    },
  },
  {
    name: 'minimax',
    facts: {
      maxTokensMember: 'max_completion_tokens',
      reasoningField: 'tags',
      reasoningReplay: 'all',
      reasoningStyle: 'thinking',
      thinkTags: 'reasoning',
      namedChoice: false,
      developerRole: false,
    },
  },
  {
    name: 'qwen',
    facts: {
      maxTokensMember: 'max_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      reasoningStyle: 'enable_thinking',
      forcedWhileThinking: false,
      cacheMark: 'cache_control',
      topK: true,
      jsonWord: true,
      developerRole: false,
    },
    refusals: [
      {
        words: /set to required or object in thinking mode/,
        says: 'cannot be made to call a tool while it thinks',
      },
    ],
  },
  {
    name: 'mistral',
    facts: {
      maxTokensMember: 'max_tokens',
      reasoningField: 'content-parts',
      reasoningReplay: 'with-tools',
      requiredChoice: 'any',
      seedMember: 'random_seed',
      callIds: 'nine',
      bridgeAfterTool: 'Done.',
      developerRole: false,
      hostedTools: false,
      members: MISTRAL_TAKES.split(' '),
    },
    refusals: [
      {
        words: /Unexpected role 'user' after role 'tool'/,
        says: 'wants the model to speak between results and the user',
      },
      { words: /extra_forbidden/, says: 'refuses fields that it does not know' },
      { words: /with a length of 9\b/, says: 'takes ids of nine characters' },
    ],
  },
  {
    name: 'groq',
    facts: {
      maxTokensMember: 'max_completion_tokens',
      jsonWord: true,
      jsonSchema: true,
      reasoningField: 'reasoning',
      reasoningReplay: 'with-tools',
      messageNames: false,
      developerRole: false,
      drop: ['logprobs', 'top_logprobs', 'logit_bias', 'n'],
    },
    refusals: [
      {
        words: /property '(?:reasoning_content|name)' is unsupported/,
        says: 'takes no such field of a message',
      },
    ],
  },
  {
    name: 'cerebras',
    facts: {
      maxTokensMember: 'max_completion_tokens',
      jsonSchema: true,
      reasoningField: 'reasoning',
      reasoningReplay: 'with-tools',
      drop: [
        'presence_penalty',
        'frequency_penalty',
        'logit_bias',
        'service_tier',
        'parallel_tool_calls',
      ],
    },
  },
  {
    name: 'fireworks',
    facts: {
      jsonSchema: true,
      maxTokensMember: 'max_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      systemFirst: true,
      topK: true,
    },
  },
  {
    name: 'together',
    facts: {
      maxTokensMember: 'max_tokens',
      reasoningStyle: 'together',
      strictTools: false,
      topK: true,
      jsonSchema: true,
    },
  },
  {
    name: 'perplexity',
    facts: {
      maxTokensMember: 'max_tokens',
      thinkTags: 'reasoning',
      webSearch: true,
      topK: true,
    },
  },
  {
    name: 'gemini',
    // Its logs hold requests of this dialect, too (guide: logs and datasets), and it refuses `store` as unknown.
    facts: { outputInTotal: true, provenCalls: true, storesByDefault: true },
    refusals: [
      {
        words: /missing a `?thought_signature/,
        says: 'wants a signature of reasoning on the first call',
      },
    ],
  },
  {
    name: 'xai',
    facts: {
      maxTokensMember: 'max_completion_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      developerRole: false,
    },
  },
  {
    name: 'vllm',
    facts: {
      ...TEMPLATE,
      reasoningField: 'both',
      reasoningReplay: 'with-tools',
      toolMedia: false,
    },
    refusals: [
      {
        words: /System message must be at the beginning/,
        says: 'takes instructions at the beginning alone',
      },
    ],
  },
  {
    name: 'sglang',
    facts: { ...TEMPLATE, reasoningField: 'reasoning_content', reasoningReplay: 'with-tools' },
  },
  {
    name: 'ollama',
    facts: {
      ...TEMPLATE,
      fetchesUrls: false,
      reasoningStyle: 'openai',
      reasoningField: 'reasoning',
      reasoningReplay: 'with-tools',
      systemFirst: false,
      topK: false,
    },
  },
  {
    name: 'lmstudio',
    facts: { ...TEMPLATE, reasoningField: 'both', reasoningReplay: 'with-tools' },
  },
  {
    name: 'llama.cpp',
    facts: {
      ...TEMPLATE,
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      files: false,
      namedChoice: false,
    },
    refusals: [
      {
        words: /Failed to parse tools: Unsupported tool type/,
        says: 'takes no tools but functions',
      },
      { words: /Failed to parse tool call arguments as JSON/, says: 'takes no arguments but JSON' },
    ],
  },
  {
    name: 'litellm',
    // What else it takes depends on the model behind it.
    facts: { customTools: false, jsonWord: true, cacheMark: 'cache_control', drop: ['verbosity'] },
    refusals: [{ words: /litellm\.UnsupportedParamsError/, says: 'does not take all parameters' }],
  },
]

/**
 * Servers that speak a part of this dialect, or speak it otherwise. OpenAI's and LiteLLM's rows, which say whether
 * custom tools are taken, do without the usual facts.
 */
export const PROFILES: readonly Profile[] = ROWS.map((row) =>
  'customTools' in row.facts ? row : { ...row, facts: { ...USUAL, ...row.facts } },
)
