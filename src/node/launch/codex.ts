import { join } from 'node:path'
import { type JsonObject, objectsOf, parseObject } from '../../json/json.ts'
import { codexModel } from '../../models/codex-model.ts'
import type { Client, LaunchFacts, LaunchModel } from './client.ts'

/** The variable that holds the key, because a value after `-c` would be seen in the list of processes. */
const KEY = 'DRAGOMAN_KEY'

const CATALOG = 'catalog.json'

/**
 * Codex needs arguments, and a catalog of models: it takes a model that is not in its catalog for one with 272,000
 * tokens (0.171.0).
 */
export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  npm: '@openai/codex',
  places: ['.local/bin'],
  path: '/v1/responses',
  overruling: [
    /^(?:-p|--profile|--oss|--local-provider|-m|--model)(?:=|$)/,
    /^(?:-c|--config)?=?(?:model_providers?|model_catalog_json|openai_base_url|chatgpt_base_url|profile)\b/,
  ],
  asks: ['debug', 'models', '--bundled'],
  start(facts) {
    return {
      set: { [KEY]: facts.key },
      unset: [],
      args: [
        ...setting('model_provider', toml('dragoman')),
        ...setting('model_providers.dragoman', provider(facts)),
        ...modelArguments(facts),
      ],
      ...(facts.model && { files: { [CATALOG]: catalog(facts) } }),
    }
  },
}

const setting = (name: string, value: string | number): string[] => ['-c', `${name}=${value}`]

/** A JSON string is also a TOML string (TOML 1.0, "String"). */
const toml = (text: string): string => JSON.stringify(text)

/** On a socket a turn brings what is new alone: 22 % of the bytes of HTTP, over 20 turns with a tool (0.171.0). */
const provider = ({ url, sockets }: LaunchFacts): string =>
  `{name="dragoman",base_url=${toml(`${url}/v1`)},wire_api="responses",env_key="${KEY}"${sockets ? ',supports_websockets=true' : ''}}`

/** Codex compacts when nine tenths of the window are full, as it does for models that it knows. */
const COMPACT_AT = 0.9

function modelArguments(facts: LaunchFacts): string[] {
  const { model, folder } = facts
  if (!model) return []
  const window = codexWindow(model, ownEntry(model, bundledIn(facts)))
  return [
    ...setting('model_catalog_json', toml(join(folder, CATALOG))),
    ...(window === undefined
      ? []
      : [
          ...setting('model_context_window', window),
          ...setting('model_auto_compact_token_limit', Math.floor(window * COMPACT_AT)),
        ]),
    '-m',
    model.id,
  ]
}

const bundledIn = ({ learned }: LaunchFacts): JsonObject[] =>
  objectsOf(parseObject(learned ?? '')?.['models'])

const ownEntry = ({ id }: LaunchModel, bundled: readonly JsonObject[]): JsonObject | undefined =>
  bundled.find(({ slug }) => slug === id)

/**
 * The window that Codex is told: none of a model that it knows by this name, because it may rather stay below a step of
 * the price, unless the configuration says one.
 */
const codexWindow = (
  { contextWindow, service, isWindowSaid }: LaunchModel,
  own: JsonObject | undefined,
): number | undefined =>
  own?.['context_window'] === undefined || service === undefined || isWindowSaid
    ? contextWindow
    : undefined

/** A model that Codex knows keeps its entry, but perhaps for the window. */
function catalog(facts: LaunchFacts): string {
  const bundled = bundledIn(facts)
  const instructions = instructionsIn(bundled)
  const entries = facts.models.map((model, priority) => {
    const own = ownEntry(model, bundled)
    if (!own) return codexModel(model, priority, instructions)
    return { ...own, ...windowMembers(codexWindow(model, own)) }
  })
  return `${JSON.stringify({ models: entries })}\n`
}

const windowMembers = (window: number | undefined): JsonObject =>
  window === undefined ? {} : { context_window: window, max_context_window: window }

/**
 * The instructions that Codex sends with every request come from the catalog: a model whose entry has none gets 3 kB
 * of them in place of 20 (0.171.0). Those of the oldest model say the least about the model itself.
 */
function instructionsIn(bundled: readonly JsonObject[]): string | undefined {
  const texts = bundled
    .filter(({ visibility }) => visibility === 'list')
    .flatMap(({ base_instructions: text }) => (typeof text === 'string' && text ? [text] : []))
  return texts.at(-1)?.replace(/ based on GPT-[\w.]+/, '')
}
