import type { Settings, TelemetrySettings, UpstreamSettings } from '../config/settings.ts'
import { lossCount } from '../model/loss.ts'
import type { LogEntry } from './entry.ts'
import { attemptsOf } from './metrics.ts'
import {
  toAttributes,
  createExporter,
  type Exporter,
  type Post,
  type Span,
  unixNano,
} from './otlp.ts'
import { SEMCONV, type Semconv } from './semconv.ts'
import { type TraceContext, traceOf } from './traceparent.ts'

/** Sends traces to a collector. They never hold content, keys, sessions or queries. */
export interface Tracer {
  begin(headers: { get(name: string): string | null }): TraceContext
  finished(entry: LogEntry, trace: TraceContext, settings: Settings): void
  readonly exporter: Exporter
}

export interface TracerOptions {
  telemetry: TelemetrySettings
  version: string
  post: Post
  now(): number
  randomId(): string
}

export function createTracer(options: TracerOptions): Tracer {
  const { telemetry, version, post, now, randomId } = options
  const { endpoint, headers, semconv, sample, trust, resource } = telemetry
  const names = SEMCONV[semconv]
  const exporter = createExporter({
    endpoint,
    headers,
    resource: toAttributes([...Object.entries(resource), ['service.version', version]]),
    scope: { name: 'dragoman', version },
    schemaUrl: names.schemaUrl,
    post,
    now,
  })
  return {
    exporter,
    begin: (given) => traceOf(given, randomId, { ratio: sample, trust }),
    finished(entry, trace, settings) {
      if (!trace.sampled) return
      const inferenceId = randomId().slice(0, 16)
      exporter.add(buildSpans({ entry, trace, settings, names, end: now(), inferenceId }))
    },
  }
}

interface ExchangeTrace {
  entry: LogEntry
  trace: TraceContext
  settings: Settings
  names: Semconv
  /** Milliseconds since 1970. */
  end: number
  inferenceId: string
}

/** Three levels of spans: the exchange, the inference over all its attempts, and each attempt. */
function buildSpans(traced: ExchangeTrace): Span[] {
  const { entry, trace, settings } = traced
  const { upstream: name = '', operation } = entry
  const upstream = settings.upstreams.get(name)
  const attempts = attemptsOf(entry)
  const isInference = upstream && operation === 'create' && attempts.length > 0
  if (!isInference) return [serverSpan(traced)]
  const inference = inferenceSpan(traced, upstream)
  let at = Math.max(0, traced.end - entry.totalMs)
  const calls = attempts.map((attempt, index): Span => {
    const start = at
    at = Math.min(traced.end, at + attempt.ms)
    const { member, status } = attempt
    const asked = settings.upstreams.get(member.split('#')[0] ?? '') ?? upstream
    return {
      traceId: trace.traceId,
      spanId: trace.calls[index] ?? `${traced.inferenceId.slice(0, 15)}${index % 10}`,
      parentSpanId: traced.inferenceId,
      name: 'POST',
      kind: 3,
      startTimeUnixNano: unixNano(start),
      endTimeUnixNano: unixNano(at),
      attributes: toAttributes([
        [traced.names.method, 'POST'],
        ...addressOf(traced.names, asked),
        [traced.names.httpStatus, status],
        [traced.names.resend, index > 0 ? index : undefined],
      ]),
      status: status === undefined || status >= 400 ? { code: 2 } : {},
    }
  })
  return [serverSpan(traced), inference, ...calls]
}

function addressOf(names: Semconv, { base }: UpstreamSettings): [string, string | number][] {
  const { hostname, port, protocol } = new URL(base)
  const usual = protocol === 'https:' ? 443 : 80
  return [
    [names.serverAddress, hostname],
    [names.serverPort, port === '' ? usual : Number(port)],
  ]
}

/** A caller that left is no error. */
const spanStatus = ({ outcome, status }: LogEntry): Span['status'] =>
  outcome === 'left' || (status < 500 && outcome !== 'upstream_error') ? {} : { code: 2 }

const errorTypeOf = ({ outcome = 'ok', status }: LogEntry): string | undefined => {
  if (outcome === 'ok') return undefined
  if (outcome === 'left') return 'cancelled'
  return status >= 400 ? String(status) : outcome
}

const spanTimes = ({ end, entry }: ExchangeTrace) => ({
  startTimeUnixNano: unixNano(end - entry.totalMs),
  endTimeUnixNano: unixNano(end),
})

function serverSpan(traced: ExchangeTrace): Span {
  const { entry, trace, names } = traced
  const template = routeTemplate(entry.path)
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    ...(trace.parentId && { parentSpanId: trace.parentId }),
    ...(trace.tracestate && { traceState: trace.tracestate }),
    name: template ? `${entry.method} ${template}` : entry.method,
    kind: 2,
    ...spanTimes(traced),
    attributes: toAttributes([
      [names.method, entry.method],
      [names.httpRoute, template],
      [names.httpStatus, entry.status],
      [names.errorType, errorTypeOf(entry)],
      [names.callerDialect, entry.dialect],
      [names.caller, entry.caller],
      [names.route, entry.route],
    ]),
    status: spanStatus(entry),
  }
}

function inferenceSpan(traced: ExchangeTrace, upstream: UpstreamSettings): Span {
  const { entry, trace, names, inferenceId } = traced
  const { sentModel, usage = {}, finish, firstByteMs, upstreamDialect = '' } = entry
  const operation = upstreamDialect.startsWith('generate') ? 'generate_content' : 'chat'
  return {
    traceId: trace.traceId,
    spanId: inferenceId,
    parentSpanId: trace.spanId,
    name: sentModel ? `${operation} ${sentModel}` : operation,
    kind: 3,
    ...spanTimes(traced),
    attributes: toAttributes([
      [names.operation, operation],
      [names.provider, findProvider(upstream)],
      [names.requestModel, sentModel],
      [names.requestStream, entry.stream],
      ...addressOf(names, upstream),
      [names.errorType, errorTypeOf(entry)],
      [names.finishReasons, finish === undefined ? undefined : [finish]],
      [names.firstChunk, firstByteMs === undefined ? undefined : firstByteMs / 1000],
      [names.inputTokens, usage.input],
      [names.outputTokens, usage.output],
      [names.cacheReadTokens, usage.cacheRead],
      [names.cacheWriteTokens, usage.cacheWrite],
      [names.reasoningTokens, usage.reasoning],
      [names.upstream, upstream.name],
      [names.losses, entry.losses && lossCount(entry.losses)],
      [names.attempts, entry.attempts?.length],
    ]),
    status: spanStatus(entry),
  }
}

/** Provider names of the GenAI conventions by the host that is called; others have the upstream's name. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/anthropic/, 'anthropic'],
  [/azure/, 'azure.ai.openai'],
  [/openai/, 'openai'],
  [/aiplatform/, 'gcp.vertex_ai'],
  [/googleapis/, 'gcp.gemini'],
  [/bedrock/, 'aws.bedrock'],
  [/mistral/, 'mistral_ai'],
  [/deepseek/, 'deepseek'],
  [/groq/, 'groq'],
]

const findProvider = ({ base, name }: UpstreamSettings): string =>
  PROVIDERS.find(([pattern]) => pattern.test(new URL(base).hostname))?.[1] ?? name

const TEMPLATES: readonly (readonly [RegExp, string])[] = [
  [
    /^\/(v1|v1beta)\/models\/.+:(generateContent|streamGenerateContent|countTokens)$/,
    '/$1/models/{model}:$2',
  ],
  [/^\/v1\/responses\/(input_tokens|compact)$/, '/v1/responses/$1'],
  [/^\/v1\/responses\/[^/]+(\/cancel|\/input_items|)$/, '/v1/responses/{id}$1'],
  [/^\/v1\/(messages|messages\/count_tokens|responses|chat\/completions|models)$/, '/v1/$1'],
  [/^\/(img|music)\/.*$/, '/$1/{path}'],
]

/** A template, because paths themselves hold ids and names. */
export function routeTemplate(path: string): string | undefined {
  const own = path.replace(/^\/explain(?=\/)/, '')
  const found = TEMPLATES.find(([pattern]) => pattern.test(own))
  return found && own.replace(found[0], found[1])
}
