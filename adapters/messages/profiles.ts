import type { Profile, ServerFacts } from '../contract.ts'

/** Open models behind this dialect: their thoughts are plain text, and proofs mean nothing to them. */
const LIKE_MESSAGES: ServerFacts = {
  hostedTools: false,
  systemFirst: true,
  unprovenThoughts: true,
}

/** Servers that speak a part of this dialect, or speak it otherwise. */
export const PROFILES: readonly Profile[] = [
  {
    name: 'deepseek',
    facts: {
      ...LIKE_MESSAGES,
      forcedWhileThinking: false,
      // Of `output_config` it takes the effort alone.
      jsonSchema: false,
      drop: ['container', 'mcp_servers', 'service_tier', 'top_k'],
    },
    refusals: [
      {
        words: /content\[\]\.thinking.{0,20}in the thinking mode must be passed back/,
        says: 'wants the thoughts of earlier turns',
      },
    ],
  },
  {
    name: 'kimi',
    facts: { ...LIKE_MESSAGES, countTokens: false },
  },
  {
    name: 'zai',
    facts: { ...LIKE_MESSAGES, countTokens: false },
  },
  {
    name: 'minimax',
    facts: { ...LIKE_MESSAGES, countTokens: false },
  },
  {
    name: 'qwen',
    facts: { ...LIKE_MESSAGES, countTokens: false },
  },
  {
    name: 'vllm',
    facts: { ...LIKE_MESSAGES, drop: ['thinking'] },
  },
  {
    name: 'sglang',
    facts: LIKE_MESSAGES,
  },
  {
    name: 'ollama',
    facts: { ...LIKE_MESSAGES, countTokens: false, drop: ['tool_choice', 'metadata'] },
  },
  {
    name: 'lmstudio',
    facts: { ...LIKE_MESSAGES, countTokens: false },
  },
  {
    name: 'llama.cpp',
    facts: { ...LIKE_MESSAGES, files: false, drop: ['context_management', 'output_config'] },
  },
  {
    name: 'litellm',
    facts: { hostedTools: false },
    refusals: [{ words: /litellm\.UnsupportedParamsError/, says: 'does not take all parameters' }],
  },
]
