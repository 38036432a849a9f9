import type { ModelEntry } from '../contract.ts'
import type { JsonObject } from '../../src/json/json.ts'

export function writeModel(
  { id, contextWindow, maxOutputTokens }: ModelEntry,
  now: number,
): JsonObject {
  return {
    id,
    object: 'model',
    created: now,
    owned_by: 'dragoman',
    ...(contextWindow !== undefined && { context_window: contextWindow }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
  }
}

export const writeModels = (models: readonly ModelEntry[], now: number): JsonObject => ({
  object: 'list',
  data: models.map((model) => writeModel(model, now)),
})
