import type { JsonObject } from '../../src/json/json.ts'
import type { ModelEntry } from '../contract.ts'
import { resourceName } from './paths.ts'

const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens']

export function writeModels(models: readonly ModelEntry[]): JsonObject {
  return { models: models.map(writeModel) }
}

export function writeModel(model: ModelEntry): JsonObject {
  const { id, contextWindow, maxOutputTokens, facts: { thinking } = {} } = model
  return {
    name: resourceName(id),
    displayName: id,
    ...(contextWindow !== undefined && { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens !== undefined && { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: METHODS,
    ...(thinking !== undefined && { thinking: thinking !== 'none' }),
  }
}
