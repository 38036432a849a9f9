import { matchesGlob, renamed } from '../../config/glob.ts'
import type { Finding } from '../../config/lint/finding.ts'
import type { Settings, UpstreamSettings } from '../../config/settings.ts'
import { DEMO_ORIGIN } from '../../config/defaults.ts'
import { nearest } from '../../config/lint/nearest.ts'
import { costOf } from '../../observe/cost.ts'
import { listedPrice } from '../../observe/prices.ts'
import { knownModels, see, type SeenModel } from '../../models/see.ts'
import { today } from '../../models/today.ts'
import {
  linesOf,
  FACT_SOURCES,
  SPELLED,
  TABLE,
  type Line,
  type Statement,
} from '../../models/table.ts'
import { type Member, membersOf } from '../../upstream/members.ts'

const lines = (): readonly Line[] => linesOf(TABLE)

/** What no reader asks for. */
const HIDDEN = 'byHand'

/** What is known of a model by a name, each fact with those who say so, their days, and those who say otherwise. */
export function modelText(name: string, settings?: Settings): string {
  const seen = see(name)
  const row = lines().find((line) => line.name === seen.model && line.service === undefined)
  const there = lines().filter((line) => line.name === seen.model && line.service !== undefined)
  return [
    howSeen(name, seen),
    ...(row ? factLines(row) : []),
    ...there.flatMap((line) => [`at ${line.service}:`, ...factLines(line)]),
    ...aliasLines(name),
    ...configuredLines(name, settings),
    '',
  ].join('\n')
}

function howSeen(name: string, { how, model = '', service }: SeenModel): string {
  const at = service === undefined || service === 'other' ? '' : ` at ${service}`
  if (how === 'model') return model === name ? `${name}${at}` : `${name} is ${model}${at}`
  if (how === 'family')
    return `${name} is not known; it is taken for the newest of its family, ${model}${at}`
  const meant = nearest(name, knownModels())
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return `${name} is not known: it is sent only what every current model takes. upstreams.*.models."${name}".is names the model that it is.${hint}`
}

function factLines({ facts }: Line): string[] {
  const shown = [...facts]
    .filter(([fact]) => fact !== HIDDEN)
    .map(([fact, said]): [string, Statement] => [SPELLED[fact] ?? fact, said])
  const width = Math.max(...shown.map(([fact, { value }]) => fact.length + value.length + 1))
  return shown.map(([fact, said]) => `  ${`${fact} ${said.value}`.padEnd(width)}  ${whoSays(said)}`)
}

const whoSays = ({ from, against }: Statement): string =>
  [sourcesOf(from), ...(against === '' ? [] : [`against: ${sourcesOf(against)}`])].join('; ')

const sourcesOf = (letters: string): string =>
  [...letters]
    .flatMap((letter) => FACT_SOURCES[letter] ?? [])
    .map(({ name, day }) => `${name}, ${day}`)
    .join('; ')

/** A name that stands for another model for now has a line of its own. */
function aliasLines(name: string): string[] {
  const alias = lines().find((line) => line.name === name && line.facts.has('is'))
  return alias ? [`${name} itself:`, ...factLines(alias)] : []
}

function configuredLines(name: string, settings: Settings | undefined): string[] {
  return [...(settings?.upstreams.values() ?? [])].flatMap(({ name: upstream, models }) => {
    const [glob, facts] = [...models].find(([each]) => matchesGlob(each, name)) ?? []
    if (glob === undefined || !facts) return []
    const said = Object.entries(facts).map(([fact, value]) => `  ${fact} ${JSON.stringify(value)}`)
    const of = facts.is === undefined ? [] : modelText(facts.is).trimEnd().split('\n')
    return [`upstreams.${upstream}.models.${glob} says:`, ...said, ...of]
  })
}

/** The names of all known models by their makers. */
export function modelList(): string {
  const makers = new Map<string, string[]>()
  for (const { name, service, maker } of lines())
    if (service === undefined) makers.set(maker, [...(makers.get(maker) ?? []), name])
  return [...makers].map(([maker, names]) => `${maker}\n  ${names.join('\n  ')}\n`).join('\n')
}

/** A route to one model, by its name at an upstream. */
interface Named {
  path: readonly (string | number)[]
  upstream: UpstreamSettings
  model: string
}

/** The models that routes name in full, each once for an upstream. */
export function namedModels(settings: Settings): Named[] {
  const found = new Map<string, Named>()
  for (const [index, route] of settings.routes.entries())
    for (const { upstream, ...member } of membersOf(settings, route))
      for (const model of namesAt(member, [route.model, ...(route.models ?? [])]))
        if (!model.includes('*') && upstream.base !== DEMO_ORIGIN)
          found.set(`${upstream.name} ${model}`, { path: ['routes', index], upstream, model })
  return [...found.values()]
}

/** The names at a member of what a route names. A pattern stays one. */
const namesAt = ({ as, glob }: Pick<Member, 'as' | 'glob'>, asked: readonly string[]): string[] =>
  as === undefined
    ? [...asked]
    : glob === undefined
      ? [as]
      : asked.flatMap((name) => renamed(glob, as, name) ?? [])

export const factsIn = ({ models }: UpstreamSettings, model: string) =>
  [...models].find(([glob]) => matchesGlob(glob, model))?.[1]

/** For each model that a route names: what it is known as. */
export const routedModels = (settings: Settings): string[][] =>
  namedModels(settings).map(({ upstream, model }) => {
    const seen = see(factsIn(upstream, model)?.is ?? model, upstream.service)
    return ['model', model, upstream.name, shortly(seen)]
  })

function shortly({ how, model, facts }: SeenModel): string {
  if (how === 'unknown') return 'not known'
  const { thinking, efforts, contextWindow, maxOutputTokens } = facts
  const words = [
    how === 'model' ? model : `not known; taken for ${model}`,
    ...(thinking ? [`thinks: ${thinking}`] : []),
    ...(efforts?.length ? [efforts.join('/')] : []),
    ...(contextWindow ? [`window ${contextWindow}`] : []),
    ...(maxOutputTokens ? [`output ${maxOutputTokens}`] : []),
  ]
  return words.join(', ')
}

/** What is to be said of the models that routes name: that they are unknown, without a price, or have ended or soon will. */
export function modelFindings(settings: Settings, day = today()): Finding[] {
  const unknown: Finding[] = []
  const others = namedModels(settings).flatMap(({ path, upstream, model }) => {
    const facts = factsIn(upstream, model)
    const warn = (text: string): Finding => ({
      path,
      text: `${model} ${text}`,
      warns: true,
    })
    const { how, model: like } = see(facts?.is ?? model, upstream.service, day)
    const isPriced =
      costOf(upstream, model, { input: 1 }, (name) => listedPrice(name, day)) !== undefined
    const place = `upstreams.${upstream.name}.models."${model}"`
    const what = how === 'unknown' ? 'nothing is known of it' : `it is taken for ${like}`
    if (how !== 'model')
      unknown.push(warn(`is no known model, and ${what}; say in ${place}.is what it is`))
    return [
      ...(how !== 'model' || isPriced
        ? []
        : [
            warn(
              `has no price, so limits and logs do not count what it costs; say it in ${place}.price`,
            ),
          ]),
      ...endOf(facts?.is ?? model, day).map(warn),
    ]
  })
  return [...others, ...firstOf(unknown)]
}

/** A server with models of its own has hundreds of names; which of them are meant stands in the list of `check`. */
const UNKNOWN_SHOWN = 3

function firstOf(unknown: readonly Finding[]): Finding[] {
  const [next, ...more] = unknown.slice(UNKNOWN_SHOWN)
  const shown = unknown.slice(0, UNKNOWN_SHOWN)
  if (!next) return shown
  const text = `this and ${more.length} further models are not known either; say what they are in "models" of their upstreams`
  return [...shown, more.length === 0 ? next : { ...next, text }]
}

const SOON_MS = 31 * 24 * 60 * 60 * 1000

/** When the model ends at its maker's service, where that is over or near. */
function endOf(name: string, day: string): string[] {
  // On this day it is itself, although another one may answer by now.
  const { how, model, service } = see(name, undefined, '')
  const line = lines().find((each) => each.name === model && each.service === undefined)
  const ends = line?.facts.get('ends')?.value
  if (how !== 'model' || service !== undefined || ends === undefined) return []
  const next = line?.facts.get('next')?.value
  const then = next === undefined ? '' : `; ${next} takes its place`
  if (ends <= day) return [`has ended at its service on ${ends}${then}`]
  return Date.parse(ends) - Date.parse(day) <= SOON_MS
    ? [`ends at its service on ${ends}${then}`]
    : []
}
