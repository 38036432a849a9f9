import { defined } from '../src/json/json.ts'
import type { ServerName } from './servers.ts'

/**
 * The differences of a server from its dialect's first service. The facts decide, never the server's name; an
 * absent fact means what is safe with an unknown server.
 */
export interface ServerFacts {
  /**
   * Whether all that it takes is said: an absent fact means what is safe, for callers of its own dialect too, who are
   * otherwise corrected by nothing that is not said.
   */
  wellKnown?: boolean
  /** The member for thoughts of earlier turns. */
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
  /** The server refuses a turn with calls but without thoughts; this text stands for missing ones. */
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
  /** Whether the model takes stop sequences, a temperature, and a forced tool while it thinks. */
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
  /** The text of the model that the server requires between results and the user's next message. */
  bridgeAfterTool?: string
  /** Whether content that is only text must be a string and not a list of parts. */
  plainContent?: boolean
  cacheMark?: 'cache_control' | 'prompt_cache_breakpoint' | 'none'
  /** Whether the server takes a cache key that the proxy makes for callers without one. */
  cacheKey?: boolean
  /** Whether a first call without a proof, or the stand-in for one, is refused where the model is a Gemini of today. */
  provenCalls?: boolean
  /** The form of call ids: at most so many characters, or exactly nine. */
  callIds?: number | 'nine'
  /** Whether arguments of calls in a history must be JSON. */
  validArguments?: boolean
  webSearch?: boolean
  topK?: boolean
  verbosity?: boolean
  seedMember?: 'seed' | 'random_seed'
  /** Whether tokens in the total beyond its parts are output. */
  outputInTotal?: boolean
  /** Whether tools may stand in namespaces. */
  namespaces?: boolean
  /** Whether tools other than functions may be offered: hosted ones, and any of an unknown type. */
  hostedTools?: boolean
  /** Whether a tool choice may be more than a word. */
  namedChoice?: boolean
  /** Whether the server fetches pictures by their addresses. */
  fetchesUrls?: boolean
  /** Whether the server demands of a picture how closely to look at it. */
  imageDetail?: boolean
  /** Whether documents may stand beside text and pictures. */
  files?: boolean
  /** Whether the server enforces schemas; otherwise replies are JSON, and the schema is said in words. */
  jsonSchema?: boolean
  /** Whether it refuses plain JSON mode where no message holds the word JSON. */
  jsonWord?: boolean
  /** Whether it knows `safety_identifier`, and not only the older `user`. */
  safetyIdentifier?: boolean
  /** Whether results of tools may hold more than text. */
  toolMedia?: boolean
  /** Whether the server takes thoughts of earlier turns back, and without a proof that it gave out. */
  reasoningItems?: boolean
  unprovenThoughts?: boolean
  /** Whether a conversation may hold items other than messages, calls of functions, their results and thoughts. */
  otherItems?: boolean
  /** Whether the server writes summaries; where nothing is said, one that takes other items and keeps replies does. */
  compacts?: boolean
  /** Whether the server stores replies and continues them. */
  state?: boolean
  /** Whether it knows the member that says whether to keep a request, and keeps those that do not say otherwise. */
  store?: boolean
  storesByDefault?: boolean
  countTokens?: boolean
  /** The way in which the server takes requests, where that is not the dialect's: one of `upstream.forms`. */
  form?: 'invoke' | 'raw-predict'
  /** The betas that pass (`*` for any), or those that do not (`!name`); all pass when absent. */
  betas?: readonly string[]
  /** The members of a request that the server takes; any when absent. */
  members?: readonly string[]
  /** The members that the server refuses or ignores. */
  drop?: readonly string[]
}

/** The known facts about one server, with its name; where they come from stands in `server-sources.ts`. */
export interface Profile {
  name: ServerName
  facts: ServerFacts
  /** The words in which the server refuses what the facts would have avoided, and their meaning. */
  refusals?: readonly { words: RegExp; says: string }[]
}

/** What is said of a server stands above what is known of it. */
export const saidAbove = (
  known: ServerFacts | undefined,
  said: { readonly [Name in keyof ServerFacts]: ServerFacts[Name] | undefined },
): ServerFacts => ({ ...known, ...defined(said) })
