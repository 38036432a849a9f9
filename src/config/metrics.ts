import { ConfigError } from './lint/finding.ts'
import type { Examination } from './lint/examination.ts'
import { textAt, valueAt } from './lint/place.ts'
import type { MetricsSettings } from './settings.ts'
import type { Config } from './type.ts'
import { type Environment, type Platform, readSecret } from './values.ts'

/** The log masks secrets from 8 characters on; a shorter key would appear in it. */
const SHORTEST_KEY = 8

/** By default metrics are served where only this machine can ask and callers need no key. */
export function readMetrics(
  { metrics, callers }: Pick<Config, 'metrics' | 'callers'>,
  environment: Environment,
  { listens, exposed }: Pick<Required<Platform>, 'listens' | 'exposed'>,
): MetricsSettings {
  if (typeof metrics === 'object')
    return { kind: 'key', key: readMetricsKey(metrics.key, environment, 'metrics.key') }
  const isOwn = listens !== undefined && !exposed && (callers === undefined || callers === 'open')
  if (metrics === undefined && isOwn) return { kind: 'on', unasked: true }
  return { kind: metrics ?? 'off' }
}

function readMetricsKey(text: string, environment: Environment, place: string): string {
  const key = readSecret(text, environment, place)
  if (key.length < SHORTEST_KEY)
    throw new ConfigError(place, `expected a key of at least ${SHORTEST_KEY} characters`)
  return key
}

export function checkMetrics({ config, environment, platform, found }: Examination): void {
  const metrics = valueAt(config, ['metrics'])
  if (metrics === undefined || metrics === 'off') return
  if (platform.stores === 'isolate')
    found.fault(['metrics'], 'a Worker has none: each isolate would count for itself', true)
  const callers = valueAt(config, ['callers'])
  if (metrics === 'on' && platform.exposed && (callers === undefined || callers === 'open'))
    found.fault(['metrics'], 'expected {"key": ...}, because others than this machine can ask')
  const key = textAt(config, ['metrics', 'key'])
  if (key)
    found.attempt(['metrics', 'key'], (place) => void readMetricsKey(key, environment, place))
}
