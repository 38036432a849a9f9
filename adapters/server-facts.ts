/**
 * What a server that speaks a dialect takes, gives or demands otherwise than that dialect's first service. Data
 * decides, not the name of a server: what is absent is what is safe with an unknown one.
 */
export interface ServerFacts {
  /** Where thoughts of earlier turns are written. */
  reasoningField?:
    | 'reasoning_content'
    | 'reasoning'
    | 'both'
    | 'details'
    | 'content-parts'
    | 'tags'
    | 'none'
  /** Which of them are written at all. */
  reasoningReplay?: 'never' | 'with-tools' | 'all'
  /** A turn with calls is refused that has no thoughts; what stands where there are none. */
  reasoningFiller?: string
  /** The words in which thinking is asked for. */
  reasoningStyle?:
    | 'openai'
    | 'thinking'
    | 'enable_thinking'
    | 'template'
    | 'openrouter'
    | 'together'
    | 'none'
  /** Whether a text that begins with `<think>` begins with thoughts. */
  thinkTags?: 'text' | 'reasoning'
  maxTokensMember?: 'max_tokens' | 'max_completion_tokens'
  /** The model takes stop sequences, a temperature, and a choice that forces a tool while it thinks. */
  stop?: boolean
  temperature?: boolean
  forcedWhileThinking?: boolean
  /** How it is said that some tool has to be called. */
  requiredChoice?: 'required' | 'any'
  /** A choice among several tools has words of its own. */
  allowedTools?: boolean
  customTools?: boolean
  strictTools?: boolean
  developerRole?: boolean
  /** Instructions may stand at the beginning alone. */
  systemFirst?: boolean
  /** Messages may say who speaks. */
  messageNames?: boolean
  /** What the model has to have said between results and the next words of the user. */
  bridgeAfterTool?: string
  /** Content is text, never a list of parts, where it is nothing else. */
  plainContent?: boolean
  cacheMark?: 'cache_control' | 'prompt_cache_breakpoint'
  /** A key by which prompts are cached is taken from a caller that has none itself. */
  cacheKey?: boolean
  /** What ids of calls have to look like: of at most so many characters, or of exactly nine. */
  callIds?: number | 'nine'
  /** Arguments of calls in a history have to be JSON. */
  validArguments?: boolean
  webSearch?: boolean
  topK?: boolean
  seedMember?: 'seed' | 'random_seed'
  /** What the total of tokens has beyond its parts was said by the model. */
  outputInTotal?: boolean
  /** Tools may stand in namespaces. */
  namespaces?: boolean
  /** Tools that are no functions may be offered: those that the server runs, and any of an unknown type. */
  hostedTools?: boolean
  /** A choice of tools may be more than a word. */
  namedChoice?: boolean
  /** Pictures that are named by their addresses are fetched. */
  fetchesUrls?: boolean
  /** Documents may stand beside text and pictures. */
  files?: boolean
  /** Replies are kept to a schema; where not, they are JSON, and the schema is words. */
  jsonSchema?: boolean
  /** Results of tools may hold more than text. */
  toolMedia?: boolean
  /** Thoughts of earlier turns are taken back at all, and without a proof that this server gave out. */
  reasoningItems?: boolean
  unprovenThoughts?: boolean
  /** A conversation may hold more than messages, calls of functions, their results and thoughts. */
  otherItems?: boolean
  /** It keeps replies, and continues them. */
  state?: boolean
  countTokens?: boolean
  /** The members of a request that it takes; any when absent. */
  members?: readonly string[]
  /** Those that it refuses, or takes and passes over. */
  drop?: readonly string[]
}

/** What is known of one server, with its name. */
export interface Profile {
  name: string
  /** With which the facts were seen; a day where the server has no versions. */
  version: string
  /** What they rest on: recorded traffic, a manual, an issue of the server or of a client. */
  source: string
  facts: ServerFacts
  /** The words in which it refuses what the facts would have spared it, and what is meant by them. */
  refusals?: readonly { words: RegExp; says: string }[]
}
