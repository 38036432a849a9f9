import { join } from 'node:path'
import { type Client, given, outputBound, type LaunchFacts } from './client.ts'

const DEFAULTS = 'defaults.json'

/**
 * Qwen Code (0.24.4) in its anthropic mode needs the environment; the window and the small model stand in settings
 * alone.
 */
export const qwen: Client = {
  name: 'qwen',
  title: 'Qwen Code',
  npm: '@qwen-code/qwen-code',
  places: ['.local/bin'],
  path: '/v1/messages',
  needsModel: true,
  overruling: [/^--auth-type(?:=|$)/, /^--openai-(?:base-url|api-key)(?:=|$)/],
  start(facts) {
    const settings = settingsFor(facts)
    return {
      set: given({
        ANTHROPIC_BASE_URL: facts.url,
        ANTHROPIC_API_KEY: facts.key,
        ANTHROPIC_MODEL: facts.model?.id,
        QWEN_CODE_MAX_OUTPUT_TOKENS: outputBound(facts),
        QWEN_CODE_SYSTEM_DEFAULTS_PATH: settings && join(facts.folder, DEFAULTS),
      }),
      unset: ['ANTHROPIC_AUTH_TOKEN'],
      args: ['--auth-type', 'anthropic'],
      ...(settings && { files: { [DEFAULTS]: `${JSON.stringify(settings)}\n` } }),
    }
  },
}

/** The settings with the lowest priority, so that the user's own override them. */
function settingsFor({ model, small }: LaunchFacts): object | undefined {
  const window = model?.contextWindow
  const fast = small && small.id !== model?.id ? small.id : undefined
  if (window === undefined && fast === undefined) return undefined
  return {
    ...(window !== undefined && { model: { generationConfig: { contextWindowSize: window } } }),
    ...(fast !== undefined && { fastModel: fast }),
  }
}
