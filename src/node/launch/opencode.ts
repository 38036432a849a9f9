import { type JsonObject, objectIn, parseObject } from '../../json/json.ts'
import type { Client, LaunchFacts, LaunchModel } from './client.ts'

const CONFIG = 'OPENCODE_CONFIG_CONTENT'
const PROVIDER = 'dragoman'

/**
 * OpenCode (1.18.33) takes its whole configuration from one variable, so what the user has in that variable is kept.
 */
export const opencode: Client = {
  name: 'opencode',
  title: 'opencode',
  npm: 'opencode-ai',
  places: ['.opencode/bin', '.local/bin'],
  path: '/v1/messages',
  needsModel: true,
  overruling: [/^(?:-m|--model)=(?!dragoman\/)/, /^(?:-m|--model)$/],
  start(facts) {
    const own = parseObject(facts.environment[CONFIG] ?? '') ?? {}
    return { set: { [CONFIG]: JSON.stringify(configFor(facts, own)) }, unset: [], args: [] }
  },
}

const configFor = (
  { url, key, model, small, models }: LaunchFacts,
  own: JsonObject,
): JsonObject => ({
  ...own,
  provider: {
    ...objectIn(own['provider']),
    [PROVIDER]: {
      npm: '@ai-sdk/anthropic',
      options: { baseURL: `${url}/v1`, apiKey: key },
      models: Object.fromEntries(models.map((each) => [each.id, limits(each)])),
    },
  },
  model: `${PROVIDER}/${model?.id ?? ''}`,
  small_model: `${PROVIDER}/${small?.id ?? ''}`,
})

/** What OpenCode asks for when nothing else is configured. */
const USUAL_OUTPUT = 32_000

/** Without limits OpenCode never compacts. It takes both limits or none. */
function limits({ contextWindow, maxOutputTokens = USUAL_OUTPUT }: LaunchModel): JsonObject {
  if (contextWindow === undefined) return {}
  return { limit: { context: contextWindow, output: Math.min(maxOutputTokens, contextWindow) } }
}
