import type { Dialect } from '../adapters/dialect.ts'
import type { LossKind } from '../src/model/loss-names.ts'

/** What becomes of it; before that the caller's own word, where it is no member of the dialect's tables. */
export type LossWords = string | readonly [word: string, meaning: string]

const PROOF = 'A proof that only the service which made it can read; it is not sent.'
const TOOL =
  'The upstream lacks it, or takes it not beside functions, or the tool choice leaves it out.'
const SCHEMA = 'Rewritten to what the upstream takes; the rest stands in the description.'

const STORE =
  'Not kept where the upstream keeps no replies; kept all the same where it keeps requests and has no word for not to.'

const THRESHOLD =
  'No summary is written, and the turn goes on without it, unless `"compaction": {"threshold": true}` is configured.'

/** What the name of a loss means in the request of a caller: `*` stands for a number or for a name of yours. */
const WORDS: Readonly<Record<Dialect, Partial<Record<LossKind, LossWords>>>> = {
  messages: {
    'betas.*': [
      'a value of `anthropic-beta`',
      'A beta that the cloud does not take, left out together with what it was for.',
    ],
    cache: ['`cache_control`', 'The upstream caches by itself, or not at all.'],
    compaction: [
      '`compaction`',
      'The summary is written by the model that answers, in a turn of its own.',
    ],
    'compaction.threshold': ['`compact_…` of `context_management`', THRESHOLD],
    'turns.*.blocks.*.compaction': [
      'a block `compaction` of `content`',
      'Its words go on as the user’s.',
    ],
    context_management: 'Nothing is cleared from the conversation.',
    format: ['`output_config.format`', 'Asked for in words instead.'],
    'limits.stop': 'The upstream has no such bound.',
    parallelToolCalls: [
      '`tool_choice.disable_parallel_tool_use`',
      'Several calls may come at once.',
    ],
    'reasoning.effort': ['`output_config.effort`', 'Becomes the budget that is nearest.'],
    'sampling.temperature': 'Left out where the model takes none, or none while it thinks.',
    'sampling.topK': 'The upstream has no such bound.',
    'sampling.topP': 'Left out where the model takes none, or none while it thinks.',
    store: ['nothing of the request', STORE],
    tier: 'The upstream’s own default instead.',
    'tools.*': ['`mcp_servers`', 'The upstream calls no servers of tools.'],
    'tools.*.schema': ['`input_schema`', SCHEMA],
    'tools.code-execution': ['`code_execution_…`', TOOL],
    'tools.web-fetch': ['`web_fetch_…`', TOOL],
    'tools.web-search': ['`web_search_…`', TOOL],
    'tools.web-search.maxUses': ['`max_uses`', 'The search goes on without it.'],
    'turns.*.blocks.*': [
      'a block of `content`',
      'Left out, or sent as something near, such as text.',
    ],
    'turns.*.blocks.*.citations': [
      '`citations` of a document or a `search_result`',
      'Nothing is cited from it.',
    ],
    'turns.*.blocks.*.name': ['`title` of a document', 'The document goes on without it.'],
    'turns.*.blocks.*.seal': ['`signature`, `data` of thinking', PROOF],
    'turns.*.blocks.*.source': ['`source` of a document', 'Sent as text.'],
    'turns.*.role': [
      '`role: "system"` of a message',
      'Stays where it is, as marked words of the user.',
    ],
  },
  'generate-content': {
    toolChoice: [
      '`allowedFunctionNames`',
      'Tools that the choice leaves out stay on offer: without them it would be another prompt. A server that is known to have no word for that (chat-completions) is not offered them.',
    ],
    'format.schema': ['`responseSchema`', SCHEMA],
    'turns.*.blocks.*.detail': [
      '`mediaResolution`',
      'Only some services are told how closely to look.',
    ],
    labels: 'The upstream has no place for them.',
    'limits.stop': 'The upstream has no such bound.',
    'reasoning.budget': ['`thinkingConfig.thinkingBudget`', 'Becomes the effort that is nearest.'],
    'reasoning.mode': ['`thinkingConfig`', 'Switched off where a tool is forced.'],
    store: STORE,
    'sampling.candidateCount': 'One answer comes.',
    'sampling.frequencyPenalty': 'The upstream has none.',
    'sampling.logprobs': 'The upstream tells none.',
    'sampling.presencePenalty': 'The upstream has none.',
    'sampling.seed': 'The upstream has none.',
    'sampling.temperature': 'Left out where the model takes none, or none while it thinks.',
    'sampling.topK': 'The upstream has no such bound.',
    'sampling.topP': 'The upstream takes it not beside `temperature`, or not with thinking.',
    tier: 'The upstream’s own default instead.',
    'tools.*.async': ['`behavior: NON_BLOCKING`', 'The model waits for each result.'],
    'tools.code-execution': ['`codeExecution`', TOOL],
    'tools.web-fetch': ['`urlContext`', TOOL],
    'tools.web-search': ['`googleSearch`', TOOL],
    'turns.*.blocks.*': [
      'a part of `contents`',
      'Left out: a kind that the upstream does not take.',
    ],
    'turns.*.blocks.*.seal': ['`thoughtSignature`', PROOF],
  },
  responses: {
    'tools.*.format': ['`format` of a custom tool', 'Becomes words of its description.'],
    toolChoice: [
      '`allowed_tools`',
      'Tools that the choice leaves out stay on offer: without them it would be another prompt. A server that is known to have no word for that (chat-completions) is not offered them.',
    ],
    cacheKey: 'The upstream caches by itself, or not at all.',
    compaction: [
      '`compaction_trigger`, `/v1/responses/compact`',
      'The summary is written by the model that answers, in a turn of its own.',
    ],
    'compaction.threshold': ['`context_management`', THRESHOLD],
    format: ['`text.format`', 'Asked for in words instead.'],
    'format.name': ['`text.format.name`', 'The schema goes on without it.'],
    labels: 'The upstream has no place for it.',
    store: STORE,
    parallelToolCalls: 'Several calls may come at once.',
    'reasoning.effort': ['`reasoning.effort`', 'Becomes the effort or budget that is nearest.'],
    'sampling.logprobs': 'The upstream tells none.',
    'sampling.temperature': 'Left out where the model thinks.',
    'sampling.topP': 'The upstream takes it not beside `temperature`, or not with thinking.',
    'sampling.verbosity': ['`text.verbosity`', 'The upstream has no such setting.'],
    tier: 'The upstream’s own default instead.',
    'tools.*': ['a tool', TOOL],
    'tools.*.async': ['`async` of a function', 'The model waits for each result.'],
    'tools.*.namespace': ['`namespace`', 'Part of the tool’s name; its description is left out.'],
    'tools.*.schema': ['`parameters`', SCHEMA],
    'tools.*.strict': [
      '`strict` of a function',
      'The upstream does not make its model keep to the schema.',
    ],
    'tools.code-execution': ['`code_interpreter`', TOOL],
    'tools.file-search': ['`file_search`', TOOL],
    'tools.web-search': ['`web_search`', TOOL],
    'tools.web-search.contextSize': ['`search_context_size`', 'The search goes on without it.'],
    'turns.*.blocks.*': [
      'an item of `input`',
      'Left out, or sent as something near, such as text.',
    ],
    'turns.*.blocks.*.citations': ['`annotations`', 'The text goes on without them.'],
    'turns.*.blocks.*.detail': ['`detail` of an image', 'Only this dialect has it.'],
    'turns.*.blocks.*.name': ['`filename`', 'The file goes on without it.'],
    'turns.*.blocks.*.seal': ['`encrypted_content`', PROOF],
    'turns.*.role': [
      '`developer`, `system` within `input`',
      'Stays where it is, as marked words of the user.',
    ],
    user: 'The upstream has no place for it.',
  },
  'chat-completions': {
    toolChoice: [
      '`allowed_tools`',
      'Tools that the choice leaves out stay on offer: without them it would be another prompt. A server that is known to have no word for that (chat-completions) is not offered them.',
    ],
    cache: ['`cache_control` of a part', 'The upstream caches by itself, or not at all.'],
    cacheKey: 'The upstream has no place for it.',
    format: 'Asked for in words instead.',
    'format.description': ['`description` of the schema', 'The schema goes on without it.'],
    'format.name': ['`name` of the schema', 'The schema goes on without it.'],
    labels: 'The upstream has no place for them.',
    'limits.stop': 'The upstream has no such bound.',
    parallelToolCalls: 'Several calls may come at once.',
    store: STORE,
    'reasoning.effort': ['`reasoning_effort`', 'Becomes the budget that is nearest.'],
    'sampling.candidateCount': 'There is one reply.',
    'sampling.frequencyPenalty': 'The upstream has no such setting.',
    'sampling.presencePenalty': 'The upstream has no such setting.',
    'sampling.seed':
      'The upstream has no such setting; of one beyond 32 bits `generate-content` gets the last.',
    'sampling.temperature': 'The upstream takes it not with thinking.',
    'sampling.topP': 'The upstream takes it not beside `temperature`, or not with thinking.',
    tier: 'The upstream’s own default instead.',
    'tools.*.format': [
      '`format` of a custom tool',
      'Becomes words in the description of a function.',
    ],
    'tools.*.strict': [
      '`strict` of a function',
      'The upstream does not make its model keep to the schema.',
    ],
    'tools.web-search.contextSize': ['`search_context_size`', 'The search goes on without it.'],
    'turns.*.blocks.*': [
      'a part, a thought or a refusal of a message',
      'Left out, or sent as something near, such as text.',
    ],
    'turns.*.blocks.*.detail': ['`detail` of an image', 'Only this dialect has it.'],
    'turns.*.blocks.*.name': ['`filename`', 'The file goes on without it.'],
    'turns.*.name': ['`name` of a message', 'The upstream has no place for it.'],
    'tools.*.schema': ['`parameters`', SCHEMA],
    'tools.web-search': ['`web_search_options`', TOOL],
    'turns.*.role': [
      '`system`, `developer` in the middle',
      'Stays where it is, as marked words of the user.',
    ],
    user: 'The upstream has no place for it.',
    'sampling.verbosity': 'The upstream has no such setting.',
  },
}

/** The same for what only the caller's dialect has, by the places that it gives them. */
const OWN_WORDS: Readonly<Record<Dialect, Readonly<Record<string, LossWords>>>> = {
  messages: {
    container: 'Only this dialect has it.',
    'turns.*.blocks.*.context': ['`context` of a document', 'The document goes on without it.'],
    'turns.*.blocks.*.search_result': ['`search_result`', 'Its words go on as text.'],
    metadata: [
      '`metadata.user_id`',
      'It names an account and a device: others are told a salted hash of the session alone.',
    ],
  },
  'generate-content': {
    'generationConfig.enableEnhancedCivicAnswers': 'Only this dialect has it.',
    'generationConfig.mediaResolution': 'Holds for pictures; other media go on without it.',
    'generationConfig.speechConfig': 'Only this dialect has it.',
    safetySettings: 'The upstream’s own rules instead.',
    'tools.*.responseJsonSchema': ['`responseJsonSchema`', 'Only this dialect has it.'],
  },
  responses: {
    max_tool_calls: 'Only this dialect has it.',
    'tools.*.require_approval': [
      '`require_approval`',
      'Nobody is asked before a server is called.',
    ],
    'tools.file-search.max_num_results': ['the same', 'Goes with its tool.'],
    'tools.file-search.vector_store_ids': ['the same', 'Goes with its tool.'],
    truncation: 'Nothing is cut from the conversation.',
    'turns.*.agent_message': [
      '`agent_message`',
      'Its words go on as the user’s, without the names of the agents.',
    ],
  },
  'chat-completions': {
    logit_bias: 'Tokens of one model are nothing to another.',
    prediction: 'Only this dialect has it.',
    logprobs: 'They would not find their way back.',
    thinking_level: 'It goes to this dialect’s own upstreams alone.',
    top_logprobs: 'They would not find their way back.',
  },
}

/** The words for a name of a loss in the request of a caller. */
export function findLossWords(from: Dialect, name: string): LossWords | undefined {
  const shared: Readonly<Record<string, LossWords | undefined>> = WORDS[from]
  return shared[name] ?? OWN_WORDS[from][name]
}
