import type { JsonObject } from '../json/json.ts'
import type { KnownFacts } from './facts.ts'

/** What is known of a model for Codex. */
export interface CodexModel {
  id: string
  contextWindow?: number
  facts?: KnownFacts
}

/** The window that Codex assumes for an unknown model. */
const UNKNOWN_WINDOW = 272_000

/** For a program that does not print its instructions, and for one that asks for a list of models. */
const INSTRUCTIONS =
  'You are Codex, a coding agent in a terminal. You and the user share one workspace. Work on the task until it is done: read what you need, change files with the tools that you have, run what proves the change, and say in the end what you did. Ask before anything that cannot be undone.'

/** The usual levels, and all that every Codex of this year can read; another word would cost it the whole list. */
const USUAL_EFFORTS = ['low', 'medium', 'high']
const EFFORTS = ['minimal', ...USUAL_EFFORTS, 'xhigh']

/** Without a list the service's own is not known, and effort becomes what it takes. */
function effortsOf({ thinking, efforts = [] }: KnownFacts): string[] {
  if (thinking === 'none') return []
  const taken = EFFORTS.filter((effort) => efforts.some((each) => each === effort))
  return taken.length > 0 ? taken : USUAL_EFFORTS
}

/**
 * One model as Codex describes it: the members without which 0.171.0 refuses a whole list, those that only older ones
 * need (`supports_reasoning_summaries`, `supports_parallel_tool_calls`), and those that say what models can do here.
 */
export const codexModel = (
  { id, contextWindow = UNKNOWN_WINDOW, facts = {} }: CodexModel,
  priority: number,
  instructions = INSTRUCTIONS,
): JsonObject => ({
  slug: id,
  display_name: id,
  context_window: contextWindow,
  shell_type: 'default',
  visibility: 'list',
  supported_in_api: true,
  priority,
  truncation_policy: { mode: 'tokens', limit: 10_000 },
  input_modalities: facts.image === false ? ['text'] : ['text', 'image'],
  base_instructions: instructions,
  support_verbosity: facts.verbosity === true,
  supports_parallel_tool_calls: true,
  supports_reasoning_summaries: facts.thinking !== 'none',
  supported_reasoning_levels: effortsOf(facts).map((effort) => ({ effort, description: effort })),
  experimental_supported_tools: [],
})
