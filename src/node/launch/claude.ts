import { join } from 'node:path'
import { parseJsonc } from '../../config/jsonc.ts'
import { type JsonObject, isObject } from '../../json/json.ts'
import { textFile } from '../process/files.ts'
import {
  type Client,
  given,
  holdsKeys,
  outputBound,
  type Start,
  type LaunchFacts,
} from './client.ts'

/**
 * Variables that win over the base URL in Claude Code 2.1.329. A key beside the token would make it ask which one is
 * meant.
 */
const ELSEWHERE = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_SMALL_FAST_MODEL',
  'CLAUDE_CODE_API_BASE_URL',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
  'CLAUDE_CODE_USE_MANTLE',
  'CLAUDE_CODE_USE_GATEWAY',
]

/**
 * Claude Code needs nothing but its environment (code.claude.com, "Environment variables"; measured with 2.1.329).
 */
export const claude: Client = {
  name: 'claude',
  title: 'Claude Code',
  npm: '@anthropic-ai/claude-code',
  places: ['.local/bin', '.claude/local'],
  path: '/v1/messages',
  overruling: [/^--settings(?:=|$)/],
  start(facts) {
    const start = { set: variables(facts), unset: inTheWay(facts), args: [] }
    return { ...start, ...overSettings(facts, start) }
  },
}

function variables(facts: LaunchFacts): Record<string, string> {
  const { url, key, model, small, foreign } = facts
  const id = model?.id
  return given({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: id,
    ANTHROPIC_DEFAULT_OPUS_MODEL: id,
    ANTHROPIC_DEFAULT_SONNET_MODEL: id,
    ANTHROPIC_DEFAULT_FABLE_MODEL: id,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: small?.id,
    CLAUDE_CODE_SUBAGENT_MODEL: id,
    // Its list has only models named Claude, so another name is added as a custom option.
    ...(id && !/claude|anthropic/.test(id) && customOption(id)),
    // It takes an unknown model for one with a million tokens, and asks for 32,000 tokens of output.
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: model?.contextWindow,
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: ownWindow(model?.contextWindow),
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: outputBound(facts),
    // With it Claude Code says which requests are of subagents and small jobs.
    CLAUDE_CODE_GATEWAY_HINT_HEADERS: 1,
    // A line in the system prompt that changes with every request, which would spoil the cache of an upstream of
    // another dialect.
    CLAUDE_CODE_ATTRIBUTION_HEADER: foreign ? 0 : undefined,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: 1,
    CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: 1,
    // Claude Code switches tool search off for foreign hosts. Its blocks pass unchanged to an upstream of the same
    // dialect.
    ENABLE_TOOL_SEARCH: foreign ? undefined : 'true',
  })
}

/** Claude Code's `autoCompactWindow` begins here; a smaller model has its window in the variable before alone. */
const LEAST_WINDOW = 100_000

const ownWindow = (window: number | undefined): number | undefined =>
  window === undefined || window < LEAST_WINDOW ? undefined : window

const customOption = (id: string) => ({
  ANTHROPIC_CUSTOM_MODEL_OPTION: id,
  ANTHROPIC_CUSTOM_MODEL_OPTION_NAME: id,
  ANTHROPIC_CUSTOM_MODEL_OPTION_DESCRIPTION: 'through dragoman',
})

const inTheWay = ({ environment }: LaunchFacts): string[] =>
  holdsKeys(environment['ANTHROPIC_CUSTOM_HEADERS'])
    ? [...ELSEWHERE, 'ANTHROPIC_CUSTOM_HEADERS']
    : ELSEWHERE

/**
 * The `env` of a settings file wins over the environment, so values that it changes are set again in the launch's own
 * settings.
 */
function overSettings(
  facts: LaunchFacts,
  { set, unset }: Pick<Start, 'set' | 'unset'>,
): Pick<Start, 'args' | 'files'> | undefined {
  const names = new Set(settingsFiles(facts).flatMap((file) => Object.keys(readVariables(file))))
  const again = [
    ...Object.entries(set).filter(([name]) => names.has(name)),
    ...unset.filter((name) => names.has(name)).map((name) => [name, '']),
  ]
  if (again.length === 0) return undefined
  return {
    args: ['--settings', join(facts.folder, SETTINGS)],
    files: { [SETTINGS]: `${JSON.stringify({ env: Object.fromEntries(again) })}\n` },
  }
}

const SETTINGS = 'settings.json'

const settingsFiles = ({ home, directory, environment }: LaunchFacts): string[] => [
  join(environment['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json'),
  join(directory, '.claude/settings.json'),
  join(directory, '.claude/settings.local.json'),
]

function readVariables(file: string): JsonObject {
  const settings = readMembers(file)
  return isObject(settings['env']) ? settings['env'] : {}
}

/** The members of a JSON file of the user; none where it cannot be read. */
export function readMembers(file: string): JsonObject {
  try {
    const value = parseJsonc(textFile('/', file) ?? '{}').value
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
