import { defined } from '../src/json/json.ts'
import type { ServerName } from './servers.ts'

/**
 * How a server differs from the first service of its dialect. Code asks for these facts and never for the server's
 * name. An absent fact means what is safe with an unknown server.
 */
export interface ServerFacts {
  /**
   * Whether the facts are complete. Then callers of the server's own dialect too are given what an absent fact means;
   * otherwise their requests are changed only by facts that are given.
   */
  wellKnown?: boolean
  /** The member that holds the thoughts of earlier turns. */
  reasoningField?:
    | 'reasoning_content'
    | 'reasoning'
    | 'both'
    | 'details'
    | 'content-parts'
    | 'tags'
    | 'none'
  /** Which thoughts of earlier turns are sent back. */
  reasoningReplay?: 'never' | 'with-tools' | 'all'
  /** The text that stands for missing thoughts, where the server refuses a turn with calls and without thoughts. */
  reasoningFiller?: string
  /** The member that asks for thinking. */
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
  /**
   * Whether stop sequences are taken; `temperature`: whether a temperature and `top_p` are; `forcedWhileThinking`:
   * whether a tool may be forced while the model thinks.
   */
  stop?: boolean
  temperature?: boolean
  forcedWhileThinking?: boolean
  /** The word that forces some tool. */
  requiredChoice?: 'required' | 'any'
  /** Whether a choice may name several tools. */
  allowedTools?: boolean
  customTools?: boolean
  strictTools?: boolean
  developerRole?: boolean
  /** Whether instructions may stand only at the beginning. */
  systemFirst?: boolean
  /** Whether messages may name their speaker. */
  messageNames?: boolean
  /**
   * The words of the model that stand between a tool's result and the user's next message, where the server requires
   * some.
   */
  bridgeAfterTool?: string
  /** Whether content of text alone must be a string and no list of parts. */
  plainContent?: boolean
  cacheMark?: 'cache_control' | 'prompt_cache_breakpoint' | 'none'
  /** Whether the server takes a cache key that the proxy makes for callers without one. */
  cacheKey?: boolean
  /** Whether the first call of a turn needs a proof, or the stand-in for one, where the model is a current Gemini. */
  provenCalls?: boolean
  /** The form of call ids: at most so many characters, or exactly nine letters and digits. */
  callIds?: number | 'nine'
  /** Whether the arguments of earlier calls must be JSON. */
  validArguments?: boolean
  webSearch?: boolean
  topK?: boolean
  verbosity?: boolean
  seedMember?: 'seed' | 'random_seed'
  /** Whether tokens that stand in the total and in none of its parts are output. */
  outputInTotal?: boolean
  /** Whether tools may stand in namespaces. */
  namespaces?: boolean
  /** Whether any tool but a function may be offered: a hosted one, or one with a type of its own. */
  hostedTools?: boolean
  /** Whether a tool choice may be more than a word. */
  namedChoice?: boolean
  /** Whether the server fetches pictures from their addresses. */
  fetchesUrls?: boolean
  /** Whether the server requires `detail` on each picture. */
  imageDetail?: boolean
  /** Whether documents may stand beside text and pictures. */
  files?: boolean
  /** Whether the server enforces a schema of the answer. Otherwise the schema is told in words. */
  jsonSchema?: boolean
  /** Whether the server refuses plain JSON mode where no message holds the word JSON. */
  jsonWord?: boolean
  /** Whether the server knows `safety_identifier`, and not only the older `user`. */
  safetyIdentifier?: boolean
  /** Whether results of tools may hold more than text. */
  toolMedia?: boolean
  /**
   * Whether the server takes back thoughts of earlier turns; `unprovenThoughts`: also those without a proof that it
   * issued.
   */
  reasoningItems?: boolean
  unprovenThoughts?: boolean
  /** Whether a conversation may hold items other than messages, calls of functions, their results and thoughts. */
  otherItems?: boolean
  /**
   * Whether the server writes summaries. An absent fact means: only one that takes other items and stores replies does.
   */
  compacts?: boolean
  /** Whether the server stores replies and continues them. */
  state?: boolean
  /** Whether the server knows `store`; `storesByDefault`: whether it stores a request that does not say. */
  store?: boolean
  storesByDefault?: boolean
  countTokens?: boolean
  /**
   * The form in which the server takes requests, one of the dialect's `upstream.forms`; absent for the dialect's own.
   */
  form?: 'invoke' | 'raw-predict'
  /**
   * The betas that pass (a `*` at the end stands for any ending), or those that do not (`!name`). All pass when absent.
   */
  betas?: readonly string[]
  /** The members of a request that the server takes; any when absent. */
  members?: readonly string[]
  /** The members that the server refuses or ignores. */
  drop?: readonly string[]
}

/** The known facts about one server. `server-sources.ts` says where they are from. */
export interface Profile {
  name: ServerName
  facts: ServerFacts
  /** The words in which the server refuses what a fact would have avoided, and what they mean. */
  refusals?: readonly { words: RegExp; says: string }[]
}

/** The facts about a server: what the configuration says replaces what the profile knows. */
export const saidAbove = (
  known: ServerFacts | undefined,
  said: { readonly [Name in keyof ServerFacts]: ServerFacts[Name] | undefined },
): ServerFacts => ({ ...known, ...defined(said) })
