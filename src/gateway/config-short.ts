import { demoConfig, type Platform, settingsOf } from './config.ts'
import { ConfigError, type Environment } from './config-values.ts'
import type { Settings } from './settings.ts'

/** The variables of the short form, and the place in a configuration that each one fills. */
const VARIABLES = {
  DRAGOMAN_DIALECT: 'upstreams.upstream.dialect',
  DRAGOMAN_URL: 'upstreams.upstream.url',
  DRAGOMAN_KEY: 'upstreams.upstream.key',
  DRAGOMAN_MODEL: 'routes[0].as',
  DRAGOMAN_CALLER_KEYS: 'callers',
  DRAGOMAN_IMAGE_URL: 'tasks.image.url',
  DRAGOMAN_IMAGE_KEY: 'tasks.image.key',
  DRAGOMAN_MUSIC_URL: 'tasks.music.url',
  DRAGOMAN_MUSIC_KEY: 'tasks.music.key',
  DRAGOMAN_STATE: 'state.store',
  DRAGOMAN_LOSSES: 'losses',
} as const

type Variable = keyof typeof VARIABLES

/** One upstream without a file; undefined when no variable names one. */
export function shortForm(environment: Environment, platform: Platform = {}): Settings | undefined {
  const read = reader(environment)
  const dialect = read('DRAGOMAN_DIALECT')
  const url = read('DRAGOMAN_URL')
  const tasks = taskConfig(read)
  const model = read('DRAGOMAN_MODEL')
  const key = read('DRAGOMAN_KEY')
  const isMeant = dialect || url || key || model
  if (!isMeant && Object.keys(tasks).length === 0) return undefined
  const config = {
    ...(isMeant && {
      upstreams: {
        upstream: { ...(dialect && { dialect }), ...(url && { url }), ...(key && { key }) },
      },
      routes: [{ model: '*', upstream: 'upstream', ...(model && { as: model }) }],
    }),
    tasks,
    ...commonConfig(read),
  }
  return named(() => settingsOf(config, environment, { ...platform, origin: 'environment' }))
}

/** The demo, with what the environment says about callers, state and losses. */
export function demoForm(environment: Environment, platform: Platform = {}): Settings {
  const config = { ...demoConfig(), ...commonConfig(reader(environment)) }
  return named(() => settingsOf(config, environment, { ...platform, origin: 'demo' }))
}

type Read = (variable: Variable) => string | undefined

/** An empty variable counts as absent: that is how people switch one off. */
const reader =
  (environment: Environment): Read =>
  (variable) =>
    environment[variable]?.trim() || undefined

function taskConfig(read: Read): object {
  const image = taskOf(read('DRAGOMAN_IMAGE_URL'), read('DRAGOMAN_IMAGE_KEY'))
  const music = taskOf(read('DRAGOMAN_MUSIC_URL'), read('DRAGOMAN_MUSIC_KEY'))
  return { ...(image && { image }), ...(music && { music }) }
}

const taskOf = (url: string | undefined, key: string | undefined): object | undefined =>
  url || key ? { ...(url && { url }), ...(key && { key }) } : undefined

function commonConfig(read: Read): object {
  const keys = read('DRAGOMAN_CALLER_KEYS')
  const store = read('DRAGOMAN_STATE')
  const losses = read('DRAGOMAN_LOSSES')
  return {
    ...(keys === 'open' && { callers: 'open' }),
    ...(keys && keys !== 'open' && { callers: { keys: keys.split(',').map((key) => key.trim()) } }),
    ...(store && { state: { store } }),
    ...(losses && { losses }),
  }
}

/** A fault is told in the words of whoever set the variables. */
function named(build: () => Settings): Settings {
  try {
    return build()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const place = Object.entries(VARIABLES).find(([, path]) => error.place.startsWith(path))?.[0]
    throw new ConfigError(place ?? error.place, error.expected, error.origin)
  }
}
