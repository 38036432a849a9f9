import type { ProfileConfig } from '../src/config/type.ts'
import type { Words } from './config-words/word.ts'

const AS_DIALECT = 'as the dialect’s first service'

/** What is said of each fact of a server. */
export const PROFILE_WORDS: Words<ProfileConfig> = {
  extends: {
    means: 'A name of the table, whose facts hold where nothing else is said.',
    usual: 'none',
    example: 'vllm',
  },
  wellKnown: {
    means:
      'All that it takes is said: what is not said is not sent for callers of its own dialect either (chat-completions).',
    usual: 'false',
    example: true,
  },
  reasoningField: {
    means: 'The member of a message in which thoughts of earlier turns go back (chat-completions).',
    usual: 'both',
    example: 'reasoning',
  },
  reasoningReplay: {
    means: 'Which thoughts go back: none, those of conversations with calls, or all.',
    usual: 'with-tools',
    example: 'all',
  },
  reasoningFiller: {
    means: 'What stands for the thoughts of a turn with calls that has none.',
    usual: 'nothing',
    example: ' ',
  },
  reasoningStyle: {
    means: 'The words in which thinking is asked for (chat-completions).',
    usual: 'openai',
    example: 'enable_thinking',
  },
  thinkTags: {
    means: 'What <think> at the beginning of a reply is: a text like any other, or thoughts.',
    usual: 'text',
    example: 'reasoning',
  },
  maxTokensMember: {
    means: 'The name of the bound of a reply (chat-completions).',
    usual: 'by the name of the model',
    example: 'max_tokens',
  },
  stop: { means: 'Takes stop sequences.', usual: 'true', example: false },
  temperature: { means: 'Takes temperature and top_p.', usual: 'true', example: false },
  forcedWhileThinking: {
    means: 'Takes a choice that forces a tool while the model thinks.',
    usual: 'true',
    example: false,
  },
  requiredChoice: {
    means: 'How it is said that some tool has to be called.',
    usual: 'required',
    example: 'any',
  },
  allowedTools: {
    means: 'Has words for a choice among several tools.',
    usual: AS_DIALECT,
    example: false,
  },
  customTools: { means: 'Takes tools for free text.', usual: AS_DIALECT, example: false },
  strictTools: { means: 'Takes strict of a function.', usual: 'true', example: false },
  developerRole: {
    means: 'Takes messages of the role developer.',
    usual: AS_DIALECT,
    example: false,
  },
  systemFirst: {
    means: 'Takes instructions at the beginning alone; later ones become marked words of the user.',
    usual: 'false',
    example: true,
  },
  messageNames: { means: 'Takes name of a message.', usual: 'true', example: false },
  bridgeAfterTool: {
    means: 'What the model has to have said between results and the next words of the user.',
    usual: 'nothing',
    example: 'Done.',
  },
  plainContent: {
    means: 'Wants text as a string, never as a list.',
    usual: 'false',
    example: true,
  },
  cacheMark: {
    means: 'The mark of what to cache (chat-completions).',
    usual: 'none',
    example: 'cache_control',
  },
  cacheKey: {
    means:
      'Takes prompt_cache_key, so that it is told a salted hash of the session where the caller names none.',
    usual: 'true for responses, else false',
    example: true,
  },
  callIds: {
    means: 'The most characters of an id of a call, or nine for exactly nine letters and digits.',
    usual: '40 (chat-completions)',
    example: 'nine',
  },
  validArguments: {
    means: 'Wants arguments of earlier calls that are JSON.',
    usual: 'false',
    example: true,
  },
  webSearch: {
    means: 'Takes web_search_options.',
    usual: 'by the name of the model',
    example: true,
  },
  topK: { means: 'Takes top_k (chat-completions).', usual: 'false', example: true },
  verbosity: { means: 'Takes verbosity (chat-completions).', usual: 'false', example: true },
  seedMember: { means: 'The name of the seed.', usual: 'seed', example: 'random_seed' },
  provenCalls: {
    means:
      'Refuses a first call without a proof where the model is Gemini 3 or newer: a stand-in is sent.',
    usual: 'false',
    example: true,
  },
  outputInTotal: {
    means: 'Counts thoughts in the total of tokens alone.',
    usual: 'false',
    example: true,
  },
  namespaces: { means: 'Takes tools in namespaces (responses).', usual: 'true', example: false },
  hostedTools: { means: 'Takes tools that are no functions.', usual: 'true', example: false },
  namedChoice: {
    means: 'Takes a choice of tools that is more than a word.',
    usual: 'true',
    example: false,
  },
  fetchesUrls: {
    means: 'Fetches pictures that are named by their addresses (chat-completions).',
    usual: 'true',
    example: false,
  },
  imageDetail: {
    means: 'Demands of a picture how closely to look at it (responses).',
    usual: 'false',
    example: true,
  },
  files: { means: 'Takes documents.', usual: 'true', example: false },
  jsonSchema: {
    means:
      'Keeps replies to a schema; where not, JSON is asked for, and the schema in words (chat-completions).',
    usual: 'true',
    example: false,
  },
  jsonWord: {
    means: 'Refuses plain JSON mode where no message holds the word JSON, so that it is added.',
    usual: 'true for callers of other dialects',
    example: false,
  },
  safetyIdentifier: {
    means: 'Knows safety_identifier, and not only the older user.',
    usual: 'true',
    example: false,
  },
  toolMedia: { means: 'Takes pictures in results of tools.', usual: 'true', example: false },
  reasoningItems: { means: 'Takes thoughts of earlier turns.', usual: 'true', example: false },
  unprovenThoughts: {
    means: 'Takes thoughts of earlier turns without a proof of its own (responses, messages).',
    usual: 'false',
    example: true,
  },
  otherItems: {
    means:
      'Takes items besides messages, calls of functions, their results and thoughts (responses).',
    usual: 'true',
    example: false,
  },
  compacts: {
    means:
      'Writes summaries of conversations itself; where not, they are a turn of the model (responses).',
    usual: 'true where it takes other items and keeps replies',
    example: false,
  },
  state: {
    means: 'Keeps replies; where not, store and previous_response_id are served here (responses).',
    usual: 'true',
    example: false,
  },
  store: {
    means: 'Knows the member that says whether to keep a request (chat-completions).',
    usual: 'false',
    example: true,
  },
  storesByDefault: {
    means: 'Keeps requests that do not say otherwise (chat-completions, messages).',
    usual: 'false',
    example: true,
  },
  countTokens: {
    means: 'Counts tokens; where not, they are estimated here.',
    usual: 'true',
    example: false,
  },
  form: {
    means:
      'The way in which a cloud takes requests of the dialect: invoke is Amazon’s, raw-predict Google’s (messages).',
    usual: 'the dialect’s own',
    example: 'invoke',
  },
  betas: {
    means:
      'The betas that pass, or those that do not with a ! before their names; a * at the end stands for any. What is left out is reported, together with what it was for (messages).',
    usual: 'all pass',
    example: ['!fast-mode-2026-02-01'],
  },
  members: {
    means: 'The members of a request that it takes; any other is left out.',
    usual: 'any',
    example: ['model', 'messages', 'stream'],
  },
  drop: {
    means: 'Parameters that it refuses; they are left out.',
    usual: 'none',
    example: ['top_p'],
  },
}
