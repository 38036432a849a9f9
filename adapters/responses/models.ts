import type { ModelEntry } from '../contract.ts'
import type { Lookup } from '../../src/model/lookup.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { codexModel } from '../../src/models/codex-model.ts'
import { DIALECT } from './dialect.ts'

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

/**
 * The query parameter in which Codex says its version. Codex reads `models` and not `data`, and takes a list without
 * `models` for none at all (0.171.0, where the provider's key comes from a command).
 */
const CODEX_VERSION = 'client_version'

export const writeModels = (
  models: readonly ModelEntry[],
  now: number,
  query?: Lookup,
): JsonObject => ({
  object: 'list',
  data: models.map((model) => writeModel(model, now)),
  ...(query &&
    query.get(CODEX_VERSION) !== null && {
      models: models
        .filter((model) => !isKnownToCodex(model))
        .map((model, at) => codexModel(model, at)),
    }),
})

/**
 * Codex brings entries of its own for the models that it is made for. An entry here would take their place, and with
 * it the 20 kB of instructions that are written for such a model.
 */
const isKnownToCodex = ({ facts, service }: ModelEntry): boolean =>
  service === DIALECT && facts?.codex === true
