import type { Profile, ServerFacts } from '../contract.ts'
import { PROVEN } from './abilities.ts'

const FUNCTIONS_ALONE: ServerFacts = { namespaces: false, customTools: false, hostedTools: false }

/** The server stores nothing, so references are resolved here; and it has no encrypted thoughts. */
const STATELESS: ServerFacts = { state: false, drop: ['include'] }

const ACCOUNT = ['service_tier', 'metadata', 'prompt_cache_key', 'prompt_cache_retention']

/** The facts about nearly all servers but OpenAI's. */
const USUAL: ServerFacts = { safetyIdentifier: false, jsonWord: false }

const OPENAI: ServerFacts = { ...PROVEN, safetyIdentifier: true }

const ROWS: readonly Profile[] = [
  {
    name: 'openai',
    facts: OPENAI,
  },
  {
    name: 'azure',
    facts: { ...OPENAI, drop: ACCOUNT },
  },
  {
    name: 'openrouter',
    facts: { ...PROVEN, ...FUNCTIONS_ALONE, state: false, otherItems: false },
    refusals: [
      {
        words: /Invalid Responses API request/,
        says: 'takes no tools but functions, and keeps no replies',
      },
    ],
  },
  {
    name: 'deepseek',
    facts: { ...FUNCTIONS_ALONE, state: false, otherItems: false },
    refusals: [
      { words: /unknown variant `\w+`, expected `function`/, says: 'takes no tools but functions' },
    ],
  },
  {
    name: 'groq',
    facts: { jsonWord: true, ...FUNCTIONS_ALONE, ...STATELESS },
  },
  {
    name: 'fireworks',
    facts: { state: false },
  },
  {
    name: 'xai',
    facts: {
      unprovenThoughts: false,
      ...FUNCTIONS_ALONE,
      otherItems: false,
      compacts: true,
      drop: ACCOUNT,
    },
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
    facts: {
      ...FUNCTIONS_ALONE,
      ...STATELESS,
      systemFirst: true,
      unprovenThoughts: true,
      imageDetail: true,
    },
    refusals: [
      {
        words: /ResponseInputImageParam(?:\\n|\s)+detail\b/,
        says: 'demands `detail` of a picture',
      },
      {
        words: /`store=True` \(default\) is not supported|VLLM_ENABLE_RESPONSES_API_STORE/,
        says: 'keeps no replies',
      },
    ],
  },
  {
    name: 'sglang',
    facts: { ...FUNCTIONS_ALONE, ...STATELESS, otherItems: false, systemFirst: true },
    refusals: [
      { words: /Unsupported Responses API input item type/, says: 'takes no items of this type' },
    ],
  },
  {
    name: 'ollama',
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
    facts: { jsonWord: true, ...FUNCTIONS_ALONE, drop: ['verbosity'] },
    refusals: [{ words: /litellm\.UnsupportedParamsError/, says: 'does not take all parameters' }],
  },
  {
    name: 'bedrock-mantle',
    facts: { ...PROVEN, namespaces: false, otherItems: false, drop: ACCOUNT },
    refusals: [
      {
        words: /Invalid 'input': value did not match any expected variant/,
        says: 'takes no items of this type',
      },
    ],
  },
]

/** Servers that speak a part of this dialect, or speak it otherwise. */
export const PROFILES: readonly Profile[] = ROWS.map((row) => ({
  ...row,
  facts: { ...USUAL, ...row.facts },
}))
