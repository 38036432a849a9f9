import { defined } from '../json/json.ts'
import { ConfigError } from './lint/finding.ts'
import type { Examination } from './lint/examination.ts'
import { membersAt, textAt, valueAt } from './lint/place.ts'
import type { TelemetrySettings } from './settings.ts'
import type { Config } from './type.ts'
import { type Environment, type Platform, readHeaderName, readHeaderValue } from './values.ts'

const DEFAULT_SERVICE = 'dragoman'

/** Where traces go, and how many: by the configuration, else by the variables of OpenTelemetry (OTEL_…). */
export function readTelemetry(
  { telemetry = {} }: Pick<Config, 'telemetry'>,
  environment: Environment,
  { listens }: Pick<Required<Platform>, 'listens'>,
): TelemetrySettings | undefined {
  const read = (name: string) => environment[name]?.trim() || undefined
  const { otlp, sample, ...given } = telemetry
  const endpoint = otlp?.endpoint ?? read('OTEL_EXPORTER_OTLP_ENDPOINT')
  const isOff = read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
  // Inside another program the traces are that program's concern.
  if (endpoint === undefined || isOff || !listens) return undefined
  const headers = otlp
    ? Object.entries(otlp.headers ?? {})
    : pairsIn(read('OTEL_EXPORTER_OTLP_HEADERS'))
  const attributes = Object.fromEntries(pairsIn(read('OTEL_RESOURCE_ATTRIBUTES')))
  const service = read('OTEL_SERVICE_NAME') ?? attributes['service.name'] ?? DEFAULT_SERVICE
  const place = otlp ? 'telemetry.otlp' : 'OTEL_EXPORTER_OTLP_HEADERS'
  return {
    semconv: '1.41',
    trust: false,
    ...defined(given),
    endpoint: readEndpoint(
      endpoint,
      otlp ? 'telemetry.otlp.endpoint' : 'OTEL_EXPORTER_OTLP_ENDPOINT',
    ),
    headers: Object.fromEntries(
      headers.map(([name, value]) => [
        readHeaderName(name, place),
        readHeaderValue(value, environment, place),
      ]),
    ),
    sample: sample ?? ratioIn(read('OTEL_TRACES_SAMPLER_ARG')) ?? 1,
    resource: { ...attributes, 'service.name': service },
  }
}

function readEndpoint(text: string, place: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new ConfigError(
      place,
      'expected the address of a collector such as http://127.0.0.1:4318',
    )
  return text
}

/** `name=value,name=value`, with percent-encoded values, as in OTEL_EXPORTER_OTLP_HEADERS. */
const pairsIn = (text = ''): [string, string][] =>
  text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]]
  })

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function ratioIn(text: string | undefined): number | undefined {
  const ratio = text === undefined ? Number.NaN : Number(text)
  return ratio >= 0 && ratio <= 1 ? ratio : undefined
}

export function checkTelemetry({ config, environment, platform, found }: Examination): void {
  if (valueAt(config, ['telemetry']) === undefined) return
  if (platform.stores === 'isolate')
    found.fault(
      ['telemetry'],
      'a Worker is traced by its platform: [observability.traces] in wrangler.toml',
      true,
    )
  const at = ['telemetry', 'otlp']
  const endpoint = textAt(config, [...at, 'endpoint'])
  if (endpoint !== undefined)
    found.attempt([...at, 'endpoint'], (place) => void readEndpoint(endpoint, place))
  for (const [name, value] of membersAt(config, [...at, 'headers'])) {
    const path = [...at, 'headers', name]
    found.attempt(path, (place) => void readHeaderName(name, place), true)
    if (typeof value === 'string')
      found.attempt(path, (place) => void readHeaderValue(value, environment, place))
  }
}
