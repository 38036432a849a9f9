import { knownOf, type ModelEntry } from '../../adapters/contract.ts'
import type { Dialects } from '../../adapters/index.ts'
import { askedModel, findDestination, type Destination } from '../upstream/route.ts'
import { type Member, membersOf } from '../upstream/members.ts'
import type { Settings } from '../config/settings.ts'

/**
 * The models that the configuration names exactly. Of models at upstreams, those whose name a route leads elsewhere
 * are left out, because a caller that used the name would get another model.
 */
export function listModels(settings: Settings, dialects: Dialects): ModelEntry[] {
  const names = new Set<string>()
  const add = (name: string, leads: (destination: Destination) => boolean): void => {
    if (name === '' || name.includes('*')) return
    const destination = findDestination(settings, dialects, name)
    if (destination && leads(destination) && converses(settings, destination)) names.add(name)
  }
  for (const route of settings.routes) {
    const { model, models = [] } = route
    for (const name of [model, ...models]) add(name, (destination) => destination.route === route)
    for (const { upstream, as } of membersOf(settings, route))
      if (as !== undefined) add(as, isAt(upstream.name, as))
  }
  const members = settings.routes.flatMap((route) => membersOf(settings, route))
  for (const { name: upstream, models } of settings.upstreams.values())
    for (const sent of models.keys())
      for (const name of [sent, ...namesFor(members, upstream, sent)])
        add(name, isAt(upstream, sent))
  return [...names].flatMap((name) => findModel(settings, dialects, name) ?? [])
}

/** How callers name a model of an upstream, where routes say so with a `*` on both sides. */
const namesFor = (members: readonly Member[], upstream: string, sent: string): string[] =>
  members.flatMap((member) =>
    member.upstream.name === upstream && !sent.includes('*') && member.glob !== undefined
      ? (askedModel(member, sent) ?? [])
      : [],
  )

/** Models of embeddings and their like, by the words in their names. */
const OTHERS =
  /embed|rerank|moderation|transcri|whisper|(?:^|[/-])(?:tts|bge|e5|gte|voyage|dall-e|image)(?:-|$)/i

/**
 * Whether conversations can use a model: one that no table knows, that is named as others are, and whose upstreams pass
 * other endpoints is none for them.
 */
function converses(settings: Settings, { route, target }: Destination): boolean {
  const { seen } = knownOf(target, {})
  const passes = membersOf(settings, route).every(
    ({ upstream: { passthrough = [] } }) => passthrough.length > 0,
  )
  return !passes || seen.how === 'model' || !OTHERS.test(target.model)
}

const isAt =
  (upstream: string, model: string) =>
  (destination: Destination): boolean =>
    destination.upstream.name === upstream && destination.target.model === model

/**
 * Every name that a route takes is a model. What is known of it is that of its first member, by the name there; of one
 * that the table does not know, only what the configuration says.
 */
export function findModel(
  settings: Settings,
  dialects: Dialects,
  id: string,
): ModelEntry | undefined {
  const destination = findDestination(settings, dialects, id)
  if (!destination) return undefined
  const { target, aliased, upstream } = destination
  const { seen, ...known } = knownOf(target, {})
  const isKnown = seen.how === 'model'
  const { contextWindow, maxOutputTokens } = isKnown ? known : target.facts
  const { service = seen.service } = target
  return {
    id,
    ...(!aliased && { service: upstream.dialect }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(isKnown && { facts: { ...known, ...(service !== undefined && { service }) } }),
  }
}
