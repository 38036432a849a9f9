import { matchesGlob, renamed } from '../config/glob.ts'
import type { Adapter, Target } from '../../adapters/contract.ts'
import type { Dialects } from '../../adapters/index.ts'
import type { RequestClass, RouteSettings, Settings, UpstreamSettings } from '../config/settings.ts'
import { membersOf, type Member } from './members.ts'

/** The route of a request, its upstream and the model's name there. */
export interface Destination {
  route: RouteSettings
  member: Member
  /** The upstream of the member, with its key. */
  upstream: UpstreamSettings
  adapter: Adapter
  target: Target
  /** The model's name at the upstream differs from the caller's. */
  aliased: boolean
}

/** The class and the length of a request; computed only where a route asks. */
export interface RouteConditions {
  is(kind: RequestClass): boolean
  /** An estimate of the input. */
  inputTokens(): number
}

/** For a request that has not been read. */
const NO_CONDITIONS: RouteConditions = { is: () => false, inputTokens: () => 0 }

/** The first route that fits the model's name and the class of the request. */
export function findRoute(
  { routes }: Pick<Settings, 'routes'>,
  model: string,
  conditions: RouteConditions = NO_CONDITIONS,
): RouteSettings | undefined {
  const plain = withoutVariant(model)
  return routes.find(
    (route) =>
      (matchesGlob(route.model, model) || matchesGlob(route.model, plain)) &&
      fits(route, conditions),
  )
}

function fits(
  { class: kinds, minInputTokens }: RouteSettings,
  conditions: RouteConditions,
): boolean {
  if (minInputTokens !== undefined && conditions.inputTokens() < minInputTokens) return false
  return kinds === undefined || kinds.some((kind) => conditions.is(kind))
}

/** The destination of a model at the first member of its route, as far as it does not depend on the request. */
export function findDestination(
  settings: Settings,
  dialects: Dialects,
  model: string,
): Destination | undefined {
  const route = findRoute(settings, model)
  const [first] = route ? membersOf(settings, route) : []
  return route && first && destinationOf(first, dialects, route, model)
}

/** The destination of a model at one member. */
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
  // The `*` of the route stood for nothing, which is no name.
  if (sent === '' && model !== '') return undefined
  const target = {
    model: sent,
    defaultMaxOutputTokens: upstream.maxOutputTokens,
    ...(upstream.isBoundSaid && { isDefaultSaid: true }),
    facts: findFacts(upstream, sent),
    ...(upstream.service !== undefined && { service: upstream.service }),
  }
  return { route, member, upstream, adapter, target, aliased: sent !== model }
}

/** The model's name at a member. */
export function sentModel({ as, glob }: Member, model = ''): string {
  const plain = withoutVariant(model)
  if (as === undefined) return plain
  if (glob === undefined) return as
  return renamed(glob, as, plain) ?? renamed(glob, as, model) ?? ''
}

/** The caller's name of a model at a member; undefined where that is not said. Inverse of `sentModel`. */
export const askedModel = ({ as, glob }: Member, sent: string): string | undefined =>
  as === undefined ? sent : glob === undefined ? undefined : renamed(as, glob, sent)

/** The context window of a model at a member, where it is known. */
export const windowAt = (member: Member, model: string | undefined): number | undefined =>
  findFacts(member.upstream, sentModel(member, model)).contextWindow

const NO_FACTS: Target['facts'] = {}

function findFacts({ models, server }: UpstreamSettings, model: string): Target['facts'] {
  let facts: Target['facts'] = NO_FACTS
  for (const [glob, known] of models) {
    if (!matchesGlob(glob, model)) continue
    facts = known
    break
  }
  return server ? { ...facts, server } : facts
}

/** Claude Code appends a variant to a model's name (`model[1m]`), which no upstream knows. */
export const withoutVariant = (model: string): string =>
  model.endsWith(']') ? model.replace(/\[[\w.-]{1,16}\]$/, '') : model
