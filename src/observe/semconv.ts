import type { TelemetrySettings } from '../config/settings.ts'

/**
 * The versions of OpenTelemetry's GenAI conventions that can be chosen: the last release, and the one in development.
 */
export type SemconvVersion = TelemetrySettings['semconv']

/**
 * The names of attributes, from https://opentelemetry.io/docs/specs/semconv/; only those of this proxy begin with
 * `dragoman.`.
 */
const COMMON = {
  method: 'http.request.method',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  resend: 'http.request.resend_count',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  errorType: 'error.type',
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  callerDialect: 'dragoman.caller.dialect',
  caller: 'dragoman.caller',
  upstream: 'dragoman.upstream',
  route: 'dragoman.route',
  losses: 'dragoman.losses',
  attempts: 'dragoman.attempts',
} as const

export type Semconv = Record<keyof typeof COMMON | 'cacheWriteTokens' | 'schemaUrl', string>

/** For spans the two versions differ in one name. */
export const SEMCONV: Readonly<Record<SemconvVersion, Semconv>> = {
  '1.41': {
    ...COMMON,
    cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
    schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
  },
  main: {
    ...COMMON,
    cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
    schemaUrl: 'https://opentelemetry.io/schemas/gen-ai/1.42.0',
  },
}
