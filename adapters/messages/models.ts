import { STAGES, stageOf } from '../../src/models/stages.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Abilities, ModelEntry, ModelFact } from '../contract.ts'
import { numberIn, objectIn, textIn } from './dialect.ts'

/** The dialect's value for an unknown date. */
const UNKNOWN_DATE = '1970-01-01T00:00:00Z'

/** The official client (@anthropic-ai/sdk 1.14) expects all of these members, and null where nothing is known. */
export const writeModel = (model: ModelEntry, now: number): JsonObject => ({
  type: 'model',
  id: model.id,
  display_name: model.id,
  created_at: UNKNOWN_DATE,
  max_input_tokens: model.contextWindow ?? null,
  max_tokens: model.maxOutputTokens ?? null,
  capabilities: model.facts ? capabilities(model.facts) : null,
  ...lifecycle(model.facts, now),
  line: null,
  deprecated_at: null,
})

const supported = (is: boolean): JsonObject => ({ supported: is })

/** Clients expect all of these members. What is not known of a model is not promised. */
const capabilities = (facts: Abilities): JsonObject => ({
  batch: supported(false),
  citations: supported(false),
  code_execution: supported(false),
  context_management: {
    supported: false,
    clear_thinking_20251015: null,
    clear_tool_uses_20250919: null,
    compact_20260112: null,
  },
  effort: effortMembers(facts),
  image_input: supported(facts.image === true),
  pdf_input: supported(facts.pdf === true),
  server_tools: {
    supported: false,
    code_execution: supported(false),
    web_search: supported(false),
  },
  structured_outputs: supported(facts.structured === true),
  thinking: thinkingMembers(facts),
})

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const

const effortMembers = ({ efforts = [] }: Abilities): JsonObject => ({
  supported: EFFORTS.some((effort) => efforts.includes(effort)),
  ...Object.fromEntries(EFFORTS.map((effort) => [effort, supported(efforts.includes(effort))])),
})

/** Models of other services, which think by levels, get both types: whichever a caller asks for is translated. */
function thinkingMembers({ thinking, thinkingOff }: Abilities): JsonObject {
  const thinks = thinking !== undefined && thinking !== 'none'
  return {
    supported: thinks,
    types: {
      adaptive: supported(thinks && thinking !== 'budget'),
      between_tools: supported(thinkingOff === 'between_tools'),
      disabled: supported(thinkingOff === true || thinking === 'none'),
      enabled: supported(thinks && thinking !== 'adaptive'),
    },
  }
}

/** The end of a model. The known day is that of its maker's service, so it is not told of a model at a cloud. */
function lifecycle({ ends, service }: Abilities = {}, now: number): JsonObject {
  const isKnown = ends !== undefined && service === undefined
  return {
    lifecycle: stageOf(isKnown ? ends : undefined, now * 1000),
    retires_at: isKnown ? `${ends}T00:00:00Z` : null,
  }
}

export const writeModels = (models: readonly ModelEntry[], now: number): JsonObject => ({
  data: models.map((model) => writeModel(model, now)),
  has_more: false,
  first_id: models[0]?.id ?? null,
  last_id: models.at(-1)?.id ?? null,
})

/** Inverse of `writeModel`: what the service says of a model. A member that is absent or null says nothing. */
export function readModel(body: JsonObject): ModelFact[] {
  const { max_input_tokens, max_tokens, capabilities, lifecycle: stage, retires_at: end } = body
  const { effort, image_input, pdf_input, structured_outputs, thinking } = objectIn(capabilities)
  return [
    ...factIf('contextWindow', 'max_input_tokens', numberIn(max_input_tokens)),
    ...factIf('maxOutputTokens', 'max_tokens', numberIn(max_tokens)),
    ...factIf('thinking', 'capabilities.thinking', styleIn(objectIn(thinking))),
    ...factIf('thinkingOff', 'capabilities.thinking.types', offIn(objectIn(thinking))),
    ...factIf('efforts', 'capabilities.effort', effortsIn(objectIn(effort))),
    ...factIf('structured', 'capabilities.structured_outputs', isSupported(structured_outputs)),
    ...factIf('image', 'capabilities.image_input', isSupported(image_input)),
    ...factIf('pdf', 'capabilities.pdf_input', isSupported(pdf_input)),
    ...factIf(
      'lifecycle',
      'lifecycle',
      STAGES.find((each) => each === stage),
    ),
    ...factIf('ends', 'retires_at', /^\d{4}-\d\d-\d\d(?=T)/.exec(textIn(end) ?? '')?.[0]),
  ]
}

const factIf = (
  fact: ModelFact['fact'],
  member: string,
  value: ModelFact['value'] | undefined,
): ModelFact[] => (value === undefined ? [] : [{ fact, member, value }])

const isSupported = (raw: Json | undefined): boolean | undefined => {
  const { supported: is } = objectIn(raw)
  return typeof is === 'boolean' ? is : undefined
}

function styleIn({ supported: thinks, types }: JsonObject): string | undefined {
  const { adaptive, enabled } = objectIn(types)
  if (thinks === false) return 'none'
  if (isSupported(adaptive)) return isSupported(enabled) ? 'either' : 'adaptive'
  return isSupported(enabled) ? 'budget' : undefined
}

/** Undefined for a model that never thinks: that it takes `disabled` says nothing about thinking. */
function offIn({ supported: thinks, types }: JsonObject): boolean | string | undefined {
  const { between_tools: between, disabled } = objectIn(types)
  if (thinks === false) return undefined
  return !isSupported(disabled) && isSupported(between) ? 'between_tools' : isSupported(disabled)
}

function effortsIn(effort: JsonObject): string[] | undefined {
  if (isSupported(effort) === undefined) return undefined
  return isSupported(effort) ? EFFORTS.filter((each) => isSupported(effort[each])) : []
}

export const writeTokenCount = (inputTokens: number): JsonObject => ({ input_tokens: inputTokens })

/** Inverse of `writeTokenCount`. */
export const readTokenCount = (body: Json): number | undefined =>
  isObject(body) ? numberIn(body['input_tokens']) : undefined
