import type { Profile, ServerFacts } from '../contract.ts'

/** Many chat templates know only three roles, and take instructions only at the beginning. */
const TEMPLATE: ServerFacts = {
  maxTokensMember: 'max_tokens',
  reasoningStyle: 'template',
  developerRole: false,
  systemFirst: true,
  customTools: false,
  hostedTools: false,
  validArguments: true,
  topK: true,
}

const OPENAI: ServerFacts = {
  cacheKey: true,
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

/** Servers that speak a part of this dialect, or speak it otherwise. Each row names the version it was seen with. */
export const PROFILES: readonly Profile[] = [
  {
    name: 'openai',
    version: 'openai 7.57.0',
    source: 'types of the npm package; replies recorded without thoughts',
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
    version: '/openai/v1',
    source: 'recorded traffic',
    facts: OPENAI,
  },
  {
    name: 'openrouter',
    version: '2026-11',
    source: 'recorded traffic; agent-framework#2947; ai-sdk-provider#491',
    facts: {
      reasoningField: 'details',
      reasoningReplay: 'all',
      reasoningStyle: 'openrouter',
      cacheMark: 'cache_control',
      customTools: false,
      topK: true,
    },
  },
  {
    name: 'deepseek',
    version: 'v3.2, v4',
    source: 'manual, thinking mode; recorded traffic; pi-mono#3636; qwen-code#3578',
    facts: {
      maxTokensMember: 'max_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      reasoningFiller: '',
      reasoningStyle: 'thinking',
      forcedWhileThinking: false,
      jsonSchema: false,
      developerRole: false,
      customTools: false,
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
    version: 'k2.5 to k3',
    source: 'goose#6902, goose#7222; opencode#16318; continue#11711',
    facts: {
      fetchesUrls: false,
      maxTokensMember: 'max_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      // Reports contradict each other about whether an empty text is accepted, so a space is sent.
      reasoningFiller: ' ',
      reasoningStyle: 'thinking',
      developerRole: false,
      customTools: false,
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
    version: 'glm 4.5 to 5',
    source: 'manual, thinking mode; recorded traffic',
    facts: {
      maxTokensMember: 'max_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'all',
      reasoningStyle: 'thinking',
      developerRole: false,
      customTools: false,
    },
  },
  {
    name: 'minimax',
    version: 'm2 to m3',
    source: 'manual, text openai api',
    facts: {
      maxTokensMember: 'max_completion_tokens',
      reasoningField: 'tags',
      reasoningReplay: 'all',
      reasoningStyle: 'thinking',
      thinkTags: 'reasoning',
      namedChoice: false,
      developerRole: false,
      customTools: false,
    },
  },
  {
    name: 'qwen',
    version: 'dashscope 2026-11',
    source: 'recorded traffic; opencodex#196',
    facts: {
      maxTokensMember: 'max_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      reasoningStyle: 'enable_thinking',
      forcedWhileThinking: false,
      cacheMark: 'cache_control',
      developerRole: false,
      customTools: false,
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
    version: '2026-11',
    source: 'recorded traffic; litellm#6323; ironclaw#1241; manual, reasoning',
    facts: {
      maxTokensMember: 'max_tokens',
      reasoningField: 'content-parts',
      reasoningReplay: 'with-tools',
      requiredChoice: 'any',
      seedMember: 'random_seed',
      callIds: 'nine',
      bridgeAfterTool: 'Done.',
      developerRole: false,
      customTools: false,
      hostedTools: false,
      members: MISTRAL_TAKES.split(' '),
    },
    refusals: [
      {
        words: /Unexpected role 'user' after role 'tool'/,
        says: 'wants the model to speak between results and the user',
      },
      { words: /extra_forbidden/, says: 'refuses members that it does not know' },
      { words: /with a length of 9\b/, says: 'takes ids of nine characters' },
    ],
  },
  {
    name: 'groq',
    version: '2026-11',
    source: 'manual, openai compatibility; jan#8136; recorded traffic',
    facts: {
      reasoningField: 'reasoning',
      reasoningReplay: 'with-tools',
      messageNames: false,
      developerRole: false,
      customTools: false,
      drop: ['logprobs', 'top_logprobs', 'logit_bias', 'n'],
    },
    refusals: [
      {
        words: /property '(?:reasoning_content|name)' is unsupported/,
        says: 'takes no such member of a message',
      },
    ],
  },
  {
    name: 'cerebras',
    version: '2026-11',
    source: 'req_llm, guide for cerebras; recorded traffic',
    facts: {
      reasoningField: 'reasoning',
      reasoningReplay: 'with-tools',
      customTools: false,
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
    version: '2026-11',
    source: 'manual; litellm#26879',
    facts: {
      maxTokensMember: 'max_tokens',
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      systemFirst: true,
      customTools: false,
      topK: true,
    },
  },
  {
    name: 'together',
    version: '2026-11',
    source: 'manual; pi-mono',
    facts: {
      maxTokensMember: 'max_tokens',
      reasoningStyle: 'together',
      strictTools: false,
      customTools: false,
      topK: true,
    },
  },
  {
    name: 'perplexity',
    version: 'sonar',
    source: 'recorded traffic',
    facts: { maxTokensMember: 'max_tokens', thinkTags: 'reasoning', customTools: false },
  },
  {
    name: 'gemini',
    version: 'v1beta/openai',
    source: 'recorded traffic; openclaude#67',
    facts: { outputInTotal: true, customTools: false },
  },
  {
    name: 'xai',
    version: '2026-11',
    source: 'recorded traffic',
    facts: {
      reasoningField: 'reasoning_content',
      reasoningReplay: 'with-tools',
      developerRole: false,
      customTools: false,
    },
  },
  {
    name: 'vllm',
    version: '0.12 to 0.23',
    source: 'vllm#43203, vllm#41114, vllm#38488; PR#33402',
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
    version: '2026-11',
    source: 'manual',
    facts: { ...TEMPLATE, reasoningField: 'reasoning_content', reasoningReplay: 'with-tools' },
  },
  {
    name: 'ollama',
    version: '0.13 to 0.33',
    source: 'manual, openai compatibility; recorded traffic',
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
    version: '0.3.29',
    source: 'pi-mono; not measured',
    facts: { ...TEMPLATE, reasoningField: 'both', reasoningReplay: 'with-tools' },
  },
  {
    name: 'llama.cpp',
    version: 'b10488',
    source: 'measured; recorded traffic',
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
    version: '1.106.2',
    source: 'measured; the rest is for the model behind it to say',
    facts: { customTools: false, cacheMark: 'cache_control', drop: ['verbosity'] },
    refusals: [{ words: /litellm\.UnsupportedParamsError/, says: 'does not take all parameters' }],
  },
]
