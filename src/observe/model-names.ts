import { renamed } from '../config/glob.ts'
import type { Settings } from '../config/settings.ts'
import { see } from '../models/see.ts'

const OTHER = 'other'
const MOST_NAMES = 200
/** Names that may stand in a table. */
const PLAIN = /^[\w.:@/-]{1,128}$/

/** The name of a model for a table: the one that was sent, or `other`, because callers can make up names without limit. */
export type ModelNames = (sent: string, settings: Settings) => string

/**
 * Told apart are the names that the configuration holds, and those by which a model of the table is known, as many as
 * there is room for.
 */
export function createModelNames(): ModelNames {
  const taken = new Set<string>()
  return (sent, settings) => {
    if (namesOf(settings).has(sent) || taken.has(sent)) return sent
    if (taken.size >= MOST_NAMES || !PLAIN.test(sent) || see(sent).how !== 'model') return OTHER
    taken.add(sent)
    return sent
  }
}

const named = new WeakMap<Settings, ReadonlySet<string>>()

function namesOf(settings: Settings): ReadonlySet<string> {
  const known = named.get(settings) ?? namesIn(settings)
  named.set(settings, known)
  return known
}

/** What is sent for the names of a route that calls models otherwise. */
const namesBy = (model: string, as: string | undefined, models: readonly string[]): string[] =>
  as === undefined ? [] : [as, ...models.flatMap((name) => renamed(model, as, name) ?? [])]

const namesIn = ({ routes, upstreams }: Settings): ReadonlySet<string> =>
  new Set(
    [
      ...routes.flatMap(({ model, as, models = [], pool = [] }) => [
        model,
        ...models,
        ...[as, ...pool.map((entry) => entry.as)].flatMap((to) => namesBy(model, to, models)),
      ]),
      ...[...upstreams.values()].flatMap(({ models }) => [...models.keys()]),
    ].filter((name) => name !== '' && !name.includes('*')),
  )
