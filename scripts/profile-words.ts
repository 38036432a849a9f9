import type { ProfileConfig } from '../src/config/type.ts'
import type { Words } from './config-words/word.ts'

const AS_DIALECT = 'as the maker’s service'

/** What is said of each fact of a server. */
export const PROFILE_WORDS: Words<ProfileConfig> = {
  extends: {
    means: 'A profile whose facts apply unless said otherwise.',
    usual: 'none',
    example: 'vllm',
  },
  wellKnown: {
    means:
      'The facts are complete: anything else is not sent, even for callers of its own dialect (chat-completions).',
    usual: 'false',
    example: true,
  },
  reasoningField: {
    means: 'The message field for the reasoning of earlier turns (chat-completions).',
    usual: 'both',
    example: 'reasoning',
  },
  reasoningReplay: {
    means: 'Which reasoning is sent back: none, that of conversations with tool calls, or all.',
    usual: 'with-tools',
    example: 'all',
  },
  reasoningFiller: {
    means: 'Stands in for the missing reasoning of a turn with calls.',
    usual: 'nothing',
    example: ' ',
  },
  reasoningStyle: {
    means: 'How thinking is requested (chat-completions).',
    usual: 'openai',
    example: 'enable_thinking',
  },
  thinkTags: {
    means: 'Whether <think> at the start of a reply is text or reasoning.',
    usual: 'text',
    example: 'reasoning',
  },
  maxTokensMember: {
    means: 'The name of the output limit (chat-completions).',
    usual: 'by the model',
    example: 'max_tokens',
  },
  stop: { means: 'Accepts stop sequences.', usual: 'true', example: false },
  temperature: { means: 'Accepts temperature and top_p.', usual: 'true', example: false },
  forcedWhileThinking: {
    means: 'Accepts a forced tool while thinking.',
    usual: 'true',
    example: false,
  },
  requiredChoice: {
    means: 'The word that forces some tool.',
    usual: 'required',
    example: 'any',
  },
  allowedTools: {
    means: 'Accepts a choice among several tools.',
    usual: AS_DIALECT,
    example: false,
  },
  customTools: { means: 'Accepts custom (free-text) tools.', usual: AS_DIALECT, example: false },
  strictTools: { means: 'Accepts strict functions.', usual: 'true', example: false },
  developerRole: {
    means: 'Accepts the role developer.',
    usual: AS_DIALECT,
    example: false,
  },
  systemFirst: {
    means: 'Accepts system messages only at the start; later ones become marked user text.',
    usual: 'false',
    example: true,
  },
  messageNames: { means: 'Accepts name of a message.', usual: 'true', example: false },
  bridgeAfterTool: {
    means: 'Assistant text required between tool results and the next user message.',
    usual: 'nothing',
    example: 'Done.',
  },
  plainContent: {
    means: 'Wants content as a string, not a list.',
    usual: 'false',
    example: true,
  },
  cacheMark: {
    means: 'The cache mark (chat-completions).',
    usual: 'none',
    example: 'cache_control',
  },
  cacheKey: {
    means:
      'Accepts prompt_cache_key; without the caller’s it is sent a salted hash of the session.',
    usual: 'true for responses, else false',
    example: true,
  },
  callIds: {
    means: 'Maximum length of a call id, or nine for exactly nine letters and digits.',
    usual: '40 (chat-completions)',
    example: 'nine',
  },
  validArguments: {
    means: 'Requires arguments of earlier calls to be JSON.',
    usual: 'false',
    example: true,
  },
  webSearch: {
    means: 'Accepts web_search_options.',
    usual: 'by the model',
    example: true,
  },
  topK: { means: 'Accepts top_k (chat-completions).', usual: 'false', example: true },
  verbosity: { means: 'Accepts verbosity (chat-completions).', usual: 'false', example: true },
  seedMember: { means: 'The name of the seed.', usual: 'seed', example: 'random_seed' },
  provenCalls: {
    means: 'Refuses a first call without a signature from Gemini 3 on: a stand-in is sent.',
    usual: 'false',
    example: true,
  },
  outputInTotal: {
    means: 'Counts reasoning in total_tokens only.',
    usual: 'false',
    example: true,
  },
  namespaces: { means: 'Accepts namespaces (responses).', usual: 'true', example: false },
  hostedTools: { means: 'Accepts tools other than functions.', usual: 'true', example: false },
  namedChoice: {
    means: 'Accepts a tool choice other than a word.',
    usual: 'true',
    example: false,
  },
  fetchesUrls: {
    means: 'Fetches images by URL (chat-completions).',
    usual: 'true',
    example: false,
  },
  imageDetail: {
    means: 'Requires detail on images (responses).',
    usual: 'false',
    example: true,
  },
  files: { means: 'Accepts documents.', usual: 'true', example: false },
  jsonSchema: {
    means: 'Enforces a JSON schema; if not, JSON mode and the schema in words (chat-completions).',
    usual: 'true',
    example: false,
  },
  jsonWord: {
    means: 'Refuses JSON mode unless a message contains the word JSON, so it is added.',
    usual: 'true for callers of other dialects',
    example: false,
  },
  safetyIdentifier: {
    means: 'Knows safety_identifier, not just user.',
    usual: 'true',
    example: false,
  },
  toolMedia: { means: 'Accepts images in tool results.', usual: 'true', example: false },
  reasoningItems: { means: 'Accepts reasoning of earlier turns.', usual: 'true', example: false },
  unprovenThoughts: {
    means: 'Accepts reasoning without its own signature (responses, messages).',
    usual: 'false',
    example: true,
  },
  otherItems: {
    means: 'Accepts items besides messages, function calls, results and reasoning (responses).',
    usual: 'true',
    example: false,
  },
  compacts: {
    means: 'Writes summaries itself; otherwise they are a turn of the model (responses).',
    usual: 'true with otherItems and state',
    example: false,
  },
  state: {
    means: 'Stores replies; if not, store and previous_response_id are served here (responses).',
    usual: 'true',
    example: false,
  },
  store: {
    means: 'Knows the field store (chat-completions).',
    usual: 'false',
    example: true,
  },
  storesByDefault: {
    means: 'Stores requests unless told not to (chat-completions, messages).',
    usual: 'false',
    example: true,
  },
  countTokens: {
    means: 'Counts tokens; if not, they are estimated here.',
    usual: 'true',
    example: false,
  },
  form: {
    means: 'How a cloud takes messages: invoke is Amazon’s, raw-predict Google’s.',
    usual: 'plain',
    example: 'invoke',
  },
  betas: {
    means:
      'The betas that pass, or with ! those that do not; may end in *. The rest is left out with what needs it, and reported (messages).',
    usual: 'all',
    example: ['!fast-mode-2026-02-01'],
  },
  members: {
    means: 'The request fields it accepts; others are left out.',
    usual: 'any',
    example: ['model', 'messages', 'stream'],
  },
  drop: {
    means: 'Parameters it refuses; they are left out.',
    usual: 'none',
    example: ['top_p'],
  },
}
