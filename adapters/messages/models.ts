import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { ModelEntry } from '../contract.ts'
import { numberIn } from './dialect.ts'

/** The dialect's value for an unknown date. */
const UNKNOWN_DATE = '1970-01-01T00:00:00Z'

/** The official client (@anthropic-ai/sdk 1.12) expects all of these members, and null where nothing is known. */
export const writeModel = (model: ModelEntry): JsonObject => ({
  type: 'model',
  id: model.id,
  display_name: model.id,
  created_at: UNKNOWN_DATE,
  max_input_tokens: model.contextWindow ?? null,
  max_tokens: model.maxOutputTokens ?? null,
  capabilities: null,
  lifecycle: 'active',
  line: null,
  deprecated_at: null,
  retires_at: null,
})

export const writeModels = (models: readonly ModelEntry[]): JsonObject => ({
  data: models.map(writeModel),
  has_more: false,
  first_id: models[0]?.id ?? null,
  last_id: models.at(-1)?.id ?? null,
})

export const writeTokenCount = (inputTokens: number): JsonObject => ({ input_tokens: inputTokens })

/** Inverse of `writeTokenCount`. */
export const readTokenCount = (body: Json): number | undefined =>
  isObject(body) ? numberIn(body['input_tokens']) : undefined
