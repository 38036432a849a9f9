import {
  DEFAULT_RETENTION,
  ISOLATE_LIMITS,
  MAX_OUTPUT_TOKENS,
  PROCESS_LIMITS,
  RECALL_BYTES,
  RECORD,
  WORKER_STORE_BOUNDS,
} from '../../src/config/defaults.ts'
import type { StoreBounds } from '../../src/config/settings.ts'
import type { Config, LimitsConfig } from '../../src/config/type.ts'
import { SECOND_MS, both, count, size, time, type Unit, type Words } from './word.ts'

const limit = (name: keyof LimitsConfig, means: string, unit: Unit, example: number) => ({
  means,
  usual: both(unit, PROCESS_LIMITS[name], ISOLATE_LIMITS[name]),
  example,
})

const bound = (name: keyof StoreBounds, means: string, example: number) => ({
  means,
  usual: both(size, DEFAULT_RETENTION[name], WORKER_STORE_BOUNDS[name]),
  example,
})

/** Said for all upstreams, and for one of them. */
export const COMPACTION_WORDS = {
  means:
    'Whether a summary that the upstream’s service cannot write is a turn of the model, or refused.',
  usual: 'serve',
  example: 'refuse',
  within: {
    threshold: {
      means:
        'Also write summaries requested above a number of tokens, before the turn: one request then makes two or more upstream.',
      usual: 'false',
      example: true,
    },
    maxOutputTokens: {
      means: 'Output limit of a summary, within the model’s.',
      usual: String(MAX_OUTPUT_TOKENS),
      example: 4096,
    },
  },
} satisfies Words<Pick<Config, 'compaction'>>['compaction']

/** What is kept, told, traced and shown, and the limits of the process. */
export const OPERATION_WORDS: Words<
  Omit<Config, '$schema' | 'upstreams' | 'routes' | 'failover' | 'callers' | 'before' | 'tasks'>
> = {
  state: {
    means: 'Where conversations are kept that later requests may refer to.',
    within: {
      store: {
        means: 'memory, sqlite:FILE or redis://HOST; on Workers durable or kv; off keeps nothing.',
        usual: 'memory; on Workers durable',
        example: 'sqlite:state.db',
      },
      ttlSeconds: {
        means: 'How long conversations are kept.',
        usual: `${DEFAULT_RETENTION.ttlMs / SECOND_MS} (30 days)`,
        example: 86_400,
      },
      entryBytes: bound('entryBytes', 'Maximum kept of one exchange.', 1_048_576),
      ownerBytes: bound(
        'ownerBytes',
        'Maximum kept for one caller; the oldest entries go first.',
        16_777_216,
      ),
      totalBytes: bound(
        'totalBytes',
        'Maximum kept for all callers; the oldest entries go first.',
        536_870_912,
      ),
      proofs: {
        means: 'Also keep signatures of reasoning, for clients that do not send them back.',
        usual: String(DEFAULT_RETENTION.proofs),
        example: true,
      },
      recallBytes: {
        means:
          'Maximum remembered of the sessions’ last requests, so that only what is new in the next is read; 0 for nothing. Affects speed alone.',
        usual: `${size(RECALL_BYTES.process)}, on Workers ${size(RECALL_BYTES.isolate)}; 0 with the store off and in a library`,
        example: 268_435_456,
      },
    },
  },
  losses: {
    means: 'Whether a request that would lose something is sent (report) or refused (reject).',
    usual: 'report',
    example: 'reject',
    within: {
      mode: {
        means: 'The same, beside other fields.',
        usual: 'report',
        example: 'reject',
      },
      trailer: {
        means: 'Streams end with a comment that lists the losses, those of the reply included.',
        usual: 'false',
        example: true,
      },
    },
  },
  compaction: COMPACTION_WORDS,
  telemetry: {
    means: 'OpenTelemetry traces, on Node; OTEL_* variables fill in the rest.',
    usual: 'off',
    within: {
      otlp: {
        means: 'The collector.',
        usual: 'the variables’',
        within: {
          endpoint: {
            means: 'The collector’s address for OTLP over HTTP, without /v1/traces.',
            example: 'http://127.0.0.1:4318',
          },
          headers: {
            means: 'Headers for the collector; secrets as env:NAME or file:/PATH.',
            usual: 'none',
            example: { 'x-team': 'blue' },
          },
        },
      },
      sample: {
        means: 'The share of exchanges to trace.',
        usual: 'OTEL_TRACES_SAMPLER_ARG, or 1',
        example: 0.1,
      },
      semconv: {
        means: 'Attribute names: of the last release of the conventions, or of the next.',
        usual: '1.41',
        example: '1.41',
      },
      trust: {
        means: 'Let the flag in a caller’s traceparent decide what is traced.',
        usual: 'false',
        example: true,
      },
    },
  },
  metrics: {
    means:
      'Whether /metrics and /usage answer: to every caller (on), or with a key of their own. Not on Workers.',
    usual: 'on if only this machine can connect and callers need no key',
    example: 'off',
    within: {
      key: {
        means: 'Their key.',
        example: 'env:METRICS_KEY',
      },
    },
  },
  log: {
    means: 'What the log says of each exchange beside what it always does.',
    within: {
      client: {
        means:
          'Also log address (the other end of the connection, which may be another proxy) and userAgent.',
        usual: 'false',
        example: true,
      },
    },
  },
  record: {
    means: 'Write down every exchange, for dragoman verify.',
    usual: 'off; not on Workers',
    within: {
      file: {
        means: 'A file of JSON lines, readable by this user alone.',
        example: 'exchanges.jsonl',
      },
      maxBytes: {
        means: 'Its maximum size; anything beyond is dropped and counted.',
        usual: size(RECORD.maxBytes),
        example: 104_857_600,
      },
      bodies: {
        means: 'Include bodies; without them nothing can be verified.',
        usual: String(RECORD.bodies),
        example: false,
      },
    },
  },
  web: {
    means: 'Which web pages may call, and other names of the proxy.',
    usual: 'none',
    within: {
      origins: {
        means: 'Web pages that may call, as browsers spell an origin: scheme, host and port, no *.',
        usual: 'none',
        example: ['https://chat.example'],
      },
      hosts: {
        means: 'Other host names for a proxy on a loopback address, besides localhost.',
        usual: 'none',
        example: ['host.docker.internal'],
      },
    },
  },
  sockets: {
    means: 'WebSockets at /v1/responses; off sends clients back to HTTP (426).',
    usual: 'on',
    example: 'off',
  },
  inspect: {
    means:
      'A page, for this machine alone, that shows both sides of every exchange. Not on Workers.',
    usual: 'false; true in the demo',
    example: true,
  },
  limits: {
    means: 'Bounds on one caller and on all together.',
    within: {
      bodyBytes: limit('bodyBytes', 'Largest request body, decompressed.', size, 8_388_608),
      inFlightBytes: limit(
        'inFlightBytes',
        'What all exchanges together may hold in memory.',
        size,
        536_870_912,
      ),
      depth: limit('depth', 'Nesting depth of JSON.', count, 100),
      nodes: limit('nodes', 'JSON values in a body.', count, 500_000),
      eventBytes: limit(
        'eventBytes',
        'Largest event in an upstream’s stream; each of its lines counts 16 more.',
        size,
        4_194_304,
      ),
      replyBytes: limit('replyBytes', 'Largest JSON reply.', size, 33_554_432),
      streamBytes: limit('streamBytes', 'Longest stream.', size, 134_217_728),
      streams: limit('streams', 'Open exchanges.', count, 500),
      connections: limit('connections', 'Open connections of callers.', count, 1000),
      headersMs: limit(
        'headersMs',
        'Time for a caller to send the head of a request.',
        time,
        10_000,
      ),
      bodyMs: limit('bodyMs', 'Time to send the body.', time, 60_000),
      heartbeatMs: limit('heartbeatMs', 'Silence in a stream before a ping is sent.', time, 10_000),
      gatherMs: limit(
        'gatherMs',
        'How long deltas of a translated stream wait for others.',
        time,
        40,
      ),
      drainMs: limit(
        'drainMs',
        'Time for open exchanges to finish after the signal to stop.',
        time,
        60_000,
      ),
      lingerMs: limit(
        'lingerMs',
        'Time that the port stays open after that signal, before drainMs begins.',
        time,
        5000,
      ),
      sockets: limit('sockets', 'Open WebSockets.', count, 5000),
      socketMs: limit(
        'socketMs',
        'Lifetime of a WebSocket; a running reply still finishes.',
        time,
        1_800_000,
      ),
      socketBytes: limit(
        'socketBytes',
        'Maximum remembered for one WebSocket; four times that for all.',
        size,
        16_777_216,
      ),
    },
  },
}
