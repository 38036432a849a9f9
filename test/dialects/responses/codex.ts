/** What Codex (0.144) says in each of its requests, beside the conversation and the tools. */
export const CODEX_OPTIONS = {
  model: 'gpt-6-astra',
  instructions: 'You are a coding agent.',
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '019a9c1e-5c1e-7d10-9d5b-6a0d9a3f1c22',
  text: { verbosity: 'low' },
}

/** The first thing it says in the conversation. */
export const CODEX_PERMISSIONS = {
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text: '<permissions>all</permissions>' }],
}
