import type { Profile, ServerFacts } from '../contract.ts'

const FUNCTIONS_ALONE: ServerFacts = { namespaces: false, customTools: false, hostedTools: false }

/** The server stores nothing, so references are resolved here; and it has no encrypted thoughts. */
const STATELESS: ServerFacts = { state: false, drop: ['include'] }

const ACCOUNT = ['service_tier', 'metadata', 'prompt_cache_key', 'prompt_cache_retention']

/** Servers that speak a part of this dialect, or speak it otherwise. Each row names the version it was seen with. */
export const PROFILES: readonly Profile[] = [
  {
    name: 'openai',
    version: 'openai 7.57.0',
    source: 'types of the npm package',
    facts: {},
  },
  {
    name: 'azure',
    version: '/openai/v1',
    source: 'recorded traffic',
    facts: { drop: ACCOUNT },
  },
  {
    name: 'openrouter',
    version: 'beta',
    source: 'manual, error handling; ai-sdk-provider#482',
    facts: { ...FUNCTIONS_ALONE, state: false, otherItems: false },
    refusals: [
      {
        words: /Invalid Responses API request/,
        says: 'takes no tools but functions, and keeps no replies',
      },
    ],
  },
  {
    name: 'deepseek',
    version: 'litellm 1.106',
    source: 'litellm#30722',
    facts: { ...FUNCTIONS_ALONE, state: false },
    refusals: [
      { words: /unknown variant `\w+`, expected `function`/, says: 'takes no tools but functions' },
    ],
  },
  {
    name: 'groq',
    version: '2026-11',
    source: 'not measured',
    facts: { ...FUNCTIONS_ALONE, ...STATELESS },
  },
  {
    name: 'fireworks',
    version: '2026-11',
    source: 'manual: replies are kept for 30 days unless declined',
    facts: { state: false },
  },
  {
    name: 'xai',
    version: '2026-11',
    source:
      'CLIProxyAPI#3704, CLIProxyAPI#4434, CLIProxyAPI#5257; sub2api#4237; CliRelay#696; opencodex#1105',
    facts: { ...FUNCTIONS_ALONE, otherItems: false, drop: ACCOUNT },
    refusals: [
      {
        words:
          /untagged enum ModelInput|unknown variant `(?:namespace|custom)`(?!, expected `function`)/,
        says: 'takes a part of this dialect',
      },
    ],
  },
  {
    name: 'vllm',
    version: '0.10 to 0.23',
    source: 'vllm PR#22137, PR#46737, PR#45273; PR#56285, PR#57322',
    facts: { ...FUNCTIONS_ALONE, ...STATELESS, systemFirst: true, unprovenThoughts: true },
    refusals: [
      {
        words: /`store=True` \(default\) is not supported|VLLM_ENABLE_RESPONSES_API_STORE/,
        says: 'keeps no replies',
      },
    ],
  },
  {
    name: 'sglang',
    version: 'before 2026-09',
    source: 'sglang PR#38690, PR#35216',
    facts: { ...FUNCTIONS_ALONE, ...STATELESS, otherItems: false, systemFirst: true },
    refusals: [
      { words: /Unsupported Responses API input item type/, says: 'takes no items of this type' },
    ],
  },
  {
    name: 'ollama',
    version: '0.13.3 to 0.33',
    source: 'ollama#13595, ollama#18284, ollama#17618, ollama#17673; codex#23186',
    facts: { ...FUNCTIONS_ALONE, state: false, drop: ['include', 'truncation'] },
    refusals: [
      {
        words: /Failed to parse tools: Unsupported tool type/,
        says: 'takes no tools but functions',
      },
    ],
  },
  {
    name: 'lmstudio',
    version: '0.3.29',
    source: 'lmstudio-bug-tracker#1810, lmstudio-bug-tracker#1812; lms#537',
    facts: FUNCTIONS_ALONE,
    refusals: [
      {
        words: /^(?=.*"param"\s*:\s*"tools\.\d+\.type")(?=.*"invalid_string")/s,
        says: 'takes no namespaces',
      },
    ],
  },
  {
    name: 'llama.cpp',
    version: 'b10488',
    source: 'measured; llama.cpp#20156, llama.cpp#22389, llama.cpp#10635, llama.cpp#23465',
    facts: {
      ...FUNCTIONS_ALONE,
      ...STATELESS,
      namedChoice: false,
      otherItems: false,
      systemFirst: true,
      files: false,
      toolMedia: false,
      unprovenThoughts: true,
      // The server accepts the format of an answer and ignores it (2026.10, asked).
      drop: ['include', 'text'],
    },
    refusals: [
      {
        words:
          /Cannot determine type of 'item'|llama\.cpp does not support|item\['content'\] is not an array|'type' of tool must be 'function'|Output of tool call should be 'Input text'/,
        says: 'takes a part of this dialect',
      },
    ],
  },
  {
    name: 'litellm',
    version: '1.106.2',
    source: 'measured; the rest is for the model behind it to say',
    facts: { ...FUNCTIONS_ALONE, drop: ['verbosity'] },
    refusals: [{ words: /litellm\.UnsupportedParamsError/, says: 'does not take all parameters' }],
  },
  {
    name: 'bedrock-mantle',
    version: '2026-11',
    source: 'litellm#36528, litellm#36545, litellm#36546, litellm#38227; PR#33228',
    facts: { namespaces: false, otherItems: false, drop: ACCOUNT },
    refusals: [
      {
        words: /Invalid 'input': value did not match any expected variant/,
        says: 'takes no items of this type',
      },
    ],
  },
]
