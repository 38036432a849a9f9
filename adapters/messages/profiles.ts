import type { Profile, ServerFacts } from '../contract.ts'

/** Open models behind this dialect: their thoughts are plain text, and proofs mean nothing to them. */
const LIKE_MESSAGES: ServerFacts = {
  hostedTools: false,
  systemFirst: true,
  unprovenThoughts: true,
}

/** Servers that speak a part of this dialect, or speak it otherwise. Each row names the version it was seen with. */
export const PROFILES: readonly Profile[] = [
  {
    name: 'deepseek',
    version: '2026-11',
    source: 'manual, anthropic api; 9router#2397',
    facts: {
      ...LIKE_MESSAGES,
      forcedWhileThinking: false,
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
    version: '2026-11',
    source: 'manual; not measured',
    facts: { ...LIKE_MESSAGES, countTokens: false },
  },
  {
    name: 'zai',
    version: '2026-11',
    source: 'manual; not measured',
    facts: { ...LIKE_MESSAGES, countTokens: false },
  },
  {
    name: 'minimax',
    version: '2026-11',
    source: 'manual; not measured',
    facts: { ...LIKE_MESSAGES, countTokens: false },
  },
  {
    name: 'qwen',
    version: '2026-11',
    source: 'manual; not measured',
    facts: { ...LIKE_MESSAGES, countTokens: false },
  },
  {
    name: 'vllm',
    version: '0.11 to 0.23',
    source: 'vllm PR#53058',
    facts: { ...LIKE_MESSAGES, drop: ['thinking'] },
  },
  {
    name: 'sglang',
    version: '2026-11',
    source: 'sglang PR#18630, PR#25876',
    facts: LIKE_MESSAGES,
  },
  {
    name: 'ollama',
    version: '0.14 to 0.33',
    source: 'manual, anthropic compatibility',
    facts: { ...LIKE_MESSAGES, countTokens: false, drop: ['tool_choice', 'metadata'] },
  },
  {
    name: 'lmstudio',
    version: '0.4.1',
    source: 'manual, changes of the api',
    facts: { ...LIKE_MESSAGES, countTokens: false },
  },
  {
    name: 'llama.cpp',
    version: 'b10488',
    source: 'measured',
    facts: { ...LIKE_MESSAGES, files: false, drop: ['context_management', 'output_config'] },
  },
  {
    name: 'litellm',
    version: '1.106.2',
    source: 'measured; the rest is for the model behind it to say',
    facts: { hostedTools: false },
    refusals: [{ words: /litellm\.UnsupportedParamsError/, says: 'does not take all parameters' }],
  },
]
