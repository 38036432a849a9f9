import type { ModelEntry } from '../../../adapters/contract.ts'
import { adapters, type Dialects, dialects } from '../../../adapters/index.ts'
import { ConfigError } from '../../config/config.ts'
import type { Settings, UpstreamSettings } from '../../config/settings.ts'
import { DEMO_ORIGIN } from '../../config/defaults.ts'
import { findModel, listModels } from '../../http/models.ts'
import { findDestination } from '../../upstream/route.ts'
import type { Client, LaunchFacts, LaunchModel } from './client.ts'

/** A route of this name is for the small jobs of the client that is launched. */
const SMALL = 'dragoman-small'

/** The models of a launch. Throws where the configuration has none for the client. */
export function modelsFor(
  { name, path, needsModel }: Client,
  settings: Settings,
  wanted: { model?: string; small?: string },
): Pick<LaunchFacts, 'model' | 'small' | 'models' | 'foreign'> {
  const listed = listModels(settings, dialects).map((entry) => modelOf(settings, entry))
  const id = wanted.model ?? listed.find((entry) => entry.id !== SMALL)?.id
  if (id === undefined) {
    const upstreams = [...settings.upstreams.values()]
    const [first] = upstreams
    if (first && upstreams.every(isCallers)) refuseCallers(settings, first)
    if (!needsModel) return { models: listed, foreign: false }
    throw new ConfigError('--model', `${name} has to be told one, because no route names one`)
  }
  const model = known(settings, '--model', id)
  const smallId = wanted.small ?? listed.find((entry) => entry.id === SMALL)?.id
  const small = smallId === undefined ? model : known(settings, '--small', smallId)
  const others = listed.filter((entry) => entry.id !== model.id && entry.id !== small.id)
  return {
    model,
    small,
    models: [model, ...(small.id === model.id ? [] : [small]), ...others],
    foreign: findUpstream(settings, dialects, id)?.dialect !== dialectAt(path),
  }
}

const dialectAt = (path: string): string | undefined =>
  adapters.find(({ caller }) =>
    caller.match({ method: 'POST', path, query: new URLSearchParams() }),
  )?.dialect

function known(settings: Settings, option: string, id: string): LaunchModel {
  const model = findModel(settings, dialects, id)
  const destination = findDestination(settings, dialects, id)
  if (!model || !destination) throw new ConfigError(option, `no route takes the model "${id}"`)
  if (isCallers(destination.upstream)) refuseCallers(settings, destination.upstream)
  return modelOf(settings, model)
}

function modelOf(settings: Settings, model: ModelEntry): LaunchModel {
  const said = findDestination(settings, dialects, model.id)?.target.facts.contextWindow
  return { ...model, ...(said !== undefined && { isWindowSaid: true }) }
}

const isCallers = ({ key }: UpstreamSettings): boolean => key.kind === 'caller'

function refuseCallers({ origin }: Settings, { name }: UpstreamSettings): never {
  throw new ConfigError(
    `upstreams.${name}.key`,
    'a launched client has a one-time key and not its own, so "caller" leads nowhere',
    origin,
  )
}

const findUpstream = (settings: Settings, all: Dialects, model: string) =>
  findDestination(settings, all, model)?.upstream

/** The message about limits of the model that neither the configuration nor the table has. */
export function unknownLimits(
  { title }: Client,
  settings: Settings,
  model: LaunchModel | undefined,
): string | undefined {
  const destination = model && findDestination(settings, dialects, model.id)
  if (!destination || destination.upstream.base.startsWith(DEMO_ORIGIN)) return undefined
  const missing = [
    ...(model.contextWindow === undefined ? (['contextWindow'] as const) : []),
    ...(model.maxOutputTokens === undefined ? (['maxOutputTokens'] as const) : []),
  ]
  if (missing.length === 0) return undefined
  const place = `upstreams.${destination.upstream.name}.models."${destination.target.model}"`
  const what = missing.map((fact) => LIMITS[fact]).join(' and ')
  return `neither the configuration nor the table of models knows the ${what} of ${model.id}, so ${title} goes by what it assumes; say ${missing.join(' and ')} in ${place}`
}

const LIMITS = { contextWindow: 'context window', maxOutputTokens: 'output bound' }
