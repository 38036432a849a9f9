import { matchesGlob } from '../config/glob.ts'
import type { Adapter, Target } from '../../adapters/contract.ts'
import type { Dialects } from '../../adapters/index.ts'
import type { RouteSettings, Settings, UpstreamSettings } from '../config/settings.ts'

/** Where a request goes: the route that was taken, its upstream and the name of the model there. */
export interface Destination {
  route: RouteSettings
  upstream: UpstreamSettings
  adapter: Adapter
  target: Target
  /** The model's name at the upstream is not the one that the caller used. */
  aliased: boolean
}

/** The first route that fits the name that the caller sent. */
export function findDestination(
  settings: Settings,
  dialects: Dialects,
  model: string,
): Destination | undefined {
  const plain = withoutVariant(model)
  const route = settings.routes.find(
    ({ model: glob }) => matchesGlob(glob, model) || matchesGlob(glob, plain),
  )
  return route && destinationTo(settings, dialects, route, model)
}

/** Where a route leads with this model. */
export function destinationTo(
  settings: Settings,
  dialects: Dialects,
  route: RouteSettings,
  model: string,
): Destination | undefined {
  const upstream = settings.upstreams.get(route.upstream)
  const adapter = upstream && dialects.of(upstream.dialect)
  if (!adapter) return undefined
  const sent = route.as ?? withoutVariant(model)
  const target = {
    model: sent,
    defaultMaxOutputTokens: upstream.maxOutputTokens,
    facts: findFacts(upstream, sent),
  }
  return { route, upstream, adapter, target, aliased: sent !== model }
}

function findFacts(upstream: UpstreamSettings, model: string): Target['facts'] {
  for (const [glob, facts] of upstream.models) if (matchesGlob(glob, model)) return facts
  return {}
}

/** Claude Code marks a variant of a model, as in `model[1m]`, which no upstream knows. */
export const withoutVariant = (model: string): string => model.replace(/\[[\w.-]{1,16}\]$/, '')
