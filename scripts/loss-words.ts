import type { Dialect } from '../adapters/dialect.ts'
import type { LossKind } from '../src/model/loss-names.ts'

/** What becomes of it; and the caller's own words for it, where they are not in the dialects' tables of fields. */
interface LossWords {
  becomes: string
  fields?: Partial<Record<Dialect, string>>
}

const signed = (fields: LossWords['fields']): LossWords => ({
  becomes: 'Only the service that made this signature of reasoning can read it: it is not sent.',
  ...(fields && { fields }),
})

const hosted = (fields: LossWords['fields']): LossWords => ({
  becomes:
    'The upstream lacks it, or does not accept it beside functions, or the tool choice excludes it.',
  ...(fields && { fields }),
})

const SETTING = 'The upstream has no such setting.'
const NO_PLACE = 'The upstream has no place for it.'
/** The page says this of all names that it does not list. */
export const OWN = 'Only this dialect has it.'
const UNNAMED = 'Sent without it.'

/** What the name of a loss means in a request: `*` stands for a number or for a name of yours. */
const WORDS: Readonly<Partial<Record<LossKind, LossWords>>> = {
  'betas.*': {
    becomes: 'The cloud does not accept this beta: left out with what needs it.',
    fields: { messages: 'a value of `anthropic-beta`' },
  },
  cache: {
    becomes: 'The upstream caches by itself, or not at all.',
    fields: { messages: '`cache_control`', 'chat-completions': '`cache_control` of a part' },
  },
  cacheKey: { becomes: 'The upstream caches by itself, or not at all.' },
  compaction: {
    becomes: 'The answering model writes the summary, in a turn of its own.',
    fields: {
      messages: '`compaction`',
      responses: '`compaction_trigger`, `/v1/responses/compact`',
    },
  },
  'compaction.threshold': {
    becomes:
      'The turn goes on without a summary, unless `"compaction": {"threshold": true}` is configured.',
    fields: {
      messages: '`compact_…` of `context_management`',
      responses: '`context_management`',
    },
  },
  context_management: { becomes: 'Nothing is cleared from the conversation.' },
  format: {
    becomes: 'Asked for in words instead.',
    fields: { messages: '`output_config.format`', responses: '`text.format`' },
  },
  'format.description': {
    becomes: UNNAMED,
    fields: { 'chat-completions': '`description` of the schema' },
  },
  'format.name': {
    becomes: UNNAMED,
    fields: { responses: '`text.format.name`', 'chat-completions': '`name` of the schema' },
  },
  'format.schema': {
    becomes: 'Rewritten to what the upstream accepts; the rest goes into the description.',
    fields: { 'generate-content': '`responseSchema`' },
  },
  labels: { becomes: NO_PLACE },
  'limits.stop': { becomes: SETTING },
  parallelToolCalls: {
    becomes: 'Several calls may come at once.',
    fields: { messages: '`tool_choice.disable_parallel_tool_use`' },
  },
  'reasoning.budget': {
    becomes: 'Becomes the nearest effort.',
    fields: { 'generate-content': '`thinkingConfig.thinkingBudget`' },
  },
  'reasoning.effort': {
    becomes: 'Becomes the nearest effort or budget.',
    fields: {
      messages: '`output_config.effort`',
      responses: '`reasoning.effort`',
      'chat-completions': '`reasoning_effort`',
    },
  },
  'reasoning.mode': {
    becomes: 'Switched off where a tool is forced.',
    fields: { 'generate-content': '`thinkingConfig`' },
  },
  'sampling.candidateCount': { becomes: 'One answer comes.' },
  'sampling.frequencyPenalty': { becomes: SETTING },
  'sampling.logprobs': { becomes: 'The upstream reports none.' },
  'sampling.presencePenalty': { becomes: SETTING },
  'sampling.seed': {
    becomes: `${SETTING} Of a seed beyond 32 bits \`generate-content\` gets the last 32.`,
  },
  'sampling.temperature': { becomes: 'Not accepted by the model, or not while it thinks.' },
  'sampling.topK': { becomes: SETTING },
  'sampling.topP': {
    becomes: 'Not accepted by the model, or not beside `temperature` or thinking.',
  },
  'sampling.verbosity': { becomes: SETTING, fields: { responses: '`text.verbosity`' } },
  store: {
    becomes:
      'Not stored where the upstream stores nothing; stored all the same where it cannot be told not to.',
    fields: { messages: 'nothing in the request' },
  },
  tier: { becomes: 'The upstream’s own default instead.' },
  toolChoice: {
    becomes:
      'Excluded tools stay on offer, to keep the prompt the same; a server known to lack such a choice is not offered them.',
    fields: {
      'generate-content': '`allowedFunctionNames`',
      responses: '`allowed_tools`',
      'chat-completions': '`allowed_tools`',
    },
  },
  'tools.*': hosted({ messages: '`mcp_servers`', responses: 'a tool' }),
  'tools.*.async': {
    becomes: 'The model waits for each result.',
    fields: { 'generate-content': '`behavior: NON_BLOCKING`', responses: '`async` of a function' },
  },
  'tools.*.format': {
    becomes: 'Becomes part of the description.',
    fields: {
      responses: '`format` of a custom tool',
      'chat-completions': '`format` of a custom tool',
    },
  },
  'tools.*.namespace': {
    becomes: 'Becomes part of the tool’s name; its description is left out.',
    fields: { responses: '`namespace`' },
  },
  'tools.*.schema': {
    becomes: 'Rewritten to what the upstream accepts; the rest goes into the description.',
    fields: {
      messages: '`input_schema`',
      responses: '`parameters`',
      'chat-completions': '`parameters`',
    },
  },
  'tools.*.strict': {
    becomes: 'The upstream does not hold its model to the schema.',
    fields: {
      responses: '`strict` of a function',
      'chat-completions': '`strict` of a function',
    },
  },
  'tools.code-execution': hosted({
    messages: '`code_execution_…`',
    'generate-content': '`codeExecution`',
    responses: '`code_interpreter`',
  }),
  'tools.file-search': hosted({ responses: '`file_search`' }),
  'tools.web-fetch': hosted({ messages: '`web_fetch_…`', 'generate-content': '`urlContext`' }),
  'tools.web-search': hosted({
    messages: '`web_search_…`',
    'generate-content': '`googleSearch`',
    responses: '`web_search`',
    'chat-completions': '`web_search_options`',
  }),
  'tools.web-search.contextSize': {
    becomes: 'The search goes on without it.',
    fields: {
      responses: '`search_context_size`',
      'chat-completions': '`search_context_size`',
    },
  },
  'tools.web-search.maxUses': {
    becomes: 'The search goes on without it.',
    fields: { messages: '`max_uses`' },
  },
  'turns.*.blocks.*': {
    becomes: 'Left out, or sent as something similar, such as text.',
    fields: {
      messages: 'a block of `content`',
      'generate-content': 'a part of `contents`',
      responses: 'an item of `input`',
      'chat-completions': 'a part, a thought or a refusal',
    },
  },
  'turns.*.blocks.*.citations': {
    becomes: 'Nothing is cited from it; the text goes on without annotations.',
    fields: {
      messages: '`citations` of a document or `search_result`',
      responses: '`annotations`',
    },
  },
  'turns.*.blocks.*.compaction': {
    becomes: 'Its words go on as the user’s.',
    fields: { messages: 'a block `compaction`' },
  },
  'turns.*.blocks.*.detail': {
    becomes: 'Only some services are told how closely to look.',
    fields: {
      'generate-content': '`mediaResolution`',
      responses: '`detail` of an image',
      'chat-completions': '`detail` of an image',
    },
  },
  'turns.*.blocks.*.name': {
    becomes: UNNAMED,
    fields: {
      messages: '`title` of a document',
      responses: '`filename`',
      'chat-completions': '`filename`',
    },
  },
  'turns.*.blocks.*.seal': signed({
    messages: '`signature`, `data` of thinking',
    'generate-content': '`thoughtSignature`',
    responses: '`encrypted_content`',
  }),
  'turns.*.blocks.*.source': {
    becomes: 'Sent as text.',
    fields: { messages: '`source` of a document' },
  },
  'turns.*.name': { becomes: NO_PLACE, fields: { 'chat-completions': '`name` of a message' } },
  'turns.*.role': {
    becomes: 'Stays in place as marked user text.',
    fields: {
      messages: '`role: "system"` of a message',
      responses: '`developer`, `system` in `input`',
      'chat-completions': '`system`, `developer` in the middle',
    },
  },
  user: { becomes: NO_PLACE },
}

/** The same for what only the caller's dialect has, by the places that it gives them. */
const OWN_WORDS: Readonly<Record<string, LossWords>> = {
  container: { becomes: OWN },
  'turns.*.blocks.*.context': {
    becomes: UNNAMED,
    fields: { messages: '`context` of a document' },
  },
  'turns.*.blocks.*.search_result': {
    becomes: 'Its words go on as text.',
    fields: { messages: '`search_result`' },
  },
  metadata: {
    becomes: 'It names an account and a device: others get a salted hash of the session instead.',
    fields: { messages: '`metadata.user_id`' },
  },
  'generationConfig.enableEnhancedCivicAnswers': { becomes: OWN },
  'generationConfig.mediaResolution': {
    becomes: 'Applies to images; other media go on without it.',
  },
  'generationConfig.speechConfig': { becomes: OWN },
  safetySettings: { becomes: 'The upstream’s own rules apply.' },
  'tools.*.responseJsonSchema': {
    becomes: OWN,
    fields: { 'generate-content': '`responseJsonSchema`' },
  },
  max_tool_calls: { becomes: OWN },
  'tools.*.require_approval': {
    becomes: 'Nobody is asked before a server is called.',
    fields: { responses: '`require_approval`' },
  },
  'tools.file-search.max_num_results': {
    becomes: 'Goes with its tool.',
    fields: { responses: '`max_num_results`' },
  },
  'tools.file-search.vector_store_ids': {
    becomes: 'Goes with its tool.',
    fields: { responses: '`vector_store_ids`' },
  },
  truncation: { becomes: 'Nothing is cut from the conversation.' },
  'turns.*.agent_message': {
    becomes: 'Its words go on as the user’s, without the agents’ names.',
    fields: { responses: '`agent_message`' },
  },
  logit_bias: { becomes: 'Tokens of one model mean nothing to another.' },
  prediction: { becomes: OWN },
  logprobs: { becomes: 'They could not be returned.' },
  thinking_level: { becomes: 'Sent only to upstreams of this dialect.' },
  top_logprobs: { becomes: 'They could not be returned.' },
}

/** The words for a name of a loss in a request. */
export function findLossWords(name: string): LossWords | undefined {
  const shared: Readonly<Record<string, LossWords | undefined>> = WORDS
  return shared[name] ?? OWN_WORDS[name]
}
