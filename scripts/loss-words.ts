import type { Dialect } from '../adapters/dialect.ts'

/** The caller's own word, and what becomes of it. */
export type LossWords = readonly [word: string, meaning: string]

const SEAL = 'A proof that only the service which made it can read; it is not sent.'
const TOOL =
  'The upstream lacks it, or takes it not beside functions, or the tool choice leaves it out.'
const SCHEMA = 'Rewritten to what the upstream takes; the rest stands in the description.'

/** What the name of a loss means in the request of a caller: `*` stands for a number or for a name of yours. */
export const LOSS_WORDS: Readonly<Record<Dialect, Readonly<Record<string, LossWords>>>> = {
  messages: {
    cache: ['`cache_control`', 'The upstream caches by itself, or not at all.'],
    container: ['`container`', 'Only this dialect has it.'],
    context_management: ['`context_management`', 'Nothing is cleared from the conversation.'],
    format: ['`output_config.format`', 'Asked for in words instead.'],
    'limits.stop': ['`stop_sequences`', 'The upstream has no such bound.'],
    parallelToolCalls: [
      '`tool_choice.disable_parallel_tool_use`',
      'Several calls may come at once.',
    ],
    'reasoning.effort': ['`output_config.effort`', 'Becomes the budget that is nearest.'],
    'sampling.topK': ['`top_k`', 'The upstream has no such bound.'],
    tier: ['`service_tier`', 'The upstream’s own default instead.'],
    'tools.*': ['`mcp_servers`', 'The upstream calls no servers of tools.'],
    'tools.*.schema': ['`input_schema`', SCHEMA],
    'tools.*.type': ['`type` of a tool', 'Its version has no meaning elsewhere; the tool goes on.'],
    'tools.code-execution': ['`code_execution_…`', TOOL],
    'tools.code-execution.type': ['its `type`', 'Its version has no meaning elsewhere.'],
    'tools.web-fetch': ['`web_fetch_…`', TOOL],
    'tools.web-search': ['`web_search_…`', TOOL],
    'tools.web-search.maxUses': ['`max_uses`', 'The search goes on without it.'],
    'turns.*.blocks.*': [
      'a block of `content`',
      'Left out, or sent as something near, such as text.',
    ],
    'turns.*.blocks.*.citations': ['`citations` of a document', 'Nothing is cited from it.'],
    'turns.*.blocks.*.context': ['`context` of a document', 'The document goes on without it.'],
    'turns.*.blocks.*.name': ['`title` of a document', 'The document goes on without it.'],
    'turns.*.blocks.*.seal': ['`signature`, `data` of thinking', SEAL],
    'turns.*.blocks.*.search_result': ['`search_result`', 'Its words go on as text.'],
    'turns.*.blocks.*.source': ['`source` of a document', 'Sent as text.'],
    'turns.*.role': [
      '`role: "system"` of a message',
      'Stays where it is, as marked words of the user.',
    ],
    user: ['`metadata.user_id`', 'The upstream has no place for it.'],
  },
  'generate-content': {
    cachedContent: ['`cachedContent`', 'Only this service knows what it holds.'],
    'format.schema': ['`responseSchema`', SCHEMA],
    'generationConfig.enableEnhancedCivicAnswers': ['the same', 'Only this dialect has it.'],
    'generationConfig.mediaResolution': ['the same', 'Only this dialect has it.'],
    'generationConfig.speechConfig': ['the same', 'Only this dialect has it.'],
    labels: ['`labels`', 'The upstream has no place for them.'],
    'limits.stop': ['`generationConfig.stopSequences`', 'The upstream has no such bound.'],
    'reasoning.budget': ['`thinkingConfig.thinkingBudget`', 'Becomes the effort that is nearest.'],
    'reasoning.mode': ['`thinkingConfig`', 'Switched off where a tool is forced.'],
    safetySettings: ['`safetySettings`', 'The upstream’s own rules instead.'],
    'sampling.candidateCount': ['`candidateCount`', 'One answer comes.'],
    'sampling.frequencyPenalty': ['`frequencyPenalty`', 'The upstream has none.'],
    'sampling.logprobs': ['`responseLogprobs`, `logprobs`', 'None come.'],
    'sampling.presencePenalty': ['`presencePenalty`', 'The upstream has none.'],
    'sampling.seed': ['`seed`', 'The upstream has none.'],
    'sampling.topK': ['`topK`', 'The upstream has no such bound.'],
    'sampling.topP': [
      '`topP`',
      'The upstream takes it not beside `temperature`, or not with thinking.',
    ],
    tier: ['`serviceTier`', 'The upstream’s own default instead.'],
    'tools.*.behavior': ['`behavior` of a function', 'Only this dialect has it.'],
    'tools.*.responseJsonSchema': ['`responseJsonSchema`', 'Only this dialect has it.'],
    'tools.code-execution': ['`codeExecution`', TOOL],
    'tools.web-fetch': ['`urlContext`', TOOL],
    'tools.web-search': ['`googleSearch`', TOOL],
    'turns.*.blocks.*': [
      'a part of `contents`',
      'Left out: a kind that the upstream does not take.',
    ],
    'turns.*.blocks.*.seal': ['`thoughtSignature`', SEAL],
  },
  responses: {
    cacheKey: ['`prompt_cache_key`', 'The upstream caches by itself, or not at all.'],
    format: ['`text.format`', 'Asked for in words instead.'],
    'format.name': ['`text.format.name`', 'The schema goes on without it.'],
    labels: ['`metadata`', 'The upstream has no place for it.'],
    max_tool_calls: ['`max_tool_calls`', 'Only this dialect has it.'],
    parallelToolCalls: ['`parallel_tool_calls`', 'Several calls may come at once.'],
    'reasoning.effort': ['`reasoning.effort`', 'Becomes the effort or budget that is nearest.'],
    'sampling.logprobs': ['`top_logprobs`', 'None come.'],
    'sampling.temperature': ['`temperature`', 'Left out where the model thinks.'],
    'sampling.topP': [
      '`top_p`',
      'The upstream takes it not beside `temperature`, or not with thinking.',
    ],
    text: ['`text.verbosity`', 'Only this dialect has it.'],
    tier: ['`service_tier`', 'The upstream’s own default instead.'],
    'tools.*': ['a tool', TOOL],
    'tools.*.namespace': ['`namespace`', 'Part of the tool’s name; its description is left out.'],
    'tools.*.require_approval': [
      '`require_approval`',
      'Nobody is asked before a server is called.',
    ],
    'tools.*.schema': ['`parameters`', SCHEMA],
    'tools.*.strict': [
      '`strict` of a function',
      'The upstream does not make its model keep to the schema.',
    ],
    'tools.code-execution': ['`code_interpreter`', TOOL],
    'tools.file-search': ['`file_search`', TOOL],
    'tools.file-search.max_num_results': ['the same', 'Goes with its tool.'],
    'tools.file-search.vector_store_ids': ['the same', 'Goes with its tool.'],
    'tools.web-search': ['`web_search`', TOOL],
    'tools.web-search.search_context_size': ['the same', 'The search goes on without it.'],
    truncation: ['`truncation`', 'Nothing is cut from the conversation.'],
    'turns.*.blocks.*': [
      'an item of `input`',
      'Left out, or sent as something near, such as text.',
    ],
    'turns.*.blocks.*.citations': ['`annotations`', 'The text goes on without them.'],
    'turns.*.blocks.*.detail': ['`detail` of an image', 'Only this dialect has it.'],
    'turns.*.blocks.*.name': ['`filename`', 'The file goes on without it.'],
    'turns.*.blocks.*.seal': ['`encrypted_content`', SEAL],
    'turns.*.role': [
      '`developer`, `system` within `input`',
      'Stays where it is, as marked words of the user.',
    ],
    user: ['`safety_identifier`, `user`', 'The upstream has no place for it.'],
  },
}
