import { matchesGlob } from '../config/glob.ts'
import type { Adapter, Target } from '../../adapters/contract.ts'
import type { Dialects } from '../../adapters/index.ts'
import type { RequestClass, RouteSettings, Settings, UpstreamSettings } from '../config/settings.ts'
import { membersOf, type Member } from './members.ts'

/** Where a request goes: the route that was taken, its upstream and the name of the model there. */
export interface Destination {
  route: RouteSettings
  member: Member
  /** The member's. */
  upstream: UpstreamSettings
  adapter: Adapter
  target: Target
  /** The model's name at the upstream is not the one that the caller used. */
  aliased: boolean
}

/** What a request is for, and how long it is: asked only where a route wants to know. */
export interface Traits {
  is(kind: RequestClass): boolean
  /** An estimate. */
  inputTokens(): number
}

/** Of which nothing is known. */
const NO_TRAITS: Traits = { is: () => false, inputTokens: () => 0 }

/** The first route that fits the name that the caller sent, and what the request is for. */
export function findRoute(
  { routes }: Pick<Settings, 'routes'>,
  model: string,
  traits: Traits = NO_TRAITS,
): RouteSettings | undefined {
  const plain = withoutVariant(model)
  return routes.find(
    (route) =>
      (matchesGlob(route.model, model) || matchesGlob(route.model, plain)) && fits(route, traits),
  )
}

function fits({ class: kinds, minInputTokens }: RouteSettings, traits: Traits): boolean {
  if (minInputTokens !== undefined && traits.inputTokens() < minInputTokens) return false
  return kinds === undefined || kinds.some((kind) => traits.is(kind))
}

/** Where a model leads, as far as that does not depend on the request. */
export function findDestination(
  settings: Settings,
  dialects: Dialects,
  model: string,
): Destination | undefined {
  const route = findRoute(settings, model)
  return route && destinationTo(settings, dialects, route, model)
}

/** Where a route leads with this model first. */
export function destinationTo(
  settings: Settings,
  dialects: Dialects,
  route: RouteSettings,
  model: string,
): Destination | undefined {
  const [first] = membersOf(settings, route)
  return first && destinationOf(first, dialects, route, model)
}

/** Where a member of a route takes this model. */
export function destinationOf(
  member: Member,
  dialects: Dialects,
  route: RouteSettings,
  model: string,
): Destination | undefined {
  const { upstream } = member
  const adapter = dialects.of(upstream.dialect)
  if (!adapter) return undefined
  const sent = sentModel(member, model)
  const target = {
    model: sent,
    defaultMaxOutputTokens: upstream.maxOutputTokens,
    facts: findFacts(upstream, sent),
  }
  return { route, member, upstream, adapter, target, aliased: sent !== model }
}

/** The model's name as a member knows it. */
export const sentModel = ({ as }: Member, model = ''): string => as ?? withoutVariant(model)

/** How much a member takes of this model, where that is known. */
export const windowAt = (member: Member, model: string | undefined): number | undefined =>
  findFacts(member.upstream, sentModel(member, model)).contextWindow

function findFacts({ models, server }: UpstreamSettings, model: string): Target['facts'] {
  const [, facts = {}] = [...models].find(([glob]) => matchesGlob(glob, model)) ?? []
  return server ? { ...facts, server } : facts
}

/** Claude Code marks a variant of a model, as in `model[1m]`, which no upstream knows. */
export const withoutVariant = (model: string): string => model.replace(/\[[\w.-]{1,16}\]$/, '')
