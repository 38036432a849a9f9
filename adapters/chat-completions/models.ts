import type { JsonObject } from '../../src/json/json.ts'
import type { ModelEntry } from '../contract.ts'

/** `context_window` and `max_completion_tokens` are Groq's names, `max_model_len` is vLLM's: clients read either. */
export const writeModel = (model: ModelEntry, now: number): JsonObject => ({
  id: model.id,
  object: 'model',
  created: now,
  owned_by: 'dragoman',
  ...(model.contextWindow !== undefined && {
    context_window: model.contextWindow,
    max_model_len: model.contextWindow,
  }),
  ...(model.maxOutputTokens !== undefined && { max_completion_tokens: model.maxOutputTokens }),
})

export const writeModels = (models: readonly ModelEntry[], now: number): JsonObject => ({
  object: 'list',
  data: models.map((model) => writeModel(model, now)),
})

/** The dialect has no token counter; the answer has the member that other dialects count in. */
export const writeTokenCount = (inputTokens: number): JsonObject => ({ input_tokens: inputTokens })
