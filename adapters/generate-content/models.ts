import type { Json, JsonObject } from '../../src/json/json.ts'
import type { ModelEntry, ModelFact } from '../contract.ts'
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

/** Inverse of `writeModel`: what the service says of a model. */
export const readModel = (body: JsonObject): ModelFact[] =>
  FACTS.flatMap(([fact, member, type]) => {
    const value = body[member]
    return isScalar(value) && typeof value === type ? [{ fact, member, value }] : []
  })

const FACTS = [
  ['contextWindow', 'inputTokenLimit', 'number'],
  ['maxOutputTokens', 'outputTokenLimit', 'number'],
  ['maxTemperature', 'maxTemperature', 'number'],
  ['thinking', 'thinking', 'boolean'],
] as const

const isScalar = (value: Json | undefined): value is number | boolean =>
  typeof value === 'number' || typeof value === 'boolean'
