import type { Profile, ServerFacts } from '../contract.ts'

/** Servers with open models: the models' thoughts are plain text, and they have no proofs. */
const LIKE_MESSAGES: ServerFacts = {
  hostedTools: false,
  systemFirst: true,
  unprovenThoughts: true,
}

/**
 * The betas that each cloud takes, from litellm's list (anthropic_beta_headers_config.json) and from a trial of single
 * betas at Bedrock (CLIProxyAPI#4750). Claude Code sends newer betas with each version, and a cloud refuses a request
 * with one that it does not know. So only the known ones pass.
 */
const EVERYWHERE = [
  'claude-code-20250219',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'thinking-display-updates-2026-08-18',
  'dangerous-tool-use-2026-09-03',
] as const
const AT_INVOKE = [
  ...EVERYWHERE,
  'compact-2026-01-12',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'tool-search-tool-2025-10-19',
  'thinking-binding-controls-2026-08-01',
  'mid-conversation-output-config-2026-07-01',
  'mid-conversation-tool-changes-2026-07-01',
] as const
const AT_BEDROCK = [
  ...AT_INVOKE,
  'interleaved-thinking-2025-05-14',
  'web-search-2025-03-05',
  'structured-outputs-2025-11-13',
  'structured-outputs-2025-12-15',
  'per-turn-control-2026-07-01',
] as const
const AT_GOOGLE = [
  ...EVERYWHERE,
  'compact-2026-01-12',
  'compact-2026-09-04',
  'interleaved-thinking-2025-05-14',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
  'thinking-binding-controls-2026-08-01',
  'per-turn-control-2026-07-01',
] as const
const AT_FOUNDRY = [
  ...EVERYWHERE,
  'effort-2025-11-24',
  'interleaved-thinking-2025-05-14',
  'advanced-tool-use-2025-11-20',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
  'structured-outputs-2025-11-13',
  'structured-outputs-2025-12-15',
  'per-turn-control-2026-07-01',
  'files-api-2025-04-14',
  'skills-2025-10-02',
  'code-execution-2025-08-25',
  'mcp-client-2025-11-20',
  'web-fetch-2025-09-10',
  'prompt-caching-scope-2026-01-05',
] as const

/** Clouds that run the models of the dialect's own service. */
const CLOUDS: readonly Profile[] = [
  {
    name: 'bedrock',
    facts: { betas: AT_BEDROCK },
    refusals: [{ words: /invalid beta flag/, says: 'does not take all betas' }],
  },
  { name: 'bedrock-mantle', facts: { betas: AT_BEDROCK } },
  {
    name: 'bedrock-invoke',
    facts: {
      form: 'invoke',
      betas: AT_INVOKE,
      countTokens: false,
      fetchesUrls: false,
      strictTools: false,
      drop: ['cache_control', 'output_format', 'mcp_servers', 'container'],
    },
  },
  {
    name: 'vertex',
    facts: { betas: AT_GOOGLE },
    refusals: [
      {
        words: /Unexpected value\(s\) .{0,400} for the .{0,3}anthropic-beta/,
        says: 'does not take all betas',
      },
    ],
  },
  { name: 'foundry', facts: { betas: AT_FOUNDRY } },
  // This platform is run by the models' maker and takes all that its own service takes.
  { name: 'claude-aws', facts: { betas: ['*'] } },
]

/** Servers that speak a part of this dialect, or speak it otherwise. */
export const PROFILES: readonly Profile[] = [
  ...CLOUDS,
  {
    name: 'deepseek',
    facts: {
      ...LIKE_MESSAGES,
      forcedWhileThinking: false,
      // It takes the effort of `output_config`, but no format.
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
