import type { ModelEntry } from '../../adapters/adapter.ts'
import type { Dialects } from '../../adapters/index.ts'
import { destinationOf } from './route.ts'
import type { Settings } from './settings.ts'

/** The models that have a name of their own in the configuration and that a route leads to. */
export function listModels(settings: Settings, dialects: Dialects): ModelEntry[] {
  const names = new Set<string>()
  for (const { model, as } of settings.routes) {
    names.add(model)
    if (as !== undefined) names.add(as)
  }
  for (const upstream of settings.upstreams.values())
    for (const name of upstream.models.keys()) names.add(name)
  return [...names]
    .filter((name) => name !== '' && !name.includes('*'))
    .map((name) => findModel(settings, dialects, name))
    .filter((entry) => entry !== undefined)
}

/** Any name that a route leads to is a model. */
export function findModel(
  settings: Settings,
  dialects: Dialects,
  id: string,
): ModelEntry | undefined {
  const destination = destinationOf(settings, dialects, id)
  if (!destination) return undefined
  const { contextWindow, maxOutputTokens } = destination.target.facts
  return {
    id,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  }
}
