import type { JsonObject } from '../json/json.ts'

/** What is known of a model for Codex. */
export interface CodexModel {
  id: string
  contextWindow?: number
}

/** The window that Codex assumes for an unknown model. */
const UNKNOWN_WINDOW = 272_000

/** For a program that does not print its instructions, and for one that asks for a list of models. */
const INSTRUCTIONS =
  'You are Codex, a coding agent in a terminal. You and the user share one workspace. Work on the task until it is done: read what you need, change files with the tools that you have, run what proves the change, and say in the end what you did. Ask before anything that cannot be undone.'

const EFFORTS = ['low', 'medium', 'high']

/**
 * One model as Codex describes it: the members without which 0.171.0 refuses a whole list, those that only older ones
 * need (`supports_reasoning_summaries`, `supports_parallel_tool_calls`), and those that say what models can do here.
 */
export const codexModel = (
  { id, contextWindow = UNKNOWN_WINDOW }: CodexModel,
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
  input_modalities: ['text', 'image'],
  base_instructions: instructions,
  support_verbosity: false,
  supports_parallel_tool_calls: true,
  supports_reasoning_summaries: true,
  supported_reasoning_levels: EFFORTS.map((effort) => ({ effort, description: effort })),
  experimental_supported_tools: [],
})
