import type { Effort } from '../model/request.ts'

/** How a model is asked to think: by a number of tokens, as it sees fit, or by a level. */
export const THINKING_STYLES = ['budget', 'adaptive', 'level'] as const
/** When a model takes a temperature and its like. */
export const SAMPLING_RULES = ['always', 'without-thinking', 'never'] as const

/** What a configuration may say of a model too: each of these beats what the table says. */
export interface SayableFacts {
  /** The name of a known model that this one is. */
  is?: string
  thinking?: (typeof THINKING_STYLES)[number]
  contextWindow?: number
  maxOutputTokens?: number
  /** Whether it can be told not to think, or to think between calls alone. */
  thinkingOff?: boolean | 'between_tools'
  /** The efforts that it takes; none where it refuses the parameter. */
  efforts?: readonly Effort[]
  /** Whether it can be made to call a tool. */
  forcedChoice?: boolean
  sampling?: (typeof SAMPLING_RULES)[number]
  /** Whether its service keeps what it is not told not to keep. */
  storesByDefault?: boolean
  /** Whether a conversation may end with the model’s own words. */
  prefill?: boolean
  /** Whether a request may offer hosted tools beside functions. */
  mixesTools?: boolean
  /** Whether a part of a request may be marked as the end of a prefix to cache. */
  cacheBreakpoints?: boolean
  /** Whether instructions may stand in the middle of a conversation. */
  systemInPlace?: boolean
  /** Whether a conversation may bring tools that do not stand before it. */
  lateTools?: boolean
  /** Whether tools may be on offer that the model sees only once a search has found them. */
  deferredTools?: boolean
  /** Whether a conversation may bring other efforts. */
  effortUpdates?: boolean
}

/** What the table says of a model. An absent fact means what is safe. */
export interface KnownFacts extends Omit<SayableFacts, 'thinking' | 'forcedChoice' | 'sampling'> {
  thinking?: SayableFacts['thinking'] | 'either' | 'effort' | 'always' | 'none'
  /** Some can be made to call a tool only while they do not think, or only one that is named. */
  forcedChoice?: boolean | 'without-thinking' | 'named'
  /** `ignored`: it changes nothing, and is no fault. */
  sampling?: SayableFacts['sampling'] | 'ignored' | 'ignored-while-thinking'
  /** It thinks where the request does not say whether to. */
  on?: boolean
  /** The most effort that it takes while it is told not to think. */
  offUpTo?: Effort
  effortDefault?: Effort
  /** The least and the most tokens that it may be given to think. */
  budget?: readonly [number, number]
  /** The only temperature that it takes, and only while it does not think. */
  temperature?: number
  temperatureOff?: number
  penalties?: boolean
  /** The most candidates. */
  n?: number
  stops?: boolean
  verbosity?: boolean
  /** Whether it keeps to a schema of the answer, also beside tools, and to those of tools. */
  structured?: boolean
  structuredWithTools?: boolean
  strict?: boolean
  /** The same over chat completions. */
  chatSchema?: boolean
  /** The type of its tool for a screen, and the version of that for running code. */
  screen?: string
  code?: string
  /** What it says between calls comes as thoughts, which are empty unless they are asked for. */
  display?: 'updates'
  /** It searches the web in every answer. */
  webSearch?: boolean
  /** Whether it has a fast mode, perhaps one behind a beta. */
  fast?: boolean | 'beta'
  image?: boolean
  pdf?: boolean
  audio?: boolean
  video?: boolean
  /** Whether a request may say for each medium how closely to look. */
  mediaLevels?: boolean
  /** Its thoughts are bound to their conversation. */
  binds?: boolean
  /** Codex brings an entry for it. */
  codex?: boolean
  /** The role of instructions. */
  role?: 'developer' | 'system' | 'user'
  outputWord?: 'max_tokens' | 'max_completion_tokens'
  /** Whether it knows the member that switches thinking on and off. */
  thinkingWord?: boolean
  /** Whether it is served over chat completions, and functions there. */
  chat?: boolean
  chatTools?: 'without-thinking' | 'never'
  /** The day on which it ends, what takes its place then, and whether the service answers with that by itself. */
  ends?: string
  next?: string
  reroutes?: boolean
}
